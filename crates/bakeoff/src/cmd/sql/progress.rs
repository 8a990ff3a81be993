//! Shows how far a query has come.

use std::time::Duration;

use bakeoff_engines::tables::Progress;
use bakeoff_report::units;
use indicatif::HumanCount;

use crate::progress::time;

/// Writes the progress of a query: `1,200,000 rows, 350 k/s, 34%, 12s left`.
pub fn message(progress: &Progress, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let rows = progress.rows_scanned.unwrap_or(0);
    let rate = units::rate(rows as f64 / seconds);
    let mut text = format!("{} rows, {rate}/s", HumanCount(rows));
    // Once everything is read, the time for the rest is not known.
    let share = progress.share();
    if let Some(share) = share.filter(|share| *share > 0.0 && *share < 1.0) {
        let left = seconds * (1.0 - share) / share;
        text.push_str(&format!(
            ", {:.0}%, {} left",
            share * 100.0,
            time(Duration::from_secs_f64(left))
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_shown_as_soon_as_a_part_is_done() {
        let mut progress = Progress {
            rows_scanned: Some(1_200_000),
            parts_done: 0,
            parts: 32,
        };
        let elapsed = Duration::from_secs(10);
        assert_eq!(message(&progress, elapsed), "1,200,000 rows, 120 k/s");
        progress.parts_done = 4;
        let line = "1,200,000 rows, 120 k/s, 12%, 1m 10s left";
        assert_eq!(message(&progress, elapsed), line);
        progress.parts_done = 32;
        assert_eq!(message(&progress, elapsed), "1,200,000 rows, 120 k/s");
    }
}
