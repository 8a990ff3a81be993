//! Literals of times with an offset, such as `'2026-05-01T02:00:00+02:00'`, or with the name of a zone. DataFusion
//! takes them for the moment that they say, and other engines read them without the offset where times have no zone.

use arrow::temporal_conversions::timestamp_us_to_datetime;
use bakeoff_workload::{ColumnType, Table};

use super::given::{is, is_called, is_given, is_sign};
use super::literals::time;
use super::tokens::{Kind, Token, tokens};

/// Words behind which a condition may begin.
const BEFORE_CONDITIONS: [&str; 9] = [
    "where", "and", "or", "not", "on", "when", "having", "select", "then",
];
/// Words behind a literal that belong to it.
const OF_LITERALS: [&str; 2] = ["at", "collate"];
/// The bytes of a day, such as `2026-05-01`.
const DAY: usize = 10;
/// The most digits of a part of a second that are kept.
const MOST_DIGITS: usize = 6;

/// Writes each literal that is certain to be a time in UTC, without its offset. Returns `None` if there is none.
pub fn in_utc(table: &Table, sql: &str) -> Option<String> {
    let all = tokens(sql)?;
    let places: Vec<usize> = (0..all.len())
        .filter(|at| all[*at].is_meaningful())
        .collect();
    let words: Vec<Token<'_>> = places.iter().map(|place| all[*place]).collect();
    let mut columns: Vec<&str> = { table.columns.iter() }
        .filter(|column| column.kind == ColumnType::Timestamp)
        .map(|column| column.name.as_str())
        .collect();
    columns.retain(|name| !is_given(table, &words, name));
    let query = Query { words, columns };
    let mut texts: Vec<String> = all.iter().map(|token| token.text.to_owned()).collect();
    let mut has_changed = false;
    for (at, place) in places.into_iter().enumerate() {
        let moment = moment(all[place].text).filter(|_| query.is_time(at));
        if let Some(moment) = moment {
            texts[place] = moment;
            has_changed = true;
        }
    }
    has_changed.then(|| texts.concat())
}

/// Returns a literal with an offset or the name of a zone as one in UTC.
pub fn moment(text: &str) -> Option<String> {
    let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let (shown, zone) = inside.split_at(zone_at(inside)?);
    let (whole, part) = shown.split_once('.').unwrap_or((shown, ""));
    let is_kept = part.trim_end().len() <= MOST_DIGITS && whole.contains(':');
    if !is_kept || zone.eq_ignore_ascii_case("z") {
        return None;
    }
    Some(format!("'{}'", written(time(text)?)?))
}

/// Returns the time in UTC that a text with an offset or the name of a zone says, unless it is the one that the text
/// shows.
pub fn other_than_shown(inside: &str) -> Option<String> {
    let shown = &inside[..zone_at(inside)?];
    let moment = time(&format!("'{inside}'"))?;
    let is_other = time(&format!("'{}'", shown.trim_end())) != Some(moment);
    is_other.then(|| written(moment)).flatten()
}

/// Returns where the offset or the name of a zone begins in the text of a time, with the blank before it.
fn zone_at(inside: &str) -> Option<usize> {
    let clock = inside.get(DAY..)?.strip_prefix(['T', 't', ' '])?;
    let shown = clock.find(|sign: char| !(sign.is_ascii_digit() || matches!(sign, ':' | '.')))?;
    Some(inside.len() - clock.len() + shown)
}

fn written(micros: i64) -> Option<String> {
    let moment = timestamp_us_to_datetime(micros)?;
    Some(moment.to_string().replace(' ', "T"))
}

/// The tokens of a query that mean something.
struct Query<'a> {
    words: Vec<Token<'a>>,
    /// Names that are certain to be those of times.
    columns: Vec<&'a str>,
}

