//! Position of a server in its cluster.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

/// Number of tokens of a node, as in `num_tokens`.
const TOKENS: u8 = 4;

/// The number of a server within its cluster. Each server has its own loopback address, 127.0.0.1 and
/// so on, and all have the same ports, as drivers expect of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Number of the node, counted from 1.
    pub(crate) number: u8,
    pub(crate) of: u8,
}

impl Default for Node {
    /// Returns the only node of a cluster.
    fn default() -> Self {
        Node { number: 1, of: 1 }
    }
}

impl Node {
    /// Returns the nodes of a cluster of this size, first the one that the others contact.
    pub(crate) fn all(of: u8) -> impl Iterator<Item = Node> {
        (1..=of).map(move |number| Node { number, of })
    }

    pub(crate) fn is_alone(self) -> bool {
        self.of == 1
    }

    /// Returns the address that it listens on.
    pub(crate) fn address(self) -> Ipv4Addr {
        Ipv4Addr::new(127, 0, 0, self.number)
    }

    /// Returns its name within the cluster.
    pub(crate) fn name(self) -> String {
        format!("node {} of {} at {}", self.number, self.of, self.address())
    }

    /// Returns its tokens. They are at equal distances, so that nodes own equal shares of the ring
    /// and can join an empty cluster at once, as none has to find out which tokens are taken.
    pub(crate) fn tokens(self) -> Vec<i64> {
        let tokens = i128::from(self.of) * i128::from(TOKENS);
        let distance = (1_i128 << 64) / tokens;
        let own = |turn: u8| i128::from(turn) * i128::from(self.of) + i128::from(self.number - 1);
        (0..TOKENS)
            .filter_map(|turn| i64::try_from(i128::from(i64::MIN) + 1 + own(turn) * distance).ok())
            .collect()
    }

    /// Returns its tokens as the last node, which is added to the others when these have data already. It takes as
    /// much of the ring as every node would have of equal shares, from ranges of several nodes in turn.
    pub(crate) fn tokens_when_added(self) -> Vec<i64> {
        let others = i128::from(self.of.saturating_sub(1).max(1));
        let distance = (1_i128 << 64) / (others * i128::from(TOKENS));
        let share = distance * others / (others + 1);
        let range = |turn: i128| turn * others + turn % others;
        (0..i128::from(TOKENS))
            .filter_map(|turn| {
                let token = i128::from(i64::MIN) + 1 + range(turn) * distance + share;
                i64::try_from(token).ok()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nodes_of_a_cluster_share_the_ring_equally() {
        let mut tokens: Vec<i64> = Node::all(3).flat_map(Node::tokens).collect();
        assert_eq!(tokens.len(), 12);
        tokens.sort_unstable();
        let distances = tokens.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
        assert_eq!(distances.max(), Some(u64::MAX / 12));
        assert_eq!(tokens.first(), Some(&(i64::MIN + 1)));
        assert_eq!(
            Node::all(3).last().unwrap().name(),
            "node 3 of 3 at 127.0.0.3"
        );
    }

    #[test]
    fn a_node_that_is_added_takes_its_share_from_several_nodes() {
        for before in [2, 3, 16] {
            let old: Vec<i64> = Node::all(before).flat_map(Node::tokens).collect();
            let added = Node {
                number: before + 1,
                of: before + 1,
            };
            let tokens = added.tokens_when_added();
            assert_eq!(tokens.len(), usize::from(TOKENS));
            let taken: u128 = { tokens.iter() }
                .map(|token| {
                    let below = old.iter().filter(|old| *old < token).max().unwrap();
                    u128::from(token.abs_diff(*below))
                })
                .sum();
            let share = u128::from(u64::MAX) / u128::from(before + 1);
            assert!(taken.abs_diff(share) < 1000, "{taken} of {share}");
            let next = |token: &i64| old.iter().filter(|old| *old > token).min().copied();
            let owners: Vec<Option<u8>> = { tokens.iter() }
                .map(|token| {
                    let next = next(token).unwrap_or(i64::MIN + 1);
                    let mut nodes = Node::all(before);
                    nodes.find_map(|node| node.tokens().contains(&next).then_some(node.number))
                })
                .collect();
            assert_ne!(owners[0], owners[1], "{owners:?}");
        }
    }
}
