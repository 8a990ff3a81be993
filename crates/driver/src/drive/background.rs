//! Statements that a mix runs alongside its operations.

use std::sync::Mutex;

use bakeoff_workload::{Background, Mix};
use futures::future::join_all;

use super::Target;
use super::clock::Clock;

/// Number of messages of failed statements that are kept.
const MESSAGES: usize = 5;

/// Results of the background statements of a load.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackgroundRuns {
    /// Number of statements that were executed.
    pub statements: u64,
    /// Number of statements that failed.
    pub failed: u64,
    /// Messages of the first statements that failed.
    pub messages: Vec<String>,
}

/// Runs the background statements of a mix from the start of the load until its end, at once and then
/// with their periods. If statements take longer than their period, the next ones are late; none is
/// left out.
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
