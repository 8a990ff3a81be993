//! Joins what all processes of a shared measurement have in their records, whatever they measured: warnings and the
//! end.

use crate::Event;
use crate::counts::add;

/// Record of a measurement that several processes make together.
pub trait SharedRecord: From<Event> {
    /// Returns the message if the record is a warning.
    fn warning(&self) -> Option<&str>;

    /// Returns the end of a process's measurement if the record is that.
    fn end(&self) -> Option<End>;
}

/// End of a process's measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// Its time (RFC 3339, UTC).
    pub at: String,
    pub seconds: f64,
    pub peak_memory_bytes: u64,
}

/// Returns the warnings in the records of a process, each behind the name of the process, and one more if it has not
/// finished.
pub fn warnings_of<R: SharedRecord>(name: &str, records: &[R]) -> Vec<String> {
    let messages = records.iter().filter_map(R::warning);
    let mut warnings: Vec<String> = messages
        .map(|message| format!("{name}: {message}"))
        .collect();
    if end_of(records).is_none() {
        warnings.push(format!("{name} has not finished"));
    }
    warnings
}

/// Joins the last records of all processes: the latest time, the longest measurement, and the memory of all together.
/// Returns `None` unless all have finished.
pub fn finished<'a, R: SharedRecord + 'a>(
    processes: impl IntoIterator<Item = &'a [R]>,
) -> Option<R> {
    let (mut last, mut longest, mut memory) = (String::new(), 0.0f64, 0);
    for records in processes {
        let end = end_of(records)?;
        last = last.max(end.at);
        longest = longest.max(end.seconds);
        add(&mut memory, end.peak_memory_bytes);
    }
    Some(R::from(Event::Finished {
        at: last,
        seconds: longest,
        peak_memory_bytes: memory,
    }))
}

fn end_of<R: SharedRecord>(records: &[R]) -> Option<End> {
    records.last()?.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::SweepRecord;

    fn end(at: &str, seconds: f64, peak_memory_bytes: u64) -> SweepRecord {
        SweepRecord::Finished {
            at: at.to_owned(),
            seconds,
            peak_memory_bytes,
        }
    }

    fn warning(message: &str) -> SweepRecord {
        SweepRecord::Warning {
            message: message.to_owned(),
        }
    }

    #[test]
    fn the_end_of_all_is_the_latest_with_the_memory_of_all() {
        let first = [warning("a"), end("2026-01-01T00:00:02Z", 3.0, 10)];
        let second = [end("2026-01-01T00:00:01Z", 5.0, u64::MAX)];
        let all = finished([&first[..], &second]);
        assert_eq!(all, Some(end("2026-01-01T00:00:02Z", 5.0, u64::MAX)));
        let unfinished = [end("2026-01-01T00:00:02Z", 3.0, 10), warning("later")];
        assert_eq!(finished([&first[..], &unfinished]), None);
        assert_eq!(finished([&first[..], &[]]), None);
    }

    #[test]
    fn warnings_name_their_process() {
        let records = [warning("a"), warning("b")];
        let told = ["shard 1/2: a", "shard 1/2: b", "shard 1/2 has not finished"];
        assert_eq!(warnings_of("shard 1/2", &records), told);
        let whole = [warning("a"), end("2026-01-01T00:00:02Z", 3.0, 10)];
        assert_eq!(warnings_of("shard 2/2", &whole), ["shard 2/2: a"]);
    }
}
