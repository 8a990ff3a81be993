//! What was measured on what: everything that one needs to repeat the run.

use bakeoff_stats::{DesignInfo, DesignSummary, EngineInfo, Footprint, Machine, Summary};

use crate::markup::Escaped;
use crate::{notes, units};

/// What was started, when, by which version and on which machine.
pub fn started(
    command: &str,
    started_at: &str,
    version: &str,
    machine: &Machine,
) -> Vec<(&'static str, String)> {
    vec![
        ("Command", command.to_owned()),
        ("Started", started_at.to_owned()),
        ("Bakeoff", version.to_owned()),
        (
            "Machine",
            format!("{}, {} cores", machine.cpu, machine.cores),
        ),
        ("Memory", units::bytes(machine.memory_bytes as f64)),
        ("System", machine.os.clone()),
    ]
}

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
        ("Data", format!("{}, seed {}", header.data, header.seed)),
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

pub fn engine(engine: &EngineInfo) -> String {
    let start = engine
        .start_seconds
        .map(|s| ("started in", units::duration(s)));
    let facts = engine
        .settings
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()));
    let facts = list(start.iter().map(|(n, v)| (*n, v.as_str())).chain(facts));
    details(&format!("{} {}", engine.engine, engine.version), &facts)
}

pub fn design(design: &DesignSummary) -> String {
    design_details(&design.info, design.footprint.as_ref())
}

pub fn design_details(info: &DesignInfo, footprint: Option<&Footprint>) -> String {
    let settings = info.settings.iter().map(|(n, v)| (n.as_str(), v.as_str()));
    let footprint = footprint.map(self::footprint).unwrap_or_default();
    let footprint = footprint.iter().map(|(n, v)| (*n, v.as_str()));
    let statements: String = info
        .statements
        .iter()
        .map(|s| format!("<pre>{}</pre>\n", Escaped(s)))
        .collect();
    details(&info.id, &(list(settings.chain(footprint)) + &statements))
}

pub fn footprint(footprint: &Footprint) -> Vec<(&'static str, String)> {
    let bytes = |b: u64| format!("{} ({} bytes)", units::bytes(b as f64), units::count(b));
    [
        footprint.file_bytes.map(|b| ("files on disk", bytes(b))),
        footprint
            .engine_bytes
            .map(|b| ("by the engine's account", bytes(b))),
        footprint
            .compression_ratio
            .map(|r| ("compressed to", format!("{:.1}%", r * 100.0))),
        footprint
            .compression_metadata_bytes
            .map(|b| ("memory for compression metadata", bytes(b))),
        footprint
            .files
            .map(|f| ("number of files", units::count(f))),
        footprint.note.clone().map(|n| ("note", n)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub fn query(name: &str, sql: &str) -> String {
    details(
        &format!("query {name}"),
        &format!("<pre>{}</pre>\n", Escaped(sql)),
    )
}

pub fn workload(name: &str, text: &str) -> String {
    let text = format!("<pre>{}</pre>\n", Escaped(text));
    details(&format!("workload file {name}"), &text)
}

pub fn details(summary: &str, content: &str) -> String {
    format!(
        "<details><summary>{}</summary>\n{content}</details>\n",
        Escaped(summary)
    )
}

pub fn list<'a>(facts: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let items: String = facts
        .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", Escaped(name), Escaped(value)))
        .collect();
    if items.is_empty() {
        items
    } else {
        format!("<dl class=\"facts-list\">\n{items}</dl>\n")
    }
}
