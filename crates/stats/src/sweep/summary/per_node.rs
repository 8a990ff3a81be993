//! Rows per second of the best settings, for rates per node.

use super::{SweepDesign, SweepSetting, SweepSummary};
use crate::per_node::{Cluster, MeasuredRate, PerNode, Wanted};

impl SweepSummary {
    /// Returns the rate of each design with its best setting, if that is complete in every round. Yardsticks and
    /// designs whose rows are on nodes of another engine have none, and neither have designs that failed: what they
    /// did not do may have been the hardest part. One shard of several has none at all.
    pub fn node_rates(&self) -> Vec<MeasuredRate> {
        if self.is_one_shard() {
            return Vec::new();
        }
        let is_choice = |design: &&SweepDesign| {
            let info = &design.info;
            design.failures.is_empty() && !info.is_yardstick() && info.stored_by.is_none()
        };
        let designs = self.designs.iter().filter(is_choice);
        let rate = |design: &SweepDesign| {
            let best = design.best_setting();
            let best = best.filter(|setting: &&SweepSetting| setting.is_whole())?;
            Some(MeasuredRate {
                design: design.info.id.clone(),
                query: None,
                rate: best.rows_per_second()?,
                cluster: Cluster::of(&design.info, &self.engines, &self.header.machine),
            })
        };
        let mut rates: Vec<MeasuredRate> = designs.filter_map(rate).collect();
        rates.sort_by(|one, other| other.rate.total_cmp(&one.rate));
        rates
    }

    /// Returns whether shards are missing of those that swept the tables together, so that rates are not those of all
    /// nodes.
    pub fn is_one_shard(&self) -> bool {
        let shared = self.header.shared.as_ref();
        shared.is_some_and(|shared| shared.parts.len().max(1) < shared.shard.1 as usize)
    }

    /// Computes the rates per node again, with prices, a rate that is needed, and rates of the same sweep on clusters
    /// of other sizes.
    #[must_use]
    pub fn per_node(mut self, wanted: &Wanted, others: &[Vec<MeasuredRate>]) -> SweepSummary {
        self.per_node = PerNode::new(self.node_rates(), wanted, others);
        self
    }
}
