//! The nodes of a cluster as a client finds them: which addresses it is told, by whom, and what is there.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// A node that another one lists as its peer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// Address for clients, `IP:PORT`.
    pub address: String,
    pub host_id: Option<String>,
    /// Whether it is listed with a share of the ring.
    pub has_tokens: bool,
}

/// What a node says of itself and of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeView {
    pub host_id: String,
    /// Version of Cassandra.
    pub release: String,
    /// Version of the schema.
    pub schema: Option<String>,
    pub peers: Vec<Peer>,
    /// Microseconds until it had said that.
    pub answer_micros: u64,
}

/// An attempt to connect to an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Address for clients, `IP:PORT`.
    pub address: String,
    /// Microseconds until there was a connection, or none.
    pub connect_micros: u64,
    /// Why there is no connection, or no answer over it.
    pub error: Option<String>,
    /// Whether there was a connection.
    pub is_connected: bool,
    /// `None` if it did not answer or was not asked.
    pub view: Option<NodeView>,
}

/// All addresses of a cluster that a client is told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterSeen {
    pub attempts: Vec<Attempt>,
}

/// Something about the nodes that a client should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum ClusterFinding {
    /// An address that is listed and is no node of the ring.
    NotInRing {
        address: String,
        /// Nodes that list it.
        listed_by: Vec<String>,
        /// Nodes that have answered and do not list it.
        not_by: Vec<String>,
        has_tokens: bool,
        /// Why it cannot be connected to, if it cannot.
        error: Option<String>,
        /// Microseconds that a client loses there.
        micros: u64,
    },
    /// A node that cannot be connected to.
    Unreachable {
        address: String,
        error: String,
        micros: u64,
    },
    /// A node that takes connections and does not answer.
    Silent { address: String, error: String },
    /// An address where another node answers than the one that is listed.
    AnotherNode {
        address: String,
        listed: String,
        answers: String,
    },
    /// Versions of the schema, each with the nodes that have it; there should be one.
    Schemas {
        versions: BTreeMap<String, Vec<String>>,
    },
    /// Versions of Cassandra, each with its nodes, if there are several.
    Releases {
        versions: BTreeMap<String, Vec<String>>,
    },
}

impl ClusterSeen {
    /// Returns what a client should know, the most serious first; nothing if all is well.
    pub fn findings(&self) -> Vec<ClusterFinding> {
        let mut findings: Vec<ClusterFinding> = self
            .attempts
            .iter()
            .filter_map(|a| self.not_in_ring(a))
            .collect();
        let outside: BTreeSet<String> = findings
            .iter()
            .filter_map(|finding| match finding {
                ClusterFinding::NotInRing { address, .. } => Some(address.clone()),
                _ => None,
            })
            .collect();
        let inside = self
            .attempts
            .iter()
            .filter(|a| !outside.contains(&a.address));
        findings.extend(inside.filter_map(without_answer));
        findings.extend(self.attempts.iter().filter_map(|a| self.another_node(a)));
        let schemas = self.by(|view| view.schema.clone());
        if schemas.len() > 1 {
            findings.push(ClusterFinding::Schemas { versions: schemas });
        }
        let releases = self.releases();
        if releases.len() > 1 {
            findings.push(ClusterFinding::Releases { versions: releases });
        }
        findings
    }

    /// Returns the listed addresses that have not been tried, unless their nodes have answered at another one.
    pub fn unknown_addresses(&self) -> Vec<String> {
        let tried: BTreeSet<&String> = self.attempts.iter().map(|a| &a.address).collect();
        let known: BTreeSet<&String> = self.views().map(|(_, view)| &view.host_id).collect();
        let listed = self.views().flat_map(|(_, view)| &view.peers);
        let unknown: BTreeSet<&String> = listed
            .filter(|peer| !peer.host_id.as_ref().is_some_and(|id| known.contains(id)))
            .map(|peer| &peer.address)
            .filter(|address| !tried.contains(address))
            .collect();
        unknown.into_iter().cloned().collect()
    }

    /// Returns the versions of Cassandra, each with its nodes.
    pub fn releases(&self) -> BTreeMap<String, Vec<String>> {
        self.by(|view| Some(view.release.clone()))
    }

    /// Returns the nodes that have answered, with what they say.
    fn views(&self) -> impl Iterator<Item = (&Attempt, &NodeView)> {
        self.attempts
            .iter()
            .filter_map(|attempt| Some((attempt, attempt.view.as_ref()?)))
    }

    /// Groups the nodes by something that they say.
    fn by(&self, said: impl Fn(&NodeView) -> Option<String>) -> BTreeMap<String, Vec<String>> {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (attempt, view) in self.views() {
            if let Some(said) = said(view) {
                groups
                    .entry(said)
                    .or_default()
                    .push(attempt.address.clone());
            }
        }
        groups
    }

    /// Returns the entries for an address in the lists of others, each with the one that has it.
    fn listings<'a>(&'a self, address: &str) -> Vec<(&'a Attempt, &'a Peer)> {
        let mut listings = Vec::new();
        for (attempt, view) in self.views() {
            let entries = view.peers.iter().filter(|peer| peer.address == address);
            listings.extend(entries.map(|peer| (attempt, peer)));
        }
        listings
    }

    /// An address is outside of the ring if whoever lists it gives it no host id or no tokens, or if others that have
    /// answered do not list it.
    fn not_in_ring(&self, attempt: &Attempt) -> Option<ClusterFinding> {
        let listings = self.listings(&attempt.address);
        if listings.is_empty() {
            return None;
        }
        let listed_by: BTreeSet<String> =
            listings.iter().map(|(by, _)| by.address.clone()).collect();
        // A node does not list itself, by whichever address it is known.
        let is_it = |by: &Attempt, view: &NodeView| {
            let same_id =
                |(_, peer): &(&Attempt, &Peer)| peer.host_id.as_ref() == Some(&view.host_id);
            by.address == attempt.address || listings.iter().any(same_id)
        };
        let not_by: Vec<String> = self
            .views()
            .filter(|(by, view)| !is_it(by, view) && !listed_by.contains(&by.address))
            .map(|(by, _)| by.address.clone())
            .collect();
        let has_tokens = listings
            .iter()
            .any(|(_, peer)| peer.has_tokens && peer.host_id.is_some());
        if has_tokens && not_by.is_empty() {
            return None;
        }
        Some(ClusterFinding::NotInRing {
            address: attempt.address.clone(),
            listed_by: listed_by.into_iter().collect(),
            not_by,
            has_tokens,
            error: attempt.error.clone(),
            micros: attempt.connect_micros,
        })
    }

    fn another_node(&self, attempt: &Attempt) -> Option<ClusterFinding> {
        let answers = &attempt.view.as_ref()?.host_id;
        let listings = self.listings(&attempt.address);
        let listed = listings
            .into_iter()
            .filter_map(|(_, peer)| peer.host_id.as_ref())
            .find(|host_id| *host_id != answers)?;
        Some(ClusterFinding::AnotherNode {
            address: attempt.address.clone(),
            listed: listed.clone(),
            answers: answers.clone(),
        })
    }
}

fn without_answer(attempt: &Attempt) -> Option<ClusterFinding> {
    let error = attempt.error.clone()?;
    let address = attempt.address.clone();
    Some(if attempt.is_connected {
        ClusterFinding::Silent { address, error }
    } else {
        ClusterFinding::Unreachable {
            address,
            error,
            micros: attempt.connect_micros,
        }
    })
}

#[cfg(test)]
mod tests;
