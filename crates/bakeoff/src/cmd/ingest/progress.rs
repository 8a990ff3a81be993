//! How far an ingest has come, on a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};

const TICK: Duration = Duration::from_millis(200);

/// One line that is redrawn; silent where the standard error is no terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// With time left where the number of rows is known.
    pub fn new(total_rows: Option<u64>) -> Self {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        let template = match total_rows {
            Some(rows) => {
                bar.set_length(rows);
                "{spinner} {wide_bar} {human_pos}/{human_len} rows, {rate}, {eta} left"
            }
            None => "{spinner} {human_pos} rows, {rate}, {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                // A bar that cannot be written to shows nothing.
                let _ = write!(out, "{}/s", HumanCount(state.per_sec() as u64));
            };
            bar.set_style(style.with_key("rate", rate));
        }
        bar.enable_steady_tick(TICK);
        Bar(bar)
    }

    pub fn at(&self, rows: u64) {
        self.0.set_position(rows);
    }

    /// Writes to the terminal without the line in between.
    pub fn aside(&self, write: impl FnOnce()) {
        self.0.suspend(write);
    }

    /// All rows are read.
    pub fn writing(&self) {
        if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} rows read, writing")
        {
            self.0.set_style(style);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
