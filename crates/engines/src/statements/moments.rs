//! Times in statements.

use bakeoff_workload::{days, literal, source};

use super::asking::Language;
use crate::live::duration;

/// The length of a window whose bounds are not known.
const USUAL_WINDOW: &str = "1h";
/// Characters of a day, behind which a sign is that of a zone.
const DAY: usize = "2026-01-01".len();

/// Returns the milliseconds since 1970 of a time as a statement has it, in UTC without a zone. Numbers are times in CQL
/// only. `None` if it is no time, or one that is finer than a millisecond.
pub fn milliseconds(text: &str, language: Language) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return (language == Language::Cql).then_some(number);
    }
    source::milliseconds(&with_whole_zone(text))
}

/// Writes a time of a statement as a workload has it; `None` if it is none.
pub fn time_literal(text: &str, language: Language) -> Option<String> {
    milliseconds(text, language).and_then(literal::timestamp)
}

/// Writes a day of a statement, which may be there as the midnight that it begins with; `None` if it is neither.
pub fn day_literal(text: &str) -> Option<String> {
    // Of numbers, which CQL has for days, too, none is a time.
    let midnight = milliseconds(text, Language::Sql)?;
    days::of_milliseconds(midnight).and_then(literal::date)
}

/// Writes a zone such as `+00` or `+0200` with hours and minutes, and a colon between them.
fn with_whole_zone(text: &str) -> String {
    let Some(at) = text.rfind(['+', '-']).filter(|at| *at > DAY) else {
        return text.to_owned();
    };
    let (time, zone) = text.split_at(at);
    let digits = &zone[1..];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.to_owned();
    }
    match digits.len() {
        2 => format!("{text}:00"),
        4 => format!("{time}{}:{}", &zone[..3], &zone[3..]),
        _ => text.to_owned(),
    }
}

/// Returns the length of a window between two times, as a workload writes it.
pub fn window(begin: Option<i64>, end: Option<i64>) -> String {
    let length = begin
        .zip(end)
        .and_then(|(begin, end)| end.checked_sub(begin));
    let length = length.and_then(|length| u64::try_from(length).ok());
    match length {
        None | Some(0) => USUAL_WINDOW.to_owned(),
        Some(length) if length.is_multiple_of(1_000) => duration(length / 1_000),
        Some(length) => format!("{length}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_servers_write_them() {
        let day = Some(1_777_593_600_000);
        for text in [
            "2026-05-01",
            "2026-05-01 00:00:00+00",
            "2026-05-01T02:00:00+0200",
            "2026-05-01 00:00:00.000Z",
            "2026-04-30 19:00:00-05",
        ] {
            assert_eq!(milliseconds(text, Language::Sql), day, "{text}");
        }
        assert_eq!(milliseconds("1777593600000", Language::Cql), day);
        for text in [
            "1777593600000",
            "yesterday",
            "",
            "2026-05-01 00:00:00.000001",
        ] {
            assert_eq!(milliseconds(text, Language::Sql), None, "{text}");
        }
    }

    #[test]
    fn days_are_read_as_themselves_and_as_midnights() {
        for text in ["2026-05-01", " 2026-05-01 ", "2026-05-01 00:00:00+00"] {
            let day = day_literal(text);
            assert_eq!(day.as_deref(), Some("DATE '2026-05-01'"), "{text}");
        }
        for text in ["2026-05-01 08:00:00", "2147504222", "today", ""] {
            assert_eq!(day_literal(text), None, "{text}");
        }
    }

    #[test]
    fn windows_are_as_long_as_the_statement_says() {
        assert_eq!(window(Some(0), Some(86_400_000)), "1d");
        assert_eq!(window(Some(0), Some(1_500)), "1500ms");
        assert_eq!(window(Some(5), Some(5)), "1h");
        assert_eq!(window(None, Some(5)), "1h");
    }
}
