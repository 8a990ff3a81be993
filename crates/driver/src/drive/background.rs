//! Statements that a mix runs beside its operations.

use std::sync::Mutex;

use bakeoff_workload::{Background, Mix};
use futures::future::join_all;

use super::Target;
use super::clock::Clock;

/// Messages of failed statements that are kept.
const MESSAGES: usize = 5;

/// What the background statements of a load did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackgroundRuns {
    pub statements: u64,
    pub failed: u64,
    /// The first messages of those that failed.
    pub messages: Vec<String>,
}

/// Runs the background statements of a mix from the start of the load until its end: the first time
/// at once, then at their periods. Where the statements take longer than their period, the next
/// ones are late, and none are left out.
pub async fn run(
    target: &dyn Target,
    mix: &Mix,
    clock: Clock,
    span: std::ops::Range<u64>,
    runs: &Mutex<BackgroundRuns>,
) {
    let all = mix.background.iter();
    join_all(all.map(|one| repeat(target, one, clock, span.clone(), runs))).await;
}

async fn repeat(
    target: &dyn Target,
    background: &Background,
    clock: Clock,
    span: std::ops::Range<u64>,
    runs: &Mutex<BackgroundRuns>,
) {
    let every = (background.every.as_nanos() as u64).max(1);
    for number in 0.. {
        let due = span.start.saturating_add(every.saturating_mul(number));
        if due >= span.end {
            return;
        }
        clock.sleep_until(due).await;
        let number = (number % background.cycle.max(1)).to_string();
        for statement in &background.statements {
            let statement = statement.replace("${number}", &number);
            let ended = target.execute(&statement).await;
            let Ok(mut runs) = runs.lock() else { return };
            runs.statements += 1;
            if let Err(error) = ended {
                runs.failed += 1;
                if runs.messages.len() < MESSAGES {
                    runs.messages.push(format!("{statement}: {error}"));
                }
            }
        }
    }
}
