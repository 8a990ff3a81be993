//! Closed loops that warm a server up before its first load counts.

use std::time::Duration;

use bakeoff_workload::{Action, Mix};

use super::context::{DriveSettings, Trouble};
use super::turn::Turn;
use super::{Plan, Schedule};

/// Number of operations in flight in the closed loops; more if there are more threads, which need one each.
const IN_FLIGHT: u32 = 64;
/// Largest number of closed loops. Several may be needed, since the throughput of a server that has just
/// started is a fraction of what it is later.
const MOST_LOOPS: u32 = 6;
/// Growth of the throughput from one closed loop to the next up to which a server counts as warm.
const WARM_GROWTH: f64 = 1.1;
/// Longest time of a closed loop, which otherwise lasts as long as a load. With [`MOST_LOOPS`], a warm-up
/// takes at most a minute for each design. A build without optimisation, as for tests, measures nothing.
const LONGEST_LOOP: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(1)
} else {
    Duration::from_secs(10)
};

/// Longest time of the closed loops of a design together.
pub const LONGEST_WARM_UP: Duration = LONGEST_LOOP.saturating_mul(MOST_LOOPS);

/// Returns the longest load of which so many rounds take no longer than this time, together with the longest warm-up
/// that precedes the first one.
pub fn longest_load(time: Duration, rounds: u32) -> Duration {
    let rounds = rounds.max(1);
    // The loops of a warm-up are as long as loads, but for those that would be too long.
    let short = time / rounds.saturating_add(MOST_LOOPS);
    if short <= LONGEST_LOOP {
        return short;
    }
    time.saturating_sub(LONGEST_WARM_UP) / rounds
}

/// Returns whether a warm-up precedes loads at a given rate. Several processes would not warm up at
/// the same time, a load that begins at a given moment would begin late, and a closed loop with
/// deletions would leave no rows to measure.
pub fn is_possible(settings: &DriveSettings) -> bool {
    let load = &settings.load;
    let is_alone = load.shard.of == 1 && load.start_at.is_none();
    settings.warms_up && is_alone && keeps_rows(&load.mix)
}

/// Returns whether no operation of a mix deletes rows, so that a warm-up can precede its loads.
pub fn keeps_rows(mix: &Mix) -> bool {
    !mix.operations.iter().any(|o| deletes(&o.action))
}

fn deletes(action: &Action) -> bool {
    matches!(action, Action::DeleteRow | Action::DeletePartition)
}

/// Drives closed loops until the throughput of the server grows no more. No figure includes them.
///
/// # Errors
/// A load failed or was stopped, or a record cannot be written.
pub async fn warm_up(turn: &mut Turn<'_, '_>) -> Result<(), Trouble> {
    turn.trials.is_warm_up = true;
    let warmed = drive_loops(turn).await;
    turn.trials.is_warm_up = false;
    warmed
}

async fn drive_loops(turn: &mut Turn<'_, '_>) -> Result<(), Trouble> {
    let mut before = 0.0;
    for _ in 0..MOST_LOOPS {
        let load = closed_loop(turn.plan(Schedule::ClosedLoop));
        let trial = turn.drive(load).await?;
        if trial.driven.stopped {
            return Err("stopped".into());
        }
        let now = trial.driven.rate_reached;
        if is_warm(before, now) {
            break;
        }
        before = now;
    }
    Ok(())
}

fn closed_loop(load: Plan) -> Plan {
    Plan {
        in_flight: in_flight(load.threads),
        duration: load.duration.min(LONGEST_LOOP),
        ..load
    }
}

/// Returns whether a server is warm, by the throughput of two successive closed loops. A server without
/// throughput never becomes any warmer.
fn is_warm(before: f64, now: f64) -> bool {
    now <= 0.0 || now <= WARM_GROWTH * before
}

/// Returns the number of operations in flight in a closed loop with this many threads.
pub fn in_flight(threads: u32) -> u32 {
    IN_FLIGHT.max(threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_warm_when_it_does_no_more_than_before() {
        assert!(!is_warm(0.0, 9_000.0), "nothing to compare it with");
        assert!(!is_warm(9_000.0, 29_000.0));
        assert!(is_warm(54_000.0, 56_000.0));
        assert!(is_warm(54_000.0, 40_000.0));
        assert!(is_warm(0.0, 0.0), "it does nothing");
    }

    #[test]
    fn rounds_and_the_longest_warm_up_fit_into_the_time() {
        for (time, rounds) in [(45, 3), (600, 7), (3_600, 2), (1, 5), (10, 1)] {
            let time = Duration::from_secs(time);
            let load = longest_load(time, rounds);
            let takes = load * rounds + load.min(LONGEST_LOOP) * MOST_LOOPS;
            assert!(takes <= time, "{rounds} rounds of {load:?} in {time:?}");
            assert!(
                time - takes < Duration::from_millis(1),
                "{takes:?} of {time:?}"
            );
        }
    }

    #[test]
    fn each_thread_has_an_operation_of_a_closed_loop() {
        assert_eq!(in_flight(1), 64);
        assert_eq!(in_flight(1_024), 1_024);
    }
}
