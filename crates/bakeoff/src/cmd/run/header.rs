//! The first record of a run: what is compared, on what.

use bakeoff_engines::Replication;
use bakeoff_stats::{DesignInfo, Header, PublishedFigure, QueryInfo, Scale};
use bakeoff_workload::{DesignId, Workload};
use xxhash_rust::xxh3::xxh3_64;

use super::Run;
use crate::cmd::options::nodes;
use crate::machine;

pub fn header(
    options: &Run,
    workload: &Workload,
    designs: Vec<DesignInfo>,
    fingerprint: String,
    replication: Replication,
) -> Header {
    let published = workload.published.as_ref();
    Header {
        bakeoff_version: machine::VERSION.to_owned(),
        started_at: machine::now(),
        command: crate::cmd::command_line(),
        fingerprint,
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
        },
        nodes: nodes::info(replication),
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
    }
}

/// Everything that has to be the same for a command to go on with another one's run: what is
/// compared, on which rows, how much of it, and where.
pub fn fingerprint(
    options: &Run,
    workload: &Workload,
    designs: &[DesignId],
    replication: Replication,
) -> String {
    let designs: Vec<String> = designs.iter().map(DesignId::to_string).collect();
    let file = options.data.file(workload).map(|path| {
        let metadata = std::fs::metadata(path).ok();
        let version = metadata.map(|m| (m.len(), m.modified().ok()));
        (path, version)
    });
    let parts = (
        env!("CARGO_PKG_VERSION"),
        (&workload.text, designs, file),
        (
            options.rows,
            options.scale.map(f64::to_bits),
            options.rounds,
        ),
        (
            options.budget,
            (&options.cluster.cassandra, &options.postgres.postgres),
            (options.threads(), replication),
            options.concurrent.plan(workload),
        ),
    );
    format!("{:016x}", xxh3_64(format!("{parts:?}").as_bytes()))
}
