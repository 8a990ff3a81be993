//! Sizes of partitions in bytes, from the histograms that Cassandra keeps of each table's SSTables.

use bakeoff_driver::DesignError;
use bakeoff_stats::drive::PartitionBytes;

use super::deployment::Deployment;
use super::on_nodes::nodetool;

/// Reads the sizes of the partitions of tables. A table without SSTables has none, and neither has one of a
/// server that Bakeoff did not start.
///
/// # Errors
/// If nodetool fails.
pub async fn read(
    deployment: &Deployment,
    keyspace: &str,
    tables: &[String],
) -> Result<Vec<PartitionBytes>, DesignError> {
    let Some(server) = &deployment.server else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for table in tables {
        let texts = nodetool(server, &["tablehistograms", keyspace, table]).await?;
        all.extend(joined(table, &texts));
    }
    Ok(all)
}

/// Joins the figures of all nodes, whose quantiles cannot be added: the highest ones count.
fn joined(table: &str, texts: &[String]) -> Option<PartitionBytes> {
    let nodes: Vec<[u64; 3]> = texts.iter().filter_map(|text| parsed(text)).collect();
    let highest = |place: usize| nodes.iter().map(|node| node[place]).max();
    Some(PartitionBytes {
        table: table.to_owned(),
        p50: highest(0)?,
        p99: highest(1)?,
        max: highest(2)?,
        nodes: nodes.len() as u64,
    })
}

/// Reads the median, the 99th percentile and the maximum of partition sizes out of the table that
/// `nodetool tablehistograms` prints; `None` where the table has no SSTables.
fn parsed(text: &str) -> Option<[u64; 3]> {
    let of = |percentile: &str| -> Option<u64> {
        let mut lines = text.lines();
        let line = lines.find(|line| line.split_whitespace().next() == Some(percentile))?;
        let cells: Vec<&str> = line.split_whitespace().collect();
        // The order of the three columns between depends on the release.
        let [_, _, _, _, bytes, _] = cells[..] else {
            return None;
        };
        let bytes = bytes.parse::<f64>().ok()?;
        (bytes.is_finite() && bytes >= 0.0).then_some(bytes as u64)
    };
    Some([of("50%")?, of("99%")?, of("Max")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
bakeoff/wide_1 histograms
Percentile      Read Latency     Write Latency          SSTables    Partition Size        Cell Count
                    (micros)          (micros)                             (bytes)                  
50%                     0.00             20.50              0.00              9887               770
75%                     0.00             24.60              0.00             11864               924
95%                     0.00             35.43              0.00             11864               924
98%                     0.00             51.01              0.00             14237               924
99%                     0.00             73.46              0.00             17084              1109
Min                     0.00              2.76              0.00              8240               643
Max                     0.00           2816.16              0.00             20501              1331

";

    #[test]
    fn sizes_are_in_the_column_before_the_last() {
        assert_eq!(parsed(PRINTED), Some([9_887, 17_084, 20_501]));
        let smaller = PRINTED.replace("20501", "100");
        let both = joined("wide_1", &[smaller, PRINTED.to_owned()]).unwrap();
        assert_eq!((both.max, both.nodes), (20_501, 2));
    }

    #[test]
    fn a_table_without_files_has_no_sizes() {
        let empty = PRINTED.replace("9887", "NaN");
        assert_eq!(parsed(&empty), None);
        assert_eq!(parsed("No SSTables exists, unable to calculate"), None);
        assert_eq!(parsed("50% 1 2"), None);
        assert_eq!(joined("wide_1", &[String::new()]), None);
    }
}
