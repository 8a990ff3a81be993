//! Operations per second that designs can do at most, for rates per node.

use super::{DriveDesign, DriveSummary};
use crate::per_node::{Cluster, MeasuredRate, PerNode, Wanted};

impl DriveSummary {
    /// Returns the operations per second of each design: the highest rate within the objective of a search, or the
    /// rate of loads that went as fast as they could. Loads at a given rate, passes and one shard of several have
    /// none, and neither have yardsticks, designs that failed or fell short of what was asked, and designs whose rows
    /// are on nodes of another engine.
    pub fn node_rates(&self) -> Vec<MeasuredRate> {
        if self.header.passes.is_some() || self.is_one_shard() {
            return Vec::new();
        }
        let is_search = self.header.objective.is_some();
        if !is_search && !self.goes_as_fast_as_it_can() {
            return Vec::new();
        }
        let rate = |design: &DriveDesign| {
            let rate = if is_search {
                design.highest_rate
            } else {
                design.rate
            };
            Some(MeasuredRate {
                design: design.info.id.clone(),
                query: None,
                rate: rate?.median,
                cluster: Cluster::of(&design.info, &self.engines, &self.header.machine),
            })
        };
        let choices = self.choices().into_iter();
        let designs = choices.filter(|design| design.info.stored_by.is_none());
        let mut rates: Vec<MeasuredRate> = designs.filter_map(rate).collect();
        rates.sort_by(|one, other| other.rate.total_cmp(&one.rate));
        rates
    }

    /// Returns whether the load is that of one process of several that drove the tables together, so that its rate is
    /// not that of all nodes.
    pub fn is_one_shard(&self) -> bool {
        self.header.shard.1 > 1 && self.header.parts.is_empty()
    }

    /// Computes the rates per node again, with prices, a rate that is needed, and rates of the same load on clusters
    /// of other sizes.
    #[must_use]
    pub fn per_node(mut self, wanted: &Wanted, others: &[Vec<MeasuredRate>]) -> DriveSummary {
        self.per_node = PerNode::new(self.node_rates(), wanted, others);
        self
    }

    /// Returns whether operations are sent one after the other, as fast as the design takes them.
    pub fn goes_as_fast_as_it_can(&self) -> bool {
        let mut starts = self.trials.iter().map(|trial| &trial.start);
        let first = starts.find(|start| !start.warm_up);
        first.is_some_and(|start| start.even && start.scheduled_rate.is_none())
    }

    /// Returns the designs that may be chosen by their rates: those that may be the best one. A search judges failed
    /// operations itself, and has them where the objective allows them.
    fn choices(&self) -> Vec<&DriveDesign> {
        let mut choices = if self.header.objective.is_some() {
            let designs = self.designs.iter();
            designs
                .filter(|design| design.failures.is_empty())
                .collect()
        } else {
            self.may_be_best()
        };
        choices.retain(|design| !design.info.is_yardstick());
        choices
    }
}

#[cfg(test)]
mod tests;
