//! Designs that may be recommended, and what the figures of all are relative to the best of these.

use super::{DesignSummary, PairedComparison, Summary};

impl Summary {
    /// Returns the designs that may be recommended: no yardsticks, none with failures of their own, and none
    /// that a race dropped.
    pub(super) fn contenders(&self) -> impl Iterator<Item = &DesignSummary> {
        let at_fault = self.queries_at_fault();
        let designs = self.designs.iter();
        designs.filter(move |d| d.may_be_best(&at_fault) && !d.is_out_of_race())
    }

    /// Returns whether a design loses rows that another one keeps, so that it cannot be recommended.
    pub fn loses_rows(&self, design: &str) -> bool {
        let keeps_all = |other: &DesignSummary| self.rows_lost_by(&other.info.id) == 0;
        self.rows_lost_by(design) > 0 && self.contenders().any(keeps_all)
    }

    /// Returns the designs that may be recommended and lose no rows that others keep.
    pub(super) fn choosable(&self) -> impl Iterator<Item = &DesignSummary> {
        self.contenders()
            .filter(move |design| !self.loses_rows(&design.info.id))
    }

    /// Fills in the figures that are relative to other designs.
    pub(super) fn compare(&mut self) {
        let smallest = least(self.contenders().filter_map(|d| d.bytes_per_row));
        for design in &mut self.designs {
            design.times_smallest = ratio(design.bytes_per_row, smallest);
        }
        for query in 0..self.header.queries.len() {
            let fastest = least(self.contenders().filter_map(|d| d.queries[query].median()));
            for design in &mut self.designs {
                let query = &mut design.queries[query];
                query.times_fastest = ratio(query.median(), fastest);
            }
        }
        self.comparison = PairedComparison::from_summary(self);
        self.concurrent = self.compare_concurrent();
    }
}

fn least(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.min_by(f64::total_cmp)
}

fn ratio(own: Option<f64>, least: Option<f64>) -> Option<f64> {
    let least = least.filter(|&x| x > 0.0)?;
    Some(own? / least)
}
