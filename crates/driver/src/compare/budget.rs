//! How a time budget for the whole run is shared out.

use std::time::{Duration, Instant};

/// Share of what is left once the engines run, after which no further slice of rows is loaded.
const LOADED_BY: f64 = 0.20;
/// Share of it after which warming up ends even when times are not steady.
const WARM_BY: f64 = 0.50;
/// Share of a step that only explains figures.
const EXPLAINED: f64 = 0.02;
/// Share of the budget that clients who ask at the same time may take, of all designs together.
const CONCURRENT: f64 = 0.15;
/// Share of the budget by which the last round ends, leaving time to stop engines and to write reports.
const MEASURED_BY: f64 = 0.94;

/// A limit on the whole run's duration, which decides how many rows and rounds there are.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    started: Instant,
    /// Time from which shares are counted: when the engines ran. What they took to start leaves less for all steps
    /// alike, or three servers would leave no time to load.
    ready: Instant,
    total: Duration,
}

/// When the steps of a run have to be over, counted from its start, if its engines run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetShares {
    /// The end of loading.
    pub loaded_by: Duration,
    /// The end of warming up.
    pub warm_by: Duration,
    /// The end of the last round.
    pub measured_by: Duration,
    /// How long clients may ask at the same time after it, all designs together; zero if there are none.
    pub clients: Duration,
}

impl Budget {
    /// Returns how a budget is shared out, with or without time for clients after the rounds.
    pub fn shares(total: Duration, clients_follow: bool) -> BudgetShares {
        let clients = if clients_follow { CONCURRENT } else { 0.0 };
        BudgetShares {
            loaded_by: total.mul_f64(LOADED_BY),
            warm_by: total.mul_f64(WARM_BY),
            measured_by: total.mul_f64(MEASURED_BY - clients),
            clients: total.mul_f64(clients),
        }
    }

    /// Makes the budget of a run that started then, and whose engines run now.
    pub fn new(started: Instant, total: Duration) -> Self {
        Budget::with_engines_since(started, Instant::now(), total)
    }

    /// Makes the same where the engines have run for a while.
    pub fn with_engines_since(started: Instant, ready: Instant, total: Duration) -> Self {
        Budget {
            started,
            ready,
            total,
        }
    }

    /// Returns the same budget with the rest of it divided again from now on, since the rungs of a
    /// race took their time before anything was loaded.
    pub fn from_now(self) -> Budget {
        Budget {
            ready: Instant::now(),
            ..self
        }
    }

    /// Returns a budget that begins now and has this share of the whole.
    pub fn part(self, share: f64) -> Budget {
        Budget::new(Instant::now(), self.total.mul_f64(share))
    }

    /// Returns how long loading may take in all.
    pub fn loading(&self) -> Duration {
        self.total.mul_f64(LOADED_BY)
    }

    /// Returns whether loading may go on for `next` more, where loading further tables will make it this
    /// many times the work.
    pub fn allows_loading(&self, next: Duration, work: f64) -> bool {
        self.fits(next, LOADED_BY / work.max(1.0))
    }

    /// Returns how long a step may take that only explains figures, of which a run has three.
    pub fn explaining(&self) -> Duration {
        self.total.mul_f64(EXPLAINED)
    }

    /// Returns whether another warm-up pass of this length fits.
    pub fn allows_warm_up(&self, next: Duration) -> bool {
        self.fits(next, WARM_BY)
    }

    /// Returns how long clients may ask at the same time, all designs together.
    pub fn concurrent(&self) -> Duration {
        self.total.mul_f64(CONCURRENT)
    }

    /// Returns how many rounds of this length fit, with or without time for clients after them.
    pub fn rounds(&self, round: Duration, clients_follow: bool) -> u32 {
        let share = MEASURED_BY - if clients_follow { CONCURRENT } else { 0.0 };
        let left = self
            .total
            .mul_f64(share)
            .saturating_sub(self.started.elapsed());
        (left.as_secs_f64() / round.as_secs_f64().max(1e-6)) as u32
    }

    fn fits(&self, next: Duration, by: f64) -> bool {
        let starting = self.ready.saturating_duration_since(self.started);
        let left = self.total.saturating_sub(starting);
        self.ready.elapsed() + next < left.mul_f64(by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_budget_leaves_most_of_its_time_to_measuring() {
        let budget = Budget::new(Instant::now(), Duration::from_secs(100));
        assert!(budget.allows_loading(Duration::from_secs(15), 1.0));
        assert!(!budget.allows_loading(Duration::from_secs(60), 1.0));
        assert!(budget.allows_warm_up(Duration::from_secs(45)));
        assert_eq!(budget.rounds(Duration::from_secs(10), false), 9);
        assert_eq!(budget.rounds(Duration::from_secs(10), true), 7);
        assert_eq!(budget.concurrent(), Duration::from_secs(15));
        let shares = Budget::shares(Duration::from_secs(100), true);
        assert_eq!(shares.loaded_by, budget.loading());
        assert_eq!(shares.clients, budget.concurrent());
        assert_eq!(shares.measured_by.as_secs_f64().round(), 79.0);
        let alone = Budget::shares(Duration::from_secs(100), false);
        assert_eq!(alone.warm_by, Duration::from_secs(50));
        assert_eq!(alone.measured_by.as_secs_f64().round(), 94.0);
        assert_eq!(alone.clients, Duration::ZERO);
    }

    #[test]
    fn starting_engines_takes_nothing_from_the_share_for_loading() {
        let (total, now) = (Duration::from_secs(100), Instant::now());
        let begun = now - Duration::from_secs(40);
        let budget = Budget::with_engines_since(begun, now, total);
        // A fifth and a half of the 60 s that are left.
        assert!(budget.allows_loading(Duration::from_secs(11), 1.0));
        assert!(!budget.allows_loading(Duration::from_secs(13), 1.0));
        assert!(budget.allows_loading(Duration::from_secs(5), 2.0));
        assert!(!budget.allows_loading(Duration::from_secs(7), 2.0));
        assert!(budget.allows_warm_up(Duration::from_secs(28)));
        assert!(!budget.allows_warm_up(Duration::from_secs(31)));
    }

    #[test]
    fn a_spent_budget_allows_nothing() {
        let long_ago = Instant::now() - Duration::from_secs(100);
        let budget = Budget::new(long_ago, Duration::from_secs(50));
        assert!(!budget.allows_loading(Duration::ZERO, 1.0));
        assert_eq!(budget.rounds(Duration::from_secs(1), false), 0);
    }
}
