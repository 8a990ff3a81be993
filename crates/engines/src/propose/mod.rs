//! Designs worth measuring for a workload: its facts are read, the rules of all engines are applied to them, and every
//! design that they name is described, so that none is proposed that a run would refuse.

mod estimates;
mod filters;
mod first_rows;
mod growth;
mod highest;
mod load;
mod questions;
mod same;
mod unmet;

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use bakeoff_stats::propose::{Calibration, Misfit, Proposal, Proposals, Reason};
use bakeoff_workload::{ColumnType, DesignId, Error, Result, RowSource, Table, Workload};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;

use crate::advice::{Advice, Candidate, Facts, Rank, Stated};
use crate::key_values::KeyValues;
use crate::registry::{ENGINES, engine};
use crate::sql::{message, session_with};
use crate::translate::lacking;
use crate::{Context, DriveRequest, EngineError, NewTable};

pub use same::leave_same;
pub use unmet::is_unmet;

/// Beginnings of the statements that make tables and what belongs to them.
const DDL: [&str; 6] = [
    "CREATE TABLE",
    "CREATE INDEX",
    "CREATE UNIQUE INDEX",
    "CREATE CUSTOM INDEX",
    "CREATE MATERIALIZED VIEW",
    "SELECT create_hypertable",
];
/// What a workload itself says of its designs.
const BASELINE: Stated = Stated {
    rule: "baseline",
    source: "`baseline` in the workload's [decide]",
};

/// What proposals are made of.
pub struct Request<'a> {
    pub workload: &'a Workload,
    /// Its rows; `None` if they are in a file that nobody has named.
    pub source: Option<&'a dyn RowSource>,
    /// Most rows that are read of them.
    pub rows: u64,
    /// Main memory of the machine in bytes; 0 if it is not known.
    pub memory_bytes: u64,
    /// What storing and reading cost on this machine, if that was measured.
    pub calibration: Option<&'a Calibration>,
    pub context: &'a Context,
}

/// Returns the bytes that the values of one of the first rows take on average; `None` if there are no rows.
///
/// # Errors
/// Fails if rows cannot be read.
pub fn mean_row_bytes(source: &dyn RowSource, columns: usize, rows: u64) -> Result<Option<f64>> {
    Ok(first_rows::mean_bytes(&first_rows::read(
        source, columns, rows,
    )?))
}

/// Applies all rules to a workload. There may be more designs than are measured ([`Proposals::leave_most`]).
///
/// # Errors
/// Fails if rows cannot be read, or a question cannot be planned.
pub async fn propose(request: &Request<'_>) -> Result<Proposals> {
    let (facts, notes) = facts(request).await?;
    let mut advice: Vec<Advice> = baseline(request.workload).into_iter().collect();
    let all = ENGINES.iter();
    advice.extend(all.flat_map(|engine| engine.advise(&facts)));
    let mut proposals = Proposals {
        workload: request.workload.name.clone(),
        facts: facts.in_words(),
        notes,
        ..Proposals::default()
    };
    let mut candidates = Vec::new();
    for advice in advice {
        match advice {
            Advice::Measure(candidate) => candidates.push(candidate),
            Advice::Avoid(bad) if proposals.bad_practices.contains(&bad) => {}
            Advice::Avoid(bad) => proposals.bad_practices.push(bad),
        }
    }
    for (design, reasons) in merged(candidates) {
        match described(request, &design, reasons) {
            Ok(Some(proposal)) => proposals.designs.push(proposal),
            Ok(None) => {}
            Err(error) => proposals.misfits.push(Misfit {
                design,
                why: error.0,
            }),
        }
    }
    if let Some(span) = same::whole_span(request, &facts)? {
        leave_same(&mut proposals, &facts.table, span);
    }
    if let Some(calibration) = request.calibration {
        estimates::add(&mut proposals.designs, &facts, calibration);
    }
    Ok(proposals)
}

/// Returns the design that the workload is compared with, which has to be among its designs.
fn baseline(workload: &Workload) -> Option<Advice> {
    let baseline = workload.decide.baseline.as_ref()?;
    Some(BASELINE.measure(Rank::First, baseline.to_string(), "what there is today"))
}

/// Puts the reasons of each design together, those to begin with first and otherwise in the order of the rules.
fn merged(candidates: Vec<Candidate>) -> Vec<(String, Vec<Reason>)> {
    let mut merged: Vec<(Rank, String, Vec<Reason>)> = Vec::new();
    for candidate in candidates {
        let same = merged.iter_mut().find(|(_, id, _)| *id == candidate.design);
        match same {
            Some((rank, _, reasons)) => {
                *rank = candidate.rank.min(*rank);
                reasons.push(candidate.reason);
            }
            None => merged.push((candidate.rank, candidate.design, vec![candidate.reason])),
        }
    }
    merged.sort_by_key(|(rank, _, _)| *rank);
    let in_order = merged.into_iter();
    in_order.map(|(_, id, reasons)| (id, reasons)).collect()
}

