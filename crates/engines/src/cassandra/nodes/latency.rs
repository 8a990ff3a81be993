//! The unit of latencies in system views.

/// Converts a latency as a system view shows it to microseconds; `None` if it is too short to be
/// shown.
///
/// Cassandra 4.1 and 5.0 call the column milliseconds, but divide microseconds as if they were nanoseconds:
/// 2,759 microseconds, as JMX shows them, become 0.003. The resolution is therefore a millisecond.
/// The unit of other releases is not known.
pub fn micros(version: &str, shown: f64) -> Option<f64> {
    let mut releases = ["4.1.", "5.0."].iter();
    let is_known = releases.any(|release| version.starts_with(release));
    (is_known && shown > 0.0).then_some(shown * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_is_known_where_its_unit_is() {
        assert_eq!(micros("5.0.9", 0.003), Some(3000.0));
        assert_eq!(micros("4.1.10", 0.002), Some(2000.0));
        assert_eq!(micros("5.0.9", 0.0), None);
        assert_eq!(micros("4.0.1", 0.003), None);
    }
}
