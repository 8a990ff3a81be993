//! Whether a budget leaves too few rows to forecast all of them from, as far as that can be known before anything is
//! measured: by an assumed pace of loading, and by the same arithmetic of rows as the end of the output.

use std::path::PathBuf;
use std::time::Duration;

use bakeoff_driver::{Budget, FurtherTables, rows_to_forecast};
use bakeoff_report::units::{self, count, plural};
use bakeoff_stats::{DesignInfo, Ladder};
use bakeoff_workload::{DesignId, Scale, Workload};

use super::Decide;
use super::source::{data_files, open_rows};
use super::state::By;
use crate::cmd::options::choice::describe;
use crate::cmd::run::header::rows_that_show_growth;
use crate::progress::time;

/// Designs that the race is assumed to leave at least, which are loaded in full.
const LEFT: usize = 3;
/// Further tables of a decision's run, which is asked for none.
pub const FURTHER: FurtherTables = FurtherTables {
    scales: None,
    star: false,
    twins: true,
};

/// What a forecast by the race alone takes, about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foreseen {
    /// Rows of each design.
    rows: u64,
    /// Number of designs that store them.
    designs: usize,
    /// The budget if the race leaves few designs, and if it leaves all of them.
    least: Duration,
    most: Duration,
}

impl Foreseen {
    /// Returns whether the race has too little time in a budget, even if it leaves few designs.
    pub fn is_longer_than(self, budget: Duration) -> bool {
        self.least > budget
    }
}

/// Returns the rows of each design that a forecast of all rows takes, if tables of fewer than `fewest` rows do not count.
pub fn rows_of_forecast(scale: &Scale, fewest: u64) -> u64 {
    Ladder::rows_to_forecast(scale.full_rows, fewest, |rows| {
        let growth = scale.growth_from(rows).filter(|growth| growth.series > 1.0);
        growth.map(|growth| [growth.series, growth.time])
    })
}

impl Decide {
    /// Returns a warning that the rows that fit into the budget are probably too few to forecast all of them from, with
    /// about the budget for that; `None` if they are not, or if nothing is known of it.
    pub fn too_few_rows(
        &self,
        workload: &Workload,
        designs: &[DesignId],
        run_dir: PathBuf,
    ) -> Option<String> {
        if By::of(workload) == By::Operations {
            return None;
        }
        // What is wrong with any of it is the run's to refuse.
        let context = self.context(workload, run_dir).ok()?;
        let infos = describe(designs, workload, &context).ok()?;
        let files = data_files(&self.from).ok()?;
        let source = open_rows(workload, &files).ok();
        let sample = source.as_ref().and_then(|source| source.grown_from());
        let least = sample.map_or(0, rows_that_show_growth);
        let foreseen = self.foreseen(workload, &infos, least)?;
        if !foreseen.is_longer_than(self.budget) {
            return None;
        }
        let there = source.and_then(|source| source.known_rows());
        // No budget gives more rows than there are.
        let are_there = there.is_none_or(|there| there >= foreseen.rows);
        are_there.then(|| self.told(foreseen, workload))
    }

    /// Returns what a forecast by the race alone takes, with so many rows at least; `None` if no design stores rows.
    pub fn foreseen(
        &self,
        workload: &Workload,
        infos: &[DesignInfo],
        least: u64,
    ) -> Option<Foreseen> {
        let stores = infos.iter().filter(|info| !info.is_yardstick());
        let fewest = rows_to_forecast(stores.filter(|info| info.has_own_table()));
        let (designs, scale) = (fewest.len(), &workload.scale);
        let fewest = fewest.into_iter().max()?;
        let rows = rows_of_forecast(scale, fewest).max(least.min(scale.full_rows));
        let long = |designs: usize| {
            let work = FURTHER.work(scale, rows, &vec![fewest; designs]);
            let times = rows as f64 * designs as f64 * work / self.rows_loaded(workload);
            let seconds = self.budget.as_secs_f64() * times;
            Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
        };
        Some(Foreseen {
            rows,
            designs,
            least: long(designs.min(LEFT)),
            most: long(designs),
        })
    }

    /// Warns that the budget may be too short for a forecast by the race alone.
    fn told(&self, foreseen: Foreseen, workload: &Workload) -> String {
        let Foreseen { rows, designs, .. } = foreseen;
        let full_rows = workload.scale.full_rows;
        let all = plural(full_rows, "row", "rows");
        let long = |budget: Duration| units::budget(budget.as_secs_f64());
        let needed = if rows < full_rows {
            format!("at least {} rows", count(rows))
        } else {
            "all of them".to_owned()
        };
        let without_drops = if designs > LEFT {
            format!(
                " if the race leaves {LEFT} designs, and of about {} if it leaves all {designs}",
                long(foreseen.most)
            )
        } else {
            String::new()
        };
        format!(
            "--budget {} may be too short for a forecast of {all} by the race alone, for which each design loads \
             {needed}: the race gets half of the time for questions, and the rest is for a final, which measures the \
             best two to four designs with as many rows as it takes, if they fit. Without a final a forecast takes, by a rough \
             estimate at {} rows/s (narrow rows may load several times as fast), a --budget of at least \
             {}{without_drops}",
            time(self.budget),
            count(u64::from(self.pace_of_filling())),
            long(foreseen.least)
        )
    }