/// Describes a design; `None` if nothing of the workload can be measured with it.
fn described(
    request: &Request<'_>,
    design: &str,
    reasons: Vec<Reason>,
) -> Result<Option<Proposal>, EngineError> {
    let workload = request.workload;
    let id: DesignId = design.parse().map_err(EngineError)?;
    let engine = engine(&id)?;
    let takes_operations = workload.mix.as_ref().is_some_and(|mix| {
        let drive = DriveRequest::plain(workload, mix);
        engine.check_operations(&id).is_ok() && engine.check_drive(&id, &drive).is_ok()
    });
    let answers_questions = !workload.queries.is_empty() && engine.answers_sql(&id);
    if !takes_operations && !answers_questions {
        return Ok(None);
    }
    if let Some(why) = engine.unfit(&id, workload) {
        return Err(EngineError(why));
    }
    // A run asks each design every question, and refuses a workload with one that cannot be asked.
    if answers_questions && let Some(why) = lacking(&id, workload) {
        return Err(EngineError(why));
    }
    let info = engine.describe(&id, workload, request.context)?;
    Ok(Some(Proposal {
        design: design.to_owned(),
        reasons,
        ddl: ddl(info.statements),
        answers_questions,
        takes_operations,
        not_here: None,
        estimated: Vec::new(),
    }))
}

/// Returns the statements that make tables, or all of them if there are none, as for files.
fn ddl(statements: Vec<String>) -> Vec<String> {
    let makes = |statement: &&String| DDL.iter().any(|words| statement.starts_with(words));
    let making: Vec<String> = statements.iter().filter(makes).cloned().collect();
    if making.is_empty() {
        statements
    } else {
        making
    }
}

/// Reads what the rules have to know, and returns it with notes on the questions.
async fn facts(request: &Request<'_>) -> Result<(Facts, Vec<String>)> {
    let workload = request.workload;
    let sample = request.source.and_then(RowSource::grown_from);
    let most = growth::rows_to_read(request.rows, sample);
    let rows = match request.source {
        Some(source) => first_rows::read(source, workload.table.columns.len(), most)?,
        None => Vec::new(),
    };
    let session = session_over(workload, &rows)?;
    let read: u64 = rows.iter().map(|batch| batch.num_rows() as u64).sum();
    let from = request.source.filter(|_| read > 0);
    let questions = questions::read(workload, &session, from.map(|source| (source, read))).await?;
    let notes = match from {
        Some(source) => unmet::notes(workload, &questions, &session, source, read).await,
        None => Vec::new(),
    };
    let columns = NewTable {
        columns: workload.table.columns.len(),
        is_ordered: !workload.table.order_key.is_empty(),
        days: None,
        step_of_one_series: None,
    };
    let grows = growth::of(&workload.scale, sample);
    let mut facts = Facts {
        table: workload.table.clone(),
        is_wide: columns.is_wide(),
        questions,
        load: workload.mix.as_ref().map(load::of),
        cql: workload.mix.as_ref().map_or(Vec::new(), load::statements),
        is_written_in_cql: workload.is_written_in_cql(),
        rows: first_rows::seen(&workload.table, &rows)?,
        full_rows: workload.scale.full_rows,
        grows,
        sample: sample.map(|sample| growth::whole(&workload.table, sample, grows)),
        cores: workload.scale.cores,
        memory_bytes: request.memory_bytes,
        keys_repeat: request.context.keys_repeat,
        ttl_seconds: load::ttl_seconds(workload),
        ttl: load::ttl_of_designs(workload),
    };
    let is_counted = |name: &&str| {
        let column = workload.table.column(name);
        column.is_some_and(|c| !matches!(c.kind, ColumnType::Boolean | ColumnType::Blob))
    };
    let found = facts.found_by().into_keys().filter(is_counted);
    let found: Vec<String> = found.map(str::to_owned).collect();
    if let Some(seen) = &mut facts.rows {
        seen.distinct = questions::distinct(&session, &workload.table.name, found).await?;
        seen.lacking = without_values(&workload.table, &rows);
        seen.has_all_partitions |= growth::shows_all_series(read, sample);
    }
    Ok((facts, notes))
}

/// Returns the columns that cannot be a partition key, since some of these rows have no value there.
fn without_values(table: &Table, rows: &[RecordBatch]) -> Vec<String> {
    let names = table.columns.iter().map(|column| column.name.clone());
    let lacks = |name: &String| {
        let values = KeyValues {
            columns: vec![name.clone()],
            without_empty: true,
        };
        rows.iter().any(|batch| values.check(batch).is_err())
    };
    names.filter(lacks).collect()
}

/// Makes a session that knows these rows by the name of the workload's table.
fn session_over(workload: &Workload, rows: &[RecordBatch]) -> Result<SessionContext> {
    let made = MemTable::try_new(workload.table.schema(), vec![rows.to_vec()])
        .and_then(|table| session_with(1, &workload.table.name, Arc::new(table)));
    made.map_err(|error| Error::Usage(message(&error)))
}

#[cfg(test)]
mod tests;
