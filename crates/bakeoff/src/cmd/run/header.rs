//! The first record of a run: its designs, data, machine and rule.

use bakeoff_engines::{Context, Replication, TableSettings};
use bakeoff_stats::decide::{Limit, LimitOf, Minimise, Rule};
use bakeoff_stats::{Decide, DesignInfo, Grows, Header, PublishedFigure, QueryInfo, Scale};
use bakeoff_workload::source::{GrownFrom, data_files};
use bakeoff_workload::{DesignId, Growth, Workload};
use xxhash_rust::xxh3::xxh3_64;

use super::Run;
use crate::machine;

pub fn header(
    options: &Run,
    workload: &Workload,
    designs: Vec<DesignInfo>,
    fingerprint: String,
    context: &Context,
    sample: Option<GrownFrom>,
) -> Header {
    let published = workload.published.as_ref();
    Header {
        bakeoff_version: machine::VERSION.to_owned(),
        started_at: machine::now(),
        command: crate::cmd::command_line(),
        fingerprint,
        token: context.token.clone(),
        workload: workload.name.clone(),
        title: workload.title.clone(),
        workload_text: workload.text.clone(),
        data: options.data.described(workload),
        seed: workload.seed,
        table: workload.table.name.clone(),
        columns: workload.table.columns.len() as u32,
        queries: workload
            .queries
            .iter()
            .map(|q| QueryInfo {
                name: q.name.clone(),
                sql: q.sql.clone(),
                engine_sql: q.engine_sql.clone(),
                tolerance: q.tolerance,
            })
            .collect(),
        designs,
        threads: options.threads() as u32,
        budget_seconds: options.budget.map(|b| b.as_secs_f64()),
        machine: machine::describe(),
        scale: Scale {
            full_rows: workload.scale.full_rows,
            replication: workload.scale.replication,
            users: workload.scale.users,
            cores: workload.scale.cores,
            questions_per_second: workload.scale.questions_per_second,
            rows_per_second: workload.scale.rows_per_second,
            grows: grows(workload, sample),
        },
        nodes: context.options.cassandra.replication.nodes_info(),
        standbys: context.options.standbys_info(),
        published_source: published.map(|p| p.source.clone()),
        published: published.map_or_else(Vec::new, |p| {
            let figure = |t: &bakeoff_workload::PublishedTime| PublishedFigure {
                design: t.design.clone(),
                what: t.what.clone(),
                figure: t.figure.clone(),
            };
            p.times.iter().map(figure).collect()
        }),
        published_notes: published.map_or_else(Vec::new, |p| p.notes.clone()),
        decide: Some(decide(workload)),
        cpu_without_reading: true,
    }
}

/// Returns what grows up to the full scale. A table has one way to grow if it has no series, which
/// partition keys are, or no order within them.
fn grows(workload: &Workload, sample: Option<GrownFrom>) -> Option<Grows> {
    let table = &workload.table;
    let has_both = !table.partition_key.is_empty() && !table.order_key.is_empty();
    match (workload.scale.grows, sample) {
        (Some(Growth { series, time }), _) => Some(Grows::Along { series, time }),
        (None, Some(sample)) => Some(Grows::RowsFrom {
            rows: rows_that_show_growth(sample),
        }),
        (None, None) if has_both => None,
        (None, None) => Some(Grows::Rows),
    }
}

/// Returns the rows from which on a sample that grows goes on in one way: it has all further series at its own times, and
/// then all of them go on in time, or it grows in one of both alone.
pub fn rows_that_show_growth(sample: GrownFrom) -> u64 {
    let Growth { series, time } = sample.growth;
    let times = if time > 1.0 { series.max(1.0) } else { 1.0 };
    (sample.rows as f64 * times).ceil() as u64
}

/// Returns the rule by which a report chooses one design, with the weights of the queries.
fn decide(workload: &Workload) -> Decide {
    Decide {
        rule: rule(workload),
        weights: workload.decide.weights.clone(),
    }
}

