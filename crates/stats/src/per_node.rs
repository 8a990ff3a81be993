//! Rates for each node and for money, and the nodes that a wanted rate needs, in proportion to what was measured.
//!
//! A rate may be of rows, answers or operations; it was measured on all nodes of a cluster together. What is computed
//! from it for other numbers of nodes is an estimate.

mod cluster;
mod scaling;

use serde::Serialize;

use crate::Prices;
use crate::counts::whole;
pub use cluster::Cluster;
pub use scaling::{AtNodes, Mismatch, Scaling, mismatch};

/// Prices and a rate by which a measurement is shown, none of which was measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wanted {
    pub prices: Option<Prices>,
    /// Rows, answers or operations per second that are needed.
    pub need: Option<f64>,
}

/// Rate of a design on all of its nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRate {
    pub design: String,
    /// The only query that was asked meanwhile; `None` where the rate is of everything together.
    pub query: Option<String>,
    /// Rows, answers or operations per second of all nodes together.
    pub rate: f64,
    pub cluster: Cluster,
}

/// Rates per node of the designs of a measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PerNode {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// Rate that is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub need: Option<f64>,
    /// Rates in the order in which they are shown; there is at least one.
    pub rates: Vec<NodeRate>,
    /// Rates on clusters of several sizes, where others were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<Scaling>,
}

/// Rate of a design for each node, and what follows from it in proportion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeRate {
    pub design: String,
    /// The only query that was asked meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Rate of all nodes together.
    pub rate: f64,
    pub cluster: Cluster,
    /// Rate of each node.
    pub per_node: f64,
    /// Rate of a machine of the price list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_machine: Option<f64>,
    /// Rate for one unit of the currency a month, which pays for machines alone; `None` without prices, or where
    /// machines cost nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_money: Option<f64>,
    /// What the needed rate takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed: Option<NodesNeeded>,
}

/// Nodes that a rate needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NodesNeeded {
    /// Number of nodes, with prices of machines of the list: as many as there are copies at least, if those are known.
    pub nodes: u64,
    /// Whether fewer would do for the rate, but not for the copies.
    pub for_copies: bool,
    /// Price of these machines for a month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<f64>,
}

impl PerNode {
    /// Computes the rates per node of a measurement; `others` are the rates of the same measurement on clusters of
    /// other sizes. Rates that are not above zero are left out. Returns `None` if there is no other rate.
    pub fn new(
        measured: Vec<MeasuredRate>,
        wanted: &Wanted,
        others: &[Vec<MeasuredRate>],
    ) -> Option<PerNode> {
        let is_rate = |measured: &MeasuredRate| measured.rate.is_finite() && measured.rate > 0.0;
        let measured: Vec<MeasuredRate> = measured.into_iter().filter(is_rate).collect();
        if measured.is_empty() {
            return None;
        }
        let scaling = scaling::of(&measured, others);
        let rates = measured.into_iter().map(|of| NodeRate::new(of, wanted));
        Some(PerNode {
            rates: rates.collect(),
            prices: wanted.prices.clone(),
            need: wanted.need,
            scaling,
        })
    }

    /// Returns whether it says more than the rates themselves, which are those per node where there is one node.
    pub fn is_more_than_rates(&self) -> bool {
        let has_nodes = self.rates.iter().any(|rate| rate.cluster.nodes > 1);
        has_nodes || self.prices.is_some() || self.need.is_some() || !self.scaling.is_empty()
    }

    /// Returns the most nodes that were measured, beyond which everything is an estimate.
    pub fn most_nodes(&self) -> u32 {
        let nodes = self.rates.iter().map(|rate| rate.cluster.nodes);
        let scaled = { self.scaling.iter() }.flat_map(|of| of.points.iter().map(|at| at.nodes));
        nodes.chain(scaled).max().unwrap_or(1)
    }

    /// Returns whether nodes of all designs are counted in the same: in machines of the price list, in nodes of as many
    /// cores, or in those of one engine.
    pub fn has_equal_nodes(&self) -> bool {
        let Some(first) = self.rates.first() else {
            return true;
        };
        let cores = |rate: &NodeRate| rate.cluster.cores_of_node;
        let as_many = |rate: &NodeRate| cores(rate).is_some() && cores(rate) == cores(first);
        let is_same = |rate: &NodeRate| {
            engine(&rate.design) == engine(&first.design) && cores(rate) == cores(first)
        };
        let rates = &self.rates;
        self.prices.is_some() || rates.iter().all(as_many) || rates.iter().all(is_same)
    }

    /// Returns the rate of which the needed one takes the fewest nodes, of several the highest one.
    pub fn fewest(&self) -> Option<(&NodeRate, NodesNeeded)> {
        let needed = self
            .rates
            .iter()
            .filter_map(|rate| Some((rate, rate.needed?)));
        needed.min_by(|(one, a), (other, b)| {
            let by_rate = || other.of_machine().total_cmp(&one.of_machine());
            a.nodes.cmp(&b.nodes).then_with(by_rate)
        })
    }
}

impl NodeRate {
    fn new(measured: MeasuredRate, wanted: &Wanted) -> NodeRate {
        let MeasuredRate {
            design,
            query,
            rate,
            cluster,
        } = measured;
        let per_node = rate / f64::from(cluster.nodes.max(1));
        let prices = wanted.prices.as_ref();
        let per_machine = prices.map(|prices| per_node * machines_of(&cluster, prices));
        let month = prices.map(|prices| prices.machine_month);
        let per_money = { per_machine.zip(month) }.map(|(rate, month)| rate / month);
        let needed = wanted
            .need
            .and_then(|need| NodesNeeded::new(need, per_machine.unwrap_or(per_node), &cluster));
        NodeRate {
            design,
            query,
            rate,
            cluster,
            per_node,
            per_machine,
            per_money: per_money.filter(|rate| rate.is_finite()),
            needed: needed.map(|needed| NodesNeeded {
                month: month.map(|month| month * needed.nodes as f64),
                ..needed
            }),
        }
    }

    /// Returns the rate of what nodes are counted in: of a machine of the list, or of a node as it was measured.
    fn of_machine(&self) -> f64 {
        self.per_machine.unwrap_or(self.per_node)
    }
}

impl NodesNeeded {
    /// Computes the nodes that have this rate together, each with its part of it. Returns `None` where there is no
    /// such number.
    fn new(need: f64, of_node: f64, cluster: &Cluster) -> Option<NodesNeeded> {
        let nodes = whole(need / of_node);
        if !nodes.is_finite() || nodes >= u64::MAX as f64 {
            return None;
        }
        let copies = u64::from(cluster.copies.unwrap_or(1));
        let for_rate = (nodes as u64).max(1);
        // Rows that are not divided among nodes take whole servers, each with its standbys.
        let at_once = if cluster.divides { 1 } else { copies.max(1) };
        Some(NodesNeeded {
            nodes: for_rate.max(copies).checked_next_multiple_of(at_once)?,
            for_copies: copies > for_rate,
            month: None,
        })
    }
}

/// Returns the engine of a design: what is before the first slash of its id.
fn engine(design: &str) -> &str {
    design.split(['/', '?']).next().unwrap_or(design)
}

/// Returns how many times as much as a node of the cluster a machine of the list does: in proportion to their cores.
/// Where those of a node are not known, it is taken to be such a machine.
fn machines_of(cluster: &Cluster, prices: &Prices) -> f64 {
    let cores = f64::from(prices.machine_cores.max(1));
    cluster.cores_of_node.map_or(1.0, |of_node| cores / of_node)
}

#[cfg(test)]
mod tests;
