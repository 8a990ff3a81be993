//! Days of columns of the type `date`: their numbers since 1970-01-01, which Arrow has in 32 bits, and their text.

use jiff::Span;
use jiff::civil::{Date, date};

/// Milliseconds of a day.
pub const MILLISECONDS_OF_A_DAY: i64 = 86_400_000;
/// The first day of the calendar that all engines have, 0001-01-01.
pub const FIRST: i32 = -719_162;
/// Its last day, 9999-12-31.
pub const LAST: i32 = 2_932_896;

const EPOCH: Date = date(1970, 1, 1);

/// Returns whether a day is in the calendar that all engines have.
pub fn is_in_calendar(day: i32) -> bool {
    (FIRST..=LAST).contains(&day)
}

/// Returns the day that a text such as `2026-05-01` says.
pub fn of_text(text: &str) -> Option<i32> {
    let is_of_form = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    if text.len() != "2026-05-01".len() || !text.bytes().enumerate().all(is_of_form) {
        return None;
    }
    let day: Date = text.parse().ok()?;
    let day = day.since(EPOCH).ok()?.get_days();
    is_in_calendar(day).then_some(day)
}

/// Returns the day that begins at a time, in milliseconds since 1970; `None` if none does.
pub fn of_milliseconds(milliseconds: i64) -> Option<i32> {
    let day = i32::try_from(milliseconds / MILLISECONDS_OF_A_DAY).ok()?;
    let begins = milliseconds % MILLISECONDS_OF_A_DAY == 0;
    (begins && is_in_calendar(day)).then_some(day)
}

/// Returns when a day begins in UTC, in milliseconds since 1970.
pub fn milliseconds(day: i32) -> i64 {
    i64::from(day) * MILLISECONDS_OF_A_DAY
}

/// Returns a day as a text such as `2026-05-01`; `None` if it is out of the calendar.
pub fn written(day: i32) -> Option<String> {
    if !is_in_calendar(day) {
        return None;
    }
    let since = Span::new().try_days(day).ok()?;
    Some(EPOCH.checked_add(since).ok()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970_and_written_as_in_sql() {
        for (text, day) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2026-05-01", 20_574),
            ("0001-01-01", FIRST),
            ("9999-12-31", LAST),
        ] {
            assert_eq!(of_text(text), Some(day));
            assert_eq!(written(day).as_deref(), Some(text));
            assert_eq!(of_milliseconds(milliseconds(day)), Some(day));
        }
    }

    #[test]
    fn what_is_no_day_of_the_calendar_is_none() {
        for text in [
            "0000-12-31",
            "2026-02-30",
            "2026-5-1",
            "2026-05-01T00:00:00",
            "20260501",
            "+026-05-01",
            "",
        ] {
            assert_eq!(of_text(text), None, "{text}");
        }
        assert_eq!(written(FIRST - 1), None);
        assert_eq!(written(LAST + 1), None);
        assert_eq!(of_milliseconds(1), None);
        assert_eq!(of_milliseconds(i64::MAX), None);
        assert_eq!(of_milliseconds(milliseconds(LAST + 1)), None);
    }
}
