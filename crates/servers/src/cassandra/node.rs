//! The place of a server in its cluster.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

/// As many tokens as `num_tokens` says.
const TOKENS: u8 = 4;

/// Which one of how many nodes a server is. Each has a loopback address of its own, 127.0.0.1 and
/// so on, and all the same ports, as drivers expect of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// From 1 on.
    pub(crate) number: u8,
    pub(crate) of: u8,
}

impl Default for Node {
    /// The only one.
    fn default() -> Self {
        Node { number: 1, of: 1 }
    }
}

impl Node {
    /// The nodes of a cluster of this size, the one that the others look for first.
    pub(crate) fn all(of: u8) -> impl Iterator<Item = Node> {
        (1..=of).map(move |number| Node { number, of })
    }

    pub(crate) fn is_alone(self) -> bool {
        self.of == 1
    }

    /// Where it listens.
    pub(crate) fn address(self) -> Ipv4Addr {
        Ipv4Addr::new(127, 0, 0, self.number)
    }

    /// What it is called beside the others.
    pub(crate) fn name(self) -> String {
        format!("node {} of {} at {}", self.number, self.of, self.address())
    }

    /// Its share of the ring: tokens at equal distances, so that nodes own equally much, and may
    /// join an empty cluster at once, as none has to look which are taken.
    pub(crate) fn tokens(self) -> Vec<i64> {
        let places = i128::from(self.of) * i128::from(TOKENS);
        let distance = (1_i128 << 64) / places;
        let own = |turn: u8| i128::from(turn) * i128::from(self.of) + i128::from(self.number - 1);
        (0..TOKENS)
            .filter_map(|turn| i64::try_from(i128::from(i64::MIN) + 1 + own(turn) * distance).ok())
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
}