    /// Returns how many rows are loaded within the budget, about, into all tables together.
    fn rows_loaded(&self, workload: &Workload) -> f64 {
        let budget = self.budget_of_run(By::of(workload));
        let shares = Budget::shares(budget, workload.concurrent.is_some());
        f64::from(self.pace_of_filling()) * shares.loaded_by.as_secs_f64().max(0.001)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::cmd::decide::fixture::decide;
    use crate::shipped::WORKLOADS;

    const DESIGNS: [&str; 9] = [
        "parquet?codec=zstd",
        "parquet?codec=snappy",
        "parquet?rows=65536",
        "parquet?rows=30720",
        "parquet?rows=16384",
        "parquet?codec=snappy&rows=65536",
        "parquet?codec=snappy&rows=30720",
        "local/columnar",
        "memory",
    ];

    /// Returns the warning of a decision for the workload `formats` with this number of rows at full scale.
    fn said(full_rows: u64, designs: &[&str], budget: &str) -> Option<String> {
        let decide = decide(&["formats", "--budget", budget]);
        let text = WORKLOADS.get("formats").unwrap().text;
        let mut workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        workload.scale.full_rows = full_rows;
        let designs: Vec<DesignId> = designs.iter().map(|id| id.parse().unwrap()).collect();
        decide.too_few_rows(&workload, &designs, PathBuf::from("out"))
    }

    #[test]
    fn rows_that_a_budget_is_far_too_short_for_are_told_with_about_the_budget_that_it_takes() {
        let words = said(4_160_000, &DESIGNS, "3m").unwrap();
        let expected = "--budget 3m may be too short for a forecast of 4,160,000 rows by the race alone, for which each \
                        design loads at least 2,100,000 rows: the race gets half of the time for questions, and the \
                        rest is for a final, which measures the best two to four designs with as many rows as it takes, if they \
                        fit. Without a final a forecast takes, by a rough estimate at 20,000 rows/s (narrow rows may \
                        load several times as fast), a --budget of at least 2h if the race leaves 3 designs, and of \
                        about 3h if it leaves all 8";
        assert_eq!(words, expected);
        // Without rows to spare, no smaller tables are loaded.
        let all = said(1_000_000, &DESIGNS[..3], "6m").unwrap();
        let expected = "--budget 6m may be too short for a forecast of 1,000,000 rows by the race alone, for which each \
                        design loads all of them: ";
        assert!(all.starts_with(expected), "{all}");
        assert!(all.ends_with(" a --budget of at least 25m"), "{all}");
    }

    #[test]
    fn nothing_is_told_of_more_rows_than_the_files_beside_a_workload_have() {
        let folder = tempfile::tempdir().unwrap();
        let rows = "room,time,value\nfern,2026-05-01T00:00:00Z,1\nfern,2026-05-01T01:00:00Z,2\n";
        std::fs::write(folder.path().join("readings.csv"), rows).unwrap();
        let told = |rows: u64| {
            let text = format!(
                r#"
                title = "t"
                designs = ["parquet"]
                [table]
                name = "readings"
                columns = {{ room = "text", time = "timestamp", value = "double" }}
                partition_key = ["room"]
                order_key = ["time"]
                [data]
                file = "readings.csv"
                scale_sample = {{ rows = {rows}, along = "time" }}
                [[queries]]
                name = "highest"
                sql = "SELECT max(value) AS high FROM readings"
                [scale]
                rows = 2
                full_rows = 4_000_000
                "#
            );
            let named = folder.path().join("w.toml");
            std::fs::write(&named, &text).unwrap();
            let decide = decide(&[named.to_str().unwrap(), "--budget", "1m"]);
            // As it is in the folder of the decision, where the file is not.
            let written = Workload::parse(&text, &folder.path().join("out/w.toml")).unwrap();
            let few = decide.too_few_rows(&written, &written.designs, PathBuf::from("out"));
            few.is_some()
        };
        assert!(told(4_000_000));
        assert!(!told(2_000));
    }

    #[test]
    fn nothing_is_told_where_all_rows_fit_or_nothing_stores_them() {
        assert_eq!(said(300_000, &DESIGNS, "12m"), None);
        assert_eq!(said(4_160_000, &DESIGNS, "6h"), None);
        assert_eq!(said(4_160_000, &["memory"], "3m"), None);
    }
}