/// Returns the rule by which designs are compared, which is fixed before anything is measured.
pub fn rule(workload: &Workload) -> Rule {
    let decide = &workload.decide;
    Rule {
        is_stated: decide.is_stated,
        minimise: match decide.minimise {
            bakeoff_workload::Minimise::Month => Minimise::Month,
            bakeoff_workload::Minimise::Storage => Minimise::Storage,
            bakeoff_workload::Minimise::Time => Minimise::Time,
            bakeoff_workload::Minimise::Load => Minimise::Load,
        },
        has_weights: decide.has_weights,
        limits: { decide.limits.iter() }
            .filter_map(|limit| limit_of(workload, limit))
            .collect(),
        same_within: decide.same_within,
        baseline: decide.baseline.as_ref().map(ToString::to_string),
    }
}

/// Returns a limit whose query is known by its number; the workload was checked, so it has the query.
fn limit_of(workload: &Workload, limit: &bakeoff_workload::Limit) -> Option<Limit> {
    let of = match &limit.of {
        bakeoff_workload::LimitOf::Storage => LimitOf::Storage,
        bakeoff_workload::LimitOf::Load => LimitOf::Load,
        bakeoff_workload::LimitOf::Query { name, quantile } => LimitOf::Question {
            index: workload
                .queries
                .iter()
                .position(|query| query.name == *name)?,
            quantile: *quantile,
        },
    };
    Some(Limit {
        text: limit.text.clone(),
        of,
        bound: limit.bound,
    })
}

/// Returns a hash of everything that has to be the same for a command to go on with another one's run:
/// designs, rows, their number, servers, and what their drivers rest on.
pub fn fingerprint(
    options: &Run,
    workload: &Workload,
    designs: &[DesignId],
    replication: Replication,
    drivers: Option<String>,
    settings_of: Option<&TableSettings>,
) -> String {
    let shared = options.shared_tables(workload, designs);
    let designs: Vec<String> = designs.iter().map(DesignId::to_string).collect();
    let named = options.data.files(workload);
    // What cannot be read is said where it is opened.
    let in_folders = data_files(named).unwrap_or_else(|_| named.to_vec());
    let files = in_folders.iter().map(|path| {
        let metadata = std::fs::metadata(path).ok();
        let version = metadata.map(|m| (m.len(), m.modified().ok()));
        (path, version)
    });
    let files: Vec<_> = files.collect();
    let parts = (
        env!("CARGO_PKG_VERSION"),
        (&workload.text, designs, files, &workload.text_form),
        (
            options.rows,
            options.scale.map(f64::to_bits),
            options.rounds,
        ),
        (
            options.budget,
            (
                &options.cluster.cassandra,
                options.postgres.url(),
                options.postgres.standbys(),
                options.spark.place(),
            ),
            (options.threads(), replication),
            (options.concurrent.plan(workload), options.race),
            options.further.tables(),
        ),
        drivers,
    );
    // Behind all others, so that a run without them has the fingerprint that it always had.
    let nodetool = options.hosts.nodetool.text();
    let own_servers = options.nodes.fingerprint();
    let whom = if options.ask_standbys.is_given() {
        "asks standbys"
    } else {
        ""
    };
    let taken = settings_of.map_or_else(String::new, TableSettings::in_one_line);
    let keyspace = options.keyspace.as_deref().unwrap_or_default();
    let asked = options.queries.fingerprint();
    let shared = if shared.is_empty() {
        String::new()
    } else {
        format!("{shared:?}")
    };
    // Their files may have changed, which the text of the workload does not show.
    let small_tables = match workload.small_tables.as_slice() {
        [] => String::new(),
        tables => format!("{tables:?}"),
    };
    let all = format!(
        "{parts:?}{nodetool}{own_servers}{whom}{taken}{keyspace}{small_tables}{shared}{asked}"
    );
    format!("{:016x}", xxh3_64(all.as_bytes()))
}
