//! Rates on clusters of several sizes, next to what is in proportion to the smallest one.

use serde::Serialize;

use super::MeasuredRate;

/// Rates of a design on clusters of several sizes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scaling {
    pub design: String,
    /// The only query that was asked meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// At least two sizes, the smallest one first.
    pub points: Vec<AtNodes>,
    /// Whether all nodes of some size shared the machine of the client.
    pub is_shared: bool,
}

/// Rate on a cluster of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AtNodes {
    pub nodes: u32,
    pub rate: f64,
    /// The rate as a share of what is in proportion to the smallest cluster: 1 if it grows with the nodes.
    pub of_linear: f64,
}

/// Reason why two measurements cannot be put next to each other as those of two sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// No design has a rate in both.
    NothingInCommon,
    /// All designs that both have ran on as many nodes.
    SameNodes(u32),
    /// A design kept different numbers of copies, of which one may not be known.
    Copies {
        design: String,
        copies: [Option<u32>; 2],
    },
}

/// Returns why two measurements are not those of two sizes of a cluster, if they are not.
pub fn mismatch(one: &[MeasuredRate], other: &[MeasuredRate]) -> Option<Mismatch> {
    let pairs = one.iter().filter_map(|of| Some((of, same(other, of)?)));
    let pairs: Vec<(&MeasuredRate, &MeasuredRate)> = pairs.collect();
    let Some((first, _)) = pairs.first() else {
        return Some(Mismatch::NothingInCommon);
    };
    let differs = { pairs.iter() }.find(|(a, b)| a.cluster.copies != b.cluster.copies);
    if let Some((a, b)) = differs {
        return Some(Mismatch::Copies {
            design: a.design.clone(),
            copies: [a.cluster.copies, b.cluster.copies],
        });
    }
    let mut nodes = pairs
        .iter()
        .map(|(a, b)| (a.cluster.nodes, b.cluster.nodes));
    let most = pairs.iter().map(|(a, _)| a.cluster.nodes).max();
    nodes
        .all(|(a, b)| a == b)
        .then(|| Mismatch::SameNodes(most.unwrap_or(first.cluster.nodes)))
}

/// Returns the rate of the same design and query.
fn same<'a>(rates: &'a [MeasuredRate], of: &MeasuredRate) -> Option<&'a MeasuredRate> {
    let is_same = |rate: &&MeasuredRate| rate.design == of.design && rate.query == of.query;
    rates.iter().find(is_same)
}

/// Returns the rates of the designs that were measured on at least two sizes. Of several rates of one size the first
/// one counts.
pub(super) fn of(measured: &[MeasuredRate], others: &[Vec<MeasuredRate>]) -> Vec<Scaling> {
    let scaling = |of: &MeasuredRate| {
        let further = others.iter().filter_map(|rates| same(rates, of));
        let further = further.filter(|rate| rate.rate.is_finite() && rate.rate > 0.0);
        let mut sizes: Vec<&MeasuredRate> = std::iter::once(of).chain(further).collect();
        sizes.sort_by_key(|rate| rate.cluster.nodes);
        sizes.dedup_by_key(|rate| rate.cluster.nodes);
        let first = *sizes.first()?;
        let per_node = first.rate / f64::from(first.cluster.nodes.max(1));
        let points = sizes.iter().map(|rate| AtNodes {
            nodes: rate.cluster.nodes,
            rate: rate.rate,
            of_linear: rate.rate / (per_node * f64::from(rate.cluster.nodes.max(1))),
        });
        (sizes.len() > 1).then(|| Scaling {
            design: of.design.clone(),
            query: of.query.clone(),
            points: points.collect(),
            is_shared: { sizes.iter() }
                .any(|rate| rate.cluster.nodes > 1 && rate.cluster.is_shared()),
        })
    };
    measured.iter().filter_map(scaling).collect()
}
