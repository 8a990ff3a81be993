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

use super::{DesignSummary, QuerySummary, Summary};

pub use measured::{MeasuredLoad, NotChecked, UsersChecked, WhyNotChecked};

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

impl Summary {
    /// Returns what this many users get from each design that may be recommended on this many cores, at the measured
    /// number of rows. Designs of which the CPU time is not known are left out.
    pub fn under_load(&self, users: u32, cores: u32) -> Vec<UnderLoad> {
        { self.contenders() }
            .filter_map(|design| self.design_under_load(design, users, cores))
            .collect()
    }

    fn design_under_load(
        &self,
        design: &DesignSummary,
        users: u32,
        cores: u32,
    ) -> Option<UnderLoad> {
        let count = design.queries.len() as f64;
        let alone: Option<f64> = design.queries.iter().map(mean_seconds).sum();
        let cpu: Option<f64> = { design.queries.iter() }
            .map(|query| Some(design.work_of(query)?.seconds()))
            .sum();
        let (alone, cpu_seconds) = (alone? / count, cpu? / count);
        let (per_second, mean) = shared(users, cores, cpu_seconds, alone)?;
        Some(UnderLoad {
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

    fn near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 0.01, "{value}");
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
