//! Writes the line of progress.

use std::time::{Duration, Instant};

use bakeoff_report::units;
use indicatif::HumanCount;

/// Elapsed time from which on the remaining time is shown; before, it would be a guess.
const SETTLED: Duration = Duration::from_secs(1);

/// The things that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Rows,
    Queries,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Rows => "rows",
            Unit::Queries => "queries",
        }
    }
}

type Watched = Box<dyn Fn(Duration) -> String + Send>;

/// The current step, its start, and how much of it is done.
pub struct Status {
    what: String,
    since: Instant,
    details: String,
    watched: Option<Watched>,
    count: Option<Count>,
}

struct Count {
    done: u64,
    total: Option<u64>,
    unit: Unit,
}

impl Status {
    pub fn new(what: &str, since: Instant) -> Self {
        Status {
            what: what.to_owned(),
            since,
            details: String::new(),
            watched: None,
            count: None,
        }
    }

    pub fn at(&mut self, done: u64, total: Option<u64>, unit: Unit) {
        self.count = Some(Count { done, total, unit });
    }

    pub fn set(&mut self, what: String, details: String) {
        (self.what, self.details) = (what, details);
    }

    pub fn watch(&mut self, watched: Watched) {
        self.watched = Some(watched);
    }

    /// Writes the line: `loading: 12,000 of 60,000 rows (20%), 4.00 k/s, 12s left`.
    pub fn text(&self, now: Instant) -> String {
        let elapsed = now.saturating_duration_since(self.since);
        let details = match &self.watched {
            Some(watched) => watched(elapsed),
            None => self.details.clone(),
        };
        let count = self.count.as_ref().map(|count| count.text(elapsed));
        let known: Vec<String> = count
            .into_iter()
            .chain((!details.is_empty()).then_some(details))
            .collect();
        if known.is_empty() {
            format!("{}: {}", self.what, time(elapsed))
        } else {
            format!("{}: {}", self.what, known.join(", "))
        }
    }
}

impl Count {
    fn text(&self, elapsed: Duration) -> String {
        let unit = self.unit.name();
        let done = HumanCount(self.done);
        let mut text = match self.total {
            Some(total) => {
                let percent = (self.done as f64 / total.max(1) as f64 * 100.0).floor();
                format!("{done} of {} {unit} ({percent}%)", HumanCount(total))
            }
            None => format!("{done} {unit}"),
        };
        let per_second = self.done as f64 / elapsed.as_secs_f64();
        if elapsed < SETTLED || per_second <= 0.0 {
            return text;
        }
        if self.unit == Unit::Rows {
            text.push_str(&format!(", {}/s", units::rate(per_second)));
        }
        let left = self.total.map(|total| total.saturating_sub(self.done));
        let left = left.map(|left| Duration::try_from_secs_f64(left as f64 / per_second));
        if let Some(Ok(left)) = left {
            text.push_str(&format!(", {} left", time(left)));
        }
        text
    }
}

/// Writes a duration in whole seconds.
pub fn time(duration: Duration) -> String {
    let whole = Duration::from_secs(duration.as_secs_f64().round() as u64);
    humantime::format_duration(whole).to_string()
}
