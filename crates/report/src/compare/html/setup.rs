//! Shows the setup of a run: everything needed to repeat it.

use bakeoff_stats::{DesignSummary, QueryInfo, Summary};

use crate::compare::notes;
use crate::compression;
use crate::markup::Escaped;
use crate::page::setup::{design_details, details, list, started};
use crate::rows_from::rows_from;
use crate::units;

pub fn run(summary: &Summary) -> String {
    let header = &summary.header;
    let scale = &header.scale;
    let mut facts = started(
        &header.command,
        &header.started_at,
        &header.bakeoff_version,
        &header.machine,
    );
    facts.extend([
        ("Threads", header.threads.to_string()),
        (
            "Data",
            format!("{}, seed {}", rows_from(&header.data), header.seed),
        ),
        ("Rows", notes::rows(summary)),
        (
            "Table",
            format!("{}, {} columns", header.table, header.columns),
        ),
        ("Rounds", format!("{} in random order", summary.rounds)),
        ("Warm-up", warm_up(summary)),
        (
            "Full scale",
            format!(
                "{} rows, {} copies, {} users, {} cores",
                units::count(scale.full_rows),
                scale.replication,
                scale.users,
                scale.cores
            ),
        ),
    ]);
    facts.extend(
        header
            .budget_seconds
            .map(|s| ("Budget", units::duration(s))),
    );
    facts.extend(summary.seconds.map(|s| ("Took", units::duration(s))));
    facts.extend(
        summary
            .peak_memory_bytes
            .map(|b| ("Peak memory of Bakeoff", units::bytes(b as f64))),
    );
    list(facts.iter().map(|(name, value)| (*name, value.as_str())))
}

fn warm_up(summary: &Summary) -> String {
    let passes = summary.warm_up_passes;
    match summary.steady {
        None => "not done yet".to_owned(),
        Some(true) => format!("{passes} passes, then times were steady"),
        Some(false) => format!("{passes} passes, times were not yet steady"),
    }
}

pub fn design(summary: &Summary, design: &DesignSummary) -> String {
    let (header, footprint) = (&summary.header, design.footprint.as_ref());
    let copies = header.copies_in(&design.info, &summary.engines);
    let scale = (summary.full_rows(), header.scale.replication);
    let metadata =
        footprint.and_then(|f| compression::metadata_at(f, copies, design.rows_loaded, scale));
    let metadata = metadata.map(|memory| ("memory for compression metadata at full scale", memory));
    design_details(&design.info, footprint, metadata.as_slice())
}

pub fn query(query: &QueryInfo) -> String {
    let mut texts = format!("<pre>{}</pre>\n", Escaped(&query.sql));
    for (place, sql) in &query.engine_sql {
        let (place, sql) = (Escaped(place), Escaped(sql));
        texts.push_str(&format!("<p>Asked of {place}:</p>\n<pre>{sql}</pre>\n"));
    }
    details(&format!("query {}", query.name), &texts)
}
