//! Designs of a run that differ in one setting alone, by its value.

use super::Summary;
use super::rounds::{PairedComparison, same_within};
use crate::DesignInfo;
use crate::design::{AtValue, COLUMNS, by_setting};

/// Designs that differ in one setting alone, whose values are numbers, sizes or durations.
#[derive(Debug, Clone, PartialEq)]
pub struct BySetting {
    pub setting: String,
    /// Id of the designs without the setting.
    pub others: String,
    /// Designs with different values, the least value first.
    pub designs: Vec<AtValue>,
    /// Comparison of these designs with each other, with the intervals that a comparison of all designs of the
    /// run has.
    pub comparison: PairedComparison,
    /// Relative difference up to which figures without error are the same, by the rule of the run.
    pub same_within: f64,
}

impl BySetting {
    /// Returns the value of a design as text.
    pub fn value_of(&self, design: &str) -> Option<&str> {
        let found = self.designs.iter().find(|at| at.design == design);
        found.map(|at| at.text.as_str())
    }

    /// Returns whether the designs differ in the number of columns that they store.
    pub fn is_of_columns(&self) -> bool {
        self.setting == COLUMNS
    }

    /// Returns whether all of the designs are asked a query: one that stores some columns only may not be.
    pub fn is_asked(&self, summary: &Summary, query: &str) -> bool {
        let designs = { self.designs.iter() }.filter_map(|at| summary.design(&at.design));
        let mut infos = designs.map(|design| &design.info);
        infos.all(|info| info.why_not_asked(query).is_none())
    }
}

impl Summary {
    /// Returns the designs by each setting in which at least three of them differ alone, and whose values are
    /// numbers, sizes or durations. A design without the setting takes part if the settings in force show its
    /// default, or if the setting is the number of columns, which the table has.
    pub fn by_setting(&self) -> Vec<BySetting> {
        let infos: Vec<&DesignInfo> = self.designs.iter().map(|design| &design.info).collect();
        let groups = by_setting(&infos, Some(self.header.columns)).into_iter();
        groups
            .map(|group| {
                let is_among = |id: &str| group.designs.iter().any(|at| at.design == id);
                let comparison = if group.setting == COLUMNS {
                    PairedComparison::of_columns(self, is_among)
                } else {
                    PairedComparison::of(self, is_among)
                };
                BySetting {
                    setting: group.setting,
                    others: group.others,
                    designs: group.designs,
                    comparison,
                    same_within: same_within(self, None),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
