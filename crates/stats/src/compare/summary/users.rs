//! Forecast for several users at a time, from the CPU time that one answer takes alone.
//!
//! Users ask one question after another, each query as often as any other. A question waits for the
//! cores, which all of them share, and otherwise takes as long as it does alone. The time of many is
//! that of a closed queueing network (Reiser, Lavenberg: Mean-value analysis of closed multichain
//! queueing networks, 1980), in which `m` cores are one that is `m` times as fast, and a delay
//! (Seidmann, Schweitzer, Shalev-Oren: Computerized closed queueing network models of flexible
//! manufacturing systems, 1987).

mod measured;

use serde::Serialize;

use super::machines::grown;
use super::{DesignSummary, Forecast, QuerySummary, Summary};
use crate::thousands;

pub use measured::{MeasuredLoad, NotChecked, UsersChecked, WhyNotChecked};

/// All designs under several users.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UsersForecast {
    pub users: u32,
    pub cores: u32,
    pub rows: u64,
    /// Designs that may be recommended, in the header's order.
    pub designs: Vec<UnderLoad>,
    /// The others of them.
    pub unknown: Vec<UnknownLoad>,
    /// Questions that fail with every design, so that no user asks them.
    pub unanswered: Vec<String>,
}

/// A design under several users.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnderLoad {
    pub design: String,
    pub users: u32,
    pub cores: u32,
    /// Mean time of a single answer, in seconds.
    pub alone: f64,
    /// CPU seconds that one answer takes of Bakeoff and the server together; the most that they may be
    /// where the clock saw next to none.
    pub cpu_seconds: f64,
    /// Answers a second to all users together.
    pub per_second: f64,
    /// Mean time of an answer, in seconds.
    pub mean: f64,
}

/// A design of which nothing is known under several users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnknownLoad {
    pub design: String,
    pub why: String,
}

impl Summary {
    /// Returns what this many users get from each design that may be recommended on this many cores, with this many
    /// rows. At other rows than the measured ones an answer takes as many times the CPU time as it takes longer.
    pub fn under_load(&self, users: u32, cores: u32, rows: u64) -> UsersForecast {
        let forecast = (rows != self.rows).then(|| self.projected(rows, 1));
        let unanswered = self.unanswered();
        let mut found = UsersForecast {
            users,
            cores,
            rows,
            designs: Vec::new(),
            unknown: Vec::new(),
            unanswered: unanswered.iter().map(ToString::to_string).collect(),
        };
        for design in self.contenders() {
            let load = if self.loses_rows(&design.info.id) {
                Err("it loses rows that another design keeps".to_owned())
            } else {
                self.design_under_load(design, users, cores, forecast.as_ref())
            };
            match load {
                Ok(load) => found.designs.push(load),
                Err(why) => found.unknown.push(UnknownLoad {
                    design: design.info.id.clone(),
                    why,
                }),
            }
        }
        found
    }

    /// Returns what users get from a design with the rows of a forecast, or with those measured.
    ///
    /// # Errors
    /// The reason why it is not known.
    fn design_under_load(
        &self,
        design: &DesignSummary,
        users: u32,
        cores: u32,
        forecast: Option<&Forecast>,
    ) -> Result<UnderLoad, String> {
        let unanswered = self.unanswered();
        let (mut count, mut alone, mut cpu) = (0.0, 0.0, 0.0);
        for query in &design.queries {
            let name = &query.query;
            if unanswered.contains(&name.as_str()) {
                continue;
            }
            let times = match forecast {
                Some(forecast) => grown(forecast, &design.info.id, name).ok_or_else(|| {
                    let rows = thousands(forecast.rows);
                    format!("{name} has no forecast at {rows} rows")
                })?,
                None => 1.0,
            };
            let seconds = mean_seconds(query);
            let seconds = seconds.ok_or_else(|| format!("{name} has no right answer"))?;
            let work = design.work_of(query);
            let work = work.ok_or_else(|| format!("the CPU time of {name} is not known"))?;
            alone += times * seconds;
            cpu += times * work.seconds();
            count += 1.0;
        }
        let (alone, cpu_seconds) = (alone / count, cpu / count);
        let (per_second, mean) = shared(users, cores, cpu_seconds, alone)
            .ok_or_else(|| "its answers have no times".to_owned())?;
        Ok(UnderLoad {
            design: design.info.id.clone(),
            users,
            cores,
            alone,
            cpu_seconds,
            per_second,
            mean,
        })
    }
}

/// Returns the mean over all rounds with right answers, if there are any.
pub(super) fn mean_seconds(query: &QuerySummary) -> Option<f64> {
    let seconds: f64 = query.rounds.iter().map(|(_, seconds)| seconds).sum();
    (!query.rounds.is_empty()).then(|| seconds / query.rounds.len() as f64)
}

/// Largest number of users whose answers are computed, one user after another.
const MOST_USERS: u32 = 1_000_000;

