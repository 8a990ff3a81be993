//! When the statements of a log were sent: how many in a second.

use std::collections::{BTreeMap, HashSet};

use bakeoff_workload::source;

/// Most pairs of a form and a minute that are counted.
const MOST_COUNTED: usize = 1 << 20;
/// Milliseconds.
const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
/// How a time is written, with zeros for digits.
const TIME: &[u8] = b"0000-00-00 00:00:00";
/// Bytes of a line in which its time is looked for.
const MOST_LOOKED_AT: usize = 128;
/// Seconds up to which a time is told in seconds, in minutes, and in hours.
const IN_SECONDS: i64 = 120;
const IN_MINUTES: i64 = 7_200;
const IN_HOURS: i64 = 172_800;

/// Numbers of statements by their form and the minute in which they were sent. When too many are there, none is
/// counted any more. Equal logs have equal descriptions, by which a decision knows its own.
#[derive(Debug, Clone, Default)]
pub struct Sent {
    counted: BTreeMap<(usize, i64), u64>,
    /// The first and the last time of each form, in milliseconds since 1970.
    spans: BTreeMap<usize, (i64, i64)>,
    is_full: bool,
}

/// How many statements of some forms were sent in a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    pub number: u64,
    /// From the first one to the last one.
    pub milliseconds: i64,
    /// Statements a second in the busiest minute, or in all of the time if it is shorter.
    pub busiest: f64,
    /// Whether the log goes on after them.
    pub goes_on: bool,
}

impl Sent {
    /// Counts a statement of the form with this place that was sent at a time, if that is known.
    pub fn count(&mut self, form: usize, at: Option<i64>) {
        let Some(at) = at.filter(|_| !self.is_full) else {
            return;
        };
        let pair = (form, at.div_euclid(MINUTE));
        if self.counted.len() >= MOST_COUNTED && !self.counted.contains_key(&pair) {
            self.is_full = true;
            return;
        }
        *self.counted.entry(pair).or_default() += 1;
        let span = self.spans.entry(form).or_insert((at, at));
        *span = (span.0.min(at), span.1.max(at));
    }

    /// Returns how many statements of these forms were sent in a second; `None` if the log does not say when.
    pub fn rate(&self, forms: &HashSet<usize>) -> Option<Rate> {
        let spans = { self.spans.iter() }.filter(|(form, _)| forms.contains(*form));
        let (first, last) = spans
            .map(|(_, span)| *span)
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let mut minutes: BTreeMap<i64, u64> = BTreeMap::new();
        for ((form, minute), number) in &self.counted {
            if forms.contains(form) {
                *minutes.entry(*minute).or_default() += number;
            }
        }
        let number: u64 = minutes.values().sum();
        let milliseconds = last.saturating_sub(first);
        let busiest = if milliseconds < MINUTE {
            number as f64 * SECOND as f64 / milliseconds.max(SECOND) as f64
        } else {
            let most = minutes.values().max().copied().unwrap_or_default();
            most as f64 * SECOND as f64 / MINUTE as f64
        };
        Some(Rate {
            number,
            milliseconds,
            busiest,
            goes_on: self.is_full,
        })
    }
}

impl Rate {
    /// Says how many statements there were in which time, and how many in a second.
    pub fn in_words(&self) -> String {
        let seconds = self.milliseconds / SECOND;
        let (time, unit) = match seconds {
            ..=1 => (1, "second"),
            2..IN_SECONDS => (seconds, "seconds"),
            IN_SECONDS..IN_MINUTES => (seconds / 60, "minutes"),
            IN_MINUTES..IN_HOURS => (seconds / 3_600, "hours"),
            _ => (seconds / 86_400, "days"),
        };
        let at = if self.milliseconds < MINUTE {
            ""
        } else {
            " at its busiest minute"
        };
        let first = if self.goes_on { "first " } else { "" };
        let rate = match self.busiest {
            many if many >= 100.0 => format!("{many:.0}"),
            some if some >= 1.0 => format!("{some:.1}"),
            few => format!("{few:.2}"),
        };
        format!(
            "the log has {} of these statements in its {first}{time} {unit}: {rate} a second{at}",
            self.number
        )
    }
}

