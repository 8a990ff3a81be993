//! Renders the setup of a measurement, as all pages show it: machine, engines, designs and workload.

use bakeoff_stats::{DesignInfo, EngineInfo, Footprint, Machine};

use crate::markup::Escaped;
use crate::units;

/// Lists what was started, when, by which version and on which machine.
pub fn started(
    command: &str,
    started_at: &str,
    version: &str,
    machine: &Machine,
) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Command", command.to_owned()),
        ("Started", units::moment_utc(started_at)),
        ("Bakeoff", version.to_owned()),
        (
            "Machine",
            format!("{}, {} cores", machine.cpu, machine.cores),
        ),
        ("Memory", units::bytes(machine.memory_bytes as f64)),
        ("System", machine.os.clone()),
    ];
    facts.extend(machine.model.clone().map(|model| ("Model", model)));
    facts
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

/// Renders the details of a design, with what a page has to say besides settings and footprint.
pub fn design_details(
    info: &DesignInfo,
    footprint: Option<&Footprint>,
    more: &[(&str, String)],
) -> String {
    let settings = info.settings.iter().map(|(n, v)| (n.as_str(), v.as_str()));
    let footprint = footprint.map(self::footprint).unwrap_or_default();
    let footprint = footprint.iter().map(|(n, v)| (*n, v.as_str()));
    let more = more.iter().map(|(n, v)| (*n, v.as_str()));
    let facts = settings.chain(footprint).chain(more);
    let statements: String = info
        .statements
        .iter()
        .map(|s| format!("<pre>{}</pre>\n", Escaped(s)))
        .collect();
    details(&info.id, &(list(facts) + &statements))
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
