//! What `nodetool tablestats -F json` prints of tables, on servers that Bakeoff started and on others.

use std::sync::Arc;

use bakeoff_driver::DesignError;
use bakeoff_stats::TableStatistics;

#[cfg(test)]
mod hostile;

/// Parses the output of `nodetool tablestats` of each node.
pub fn parsed(texts: &[String]) -> Result<Arc<[serde_json::Value]>, DesignError> {
    let parsed = texts.iter().map(|text| serde_json::from_str(text));
    parsed
        .collect::<Result<_, _>>()
        .map_err(|e| DesignError(format!("nodetool tablestats did not print JSON: {e}")))
}

/// Returns the entries of tables and of their indexes with a hidden table, called `table.index`, on all nodes.
pub fn entries<'a>(
    nodes: &'a [serde_json::Value],
    keyspace: &str,
    tables: &[String],
) -> Vec<Statistics<'a>> {
    let mut all = Vec::new();
    for node in nodes {
        let known = &node[keyspace]["tables"];
        for table in tables {
            all.push(Statistics(&known[table.as_str()]));
            let is_index = |name: &str| {
                let rest = name.strip_prefix(table.as_str());
                rest.is_some_and(|rest| rest.starts_with('.'))
            };
            let named = known.as_object().into_iter().flatten();
            let indexes = named.filter(|(name, _)| is_index(name));
            all.extend(indexes.map(|(_, statistics)| Statistics(statistics)));
        }
    }
    all
}

/// The entry of one table on one node in the output of `nodetool tablestats`.
pub struct Statistics<'a>(pub &'a serde_json::Value);

impl Statistics<'_> {
    /// Returns a number; `None` if there is none, or it is not known.
    pub fn number(&self, name: &str) -> Option<f64> {
        let number = match &self.0[name] {
            // Some versions print numbers as text.
            serde_json::Value::String(text) => text.parse().ok(),
            value => value.as_f64(),
        };
        // A figure that is not known is -1 or NaN.
        number.filter(|number: &f64| number.is_finite() && *number >= 0.0)
    }
}

/// Sums a number over all tables and nodes; `None` if any of them lacks it.
pub fn sum(all: &[Statistics<'_>], name: &str) -> Option<u64> {
    let numbers = all.iter().map(|statistics| statistics.number(name));
    numbers.sum::<Option<f64>>().map(|sum| sum as u64)
}

/// Returns what the nodes tell of the tables together.
pub fn table_statistics(all: &[Statistics<'_>]) -> TableStatistics {
    TableStatistics {
        sstables: sum(all, "sstable_count"),
        old_sstables: sum(all, "old_sstable_count"),
        live_bytes: sum(all, "space_used_live"),
        total_bytes: sum(all, "space_used_total"),
        off_heap_bytes: sum(all, "off_heap_memory_used_total"),
        pending_flushes: sum(all, "pending_flushes"),
        reads: sum(all, "local_read_count"),
        read_micros: mean_micros(all, "local_read_count", "local_read_latency_ms"),
        writes: sum(all, "local_write_count"),
        write_micros: mean_micros(all, "local_write_count", "local_write_latency_ms"),
    }
}

/// Returns the mean latency in microseconds of tables and nodes, each by its number of requests; `None` if there were
/// none, or one with requests does not tell it.
fn mean_micros(all: &[Statistics<'_>], count: &str, latency_ms: &str) -> Option<f64> {
    let (mut requests, mut milliseconds) = (0.0, 0.0);
    for table in all {
        let own = table.number(count)?;
        if own > 0.0 {
            requests += own;
            milliseconds += own * table.number(latency_ms)?;
        }
    }
    let mean = 1e3 * milliseconds / requests;
    mean.is_finite().then_some(mean)
}

/// Divides the compressed by the uncompressed bytes of all tables together.
pub fn compression_ratio(tables: &[Statistics<'_>]) -> Option<f64> {
    let (mut compressed, mut uncompressed) = (0.0, 0.0);
    for table in tables {
        let ratio = table.number("sstable_compression_ratio");
        if let Some(ratio) = ratio.filter(|ratio| *ratio > 0.0) {
            let bytes = table.number("space_used_live")?;
            compressed += bytes;
            // Uncompressed bytes are not printed, but follow from the ratio.
            uncompressed += bytes / ratio;
        }
    }
    let ratio = compressed / uncompressed;
    ratio.is_finite().then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_hidden_tables_are_added_to_those_of_their_table() {
        let node = serde_json::json!({"ks": {"tables": {
            "wide_1": {"space_used_live": 100},
            "wide_1.wide_1_index_1": {"space_used_live": 20},
            "wide_1.wide_1_index_2": {"space_used_live": 3},
            "wide_12": {"space_used_live": 4000},
            "wide_12.wide_12_index_1": {"space_used_live": 50000},
        }}});
        let tables = ["wide_1".to_owned()];
        let bytes =
            |nodes: &[serde_json::Value]| sum(&entries(nodes, "ks", &tables), "space_used_live");
        assert_eq!(bytes(std::slice::from_ref(&node)), Some(123));
        assert_eq!(bytes(&[node.clone(), node]), Some(246));
        assert_eq!(
            bytes(&[serde_json::json!({})]),
            None,
            "the table is unknown"
        );
    }

    #[test]
    fn statistics_are_added_up_and_latencies_are_means_by_their_requests() {
        let told = |reads: u64, read_ms: &str| {
            serde_json::json!({
                "sstable_count": "2", "old_sstable_count": 1, "space_used_live": "100",
                "space_used_total": 120, "off_heap_memory_used_total": "30", "pending_flushes": 0,
                "local_read_count": reads, "local_read_latency_ms": read_ms,
                "local_write_count": 0, "local_write_latency_ms": "NaN",
            })
        };
        let nodes = [told(30, "0.100"), told(10, "0.300"), told(0, "NaN")];
        let all: Vec<Statistics<'_>> = nodes.iter().map(Statistics).collect();
        let found = table_statistics(&all);
        let micros = found.read_micros.unwrap();
        assert!((micros - 150.0).abs() < 1e-9, "{micros}");
        let expected = TableStatistics {
            sstables: Some(6),
            old_sstables: Some(3),
            live_bytes: Some(300),
            total_bytes: Some(360),
            off_heap_bytes: Some(90),
            pending_flushes: Some(0),
            reads: Some(40),
            read_micros: found.read_micros,
            writes: Some(0),
            write_micros: None,
        };
        assert_eq!(found, expected);
        // A table with reads that tells no time of them leaves the mean unknown.
        let silent = [told(30, "0.100"), told(10, "NaN")];
        let all: Vec<Statistics<'_>> = silent.iter().map(Statistics).collect();
        assert_eq!(table_statistics(&all).read_micros, None);
    }

    #[test]
    fn sstables_are_counted_over_all_tables_if_each_tells() {
        let tables: Vec<serde_json::Value> =
            ["{\"sstable_count\": 2}", "{\"sstable_count\": \"3\"}"]
                .map(|text| serde_json::from_str(text).unwrap())
                .to_vec();
        let silent = serde_json::json!({});
        let mut all: Vec<Statistics<'_>> = tables.iter().map(Statistics).collect();
        assert_eq!(sum(&all, "sstable_count"), Some(5));
        all.push(Statistics(&silent));
        assert_eq!(sum(&all, "sstable_count"), None);
    }
}
