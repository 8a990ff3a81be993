//! Estimates how long a comparison takes by what the same step of a study took before, over other rows.

use std::path::PathBuf;
use std::time::Duration;

use bakeoff_report::units::count;
use bakeoff_stats::Summary;
use bakeoff_stats::study::Measured;
use bakeoff_workload::{DesignId, Workload};

use super::results;
use super::words::in_words;
use crate::cmd::measure::folder;
use crate::cmd::run::Run;

/// Folders of a study that are looked at, `runs/STUDY` and those with a number.
const FOLDERS: u32 = 9;
/// Times that every question is asked in addition to the rounds: to verify its answer, and to warm up.
const BESIDE_ROUNDS: u32 = 2;

/// Comparison that is to be measured.
pub struct Asked<'a> {
    pub run: &'a Run,
    pub designs: &'a [DesignId],
    /// Workload with the queries that are asked.
    pub workload: &'a Workload,
    pub rows: u64,
    pub rounds: u32,
}

/// Says how long a comparison takes, by the earlier measurement of the step that has the most rows. Returns `None` if
/// there is none that has figures of everything that is asked.
pub fn in_earlier_runs(study: &str, step: (usize, &str), asked: &Asked<'_>) -> Option<String> {
    let (index, name) = step;
    let folders = (1..=FOLDERS).map(|number| folder::numbered(study, number));
    let steps = folders.map(|dir| results::folder(&dir, index, name));
    let known = steps.filter_map(|dir| match results::read(&dir) {
        Ok(Some(Measured::Run(summary))) => Some((dir, asked.times(&summary)?, summary.rows)),
        _ => None,
    });
    let best: Option<(PathBuf, (Duration, Duration), u64)> = known.max_by_key(|(.., rows)| *rows);
    let (dir, (loading, asking), rows) = best?;
    Some(format!(
        "about {}, an estimate by {} with {} rows: {} to load, {} to ask if times grow with the rows",
        in_words(loading.saturating_add(asking)),
        dir.display(),
        count(rows),
        in_words(loading),
        in_words(asking)
    ))
}

impl Asked<'_> {
    /// Returns the time to load and the time to ask, in proportion to the rows of an earlier run. Returns `None` if
    /// that lacks a figure.
    fn times(&self, earlier: &Summary) -> Option<(Duration, Duration)> {
        let (mut loading, mut asking) = (0.0, 0.0);
        let more = self.rows as f64 / earlier.rows.max(1) as f64;
        let passes = f64::from(self.rounds.saturating_add(BESIDE_ROUNDS));
        let shared = self.run.shared_tables(self.workload, self.designs);
        for id in self.designs {
            let design = earlier.design(&id.to_string())?;
            if shared.table_of(id).is_none() {
                loading += self.rows as f64 / design.load_rate?.median;
            }
            let queries = self.workload.queries.iter();
            for query in queries.filter(|query| self.run.asks(&query.name, id)) {
                let time = design.query(&query.name)?.time?;
                asking += time.median * more * passes;
            }
        }
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
        Some((time(loading)?, time(asking)?))
    }
}
