//! What the values of a column, in the order of the rows, say of its place in a key.

/// Evidence of a column's place in a key.
pub struct Sequence {
    /// Runs of equal values, one after the other.
    pub runs: u64,
    /// Hash of the last value.
    last: Option<u64>,
    values: u64,
    /// Values that are times of day, up to the first that is none.
    clocks: u64,
}

impl Sequence {
    /// Begins with no values.
    pub fn new() -> Sequence {
        Sequence {
            runs: 0,
            last: None,
            values: 0,
            clocks: 0,
        }
    }

    /// Looks at the next value, which has this hash.
    pub fn see(&mut self, value: &str, hash: u64) {
        // One other value is enough to know.
        let are_clocks = self.clocks == self.values;
        self.clocks += u64::from(are_clocks && is_clock(value));
        self.values += 1;
        self.runs += u64::from(self.last != Some(hash));
        self.last = Some(hash);
    }

    /// Returns whether all values are times of day.
    pub fn is_clock(&self) -> bool {
        self.values > 0 && self.clocks == self.values
    }
}

/// Returns whether a value is a time of day, such as `9:05`, `24:00`, `09:05:30.25` or `9:05 PM`.
fn is_clock(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let half = lower
        .strip_suffix("am")
        .or_else(|| lower.strip_suffix("pm"));
    let mut parts = half.unwrap_or(&lower).trim_end().split(':');
    let is_within = |part: &str, least_digits: usize, most: u32| {
        let is_short = (least_digits..=2).contains(&part.len());
        let is_digits = part.bytes().all(|byte| byte.is_ascii_digit());
        is_short && is_digits && part.parse::<u32>().is_ok_and(|number| number <= most)
    };
    let (Some(hour), Some(minute)) = (parts.next(), parts.next()) else {
        return false;
    };
    let is_second = parts.next().is_none_or(|second| {
        let (whole, fraction) = second.split_once(['.', ',']).unwrap_or((second, "0"));
        is_within(whole, 2, 60) && fraction.bytes().all(|byte| byte.is_ascii_digit())
    });
    is_within(hour, 1, 24) && is_within(minute, 2, 59) && is_second && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_told_from_other_values() {
        for value in [
            "9:05",
            "00:00",
            "24:00",
            "09:05:30",
            "9:05:30.25",
            "9:05 PM",
            "12:00am",
        ] {
            assert!(is_clock(value), "{value}");
        }
        for value in [
            "9",
            "25:00",
            "9:5",
            "9:60",
            "1:2:3",
            "9:05:30:1",
            "a:05",
            "2024-01-01 09:05",
            "",
            ":",
        ] {
            assert!(!is_clock(value), "{value}");
        }
    }

    #[test]
    fn runs_of_equal_values_are_counted() {
        let mut sequence = Sequence::new();
        assert!(!sequence.is_clock());
        for (value, hash) in [("10:00", 1), ("10:00", 1), ("11:00", 2), ("10:00", 1)] {
            sequence.see(value, hash);
        }
        assert_eq!((sequence.runs, sequence.is_clock()), (3, true));
        sequence.see("noon", 3);
        assert!(!sequence.is_clock());
    }
}
