//! Shows what a command is doing, from its first second until its end. On a terminal, one line is redrawn;
//! elsewhere a line is written every ten seconds, so that a log shows that the command is still running.

mod status;

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bakeoff_driver::Observer;
use indicatif::{ProgressBar, ProgressStyle};

use crate::stderr::print_line;
use crate::terminal::clean;
use status::Status;
pub use status::{Unit, time};

/// Delay before progress is first shown, and the interval from then on.
#[derive(Debug, Clone, Copy)]
struct Pace {
    first: Duration,
    every: Duration,
}

/// Pace on a terminal. A command that ends before `first` shows nothing.
const ON_TERMINAL: Pace = Pace {
    first: Duration::from_millis(400),
    every: Duration::from_millis(200),
};
const IN_LOGS: Pace = Pace {
    first: Duration::from_millis(900),
    every: Duration::from_secs(10),
};

/// Work of a moment that is done between two steps. It returns a line to show, if there is something to say.
type Work = Box<dyn FnMut() -> Option<String> + Send>;

/// Shows what a command is doing. It has its own thread, since all others may be busy.
pub struct Progress {
    shared: Arc<Shared>,
    showing: Mutex<Option<JoinHandle<()>>>,
    between_steps: Mutex<Option<Work>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    out: Out,
    pace: Pace,
}

struct State {
    status: Status,
    /// Time at which progress is shown next.
    due: Instant,
    has_ended: bool,
    /// Rows loaded so far by design.
    loaded: HashMap<String, u64>,
    /// Number of designs that load the same rows.
    designs: u64,
}

enum Out {
    Terminal(ProgressBar),
    Lines(Mutex<Box<dyn Write + Send>>),
}

impl Progress {
    /// Starts showing on standard error what a command is doing.
    pub fn begin(what: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Progress::lines(what, Box::new(std::io::stderr()), IN_LOGS);
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Progress::showing(what, Out::Terminal(bar), ON_TERMINAL)
    }

    fn lines(what: &str, out: Box<dyn Write + Send>, pace: Pace) -> Self {
        Progress::showing(what, Out::Lines(Mutex::new(out)), pace)
    }

    fn showing(what: &str, out: Out, pace: Pace) -> Self {
        let now = Instant::now();
        let state = State {
            status: Status::new(what, now),
            due: now + pace.first,
            has_ended: false,
            loaded: HashMap::new(),
            designs: 1,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            out,
            pace,
        });
        let shown = Arc::clone(&shared);
        // If no thread can be started, the command runs without progress.
        let thread = std::thread::Builder::new()
            .name("progress".to_owned())
            .spawn(move || shown.show_until_the_end());
        Progress {
            shared,
            showing: Mutex::new(thread.ok()),
            between_steps: Mutex::default(),
        }
    }

    /// Sets work that is done from now on whenever a measurement is between two steps.
    pub fn do_between_steps(&self, work: impl FnMut() -> Option<String> + Send + 'static) {
        *self.lock_work() = Some(Box::new(work));
    }

    fn lock_work(&self) -> MutexGuard<'_, Option<Work>> {
        self.between_steps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the next step of the command.
    pub fn step(&self, what: &str) {
        let mut state = self.shared.lock();
        state.status = Status::new(what, Instant::now());
        state.loaded.clear();
    }

    /// Sets how many designs are loaded at the same time, each with all rows.
    pub fn set_designs(&self, designs: usize) {
        self.shared.lock().designs = designs as u64;
    }

    /// Sets how much of the step is done, and the total if it is known.
    pub fn at(&self, done: u64, total: Option<u64>, unit: Unit) {
        self.shared.lock().status.at(done, total, unit);
    }

    /// Sets the step and its details; lines after the first show on a terminal only.
    pub fn details(&self, what: String, details: String) {
        self.shared.lock().status.set(what, details);
    }

    /// Sets a function that makes the text from the elapsed time whenever progress is shown.
    pub fn watch(&self, progress: impl Fn(Duration) -> String + Send + 'static) {
        self.shared.lock().status.watch(Box::new(progress));
    }

    /// Writes a line that stays.
    pub fn say(&self, line: &str) {
        self.aside(|| print_line(line));
        let mut state = self.shared.lock();
        state.due = Instant::now() + self.shared.pace.every;
    }

    /// Hides the redrawn line while `write` writes to the terminal.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.shared.out {
            Out::Terminal(bar) => bar.suspend(write),
            Out::Lines(_) => write(),
        }
    }

    /// Stops showing progress: the command is over, or shows its results.
    pub fn finish(&self) {
        self.shared.lock().has_ended = true;
        self.shared.changed.notify_all();
        let thread = self
            .showing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // A panic while showing progress is no failure of the command.
            let _ = thread.join();
        }
        if let Out::Terminal(bar) = &self.shared.out {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show_until_the_end(&self) {
        let mut state = self.lock();
        while !state.has_ended {
            let now = Instant::now();
            if let Some(left) = state
                .due
                .checked_duration_since(now)
                .filter(|d| !d.is_zero())
            {
                let waited = self.changed.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            let text = state.status.text(now);
            state.due = now + self.pace.every;
            drop(state);
            self.out.show(&text);
            state = self.lock();
        }
    }
}

impl Out {
    fn show(&self, text: &str) {
        let text = clean(text);
        match self {
            Out::Terminal(bar) => {
                bar.set_message(text.into_owned());
                bar.tick();
            }
            Out::Lines(out) => {
                let line = text.lines().next().unwrap_or_default();
                let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
                // The reader may be gone.
                let _ = writeln!(out, "{line}");
            }
        }
    }
}

impl Observer for Progress {
    fn phase(&self, what: &str) {
        // Another phase loads other tables, so the count starts again.
        self.shared.lock().loaded.clear();
        self.step(what);
    }

    fn note(&self, line: &str) {
        self.say(line);
    }

    fn loading(&self, design: &str, rows: u64, total: Option<u64>) {
        let mut state = self.shared.lock();
        state.loaded.insert(design.to_owned(), rows);
        let sum = state.loaded.values().sum();
        let total = total.map(|total| total.saturating_mul(state.designs));
        state.status.at(sum, total, Unit::Rows);
    }

    fn measuring(&self, done: u64, total: u64) {
        self.at(done, Some(total), Unit::Queries);
    }

    fn trouble(&self, name: &str, reason: &str) {
        self.say(&format!("{name}: {reason}"));
    }

    fn done(&self, what: &str, took: Duration) {
        self.say(&format!("{what} ({:.1} s)", took.as_secs_f64()));
    }

    fn between_steps(&self) {
        let said = self.lock_work().as_mut().and_then(|work| work());
        if let Some(line) = said {
            self.say(&line);
        }
    }
}

#[cfg(test)]
mod tests;