/// Returns the milliseconds since 1970 of the first time in a text, such as `2026-05-01 10:00:00.250 UTC`, as if it
/// were in UTC; `None` if there is none near its beginning.
pub fn time_in(text: &str) -> Option<i64> {
    let bytes = &text.as_bytes()[..text.len().min(MOST_LOOKED_AT)];
    let is_time = |part: &[u8]| {
        part.iter().zip(TIME).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            b' ' => matches!(byte, b' ' | b'T'),
            form => byte == form,
        })
    };
    let begin = bytes.windows(TIME.len()).position(is_time)?;
    let (time, rest) = text.get(begin..)?.split_at(TIME.len());
    let fraction = { rest.strip_prefix('.') }.map_or("", |rest| rest.get(..3).unwrap_or_default());
    let whole = source::milliseconds(&time.replace(' ', "T"))?;
    // What is finer than a millisecond does not matter, and neither does a zone, as all times of a log have one.
    Some(whole + fraction.parse::<u16>().map_or(0, i64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_near_the_beginning() {
        let ten = 1_777_629_600_000;
        for (text, expected) in [
            ("2026-05-01 10:00:00 UTC [7] me@shop", Some(ten)),
            ("[7] 2026-05-01T10:00:00.250+02:00", Some(ten + 250)),
            ("2026-05-01 10:00:00.123456 CEST", Some(ten + 123)),
            ("2026-05-01 10:00:00.1", Some(ten)),
            ("2026-13-01 10:00:00", None),
            ("2026-05-01 10:00", None),
            ("é2026-05-01 10:00:00é", Some(ten)),
            ("", None),
        ] {
            assert_eq!(time_in(text), expected, "{text}");
        }
        assert_eq!(
            time_in(&format!("{}2026-05-01 10:00:00", "x".repeat(200))),
            None
        );
    }

    #[test]
    fn the_busiest_minute_is_that_of_all_forms_together() {
        let mut sent = Sent::default();
        for second in 0..60 {
            sent.count(0, Some(MINUTE + second * SECOND));
            sent.count(1, Some(MINUTE + second * SECOND));
        }
        sent.count(0, Some(31 * MINUTE));
        sent.count(2, Some(90 * MINUTE));
        sent.count(0, None);
        let rate = sent.rate(&HashSet::from([0, 1])).unwrap();
        assert_eq!((rate.number, rate.busiest), (121, 2.0));
        assert_eq!(
            rate.in_words(),
            "the log has 121 of these statements in its 30 minutes: 2.0 a second at its busiest minute"
        );
        assert_eq!(sent.rate(&HashSet::from([7])), None);
        // A short log has no whole minute.
        let mut short = Sent::default();
        for second in 0..=10 {
            short.count(0, Some(59 * SECOND + second * SECOND));
        }
        let rate = short.rate(&HashSet::from([0])).unwrap();
        assert_eq!(
            rate.in_words(),
            "the log has 11 of these statements in its 10 seconds: 1.1 a second"
        );
    }

    #[test]
    fn hostile_times_are_counted_up_to_a_number() {
        let mut sent = Sent::default();
        sent.count(0, Some(i64::MIN));
        sent.count(0, Some(i64::MAX));
        assert_eq!(
            sent.rate(&HashSet::from([0])).unwrap().milliseconds,
            i64::MAX
        );
        for minute in 0..MOST_COUNTED as i64 + 10 {
            sent.count(1, Some(minute * MINUTE));
        }
        assert_eq!((sent.counted.len(), sent.is_full), (MOST_COUNTED, true));
        let rate = sent.rate(&HashSet::from([1])).unwrap();
        assert!(
            rate.goes_on && rate.in_words().contains("in its first "),
            "{rate:?}"
        );
    }
}
