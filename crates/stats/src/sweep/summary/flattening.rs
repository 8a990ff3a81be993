//! Number of workers from which on more of them bring no more rows.

use serde::Serialize;

use super::SweepSetting;
use crate::rounds::method::Method;

/// Share of the rate of every other number of workers with which workers are enough.
const AS_GOOD: f64 = 0.95;

/// Point from which on more workers bring no more rows, at the best setting's batch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flattening {
    pub batch_rows: u64,
    /// Fewest workers with about the highest rate.
    pub enough: u32,
    /// Whether the rounds show it; otherwise it is what the medians are.
    pub is_shown: bool,
    /// Fewest rounds of any of these settings.
    pub rounds: u32,
    /// Most workers that were measured.
    pub most: u32,
    /// Factor by which the rate with the most workers differs.
    pub rate_factor: f64,
    /// Factor by which the p99 with the most workers differs; `None` if one of the two has too few
    /// inserts for a p99.
    pub p99_factor: Option<f64>,
}

/// Returns where the settings of a batch size flatten. Only complete ones are compared.
pub fn flattening(settings: &[Option<SweepSetting>], method: &Method) -> Option<Flattening> {
    let whole = settings.iter().flatten().filter(|s| s.is_whole());
    let whole: Vec<&SweepSetting> = whole.collect();
    let shown = { whole.iter() }.find(|setting| is_shown_enough(setting, &whole, method));
    let highest = whole.iter().filter_map(|s| s.rows_per_second());
    let highest = highest.reduce(f64::max)?;
    let is_about = |s: &&&SweepSetting| s.rows_per_second() >= Some(AS_GOOD * highest);
    let enough = shown.or_else(|| whole.iter().find(is_about))?;
    let most = whole.last()?;
    let p99 = |s: &SweepSetting| s.cell.inserted.as_ref()?.p99;
    (most.cell.workers > enough.cell.workers).then_some(Flattening {
        batch_rows: enough.cell.batch_rows,
        enough: enough.cell.workers,
        is_shown: shown.is_some(),
        rounds: { whole.iter() }.map(|s| s.rounds.len()).min()? as u32,
        most: most.cell.workers,
        rate_factor: most.rows_per_second()? / enough.rows_per_second()?,
        p99_factor: p99(most)
            .zip(p99(enough))
            .map(|(most, enough)| most / enough),
    })
}

/// Returns whether the rounds show that a setting takes at least that share of the rows of each other one.
fn is_shown_enough(setting: &SweepSetting, whole: &[&SweepSetting], method: &Method) -> bool {
    let is_as_good = |other: &SweepSetting| {
        let tables = setting.table(true).zip(other.table(true));
        let seconds = tables.map(|(one, other)| one.ratio(&other, method, None));
        seconds.is_some_and(|seconds| seconds.high <= -AS_GOOD.ln())
    };
    let mut others = { whole.iter() }.filter(|s| s.cell.workers != setting.cell.workers);
    others.all(|other| is_as_good(other))
}
