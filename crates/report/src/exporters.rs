//! Notes on exporters of metrics that failed while the servers of designs were sampled.

use bakeoff_stats::{ServerSample, ServerWindow};

/// Most failures that are shown, of those that differ.
const MOST: usize = 3;

/// Says which exporters failed in the samples of windows; `None` if none did.
pub fn failed_in(windows: &[ServerWindow]) -> Option<String> {
    let samples = windows.iter().flat_map(|window| &window.samples);
    failed(samples.map(|sample| &sample.server))
}

/// Says which exporters failed in samples; `None` if none did.
pub fn failed<'a>(samples: impl Iterator<Item = &'a ServerSample>) -> Option<String> {
    let mut failures: Vec<&str> = Vec::new();
    for failure in samples.flat_map(|sample| &sample.notes) {
        if !failures.contains(&failure.as_str()) {
            failures.push(failure);
        }
    }
    if failures.is_empty() {
        return None;
    }
    let shown = failures[..failures.len().min(MOST)].join("; ");
    let more = match failures.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Some(format!(
        "Figures of servers are missing at times, since exporters of metrics failed: {shown}{more}."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(why: &str) -> ServerSample {
        ServerSample {
            notes: vec![format!("http://{{host}}:7070/metrics of db1: {why}")],
            ..ServerSample::default()
        }
    }

    #[test]
    fn failures_are_shown_once_and_some_of_many_are_counted() {
        assert_eq!(failed([ServerSample::default()].iter()), None);
        let samples = ["gone", "gone", "late", "HTML", "broken"].map(sample);
        let note = failed(samples.iter()).unwrap();
        assert_eq!(note.matches("gone").count(), 1, "{note}");
        assert!(note.contains("of db1: gone; http://{host}:7070"), "{note}");
        assert!(note.ends_with("of db1: HTML; and 1 more."), "{note}");
        let one = failed(samples[..1].iter()).unwrap();
        assert!(one.ends_with("metrics of db1: gone."), "{one}");
    }
}
