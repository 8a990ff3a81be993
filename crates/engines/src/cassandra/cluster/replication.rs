//! How many nodes and copies of each row there are, and how many of them a request waits for.

use bakeoff_stats::NodesInfo;
use bakeoff_workload::Consistency;

use crate::EngineError;
use crate::cassandra::names::ENGINE;

/// Copies where nobody says, as far as there are nodes for them.
const DEFAULT_COPIES: u32 = 3;

/// How a Cassandra cluster keeps the rows of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replication {
    /// Servers that are started; of a cluster that was there before it is not asked.
    pub nodes: u8,
    /// Copies of each row that were asked for.
    pub copies: Option<u32>,
    /// Of reads and writes, where it was asked for.
    pub consistency: Option<Consistency>,
}

impl Default for Replication {
    /// One node, with the drivers' own consistency.
    fn default() -> Self {
        Replication {
            nodes: 1,
            copies: None,
            consistency: None,
        }
    }
}

impl Replication {
    /// Copies of each row.
    pub fn copies(self) -> u32 {
        self.copies
            .unwrap_or_else(|| DEFAULT_COPIES.min(u32::from(self.nodes)))
    }

    /// Of reads and writes; columnar tables have another one where none is asked for.
    pub fn level(self) -> Consistency {
        self.consistency.unwrap_or(Consistency::LocalOne)
    }

    /// Whether anything was asked for, so that it has to be told.
    pub fn is_chosen(self) -> bool {
        self != Replication::default()
    }

    /// As cqlsh says it, where there is something to tell.
    pub fn statement(self, default: Consistency) -> Option<String> {
        let level = self.consistency.unwrap_or(default);
        self.is_chosen().then(|| format!("CONSISTENCY {level}"))
    }

    /// # Errors
    /// For what no cluster of so many nodes can do.
    pub fn check(self, nodes: usize) -> Result<(), EngineError> {
        let copies = self.copies();
        if copies as usize > nodes {
            return Err(EngineError(format!(
                "--replication {copies}: each copy of a row needs a node of its own, and there {}",
                match nodes {
                    1 => "is 1 node".to_owned(),
                    several => format!("are {several} nodes"),
                }
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
                 has fewer",
                self.level()
            )));
        }
        Ok(())
    }

    /// What a report says of the level.
    pub fn levels(self) -> String {
        match self.consistency {
            Some(level) => level.to_string(),
            None => "LOCAL_ONE; of columnar tables LOCAL_QUORUM".to_owned(),
        }
    }

    /// The nodes that are started, for the records of what was measured on them.
    pub fn nodes_info(self) -> Option<NodesInfo> {
        (self.nodes > 1).then(|| NodesInfo {
            engine: ENGINE.to_owned(),
            nodes: u32::from(self.nodes),
            copies: self.copies(),
            consistency: self.levels(),
        })
    }

    /// The settings that a report has to tell.
    pub fn settings(self) -> Vec<(String, String)> {
        if !self.is_chosen() {
            return Vec::new();
        }
        let settings = [
            ("replication factor", self.copies().to_string()),
            ("consistency", self.levels()),
        ];
        settings
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec()
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
        let of = |nodes| Replication {
            nodes,
            ..Replication::default()
        };
        assert_eq!([1, 2, 3, 5].map(|nodes| of(nodes).copies()), [1, 2, 3, 3]);
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
    fn a_dry_run_tells_the_level_where_it_was_chosen() {
        let level = Consistency::LocalOne;
        assert_eq!(Replication::default().statement(level), None);
        let told = asked(3, Consistency::Quorum).statement(level);
        assert_eq!(told.as_deref(), Some("CONSISTENCY QUORUM"));
    }
}
