//! Shows a load while it runs: one line for the whole, and one for each operation.

use std::fmt::Write;
use std::time::Duration;

use bakeoff_driver::Observer;
use bakeoff_driver::drive::{LiveView, Second};
use bakeoff_stats::{ServerSample, Tally, server_growth_between};
use bakeoff_workload::Mix;
use indicatif::HumanCount;

use crate::progress::Progress;

/// Updates the progress of a command while it drives.
pub struct Live<'a> {
    progress: &'a Progress,
    operations: Vec<String>,
    /// Design and rate that are driven.
    what: String,
    duration: Duration,
    server: Server,
}

/// What the server did, by its last two samples.
#[derive(Default)]
struct Server {
    /// The last sample, with its second.
    last: Option<(u32, ServerSample)>,
    told: String,
}

impl<'a> Live<'a> {
    pub fn new(progress: &'a Progress, mix: &Mix) -> Self {
        Live {
            progress,
            operations: mix.operations.iter().map(|o| o.name.clone()).collect(),
            what: String::new(),
            duration: Duration::ZERO,
            server: Server::default(),
        }
    }
}

impl Server {
    /// Takes the sample of a second. A cluster is sampled every other second, so that a single second without a sample
    /// has what was told last.
    fn take(&mut self, second: u32, sample: &ServerSample) {
        let last = self.last.as_ref();
        let since = last.map(|(then, _)| second.saturating_sub(*then));
        if !sample.is_empty() {
            self.told = match last.zip(since) {
                Some(((_, before), seconds)) => server(sample, before, seconds),
                None => String::new(),
            };
            self.last = Some((second, sample.clone()));
        } else if since != Some(1) {
            self.told.clear();
        }
    }
}

impl LiveView for Live<'_> {
    fn begin(&mut self, what: &str, duration: Duration) {
        self.what = what.to_owned();
        self.duration = duration;
        self.server = Server::default();
        self.progress.step(&prefix(what, duration, 0));
    }

    fn second(&mut self, second: &Second) {
        let prefix = prefix(&self.what, self.duration, second.second + 1);
        self.server.take(second.second, &second.server);
        let message = message(&self.operations, second, &self.server.told);
        self.progress.details(prefix, message);
    }

    fn between_loads(&mut self) {
        self.progress.between_steps();
    }
}

/// Writes the beginning of the line, with the seconds left after `over` seconds, or these where it is not known how
/// many there will be.
fn prefix(what: &str, duration: Duration, over: u32) -> String {
    if duration.is_zero() {
        return format!("{what}, {over} s so far");
    }
    let whole = duration.as_secs_f64().ceil() as u64;
    match whole.saturating_sub(u64::from(over)) {
        0 => format!("{what}, waiting for the last ones"),
        left => format!("{what}, {left} s of {whole} s left"),
    }
}

fn message(operations: &[String], second: &Second, server: &str) -> String {
    let mut text = String::new();
    let done: u64 = second.operations.iter().map(Tally::successes).sum();
    let failed: u64 = second.operations.iter().map(Tally::failed).sum();
    // Writing to a String cannot fail.
    let _ = write!(text, "{} ops/s, {failed} failed{server}", HumanCount(done));
    let width = operations.iter().map(String::len).max().unwrap_or(0);
    for (name, tally) in operations.iter().zip(&second.operations) {
        let at = |quantile| milliseconds(tally.response.value_at_quantile(quantile));
        let _ = write!(
            text,
            "\n  {name:width$} {:>9} ops/s  p50 {} ms  p99 {} ms  {} failed",
            HumanCount(tally.successes()).to_string(),
            at(0.5),
            at(0.99),
            tally.failed()
        );
    }
    text
}

/// Describes what the server did in each of the seconds since the previous sample, if both are known.
fn server(now: &ServerSample, before: &ServerSample, seconds: u32) -> String {
    let mut text = String::new();
    let seconds = f64::from(seconds.max(1));
    if let Some(cpu) = server_growth_between(before, now, |s| s.cpu_seconds) {
        let _ = write!(text, ", server {:.2} cores", cpu / seconds);
    }
    let read = |sample: &ServerSample| Some(sample.disk_read_bytes? as f64 / 1e6);
    if let Some(read) = server_growth_between(before, now, read) {
        let _ = write!(text, ", disk reads {:.1} MB/s", read / seconds);
    }
    text
}

fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.2}", nanoseconds as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_is_shown() {
        let prefix = |over| prefix("dry at 5 ops/s", Duration::from_secs(60), over);
        assert_eq!(prefix(0), "dry at 5 ops/s, 60 s of 60 s left");
        assert_eq!(prefix(45), "dry at 5 ops/s, 15 s of 60 s left");
        assert_eq!(prefix(62), "dry at 5 ops/s, waiting for the last ones");
        let pass = super::prefix("dry: read", Duration::ZERO, 3);
        assert_eq!(pass, "dry: read, 3 s so far");
    }

    #[test]
    fn a_second_shows_rates_latency_failures_and_the_server() {
        let mut read = Tally::default();
        for _ in 0..99 {
            read.record(2_000_000, 1_000_000);
        }
        read.record(9_000_000, 1_000_000);
        read.failures[0] = 3;
        let second = Second {
            second: 4,
            operations: vec![read, Tally::default()],
            queued: 0,
            server: ServerSample {
                cpu_seconds: Some(5.5),
                disk_read_bytes: Some(3_000_000),
                ..ServerSample::default()
            },
        };
        let before = ServerSample {
            cpu_seconds: Some(4.0),
            disk_read_bytes: Some(1_000_000),
            ..ServerSample::default()
        };
        let names = ["read".to_owned(), "insert".to_owned()];
        let text = message(&names, &second, &server(&second.server, &before, 1));
        let expected = "100 ops/s, 3 failed, server 1.50 cores, disk reads 2.0 MB/s\n  \
                        read         100 ops/s  p50 2.00 ms  p99 2.00 ms  3 failed\n  \
                        insert         0 ops/s  p50 0.00 ms  p99 0.00 ms  0 failed";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_second_between_two_samples_of_a_cluster_shows_what_was_told_last() {
        let sample = |cpu| ServerSample {
            cpu_seconds: Some(cpu),
            ..ServerSample::default()
        };
        let mut server = Server::default();
        let mut told = |second, sample: ServerSample| {
            server.take(second, &sample);
            server.told.clone()
        };
        let empty = ServerSample::default;
        assert_eq!(told(0, sample(4.0)), "");
        assert_eq!(told(1, empty()), "");
        assert_eq!(told(2, sample(7.0)), ", server 1.50 cores");
        assert_eq!(told(3, empty()), ", server 1.50 cores");
        assert_eq!(told(4, empty()), "", "it does not answer");
        assert_eq!(told(6, sample(8.0)), ", server 0.25 cores");
    }
}
