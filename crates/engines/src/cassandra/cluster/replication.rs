//! The number of nodes and of copies of each row, and the number of copies that a request waits for.

use bakeoff_stats::{EngineInfo, NodesInfo};
use bakeoff_workload::Consistency;

use crate::EngineError;
use crate::cassandra::names::ENGINE;

/// Number of copies unless one is asked for or there are fewer nodes.
const DEFAULT_COPIES: u32 = 3;

/// Nodes, copies and consistency of a Cassandra cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replication {
    /// Number of nodes to start, which is ignored for an existing cluster.
    pub nodes: u8,
    /// Number of copies of each row, if one was asked for.
    pub copies: Option<u32>,
    /// Consistency level of reads and writes, if one was asked for.
    pub consistency: Option<Consistency>,
}

impl Default for Replication {
    /// Makes the replication of one node, with the drivers' default consistency.
    fn default() -> Self {
        Replication {
            nodes: 1,
            copies: None,
            consistency: None,
        }
    }
}

impl Replication {
    /// Returns the number of copies of each row.
    pub fn copies(self) -> u32 {
        self.copies
            .unwrap_or_else(|| DEFAULT_COPIES.min(u32::from(self.nodes)))
    }

    /// Returns the consistency level of reads and writes, except that columnar tables have another
    /// default.
    pub fn level(self) -> Consistency {
        self.consistency.unwrap_or(Consistency::LocalOne)
    }

    /// Returns whether anything differs from the default, so that it has to be reported.
    pub fn is_chosen(self) -> bool {
        self != Replication::default()
    }

    /// Returns the level as a command of cqlsh, if anything differs from the default.
    pub fn statement(self, default: Consistency) -> Option<String> {
        let level = self.consistency.unwrap_or(default);
        self.is_chosen().then(|| format!("CONSISTENCY {level}"))
    }

    /// Checks that a cluster has enough nodes for the copies, and copies for the consistency level.
    pub fn check(self, nodes: usize) -> Result<(), EngineError> {
        let copies = self.copies();
        if copies as usize > nodes {
            let available = match nodes {
                1 => "is 1 node".to_owned(),
                several => format!("are {several} nodes"),
            };
            return Err(EngineError(format!(
                "--replication {copies}: each copy of a row needs its own node, and there \
                 {available}; ask for fewer copies"
            )));
        }
        let needed = match self.level() {
            Consistency::Two => 2,
            Consistency::Three => 3,
            _ => 1,
        };
        if needed > copies {
            return Err(EngineError(format!(
                "--consistency {} waits for {needed} copies of a row, and --replication {copies} \
                 has fewer: choose a lower level, or more copies",
                self.level()
            )));
        }
        Ok(())
    }

    /// Returns the consistency level as a report shows it.
    pub fn levels(self) -> String {
        match self.consistency {
            Some(level) => level.to_string(),
            None => "LOCAL_ONE; of columnar tables LOCAL_QUORUM".to_owned(),
        }
    }

    /// Describes a cluster of several nodes for the records of a run.
    pub fn nodes_info(self) -> Option<NodesInfo> {
        (self.nodes > 1).then(|| NodesInfo {
            engine: ENGINE.to_owned(),
            nodes: u32::from(self.nodes),
            copies: self.copies(),
            consistency: self.levels(),
        })
    }

    /// Returns the settings that a report has to show. Copies of a shared keyspace are those that another process may
    /// have chosen.
    pub fn settings(self, is_shared: bool) -> Vec<(String, String)> {
        let copies = if is_shared {
            Some(EngineInfo::COPIES_OF_SHARED.to_owned())
        } else {
            self.is_chosen().then(|| self.copies().to_string())
        };
        let copies = copies.map(|copies| (EngineInfo::COPIES.to_owned(), copies));
        let levels = self.is_chosen().then(|| self.levels());
        let levels = levels.map(|levels| ("consistency".to_owned(), levels));
        copies.into_iter().chain(levels).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(copies: u32, consistency: Consistency) -> Replication {
        Replication {
            nodes: 3,
            copies: Some(copies),
            consistency: Some(consistency),
        }
    }

    #[test]
    fn there_are_three_copies_where_there_are_nodes_for_them() {
        let copies = |nodes| {
            let on_nodes = Replication {
                nodes,
                ..Replication::default()
            };
            on_nodes.copies()
        };
        assert_eq!([1, 2, 3, 5].map(copies), [1, 2, 3, 3]);
    }

    #[test]
    fn what_a_cluster_cannot_do_is_refused() {
        let refused = |replication: Replication, nodes| replication.check(nodes).unwrap_err().0;
        asked(3, Consistency::Quorum).check(3).unwrap();
        let error = refused(asked(3, Consistency::Quorum), 2);
        assert!(error.contains("there are 2 nodes"), "{error}");
        let error = refused(asked(2, Consistency::Three), 3);
        assert!(error.contains("waits for 3 copies"), "{error}");
    }

    #[test]
    fn copies_of_a_shared_keyspace_are_not_those_that_were_asked_for() {
        let names = |settings: Vec<(String, String)>| -> Vec<String> {
            let settings = settings.into_iter();
            settings
                .map(|(name, value)| format!("{name}: {value}"))
                .collect()
        };
        let copies = "replication factor: that of the shared keyspace";
        assert_eq!(names(Replication::default().settings(true)), [copies]);
        assert!(Replication::default().settings(false).is_empty());
        let asked = asked(2, Consistency::One);
        let level = "consistency: ONE";
        assert_eq!(names(asked.settings(true)), [copies, level]);
        let own = "replication factor: 2";
        assert_eq!(names(asked.settings(false)), [own, level]);
    }

    #[test]
    fn a_dry_run_shows_the_level_where_it_was_chosen() {
        let level = Consistency::LocalOne;
        assert_eq!(Replication::default().statement(level), None);
        let statement = asked(3, Consistency::Quorum).statement(level);
        assert_eq!(statement.as_deref(), Some("CONSISTENCY QUORUM"));
    }
}
