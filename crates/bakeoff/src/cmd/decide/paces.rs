//! How many rows a final measures: by the paces that the race measured, so that all of its steps fit into what is left
//! of a budget.

use std::time::Duration;

use bakeoff_driver::Budget;
use bakeoff_stats::Summary;

/// Share of a final's time that loading may take at most. A run warms up until half of its time is over, which takes
/// the rest of that half.
const LOADING: f64 = 0.4;
/// Fewest rounds for which a final is begun: fewer settle nothing.
const ROUNDS: f64 = 5.0;
/// How often each question is asked before the rounds at least: to verify its answer, and until its times are steady.
const BEFORE_ROUNDS: f64 = 4.0;
/// Seconds that warming up takes at least. A build without optimisation, as for tests, waits for nothing.
const WARM_UP: f64 = if cfg!(debug_assertions) { 0.2 } else { 10.0 };

/// The paces of the designs of a final together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paces {
    /// Seconds to load a row into each of them and to bring it to rest.
    pub load: f64,
    /// Seconds of a round for each row, if its questions take longer in proportion to the rows, which is the most that
    /// is expected.
    pub round: f64,
}

/// A number of rows of a final.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    pub rows: u64,
    /// How many times the rows of the designs' own tables all of their tables have together.
    pub work: f64,
}

impl Paces {
    /// Returns the paces at which these designs were measured; `None` if one of them has no figures.
    pub fn of(summary: &Summary, designs: &[String]) -> Option<Paces> {
        let mut paces = Paces {
            load: 0.0,
            round: 0.0,
        };
        for id in designs {
            let mut measured = summary.designs.iter();
            let design = measured.find(|design| design.info.id == *id)?;
            let rate = design.load_rate.as_ref()?.median;
            let times = design
                .queries
                .iter()
                .filter_map(|query| query.time.as_ref());
            let seconds: f64 = times.map(|time| time.median).sum();
            if rate <= 0.0 || seconds <= 0.0 || summary.rows == 0 {
                return None;
            }
            paces.load += 1.0 / rate;
            paces.round += seconds / summary.rows as f64;
        }
        (paces.load > 0.0).then_some(paces)
    }

    /// Returns the least time in which a final of this size is measured, with or without time for clients after the
    /// rounds.
    pub fn takes(self, size: Size, clients_follow: bool) -> Duration {
        let rows = size.rows as f64 * size.work;
        let (load, round) = (self.load * rows, self.round * rows);
        let before_rounds = (BEFORE_ROUNDS * round).max(round + WARM_UP);
        let all = load + before_rounds + ROUNDS * round;
        let seconds = (load / LOADING).max(all / measured_share(clients_follow));
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

/// Returns the share of its time by which a run ends its rounds.
fn measured_share(clients_follow: bool) -> f64 {
    let whole = Duration::from_secs(1_000);
    Budget::shares(whole, clients_follow)
        .measured_by
        .div_duration_f64(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two designs that load 100,000 rows a second each, and answer all questions of both in 2 s for a million rows.
    const PACES: Paces = Paces {
        load: 2e-5,
        round: 2e-6,
    };
    /// All rows, and those that a forecast takes with its smaller tables.
    const SIZES: [Size; 2] = [
        Size {
            rows: 10_000_000,
            work: 1.0,
        },
        Size {
            rows: 1_000_000,
            work: 1.5,
        },
    ];

    #[test]
    fn loading_may_take_two_fifths_of_the_time() {
        let seconds = |size: Size| PACES.takes(size, false).as_secs_f64();
        // 200 s of loading and nine rounds of 20 s, and 30 s of loading.
        assert_eq!(SIZES.map(|size| seconds(size).round()), [500.0, 75.0]);
    }

    #[test]
    fn rounds_have_to_fit_too_and_clients_need_time_after_them() {
        let slow = Paces {
            load: 1e-6,
            round: 1e-5,
        };
        let takes = |clients: bool| slow.takes(SIZES[0], clients).as_secs_f64();
        // 10 s of loading, nine rounds of 100 s, and the rest of a run's time.
        assert_eq!(takes(false).round(), (910.0_f64 / 0.94).round());
        assert_eq!(takes(true).round(), (910.0_f64 / 0.79).round());
        let endless = Paces {
            load: f64::MAX,
            round: 1.0,
        };
        assert_eq!(endless.takes(SIZES[0], false), Duration::MAX);
    }
}
