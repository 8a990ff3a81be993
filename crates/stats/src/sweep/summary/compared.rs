//! Comparison of designs, and of numbers of workers, within the rounds of a sweep.
//!
//! The best setting of a design is chosen by the same rounds by which it is then compared, so it is better in
//! them than it is in truth. What that does to a comparison of two settings is covered by correcting for
//! all pairs of settings of different designs that could have been chosen (Bonferroni).

use serde::Serialize;

use super::flattening::flattening;
use super::{SweepDesign, SweepSetting, SweepSummary};
use crate::rounds::method::Method;
use crate::rounds::table::{Table, all_pairs, common_rounds, field};
use crate::rounds::words::Words;
use crate::rounds::{AgainstBest, SAME_WITHIN};

/// Ratios of the designs' rates, each with its best setting, with intervals that hold all at once with a
/// probability of 95%, and those of numbers of workers with them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SweepComparison {
    /// Relative difference that is none.
    pub same_within: f64,
    /// Number of pairs of settings that the intervals are corrected for.
    pub pairs: usize,
    /// Design that takes the most rows per second.
    pub best: Option<String>,
    /// Designs that have a best setting, in the header's order. A slower design has a ratio below 1.
    pub designs: Vec<AgainstBest>,
}

impl SweepComparison {
    /// Returns what is known of a design, if there are others to compare it with.
    pub fn design(&self, id: &str) -> Option<&AgainstBest> {
        let design = self.designs.iter().find(|design| design.design == id);
        design.filter(|_| self.designs.len() > 1)
    }
}

impl SweepSummary {
    pub(super) fn compare(&mut self) {
        let tables: Vec<Table> = self.designs.iter().filter_map(best_table).collect();
        let rows = self.designs.iter().flat_map(|design| &design.cells);
        let rows: Vec<Vec<Table>> = rows.map(|row| tables_of_batch(row)).collect();
        let pairs =
            pairs_of_designs(&self.designs) + rows.iter().map(|row| pairs_of(row)).sum::<usize>();
        let compared: Vec<_> = { rows.iter().chain([&tables]) }
            .flat_map(|tables| all_pairs(tables))
            .collect();
        let method = Method::new(pairs, &compared);
        let words = Words {
            designs: tables.iter().map(|table| table.design.as_str()).collect(),
            field: field(&tables, &method, None),
            rounds: common_rounds(&tables),
            same_within: SAME_WITHIN,
            baseline: None,
        };
        self.comparison = SweepComparison {
            same_within: SAME_WITHIN,
            pairs,
            best: words.best(),
            designs: words
                .of_all()
                .into_iter()
                .map(AgainstBest::of_rate)
                .collect(),
        };
        for design in &mut self.designs {
            let batch = design.best.map(|(row, _)| &design.cells[row]);
            design.flattening = batch.and_then(|settings| flattening(settings, &method));
        }
    }
}

/// Returns the best setting of a design, which may be the best of all designs if it is complete.
fn best_table(design: &SweepDesign) -> Option<Table> {
    let setting = design.best_setting()?;
    let may_be_best =
        setting.is_whole() && design.failures.is_empty() && !design.info.is_yardstick();
    setting.table(may_be_best)
}

/// Returns the settings of a batch size that numbers of workers are compared by.
fn tables_of_batch(settings: &[Option<SweepSetting>]) -> Vec<Table> {
    let whole = settings
        .iter()
        .flatten()
        .filter(|setting| setting.is_whole());
    whole.filter_map(|setting| setting.table(true)).collect()
}

/// Returns the number of pairs of settings of different designs of which each could have been the best of
/// its design.
fn pairs_of_designs(designs: &[SweepDesign]) -> usize {
    let candidates = |design: &SweepDesign| {
        let is_whole = design.best_setting().is_some_and(SweepSetting::is_whole);
        let measured = design.measured().filter(|setting| match setting.rank() {
            Some((whole, _)) => whole == is_whole,
            None => false,
        });
        measured.count()
    };
    let counts: Vec<usize> = designs.iter().map(candidates).collect();
    let later = |(index, one): (usize, &usize)| one * counts[index + 1..].iter().sum::<usize>();
    counts.iter().enumerate().map(later).sum()
}

fn pairs_of(tables: &[Table]) -> usize {
    tables.len() * tables.len().saturating_sub(1) / 2
}
