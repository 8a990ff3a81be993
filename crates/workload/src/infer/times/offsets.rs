//! Offsets from UTC that texts of times say.

use std::collections::BTreeMap;

/// Zones of many people with their offsets in minutes, of which one is named as an example. Of zones with the same
/// offset the first one is.
const ZONES: [(&str, &[i32]); 24] = [
    ("Europe/Berlin", &[60, 120]),
    ("Europe/London", &[0, 60]),
    ("Europe/Helsinki", &[120, 180]),
    ("America/New_York", &[-300, -240]),
    ("America/Chicago", &[-360, -300]),
    ("America/Denver", &[-420, -360]),
    ("America/Los_Angeles", &[-480, -420]),
    ("America/Sao_Paulo", &[-180]),
    ("America/Halifax", &[-240, -180]),
    ("America/St_Johns", &[-210, -150]),
    ("America/Anchorage", &[-540, -480]),
    ("Pacific/Honolulu", &[-600]),
    ("Asia/Kolkata", &[330]),
    ("Asia/Shanghai", &[480]),
    ("Asia/Tokyo", &[540]),
    ("Australia/Sydney", &[600, 660]),
    ("Australia/Adelaide", &[570, 630]),
    ("Pacific/Auckland", &[720, 780]),
    ("Asia/Tehran", &[210]),
    ("Asia/Dubai", &[240]),
    ("Asia/Karachi", &[300]),
    ("Asia/Kathmandu", &[345]),
    ("Asia/Dhaka", &[360]),
    ("Asia/Bangkok", &[420]),
];

/// Different offsets that are named, of which there may be more.
const NAMED: usize = 4;

/// Offsets that times of a column say, in minutes, with the number of times that do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offsets(BTreeMap<i32, u64>);

impl Offsets {
    /// Looks at a time that says where it is from UTC.
    pub fn see(&mut self, cell: &str) {
        *self.0.entry(minutes(cell).unwrap_or(0)).or_default() += 1;
    }

    /// Returns the offsets for a reader, `+01:00 and +02:00`; `None` if all times are in UTC.
    pub fn in_words(&self) -> Option<String> {
        if self.0.keys().all(|minutes| *minutes == 0) {
            return None;
        }
        let mut named: Vec<String> = self.0.keys().take(NAMED).map(|m| written(*m)).collect();
        let more = self.0.len() - named.len();
        if more > 0 {
            named.push(format!("{more} more"));
        }
        let last = named.pop()?;
        Some(match &named[..] {
            [] => last,
            others => format!("{} and {last}", others.join(", ")),
        })
    }

    /// Returns the name of a zone whose clocks have the offsets of most times, as an example.
    pub fn zone(&self) -> &'static str {
        let mut most = ("Europe/Berlin", 0);
        for (name, offsets) in ZONES {
            let fitting = offsets.iter().filter_map(|minutes| self.0.get(minutes));
            let times: u64 = fitting.sum();
            if times > most.1 {
                most = (name, times);
            }
        }
        most.0
    }
}

/// Returns the minutes from UTC that a text ends with, as in `...+01:00`, ` -0700]` or `+02`; `None` if it ends with no
/// number of them, as with Z.
fn minutes(cell: &str) -> Option<i32> {
    // The name of a zone in brackets may be behind it, or all may be in brackets.
    let cell = match cell.split_once('[') {
        Some((before, _)) if !before.is_empty() => before,
        _ => cell.trim_end_matches(']'),
    };
    let sign = cell.rfind(['+', '-'])?;
    let digits: String = cell[sign + 1..].chars().filter(|c| *c != ':').collect();
    let is_offset =
        (2..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_offset {
        return None;
    }
    let part = |from: usize| {
        digits
            .get(from..from + 2)
            .map_or(Some(0), |two| two.parse::<i32>().ok())
    };
    let minutes: i32 = part(0)? * 60 + part(2)?;
    Some(if cell[sign..].starts_with('-') {
        -minutes
    } else {
        minutes
    })
}

fn written(minutes: i32) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.abs();
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Zone;

    fn of(cells: &[&str]) -> Offsets {
        let mut offsets = Offsets::default();
        cells.iter().for_each(|cell| offsets.see(cell));
        offsets
    }

    #[test]
    fn offsets_are_named_unless_all_times_are_in_utc() {
        for (cells, named, zone) in [
            (
                &["2014-01-01T01:00:00+01:00", "2014-07-01T01:00:00+02:00"][..],
                Some("+01:00 and +02:00"),
                "Europe/Berlin",
            ),
            (
                &["2014-01-01 01:00:00Z", "2014-07-01T01:00:00+0100"][..],
                Some("+00:00 and +01:00"),
                "Europe/London",
            ),
            (
                &["[10/Oct/2000:13:55:36 -0500]"][..],
                Some("-05:00"),
                "America/New_York",
            ),
            (
                &["2014-01-01T01:00+05:30"][..],
                Some("+05:30"),
                "Asia/Kolkata",
            ),
            (
                &["2014-01-01T01:00+09[Asia/Tokyo]"][..],
                Some("+09:00"),
                "Asia/Tokyo",
            ),
            (
                &["2014-01-01T01:00-02:30"][..],
                Some("-02:30"),
                "America/St_Johns",
            ),
            // No zone has both.
            (
                &["t-08:00", "t-07:00", "t+09:00"][..],
                Some("-08:00, -07:00 and +09:00"),
                "America/Los_Angeles",
            ),
            (
                &["t-08:00", "t+01:00", "t+09:00", "t+09:00"][..],
                Some("-08:00, +01:00 and +09:00"),
                "Asia/Tokyo",
            ),
            // None of the zones has it.
            (&["t-01:00"][..], Some("-01:00"), "Europe/Berlin"),
            (
                &["t+01", "t+02", "t+03", "t+04", "t+05", "t+06"][..],
                Some("+01:00, +02:00, +03:00, +04:00 and 2 more"),
                "Europe/Berlin",
            ),
            (
                &["2014-01-01T01:00:00Z", "2014-01-01T01:00:00-00:00"][..],
                None,
                "Europe/London",
            ),
            (&[][..], None, "Europe/Berlin"),
        ] {
            let offsets = of(cells);
            assert_eq!(offsets.in_words().as_deref(), named, "{cells:?}");
            assert_eq!(offsets.zone(), zone, "{cells:?}");
        }
    }

    #[test]
    fn zones_that_are_named_exist() {
        for (name, offsets) in ZONES {
            assert!(Zone::parse(name).is_ok(), "{name}");
            assert!(!offsets.is_empty(), "{name}");
        }
    }
}
