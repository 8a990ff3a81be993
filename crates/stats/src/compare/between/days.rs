//! Number of days between two moments in RFC 3339.

/// Returns the whole days between the dates of two moments. Returns `None` if either is not a date.
pub fn days_between(a: &str, b: &str) -> Option<i64> {
    Some((day(a)? - day(b)?).abs())
}

/// Returns the number of a date's day (Hinnant: chrono-compatible low-level date algorithms, 2021,
/// `days_from_civil`).
fn day(moment: &str) -> Option<i64> {
    let mut parts = moment.get(..10)?.split('-').map(str::parse::<i64>);
    let mut part = || parts.next()?.ok();
    let (year, month, day) = (part()?, part()?, part()?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    // Years begin in March, so that the leap day is the last one.
    let year = if month > 2 { year } else { year - 1 };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    is_date.then_some(365 * year + leap_days + of_year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_across_months_and_leap_days() {
        let between = |a, b| days_between(a, b);
        assert_eq!(
            between("2026-01-01T00:00:00Z", "2026-01-01T23:00:00Z"),
            Some(0)
        );
        assert_eq!(
            between("2028-02-28T00:00:00Z", "2028-03-01T00:00:00Z"),
            Some(2)
        );
        assert_eq!(
            between("2027-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
            Some(365)
        );
        assert_eq!(between("1970-01-01", "2026-11-23"), Some(20_780));
    }

    #[test]
    fn what_is_no_date_has_no_days() {
        for wrong in [
            "",
            "yesterday at 5",
            "2026-13-01T",
            "2026-00-01T",
            "2026/01/01",
        ] {
            assert_eq!(days_between(wrong, "2026-01-01"), None, "{wrong}");
        }
    }
}
