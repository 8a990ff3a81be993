//! When each setting of a sweep of several processes begins: a pure function of its plan, so that all processes come to
//! the same moments.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use super::super::SweepPlan;
use super::super::protocol::{FIRST_WARM_UP, Step, order};

/// Time between the warm-up and the measured time of a setting, within which the inserts of the warm-up end.
const SETTLING: Duration = Duration::from_secs(1);
/// Time that a note needs to reach the other processes.
const GRACE: Duration = Duration::from_secs(10);

/// A step of a sweep with its moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timed {
    pub step: Step,
    /// Time from the start of the sweep to the begin of the step.
    pub begins_after: Duration,
    pub warm_up: Duration,
    /// Length of the measured time; `None` for the first warm-up of a design, which is all of its step.
    pub length: Option<Duration>,
}

impl Timed {
    /// Returns the moment at which all processes begin to insert.
    pub fn begin(&self, start: SystemTime) -> SystemTime {
        start + self.begins_after
    }

    /// Returns the moment at which the measured time begins, if all inserts of the warm-up have ended.
    pub fn measure(&self, start: SystemTime) -> SystemTime {
        self.begin(start) + self.warm_up + SETTLING
    }

    /// Returns the latest moment at which the measured time may begin: later, this process would insert when the others
    /// have ended.
    pub fn latest_measure(&self, start: SystemTime) -> SystemTime {
        self.measure(start) + self.length.unwrap_or_default()
    }

    /// Returns the moment until which a process that lives has said what it has inserted. Its last insert may wait
    /// for a connection before.
    pub fn all_are_done(&self, start: SystemTime, time_out: Duration) -> SystemTime {
        self.latest_measure(start) + self.length.unwrap_or_default() + 2 * time_out + GRACE
    }
}

/// Returns all steps in their order. Before the first setting of each design is one that warms it up.
pub fn schedule(plan: &SweepPlan, designs: usize, pause: Duration) -> Vec<Timed> {
    let (warm_up, length) = (plan.sweeping.warm_up, plan.sweeping.length);
    let (mut steps, mut begins_after) = (Vec::new(), Duration::ZERO);
    let mut warmed_up = HashSet::new();
    let all = { 1..=plan.rounds }.flat_map(|round| order(plan, designs, round));
    for step in all {
        if warmed_up.insert(step.design)
            && let Some(setting) = plan.grid.middle()
        {
            let warm_up = warm_up * FIRST_WARM_UP;
            steps.push(Timed {
                step: Step { setting, ..step },
                begins_after,
                warm_up,
                length: None,
            });
            begins_after += warm_up + pause;
        }
        steps.push(Timed {
            step,
            begins_after,
            warm_up,
            length: Some(length),
        });
        begins_after += warm_up + SETTLING + length + pause;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PAUSE, plan};
    use super::*;

    #[test]
    fn every_setting_has_its_moment_and_each_design_warms_up_before_its_first_one() {
        let mut plan = plan(0);
        plan.rounds = 2;
        plan.sweeping.warm_up = Duration::from_secs(1);
        plan.sweeping.length = Duration::from_secs(3);
        let steps = schedule(&plan, 2, PAUSE);
        assert_eq!(steps.len(), 2 + 2 * 2 * 2);
        for design in 0..2 {
            let own: Vec<_> = { steps.iter() }
                .filter(|timed| timed.step.design == design)
                .collect();
            assert_eq!((own[0].length, own[0].warm_up.as_secs()), (None, 10));
            assert!(own[1..].iter().all(|timed| timed.length.is_some()));
            for round in [1, 2] {
                let of_round = own[1..].iter().filter(|timed| timed.step.round == round);
                assert_eq!(of_round.count(), 2);
            }
        }
        assert_eq!(steps[0].begins_after, Duration::ZERO);
        for pair in steps.windows(2) {
            // A warm-up of 10 s, or one of 1 s, a second for its last inserts, and 3 s; then the pause.
            let lasts = if pair[0].length.is_none() { 10 } else { 5 };
            let between = pair[1].begins_after - pair[0].begins_after;
            assert_eq!(between, Duration::from_secs(lasts) + PAUSE);
        }
        // All processes come to the same moments.
        plan.sweeping.shard.index = 1;
        assert_eq!(schedule(&plan, 2, PAUSE), steps);
    }
}
