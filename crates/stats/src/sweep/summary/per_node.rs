//! Rows per second of the best settings, for rates per node.

use super::{SweepDesign, SweepSetting, SweepSummary};
use crate::per_node::{Cluster, MeasuredRate, PerNode, Wanted};

impl SweepSummary {
    /// Returns the rate of each design with its best setting, if that is complete in every round. Yardsticks have
    /// none, and neither have designs that failed: what they did not do may have been the hardest part.
    pub fn node_rates(&self) -> Vec<MeasuredRate> {
        let is_choice =
            |design: &&SweepDesign| design.failures.is_empty() && !design.info.is_yardstick();
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

    /// Computes the rates per node again, with prices, a rate that is needed, and rates of the same sweep on clusters
    /// of other sizes.
    #[must_use]
    pub fn per_node(mut self, wanted: &Wanted, others: &[Vec<MeasuredRate>]) -> SweepSummary {
        self.per_node = PerNode::new(self.node_rates(), wanted, others);
        self
    }
}
