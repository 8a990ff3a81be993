//! What the plans of queries say of the partitions and nodes of a cluster that are asked.

use super::QueryPlan;

/// Beginnings of the lines of a plan that read tables of a cluster.
const SCANS: [&str; 2] = ["CassandraScan: cql=[", "CassandraAggregate: cql=["];
/// Beginning of the line of a plan that reads a row for each key that is found below.
const BY_KEY: &str = "CassandraRowsByKey: cql=[";

/// What a plan asks of a cluster of several nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Each scan of a table, in the order of the plan.
    pub scans: Vec<AskedScan>,
    /// Whether the partition of each row that they find is read then.
    pub then_by_key: bool,
}

/// What one scan of a table asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedScan {
    /// Number of partitions; `None` for all of the table.
    pub partitions: Option<u64>,
    /// Whether an index finds the rows, of which each node has its own part.
    pub by_index: bool,
    /// Number of nodes that own these partitions.
    pub nodes: u64,
    /// Number of all nodes.
    pub of_nodes: u64,
}

impl QueryPlan {
    /// Returns what the plan asks of a cluster; `None` if it does not say so, as for a single node.
    pub fn asked(&self) -> Option<Asked> {
        let QueryPlan::Known { text, .. } = self else {
            return None;
        };
        let lines = || text.lines().map(str::trim_start);
        let scans: Vec<AskedScan> = lines().filter_map(AskedScan::read).collect();
        (!scans.is_empty()).then(|| Asked {
            scans,
            then_by_key: lines().any(|line| line.starts_with(BY_KEY)),
        })
    }
}

impl AskedScan {
    /// Reads a line such as `CassandraScan: cql=[SELECT ...], partitions=3, nodes=2 of 3`.
    fn read(line: &str) -> Option<AskedScan> {
        if !SCANS.iter().any(|start| line.starts_with(start)) {
            return None;
        }
        let (before, after) = line.rsplit_once(", nodes=")?;
        let (nodes, of_nodes) = after.split(',').next()?.split_once(" of ")?;
        let (_, facts) = before.rsplit_once("], ")?;
        let partitions = { facts.split(", ") }.find_map(|fact| fact.strip_prefix("partitions="));
        Some(AskedScan {
            partitions: partitions.and_then(|number| number.parse().ok()),
            by_index: after.contains(", by index of="),
            nodes: nodes.parse().ok()?,
            of_nodes: of_nodes.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Option<Asked> {
        QueryPlan::told("DataFusion", text).asked()
    }

    fn scan(partitions: Option<u64>, by_index: bool, nodes: u64) -> AskedScan {
        AskedScan {
            partitions,
            by_index,
            nodes,
            of_nodes: 3,
        }
    }

    #[test]
    fn scans_of_partitions_of_indexes_and_of_all_are_told_apart() {
        let text = "Sort\n  CassandraScan: cql=[SELECT \"a], nodes=9 of 9\" FROM t WHERE k = ?], partitions=4, \
                    nodes=2 of 3, limit=1\n  \
                    CassandraScan: cql=[SELECT v FROM t], full scan, token ranges=12, nodes=3 of 3\n  \
                    CassandraScan: cql=[SELECT v FROM t], full scan, token ranges=3, nodes=3 of 3, by index of=v\n  \
                    CassandraAggregate: cql=[SELECT avg(v) FROM t], requests=1, partitions=1, nodes=1 of 3, by \
                    ranges of=time\n";
        let expected = Asked {
            scans: vec![
                scan(Some(4), false, 2),
                scan(None, false, 3),
                scan(None, true, 3),
                scan(Some(1), false, 1),
            ],
            then_by_key: false,
        };
        assert_eq!(asked(text), Some(expected));
    }

    #[test]
    fn rows_that_are_read_by_the_keys_of_another_table_are_told() {
        let text = "CassandraRowsByKey: cql=[SELECT v FROM t], at once=64\n  \
                    CassandraScan: cql=[SELECT k FROM by_v WHERE v = ?], partitions=1, nodes=1 of 3";
        let found = asked(text).unwrap();
        assert_eq!(found.scans, [scan(Some(1), false, 1)]);
        assert!(found.then_by_key);
    }

    #[test]
    fn plans_that_say_nothing_of_nodes_ask_nothing() {
        for text in [
            "",
            "Aggregate\n  CassandraScan: cql=[SELECT v FROM t], partitions=4",
            "CassandraScan: cql=[SELECT v FROM t], partitions=4, nodes=many of 3",
            "CassandraScan: cql=[SELECT v FROM t], partitions=4, nodes=2",
            "Filter: name = 'CassandraScan: cql=[], partitions=4, nodes=2 of 3'",
        ] {
            assert_eq!(asked(text), None, "{text}");
        }
        assert_eq!(QueryPlan::unknown("gone").asked(), None);
    }
}