/// Returns answers a second and the mean time of one for users that share cores, where an answer takes
/// `cpu` CPU seconds and alone `alone` seconds. Returns `None` for times of nothing and for more than
/// [`MOST_USERS`].
fn shared(users: u32, cores: u32, cpu: f64, alone: f64) -> Option<(f64, f64)> {
    let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    let is_known = (1..=MOST_USERS).contains(&users);
    if !is_time(cpu) || !is_time(alone) || alone <= 0.0 || !is_known {
        return None;
    }
    // One answer that keeps all cores busy leaves no delay.
    let demand = (cpu / f64::from(cores.max(1))).min(alone);
    let delay = alone - demand;
    let (mut waiting, mut found) = (0.0, (0.0, alone));
    for asking in 1..=users {
        let of_cores = demand * (1.0 + waiting);
        let mean = of_cores + delay;
        let per_second = f64::from(asking) / mean;
        waiting = per_second * of_cores;
        found = (per_second, mean);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::compare::summary::growth::tests::{Ladder, ROWS};
    use crate::compare::testing::*;
    use crate::compare::{Record, Step};

    fn near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 0.01, "{value}");
    }

    /// Two designs with answers to `scan` of 0.2 s; `key` fails with both.
    fn with_a_failing_question() -> Summary {
        let mut records = run(["a/x", "a/y"].map(|design| loaded(design, 0, 1.0)));
        for design in ["a/x", "a/y"] {
            records.extend((0..5).map(|round| match timed(design, "scan", 0.2) {
                Record::Timed(timing) => Record::Timed(crate::Timing { round, ..timing }),
                other => other,
            }));
            records.push(failed(design, Step::Verify, Some("key"), "no function"));
        }
        Summary::from_records(&records).unwrap()
    }

    #[test]
    fn a_question_without_any_answer_blanks_nothing() {
        let summary = with_a_failing_question();
        let found = summary.under_load(8, 2, summary.rows);
        assert_eq!(found.unanswered, ["key"]);
        assert_eq!(found.unknown, []);
        let designs: Vec<&str> = found.designs.iter().map(|d| d.design.as_str()).collect();
        assert_eq!(designs, ["a/x", "a/y"]);
        near(found.designs[0].alone, 0.2);
    }

    #[test]
    fn answers_of_more_rows_take_as_much_longer_as_forecast() {
        let mut ladder = Ladder::of(&ROWS);
        let noise = |round: u32| 1.0 + f64::from(round % 3) / 300.0;
        let seconds = |rows: u64, round: u32| 1e-6 * rows as f64 * noise(round);
        ladder.scans("a/x", seconds);
        for rows in ROWS {
            let table = ladder.table("a/x", rows);
            for round in 0..7 {
                ladder.answer(&table, "key", round, seconds(rows, round), Some(rows));
            }
        }
        let summary = ladder.summary();
        let (now, later) = (summary.rows, 8 * summary.rows);
        let alone = |rows: u64| summary.under_load(1, 4, rows).designs[0].alone;
        assert!((alone(later) / alone(now) / 8.0 - 1.0).abs() < 0.1);
        let far = summary.under_load(1, 4, 1_000 * now);
        assert_eq!(far.designs, []);
        let why = &far.unknown.iter().find(|d| d.design == "a/x").unwrap().why;
        assert_eq!(*why, "scan has no forecast at 1,024,000,000 rows");
    }

    #[test]
    fn one_user_gets_the_answers_of_a_single_one() {
        assert_eq!(shared(1, 2, 0.1, 0.2), Some((5.0, 0.2)));
        assert_eq!(shared(1, 2, 0.0, 0.2), Some((5.0, 0.2)));
    }

    #[test]
    fn many_users_get_what_the_cores_can_do() {
        let (per_second, mean) = shared(1_000, 4, 0.1, 0.2).unwrap();
        near(per_second, 40.0);
        near(mean, 25.0);
    }

    #[test]
    fn an_answer_that_takes_all_cores_is_no_faster_for_two() {
        let (per_second, mean) = shared(2, 2, 0.4, 0.2).unwrap();
        assert_eq!((per_second, mean), (5.0, 0.4));
    }

    #[test]
    fn waiting_for_nothing_of_ours_scales_with_the_users() {
        assert_eq!(shared(8, 2, 0.0, 0.2), Some((40.0, 0.2)));
    }

    #[test]
    fn two_stations_of_one_user_each_follow_the_exact_recursion() {
        // Demand 1 s at one core and 1 s of delay: R(2) = 1 (1 + 1/2) + 1 = 2.5.
        let (per_second, mean) = shared(2, 1, 1.0, 2.0).unwrap();
        assert_eq!((per_second, mean), (0.8, 2.5));
    }

    #[test]
    fn more_cores_never_make_it_slower_nor_one_answer_faster() {
        let mut before = f64::INFINITY;
        for cores in [1, 2, 4, 8, 64] {
            let (_, mean) = shared(16, cores, 0.1, 0.2).unwrap();
            assert!(mean <= before && mean >= 0.2, "{cores}: {mean}");
            before = mean;
        }
    }

    #[test]
    fn no_time_and_no_numbers_give_nothing() {
        for (cpu, alone) in [(0.1, 0.0), (f64::NAN, 0.1), (0.1, f64::NAN), (-0.1, 0.1)] {
            assert_eq!(shared(2, 2, cpu, alone), None);
        }
        assert_eq!(shared(0, 2, 0.1, 0.1), None);
        assert_eq!(shared(u32::MAX, 2, 0.1, 0.1), None);
    }
}
