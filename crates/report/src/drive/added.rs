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
    /// Which part it is, with its seconds: `while it joined, 60 to 104 s`.
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
    let words = match part.part {
        PartOfLoad::Before => "before",
        PartOfLoad::During => "while it joined",
        PartOfLoad::After => "afterwards",
    };
    format!("{words}, {} to {} s", part.from, part.to)
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

/// Says of each node that was added what it did, and what the other figures have to do with it.
pub fn notes(summary: &DriveSummary) -> impl Iterator<Item = String> {
    summary.nodes_added.iter().map(|added| {
        format!(
            "{}; other figures are of the whole load, and of CPU, memory and disk without that node",
            in_words(added)
        )
    })
}
