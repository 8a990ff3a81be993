//! Notes on what could not be read while the servers of designs were sampled.

use bakeoff_stats::{ServerSample, ServerWindow};

/// Most reasons that are shown, of those that differ.
const MOST: usize = 3;

/// Says what could not be read for the samples of windows; `None` if all was.
pub fn unread_in(windows: &[ServerWindow]) -> Option<String> {
    let samples = windows.iter().flat_map(|window| &window.samples);
    unread(samples.map(|sample| &sample.server))
}

/// Says what could not be read for samples; `None` if all was.
pub fn unread<'a>(samples: impl Iterator<Item = &'a ServerSample>) -> Option<String> {
    let mut reasons: Vec<&str> = Vec::new();
    for reason in samples.flat_map(|sample| &sample.notes) {
        if !reasons.contains(&reason.as_str()) {
            reasons.push(reason);
        }
    }
    if reasons.is_empty() {
        return None;
    }
    let shown = reasons[..reasons.len().min(MOST)].join("; ");
    let more = match reasons.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Some(format!(
        "Figures of servers are missing, always or at times: {shown}{more}."
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
    fn reasons_are_shown_once_and_some_of_many_are_counted() {
        assert_eq!(unread([ServerSample::default()].iter()), None);
        let samples = ["gone", "gone", "late", "HTML", "broken"].map(sample);
        let note = unread(samples.iter()).unwrap();
        assert_eq!(note.matches("gone").count(), 1, "{note}");
        assert!(note.contains("of db1: gone; http://{host}:7070"), "{note}");
        assert!(note.ends_with("of db1: HTML; and 1 more."), "{note}");
        let one = unread(samples[..1].iter()).unwrap();
        assert!(one.ends_with("metrics of db1: gone."), "{one}");
    }
}
