//! What nodetool of Cassandra 4.0 to 5.0 prints. A text of another form is not understood, and never a figure.

use serde_json::Value;

use crate::cassandra::cluster::table_statistics::Statistics;
use crate::cassandra::nodes::figures::TableName;
use crate::cassandra::nodes::printed::{GcStatistics, NodeInfo, PrintedStatistics, ReadRepairs};

mod histograms;
#[cfg(test)]
mod tests;

pub use histograms::histograms;

/// Columns of `gcstats` without blanks, since the longest of them leave none between them.
const GC_COLUMNS: &str = "Interval(ms)MaxGCElapsed(ms)TotalGCElapsed(ms)StdevGCElapsed(ms)GCReclaimed(MB)\
                          CollectionsDirectMemoryBytes";
/// Heading of the read repairs of `netstats`.
const READ_REPAIRS: &str = "Read Repair Statistics:";
/// Most characters of a text that a message shows.
const SHOWN: usize = 60;

/// Parses JSON.
pub fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|_| not_understood("JSON", text))
}

/// Takes a table out of what `tablestats` prints as JSON.
pub fn printed_statistics(printed: &Value, name: &TableName) -> Result<PrintedStatistics, String> {
    let table = &printed[&name.keyspace]["tables"][&name.table];
    if !table.is_object() {
        return Err(format!("not understood: it shows no table {name}"));
    }
    let table = Statistics(table);
    let needed = |key| {
        let number = table.number(key);
        number.ok_or_else(|| format!("not understood: it has no `{key}` of {name}"))
    };
    let count = |key| table.number(key).map(|number| number as u64);
    Ok(PrintedStatistics {
        live_bytes: Some(needed("space_used_live")? as u64),
        sstables: Some(needed("sstable_count")? as u64),
        compression_ratio: table
            .number("sstable_compression_ratio")
            .filter(|ratio| *ratio > 0.0),
        compression_metadata_bytes: count("compression_metadata_off_heap_memory_used"),
        bloom_false_positives: count("bloom_filter_false_positives"),
        bloom_false_ratio: table.number("bloom_filter_false_ratio"),
        partitions: count("number_of_partitions_estimate"),
        max_partition_bytes: count("compacted_partition_maximum_bytes"),
    })
}

/// Parses what `gcstats` prints. Its column of reclaimed memory is left out, whose unit
/// differs from what its name says.
pub fn gc_statistics(text: &str) -> Result<GcStatistics, String> {
    let failed = || not_understood("the table of gcstats", text);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let header: String = lines
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let cells: Vec<&str> = lines
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let [interval, max, total, _, _, collections, _] = cells[..] else {
        return Err(failed());
    };
    if header != GC_COLUMNS {
        return Err(failed());
    }
    let number = |cell: &str| figure(cell).ok().flatten().ok_or_else(failed);
    Ok(GcStatistics {
        interval_ms: number(interval)?,
        max_ms: number(max)?,
        total_ms: number(total)?,
        collections: number(collections)? as u64,
    })
}

/// Parses what `info` prints, whose lines are names and values.
pub fn node_info(text: &str) -> Result<NodeInfo, String> {
    let value = |name: &str| {
        let named = text.lines().filter_map(|line| line.split_once(": "));
        let mut values = named.filter(|(label, _)| label.trim() == name);
        values.next().map(|(_, value)| value.trim())
    };
    let number = |value: &str| figure(value).ok().flatten();
    let heap = value("Heap Memory (MB)").and_then(|value| value.split_once(" / "));
    let info = NodeInfo {
        uptime_seconds: value("Uptime (seconds)").and_then(|value| value.parse().ok()),
        heap_used_mib: heap.and_then(|(used, _)| number(used)),
        heap_max_mib: heap.and_then(|(_, most)| number(most)),
        off_heap_mib: value("Off Heap Memory (MB)").and_then(number),
    };
    if info == NodeInfo::default() {
        return Err(not_understood("the lines of info", text));
    }
    Ok(info)
}

/// Parses the read repairs in what `netstats` prints: the lines of numbers after their heading, among those of streams
/// and of messages.
pub fn read_repairs(text: &str) -> Result<ReadRepairs, String> {
    let failed = || not_understood("the read repairs of netstats", text);
    let lines = text.lines().map(str::trim);
    let lines = lines.skip_while(|line| *line != READ_REPAIRS).skip(1);
    let lines: Vec<&str> = lines.take(3).collect();
    let number = |name: &str| -> Result<u64, String> {
        let mut named = lines.iter().filter_map(|line| line.split_once(": "));
        let value = named.find(|(label, _)| *label == name);
        let value = value.map(|(_, value)| value).ok_or_else(failed)?;
        value.parse().map_err(|_| failed())
    };
    Ok(ReadRepairs {
        attempted: number("Attempted")?,
        blocking: number("Mismatch (Blocking)")?,
        background: number("Mismatch (Background)")?,
    })
}

/// Reads a number that is not negative; `None` for what nodetool does not know, which it prints as NaN.
fn figure(cell: &str) -> Result<Option<f64>, ()> {
    if cell == "NaN" {
        return Ok(None);
    }
    // Only digits and a point: in some languages nodetool prints a comma, and Rust reads words such as `inf`.
    if cell.is_empty() || !cell.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return Err(());
    }
    let number = cell.parse::<f64>().ok();
    number
        .filter(|number| number.is_finite())
        .map(Some)
        .ok_or(())
}

fn not_understood(expected: &str, text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    match line {
        Some(line) => {
            let line: String = line.chars().take(SHOWN).collect();
            format!("not understood: it printed `{line}` where {expected} was expected")
        }
        None => format!("not understood: it printed nothing where {expected} was expected"),
    }
}
