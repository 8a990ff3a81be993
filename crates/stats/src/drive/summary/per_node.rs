//! Operations per second that designs can do at most, for rates per node.

use super::{DriveDesign, DriveSummary};
use crate::per_node::{Cluster, MeasuredRate, PerNode, Wanted};

impl DriveSummary {
    /// Returns the operations per second of each design: the highest rate within the objective of a search, or the
    /// rate of loads that went as fast as they could. Loads at a given rate and passes have none, and neither have
    /// yardsticks and designs that failed.
    pub fn node_rates(&self) -> Vec<MeasuredRate> {
        if self.header.passes.is_some() {
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
        let designs = self.designs.iter().filter(|design| self.is_choice(design));
        let mut rates: Vec<MeasuredRate> = designs.filter_map(rate).collect();
        rates.sort_by(|one, other| other.rate.total_cmp(&one.rate));
        rates
    }

    /// Computes the rates per node again, with prices, a rate that is needed, and rates of the same load on clusters
    /// of other sizes.
    #[must_use]
    pub fn per_node(mut self, wanted: &Wanted, others: &[Vec<MeasuredRate>]) -> DriveSummary {
        self.per_node = PerNode::new(self.node_rates(), wanted, others);
        self
    }

    fn goes_as_fast_as_it_can(&self) -> bool {
        let mut starts = self.trials.iter().map(|trial| &trial.start);
        let first = starts.find(|start| !start.warm_up);
        first.is_some_and(|start| start.even && start.scheduled_rate.is_none())
    }

    /// Returns whether a design may be chosen by its rate. A search judges failed operations itself.
    fn is_choice(&self, design: &DriveDesign) -> bool {
        let is_search = self.header.objective.is_some();
        let few_failed = { design.figures.as_ref() }.is_some_and(|f| !f.too_many_failed());
        design.failures.is_empty() && !design.info.is_yardstick() && (is_search || few_failed)
    }
}
