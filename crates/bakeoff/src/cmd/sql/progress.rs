//! How far a query has come, on a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use bakeoff_engines::tables::Progress;
use bakeoff_report::units;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use tokio::task::JoinHandle;

const TICK: Duration = Duration::from_millis(200);
/// Queries that take less show nothing.
const QUIET: Duration = Duration::from_millis(600);

/// One line that is redrawn; silent where the standard error is no terminal.
pub struct Bar {
    bar: ProgressBar,
    watching: Option<JoinHandle<()>>,
}

impl Bar {
    pub fn watching(progress: impl Fn() -> Progress + Send + Sync + 'static) -> Self {
        if !std::io::stderr().is_terminal() {
            return Bar {
                bar: ProgressBar::hidden(),
                watching: None,
            };
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        let watched = bar.clone();
        let watching = tokio::spawn(async move {
            let began = Instant::now();
            tokio::time::sleep(QUIET).await;
            loop {
                watched.set_message(message(&progress(), began.elapsed()));
                watched.tick();
                tokio::time::sleep(TICK).await;
            }
        });
        Bar {
            bar,
            watching: Some(watching),
        }
    }

    /// Writes to the terminal without the line in between.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match std::io::stdout().is_terminal() {
            true => self.bar.suspend(write),
            false => write(),
        }
    }

    pub fn finish(&self) {
        if let Some(watching) = &self.watching {
            watching.abort();
        }
        self.bar.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}

/// `1,200,000 rows, 350 k/s, 34%, 12 s left`
fn message(progress: &Progress, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let rows = progress.rows_scanned.unwrap_or(0);
    let rate = units::rate(rows as f64 / seconds);
    let mut text = format!("{} rows, {rate}/s", HumanCount(rows));
    // Once all is read, how long the rest takes is not known.
    let share = progress.share();
    if let Some(share) = share.filter(|share| *share > 0.0 && *share < 1.0) {
        let left = seconds * (1.0 - share) / share;
        text.push_str(&format!(", {:.0}%, {} left", share * 100.0, time(left)));
    }
    text
}

fn time(seconds: f64) -> String {
    let whole = Duration::from_secs(seconds.round() as u64);
    humantime::format_duration(whole).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_told_as_soon_as_a_part_is_done() {
        let mut progress = Progress {
            rows_scanned: Some(1_200_000),
            parts_done: 0,
            parts: 32,
        };
        let elapsed = Duration::from_secs(10);
        assert_eq!(message(&progress, elapsed), "1,200,000 rows, 120 k/s");
        progress.parts_done = 4;
        let told = "1,200,000 rows, 120 k/s, 12%, 1m 10s left";
        assert_eq!(message(&progress, elapsed), told);
        progress.parts_done = 32;
        assert_eq!(message(&progress, elapsed), "1,200,000 rows, 120 k/s");
    }
}
