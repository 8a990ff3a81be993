//! Says what a node that was added during a load did to it: in words, and as the rows that the tables of terminal and
//! page share.

use bakeoff_stats::drive::{DriveSummary, LoadPart, NodeAdded, PartFigures, PartOfLoad};

use crate::units;

/// Title of the section.
pub const TITLE: &str = "A node that was added";

/// An operation in a part of the load.
pub struct Row<'a> {
    pub operation: &'a str,
    /// Place among the parts of its operation.
    pub place: usize,
    /// Which part it is, with its seconds: `meanwhile, 60 to 104 s`.
    pub when: String,
    /// Operations that succeeded, each second.
    pub rate: f64,
    pub figures: &'a PartFigures,
}

/// Returns the parts of each operation, in the order of the mix.
pub fn rows<'a>(summary: &'a DriveSummary, added: &'a NodeAdded) -> Vec<Row<'a>> {
    let operations = summary.header.operations.iter().enumerate();
    let rows = operations.flat_map(|(operation, info)| {
        let parts = added.parts.iter().enumerate();
        parts.filter_map(move |(place, part)| {
            let figures = part.operations.get(operation)?;
            Some(Row {
                operation: &info.name,
                place,
                when: when(part),
                rate: figures.successes as f64 / f64::from(part.seconds().max(1)),
                figures,
            })
        })
    });
    rows.collect()
}

fn when(part: &LoadPart) -> String {
    format!("{}, {} to {} s", place(part.part), part.from, part.to)
}

fn place(part: PartOfLoad) -> &'static str {
    match part {
        PartOfLoad::Before => "before",
        PartOfLoad::During => "meanwhile",
        PartOfLoad::After => "afterwards",
    }
}

/// Says when the node was started, how long joining took and how much was sent to it.
pub fn in_words(added: &NodeAdded) -> String {
    let began = units::trimmed(&units::duration(added.began));
    let NodeAdded { design, .. } = added;
    let begun = format!("{began} into the load of {design} one more node was started");
    match (&added.failed, added.joining_seconds()) {
        (Some(why), _) => format!("{begun}, which did not join: {why}"),
        (None, None) => begun,
        (None, Some(seconds)) => {
            let sent = match added.streamed_bytes {
                Some(bytes) => {
                    let bytes = units::bytes(bytes as f64);
                    format!("; the other nodes sent it {bytes}")
                }
                None => String::new(),
            };
            let seconds = units::trimmed(&units::duration(seconds));
            format!("{begun}, which had joined after {seconds}, its own start included{sent}")
        }
    }
}

/// Writes a response time.
pub fn time(nanoseconds: u64) -> String {
    units::duration(nanoseconds as f64 / 1e9)
}

/// Says for the verdict what operations did before, while a node joined and afterwards: their rate, and the p99 of the
/// slowest of them.
pub fn sentences(summary: &DriveSummary) -> Option<String> {
    let nodes = summary.nodes_added.iter();
    let sentences: Vec<String> = nodes
        .filter(|added| !added.parts.is_empty())
        .map(|added| {
            let parts = added.parts.iter();
            let parts: Vec<String> = parts.map(|part| part_in_words(summary, part)).collect();
            let what = match added.failed {
                Some(_) => "One more node did not join",
                None => "One more node joined",
            };
            format!("{what}: {}.", parts.join("; "))
        })
        .collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// Writes the rate of all operations in a part, and the p99 of the slowest: `before 2.00 k ops/s, read p99 7.00 ms`.
fn part_in_words(summary: &DriveSummary, part: &LoadPart) -> String {
    let successes: u64 = part.operations.iter().map(|o| o.successes).sum();
    let failed: u64 = part.operations.iter().map(|o| o.failed).sum();
    let rate = units::rate(successes as f64 / f64::from(part.seconds().max(1)));
    let operations = summary.header.operations.iter().zip(&part.operations);
    let slowest = operations
        .filter_map(|(info, figures)| Some((&info.name, figures.p99_ns?)))
        .max_by_key(|(_, p99)| *p99);
    let slowest = slowest.map(|(name, p99)| {
        let p99 = time(p99);
        format!(", {name} p99 {p99}")
    });
    let failed = (failed > 0).then(|| format!(", {} failed", units::count(failed)));
    format!(
        "{} {rate} ops/s{}{}",
        place(part.part),
        slowest.unwrap_or_default(),
        failed.unwrap_or_default()
    )
}

/// Says of each node that was added what it did, and what the other figures have to do with it.
pub fn notes(summary: &DriveSummary) -> impl Iterator<Item = String> {
    summary.nodes_added.iter().map(|added| {
        format!(
            "{}; other figures are of the whole load, and of CPU, memory and disk without that node",
            in_words(added)
        )
    })
}
