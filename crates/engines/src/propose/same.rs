//! Designs that differ in nothing but a length of time, such as buckets of a day and of a week, where all rows lie
//! within each: their tables have one part, or two where a length ends between the rows, and the time of measuring is
//! for others.

use std::mem::take;

use bakeoff_stats::propose::{Proposals, SameTable};
use bakeoff_workload::{ColumnType, DesignId, Result, Table};

use super::{Request, growth};
use crate::advice::Facts;

/// Engines with the setting that divides their rows by ranges of the first order column.
const LENGTHS: [(&str, &str); 5] = [
    ("cassandra", "bucket"),
    ("cassandra-4", "bucket"),
    ("local", "bucket"),
    ("postgres", "width"),
    ("timescale", "chunk"),
];

/// Returns how far all rows that can be measured reach in the first order column, at most; `None` if that is not known
/// for certain, as of a file of which more than the first rows would have to be read.
///
/// # Errors
/// Fails if the rows cannot be counted.
pub fn whole_span(request: &Request<'_>, facts: &Facts) -> Result<Option<f64>> {
    let (Some(source), Some(rows)) = (request.source, &facts.rows) else {
        return Ok(None);
    };
    if let Some(sample) = source.grown_from() {
        return Ok(growth::length_of_all(&facts.table, sample));
    }
    let is_read = facts.are_all_read(rows)
        || source.count_rows(rows.read.saturating_add(1))? == Some(rows.read);
    Ok(rows.span.filter(|_| is_read))
}

/// Leaves of designs that differ in nothing but a length of time the first one, if all rows lie within the length of
/// each, and notes the others. `span` is how far the rows reach in the first order column, in its units.
pub fn leave_same(proposals: &mut Proposals, table: &Table, span: f64) {
    let column = table.order_key.first().and_then(|name| table.column(name));
    let Some(kind) = column.map(|column| column.kind) else {
        return;
    };
    let mut kept: Vec<(DesignId, String)> = Vec::new();
    for proposal in take(&mut proposals.designs) {
        let other = without_length(&proposal.design, kind, span);
        let same = other.as_ref().and_then(|other| {
            let same = kept.iter().find(|(kept, _)| kept == other);
            same.map(|(_, design)| design.clone())
        });
        if let Some(measured) = same {
            proposals.same.push(SameTable {
                design: proposal.design,
                measured,
            });
            continue;
        }
        kept.extend(other.map(|other| (other, proposal.design.clone())));
        proposals.designs.push(proposal);
    }
}

/// Returns a design without its length of time, if it has one within which all rows lie.
fn without_length(design: &str, kind: ColumnType, span: f64) -> Option<DesignId> {
    let mut id: DesignId = design.parse().ok()?;
    let (_, setting) = LENGTHS.iter().find(|(engine, _)| *engine == id.engine)?;
    let length = units(&id.settings.remove(*setting)?, kind)?;
    (span <= length).then_some(id)
}

/// Returns the units of a column that a length has, as a setting writes it.
fn units(length: &str, kind: ColumnType) -> Option<f64> {
    match kind {
        ColumnType::Timestamp => {
            let length = humantime::parse_duration(length).ok()?;
            Some(length.as_secs_f64() * 1_000.0)
        }
        ColumnType::Int | ColumnType::Bigint => length.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
