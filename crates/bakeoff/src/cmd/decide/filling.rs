//! The time to load the tables of a decision before its operations are driven. It is not part of the budget, so that the
//! user is warned if it exceeds the time of the driven loads.

use std::time::Duration;

use bakeoff_report::units::{count, plural};
use bakeoff_workload::Workload;

use super::Decide;
use super::state::By;
use crate::progress::time;

/// Estimated rows loaded per second on a machine of few cores. A rate limit may be lower.
const PACE: u32 = 20_000;

impl Decide {
    /// Returns how many rows are loaded into each table before its loads.
    pub fn rows_of_loads(&self, workload: &Workload) -> u64 {
        self.load.rows.unwrap_or(workload.scale.default_rows)
    }

    /// Returns a warning if loading the tables of this many designs takes longer than driving them, with the `--rows` that
    /// would take as long; `None` if it does not.
    pub fn long_filling(&self, workload: &Workload, designs: usize) -> Option<String> {
        let by = By::of(workload);
        let (driven, budget) = (by.driven(designs), self.budget_of_loads(by));
        let (rows, pace) = (self.rows_of_loads(workload), self.pace_of_filling());
        let takes = time_to_fill(rows, driven, pace);
        if takes <= budget {
            return None;
        }
        let said_by = match self.load.rows {
            Some(_) => "--rows",
            None => "`rows` of [scale]",
        };
        Some(format!(
            "{} {} each ({said_by}) before their loads, which takes about {} at {} rows/s, while the budget has {} for \
             the loads: --rows {} takes about as long as these",
            plural(driven as u64, "design gets", "designs get"),
            plural(rows, "row", "rows"),
            time(takes),
            count(u64::from(pace)),
            time(budget),
            rows_within(budget, driven, pace)
        ))
    }

    /// Returns how many rows a second are loaded, about, into all tables together.
    pub fn pace_of_filling(&self) -> u32 {
        let limit = self.rate_limit_of_writing();
        let limit = limit.limit(&self.cluster, self.postgres.url());
        let limit = limit.ok().flatten();
        limit.map_or(PACE, |limit| limit.rows_per_second().min(PACE))
    }
}

/// Returns the time to load a number of rows into each of several tables, one after the other.
fn time_to_fill(rows: u64, tables: usize, pace: u32) -> Duration {
    let seconds = rows as f64 * tables as f64 / f64::from(pace);
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Returns the number of rows that can be loaded into each of several tables within a time, rounded down to two
/// significant digits.
fn rows_within(limit: Duration, tables: usize, pace: u32) -> u64 {
    let rows = (limit.as_secs_f64() * f64::from(pace) / tables as f64) as u64;
    let rows = rows.max(1);
    let unit = 10_u64.pow(rows.ilog10().saturating_sub(1));
    rows / unit * unit
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::cmd::decide::fixture::decide;
    use crate::shipped::WORKLOADS;

    fn options_and_workload(words: &[&str]) -> (Decide, Workload) {
        let decide = decide(words);
        let text = WORKLOADS.get(words[0]).unwrap().text;
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        (decide, workload)
    }

    /// What is said of three designs.
    fn said(words: &[&str]) -> Option<String> {
        let (decide, workload) = options_and_workload(words);
        decide.long_filling(&workload, 3)
    }

    #[test]
    fn tables_that_take_longer_to_fill_than_the_loads_are_told_with_rows_that_take_less() {
        let expected = "3 designs get 200,000 rows each (`rows` of [scale]) before their loads, which takes about 30s at \
                        20,000 rows/s, while the budget has 10s for the loads: --rows 66000 takes about as long as these";
        let long = said(&["ycsb/a", "--budget", "10s"]);
        assert_eq!(long.as_deref(), Some(expected));
        let fewer = ["ycsb/a", "--budget", "10s", "--rows", "66000"];
        assert_eq!(said(&fewer), None);
        assert_eq!(said(&["ycsb/a"]), None);
        let more = said(&["ycsb/a", "--rows", "100M"]).unwrap();
        assert!(
            more.starts_with("3 designs get 100,000,000 rows each (--rows) "),
            "{more}"
        );
        // Beside questions two designs are driven, in a quarter of the budget.
        assert_eq!(said(&["readings"]), None);
        let beside = said(&["readings", "--budget", "2m"]).unwrap();
        assert!(
            beside.starts_with("2 designs get 500,000 rows each"),
            "{beside}"
        );
        assert!(beside.contains(" has 30s for the loads"), "{beside}");
        // Without operations nothing is driven.
        assert_eq!(said(&["formats", "--budget", "1s"]), None);
    }

    #[test]
    fn a_limit_of_rows_a_second_makes_filling_longer() {
        let server = ["ycsb/a", "--cassandra", "192.0.2.1", "--rate", "100"];
        let limited = said(&[&server[..], &["--budget", "4m"]].concat()).unwrap();
        assert!(limited.contains(" about 5m at 2,000 rows/s, "), "{limited}");
        assert_eq!(said(&[&server[..], &["--budget", "6m"]].concat()), None);
    }

    #[test]
    fn as_many_rows_are_loaded_as_the_option_says() {
        let (options, workload) = options_and_workload(&["ycsb/a", "--rows", "50k"]);
        assert_eq!(options.rows_of_loads(&workload), 50_000);
        let plan = options.plan(&workload, 1);
        let folder = Path::new("out");
        let drive = options.loads_of(folder, &folder.join("load"), plan, None);
        let drive = format!("{:?}", drive.unwrap());
        assert!(drive.contains("rows: Some(Number(50000))"), "{drive}");
        let (options, workload) = options_and_workload(&["ycsb/a"]);
        assert_eq!(options.rows_of_loads(&workload), 200_000);
    }

    #[test]
    fn numbers_of_rows_are_round_and_at_least_one() {
        let second = Duration::from_secs(1);
        let within = [1, 3, 7].map(|tables| rows_within(second, tables, PACE));
        assert_eq!(within, [20_000, 6_600, 2_800]);
        assert_eq!(rows_within(Duration::ZERO, 3, PACE), 1);
        assert_eq!(rows_within(second, 3, 30), 10);
        assert_eq!(time_to_fill(u64::MAX, usize::MAX, 1), Duration::MAX);
    }
}
