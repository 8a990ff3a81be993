//! Renders what a server itself tells of the tables of each design.

use bakeoff_stats::{Footprint, TableStatistics};

use super::section;
use super::table::{Heading, Table, or_none};
use crate::markup::design_id;
use crate::units;

const TITLE: &str = "Tables by the server's own account";
const CAPTION: &str = "From nodetool tablestats, of all nodes together, indexes included. Live: SSTables that are \
                       read; total: with those that a compaction has replaced and that are not deleted yet. Off heap: \
                       filters, summaries, compression metadata and memtables. Reads and writes: of the nodes' own \
                       data, since the table was made or the server started; means are of recent ones.";

/// The statistics of a design at a moment.
pub struct Told<'a> {
    pub design: &'a str,
    /// When it was asked: `at rest`.
    pub when: &'static str,
    pub statistics: TableStatistics,
}

impl<'a> Told<'a> {
    /// Takes the statistics of a footprint, if it has some.
    pub fn of(footprint: Option<&'a Footprint>, when: &'static str) -> Option<Told<'a>> {
        let footprint = footprint?;
        let statistics = footprint.statistics?;
        (statistics != TableStatistics::default()).then_some(Told {
            design: &footprint.design,
            when,
            statistics,
        })
    }
}

/// Renders the section; it is empty where no server told anything.
pub fn statistics(all: &[Told<'_>]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let figures = [
        "SSTables",
        "In an old format",
        "Live",
        "Total",
        "Off heap",
        "Pending flushes",
        "Reads",
        "Read mean",
        "Writes",
        "Write mean",
    ];
    let head = [Heading::text("Design"), Heading::text("When")].into_iter();
    let table = Table {
        caption: CAPTION,
        head: head.chain(figures.map(Heading::number)).collect(),
        rows: all.iter().map(cells).collect(),
    };
    section(TITLE, &table.html())
}

fn cells(told: &Told<'_>) -> Vec<String> {
    let TableStatistics {
        sstables,
        old_sstables,
        live_bytes,
        total_bytes,
        off_heap_bytes,
        pending_flushes,
        reads,
        read_micros,
        writes,
        write_micros,
    } = told.statistics;
    let bytes = |bytes: Option<u64>| or_none(bytes, |bytes| units::bytes(bytes as f64));
    let micros = |micros: Option<f64>| or_none(micros, |micros| units::duration(micros / 1e6));
    vec![
        design_id(told.design),
        told.when.to_owned(),
        or_none(sstables, units::count),
        or_none(old_sstables, units::count),
        bytes(live_bytes),
        bytes(total_bytes),
        bytes(off_heap_bytes),
        or_none(pending_flushes, units::count),
        or_none(reads, units::count),
        micros(read_micros),
        or_none(writes, units::count),
        micros(write_micros),
    ]
}
