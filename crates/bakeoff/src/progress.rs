//! Progress: a bar on a terminal, and a line for each finished phase anywhere.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use bakeoff_driver::Observer;
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};

/// One bar for the phase that is going on; a finished phase leaves one line.
pub struct Progress {
    bar: ProgressBar,
    /// Rows loaded so far by design.
    loaded: Mutex<HashMap<String, u64>>,
    designs: u64,
}

impl Progress {
    pub fn new(designs: usize) -> Self {
        let bar = match std::io::stderr().is_terminal() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress {
            bar,
            loaded: Mutex::default(),
            designs: designs as u64,
        }
    }

    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                // A bar that cannot be written to shows nothing.
                let _ = write!(out, "{}/s", HumanCount(state.per_sec() as u64));
            };
            self.bar.set_style(style.with_key("rate", rate));
        }
    }
}

impl Observer for Progress {
    fn phase(&self, what: &str) {
        self.style("{spinner} {msg} {elapsed}");
        self.bar.unset_length();
        self.bar.reset();
        self.bar.set_message(what.to_owned());
    }

    fn loading(&self, design: &str, rows: u64, total: Option<u64>) {
        let mut loaded = self.loaded.lock().unwrap_or_else(|e| e.into_inner());
        loaded.insert(design.to_owned(), rows);
        let sum = loaded.values().sum();
        match total {
            Some(total) => {
                self.style(
                    "{spinner} {msg} {wide_bar} {human_pos}/{human_len} rows, {rate}, {eta} left",
                );
                self.bar.set_length(total * self.designs);
            }
            None => self.style("{spinner} {msg} {human_pos} rows, {rate}, {elapsed}"),
        }
        self.bar.set_position(sum);
    }

    fn measuring(&self, done: u64, total: u64) {
        self.style("{spinner} {msg} {wide_bar} {pos}/{len} queries, {eta} left");
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    fn trouble(&self, design: &str, reason: &str) {
        self.say(&format!("{design}: {reason}"));
    }

    fn done(&self, what: &str, took: Duration) {
        self.say(&format!("{what} ({:.1} s)", took.as_secs_f64()));
    }
}
