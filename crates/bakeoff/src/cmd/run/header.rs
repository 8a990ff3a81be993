//! The first record of a run: what is compared, on what.

use bakeoff_stats::{DesignInfo, Header, PublishedFigure, QueryInfo, Scale};
use bakeoff_workload::{Data, Workload};

use super::Run;
use crate::machine;

pub fn header(options: &Run, workload: &Workload, designs: Vec<DesignInfo>) -> Header {
    let data = match (&options.data, &workload.data) {
        (Some(path), _) | (None, Data::File(path)) => path.display().to_string(),
        (None, Data::Generator(generator)) => format!("generator {generator:?}").to_lowercase(),
        (None, Data::FileFromCommandLine) => String::new(),
    };
    let published = workload.published.as_ref();
    let mut header = Header {
        bakeoff_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: machine::now(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
        fingerprint: String::new(),
        workload: workload.name.clone(),
        title: workload.title.clone(),
        workload_text: workload.text.clone(),
        data,
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
    };
    header.fingerprint = fingerprint(options, &header);
    header
}

/// Everything that has to be the same for a command to go on with another one's run.
fn fingerprint(options: &Run, header: &Header) -> String {
    let designs: Vec<&str> = header.designs.iter().map(|d| d.id.as_str()).collect();
    let parts = format!(
        "{}\n{}\n{}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{}",
        header.workload_text,
        header.data,
        designs.join(","),
        options.rows,
        options.scale,
        options.rounds,
        options.budget,
        options.cassandra,
        header.threads,
    );
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(parts.as_bytes()))
}