impl Query<'_> {
    /// Returns whether a text is certain to be a time.
    fn is_time(&self, at: usize) -> bool {
        if self.is_word(at + 1, &OF_LITERALS) {
            return false;
        }
        let is_typed = at > 0 && self.is_word(at - 1, &["timestamp"]);
        is_typed || self.is_cast(at) || self.is_before_column(at) || self.is_behind_column(at)
    }

    /// Returns whether a text alone is cast to a time without a zone.
    fn is_cast(&self, at: usize) -> bool {
        let has_colons = self.is_sign(at + 1, ":") && self.is_sign(at + 2, ":");
        let is_in_cast = at > 1
            && self.is_sign(at - 1, "(")
            && self.is_word(at - 2, &["cast", "try_cast"])
            && self.is_word(at + 1, &["as"]);
        has_colons && self.is_type(at + 3) || is_in_cast && self.is_type(at + 2)
    }

    /// Returns whether the type of times without a zone is at a place.
    fn is_type(&self, at: usize) -> bool {
        // Digits of a second may be between, as in `timestamp(3) with time zone`.
        let digits = if self.is_sign(at + 1, "(") { 3 } else { 0 };
        self.is_word(at, &["timestamp"]) && !self.is_word(at + 1 + digits, &["with"])
    }

    /// Returns whether a text is compared with the column of times behind it.
    fn is_before_column(&self, at: usize) -> bool {
        let mut next = at + 1;
        while self.is_sign(next, "<>=!") {
            next += 1;
        }
        let is_compared = next > at + 1 && self.begins(at);
        if self.is_sign(next + 1, ".") {
            next += 2;
        }
        is_compared && self.is_column(next) && self.ends(next + 1)
    }

    /// Returns whether a text is compared with the column of times before it.
    fn is_behind_column(&self, at: usize) -> bool {
        if !self.ends(at + 1) {
            return false;
        }
        let mut before = at;
        while before > 0 && self.is_sign(before - 1, "<>=!") {
            before -= 1;
        }
        if before < at {
            return self.is_column_before(before);
        }
        if at > 0 && self.is_word(at - 1, &["between"]) {
            return self.is_column_before(self.before_not(at - 1));
        }
        // The upper end of a range, behind a lower one that is a literal as well.
        if at > 2 && self.is_word(at - 1, &["and"]) && self.is_literal(at - 2) {
            let low = if self.is_word(at - 3, &["timestamp"]) {
                at - 3
            } else {
                at - 2
            };
            let is_range = low > 0 && self.is_word(low - 1, &["between"]);
            return is_range && self.is_column_before(self.before_not(low - 1));
        }
        // One of a list of literals.
        let is_of_list = |at: usize| {
            self.is_sign(at, ",") || self.is_literal(at) || self.is_word(at, &["timestamp"])
        };
        while before > 0 && is_of_list(before - 1) {
            before -= 1;
        }
        let is_list =
            before > 1 && self.is_sign(before - 1, "(") && self.is_word(before - 2, &["in"]);
        is_list && self.is_column_before(self.before_not(before - 2))
    }

    /// Returns the place of the `NOT` before a place, or that place.
    fn before_not(&self, at: usize) -> usize {
        let has_not = at > 0 && self.is_word(at - 1, &["not"]);
        at - usize::from(has_not)
    }

    /// Returns whether a column of times alone is before a place.
    fn is_column_before(&self, end: usize) -> bool {
        let Some(column) = end.checked_sub(1).filter(|column| self.is_column(*column)) else {
            return false;
        };
        let has_table = column > 1 && self.is_sign(column - 1, ".");
        self.begins(if has_table { column - 2 } else { column })
    }

    /// Returns whether what is compared may begin at a place.
    fn begins(&self, at: usize) -> bool {
        at.checked_sub(1).is_none_or(|before| {
            self.is_sign(before, "(,") || self.is_word(before, &BEFORE_CONDITIONS)
        })
    }

    /// Returns whether what is compared ends before a place.
    fn ends(&self, at: usize) -> bool {
        self.words.get(at).is_none_or(|token| {
            self.is_sign(at, "),;") || token.kind == Kind::Word && !self.is_word(at, &OF_LITERALS)
        })
    }

    fn is_column(&self, at: usize) -> bool {
        let token = self.words.get(at);
        token.is_some_and(|token| self.columns.iter().any(|name| is_called(token, name)))
    }

    fn is_literal(&self, at: usize) -> bool {
        let token = self.words.get(at);
        token.is_some_and(|token| matches!(token.kind, Kind::Text | Kind::Parameter))
    }

    fn is_word(&self, at: usize, words: &[&str]) -> bool {
        let token = self.words.get(at);
        token.is_some_and(|token| words.iter().any(|word| is(token, word)))
    }

    fn is_sign(&self, at: usize, signs: &str) -> bool {
        let token = self.words.get(at);
        token.is_some_and(|token| signs.chars().any(|sign| is_sign(token, sign)))
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::Column;

    use super::*;

    const OFFSET: &str = "'2024-03-31T02:00:00+02:00'";
    const UTC: &str = "'2024-03-31T00:00:00'";

    fn written(condition: &str) -> Option<String> {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let table = Table {
            name: "readings".to_owned(),
            columns: vec![
                column("room", ColumnType::Text),
                column("time", ColumnType::Timestamp),
            ],
            partition_key: vec!["room".to_owned()],
            order_key: vec!["time".to_owned()],
        };
        in_utc(
            &table,
            &format!("SELECT room FROM readings AS r {condition}"),
        )
    }

    #[test]
    fn literals_beside_times_are_written_in_utc() {
        for condition in [
            "WHERE time > OFFSET",
            "WHERE room = 'a' AND r.time <= OFFSET ORDER BY room",
            "WHERE (\"time\" <> OFFSET) -- OFFSET",
            "WHERE OFFSET < time AND room > 'b'",
            "WHERE NOT OFFSET >= r.time;",
            "WHERE time BETWEEN OFFSET AND OFFSET",
            "WHERE time NOT BETWEEN ${from} AND OFFSET AND room = 'a'",
            "WHERE time BETWEEN TIMESTAMP OFFSET AND OFFSET",
            "WHERE time IN ('2024-03-31T00:00:00', OFFSET, OFFSET)",
            "WHERE r.time NOT IN (TIMESTAMP OFFSET, OFFSET)",
            "WHERE time - INTERVAL '1 day' > TIMESTAMP OFFSET",
            "WHERE date_trunc('day', time) > OFFSET::timestamp",
            "WHERE date_trunc('day', time) > OFFSET::timestamp(3) without time zone",
            "WHERE time > CAST(OFFSET AS TIMESTAMP)",
            "WHERE time > try_cast(OFFSET AS timestamp(3)) AND room = 'a'",
        ] {
            let comment = "-- OFFSET";
            let given = condition.replace(comment, "--").replace("OFFSET", OFFSET);
            let expected = condition.replace(comment, "--").replace("OFFSET", UTC);
            let expected = format!("SELECT room FROM readings AS r {expected}");
            assert_eq!(written(&given), Some(expected), "{condition}");
        }
    }

    #[test]
    fn offsets_are_read_in_every_spelling() {
        for (given, expected) in [
            ("'2024-03-31 02:00:00+02'", "'2024-03-31T00:00:00'"),
            (
                "'2024-03-30 19:30:00.250-0430'",
                "'2024-03-31T00:00:00.250'",
            ),
            ("'2024-03-31T00:00:00+00:00'", "'2024-03-31T00:00:00'"),
            ("'2024-03-31 02:00:00 +02:00'", "'2024-03-31T00:00:00'"),
            (
                "'2024-03-31 01:00:00 Europe/Paris'",
                "'2024-03-31T00:00:00'",
            ),
        ] {
            assert_eq!(moment(given).as_deref(), Some(expected), "{given}");
        }
        for other in [
            "'2024-03-31'",
            "'2024-03-31T02:00:00'",
            "'2024-03-31T02:00:00Z'",
            "'2024-03-31T02:00:00.1234567+02:00'",
            "'2024-03-31T02+02:00'",
            "'2024-03-31 02:30:00 Europe/Paris'",
            "'2024-03-31 02:00:00 Europe/Nowhere'",
            "'2024-13-31T02:00:00+02:00'",
            "'a very long name -+'",
            "'größe und Länge'",
            "time",
        ] {
            assert_eq!(moment(other), None, "{other}");
        }
    }

    #[test]
    fn a_text_says_another_time_than_it_shows_or_the_same() {
        for (text, other) in [
            ("2024-03-31T02:00:00+02:00", Some("2024-03-31T00:00:00")),
            ("2024-03-31 00:30:00 -05:00", Some("2024-03-31T05:30:00")),
            (
                "2024-07-01 00:00:00 Europe/London",
                Some("2024-06-30T23:00:00"),
            ),
            ("2024-01-01 00:00:00 Europe/London", None),
            ("2024-03-31T02:00:00Z", None),
            ("2024-03-31T02:00:00+00:00", None),
            ("2024-03-31 02:00:00 UTC", None),
            ("2024-03-31T02:00:00", None),
            ("2024-03-31", None),
            ("lab-1 and the rest of it", None),
        ] {
            assert_eq!(other_than_shown(text).as_deref(), other, "{text}");
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for condition in [
            "WHERE room = OFFSET",
            "WHERE room || time > OFFSET",
            "WHERE lower(time) > OFFSET",
            "WHERE room IN (OFFSET) AND time > '2024-03-31'",
            "WHERE room BETWEEN 'a' AND OFFSET",
            "WHERE time > 'a' || OFFSET",
            "WHERE time > OFFSET || room",
            "WHERE time > OFFSET::text",
            "WHERE time > OFFSET::timestamp with time zone",
            "WHERE time > CAST(OFFSET AS TEXT)",
            "WHERE time > CAST(OFFSET AS timestamp(3) with time zone)",
            "WHERE time > CAST(room || OFFSET AS TIMESTAMP)",
            "WHERE time > TIMESTAMP OFFSET AT TIME ZONE 'UTC'",
            "WHERE 'a' || OFFSET < time",
            "JOIN (SELECT room AS time FROM readings) AS s ON s.time > OFFSET",
        ] {
            assert_eq!(
                written(&condition.replace("OFFSET", OFFSET)),
                None,
                "{condition}"
            );
        }
    }
}
