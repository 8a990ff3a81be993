//! `AT TIME ZONE`. Times of a workload's table are moments, in UTC. Behind a moment it is the time that clocks in a
//! zone show then, which has no zone: as PostgreSQL has it for its type `timestamptz`. Behind a literal it is the
//! moment at which they show it. All systems would take the times of a table, which have no zone there, for those of
//! clocks in the zone, and DataFusion alone would keep the zone.

use arrow::array::timezone::Tz;
use arrow::temporal_conversions::timestamp_us_to_datetime;
use bakeoff_workload::{LocalTime, Table, Zone};

use super::call::Call;
use super::casts::first_of_casts;
use super::given::{is, is_given, meaningful};
use super::literals::{content, time};
use super::sql_dialect::SqlDialect;
use super::tokens::{Kind, Token};
use super::types::KEYWORDS;
use super::units::{Unit, What, find, meaning, next, trimmed, units};

/// What is before a moment in the SQL of DataFusion, between it and the name of a zone, and behind that.
const BEFORE: &str = "to_local_time(arrow_cast(arrow_cast(";
const BETWEEN: &str = ", 'Timestamp(Microsecond, Some(\"UTC\"))'), 'Timestamp(Microsecond, Some(\"";
const BEHIND: &str = "\"))'))";
/// Names of the zone in which a table has its times.
const UTC: [&str; 2] = ["UTC", "Etc/UTC"];
/// The beginning of sentences about what is refused.
const HERE: &str = "AT TIME ZONE";

/// Writes local times and the moments of literals in the SQL of DataFusion.
///
/// # Errors
/// Returns a sentence that says what cannot be written so, and what to write.
pub fn local_times(parts: &mut Vec<Unit>) -> Result<(), String> {
    let mut from = 0;
    while let Some((at, behind)) = find(parts, from, &["at", "time", "zone"]) {
        let (zone, end) = zone_at(parts, behind)?;
        let begin = first_of_casts(parts, at).ok_or_else(no_time)?;
        if ends_with_zone(&parts[..at]) {
            return Err(with_zone());
        }
        let text = at_zone(&parts[begin..at], &zone)?;
        parts.splice(begin..end, [Unit::written(text)]);
        // Another one may follow.
        from = begin;
    }
    Ok(())
}

/// Reads the name of a zone at a place. Returns the place behind it, too.
fn zone_at(parts: &[Unit], from: usize) -> Result<(Zone, usize), String> {
    let place = next(parts, from);
    let name = place.and_then(|place| Some((content(&parts[place])?, place + 1)));
    let (name, end) = name.ok_or_else(|| {
        format!("{HERE} has no name of a zone behind it: write a text such as 'Europe/Berlin'")
    })?;
    let zone = Zone::parse(name).map_err(|why| format!("{HERE}: {why}"))?;
    // DataFusion takes only the spelling of the database.
    if !is_utc(name) && name.parse::<Tz>().is_err() {
        return Err(format!(
            "{HERE}: write `{name}` as the time zone database does, such as Europe/Berlin"
        ));
    }
    Ok((zone, end))
}

fn no_time() -> String {
    format!("{HERE} has no time before it: write a column, a function or a parenthesis there")
}

fn with_zone() -> String {
    format!(
        "{HERE} behind a time with a zone: leave its zone out, since times without one are moments in UTC"
    )
}

fn is_utc(name: &str) -> bool {
    UTC.iter().any(|utc| utc.eq_ignore_ascii_case(name))
}

/// Returns whether a type of several words ends here, such as that of `time::timestamp with time zone`.
fn ends_with_zone(parts: &[Unit]) -> bool {
    matches!(meaning(parts).as_slice(), [.., time, zone] if time.is("time") && zone.is("zone"))
}

/// Writes what clocks in a zone show at a time, or when they show it if it is a literal.
fn at_zone(operand: &[Unit], zone: &Zone) -> Result<String, String> {
    let sql = trimmed(operand);
    if has_words(&sql, &["with", "time", "zone"]) || has_words(&sql, &["timestamptz"]) {
        return Err(with_zone());
    }
    let is_utc = is_utc(zone.name());
    if let Some(text) = literal(operand) {
        let moment = moment(&sql, &text, zone)?;
        return Ok(if is_utc { sql } else { moment });
    }
    match meaning(operand).as_slice() {
        [text, ..] | [_, text, ..] if text.is_a(Kind::Text) => {
            return Err(format!(
                "{HERE} behind `{sql}`: write TIMESTAMP '2026-05-01 00:00:00' there, which clocks in the zone show"
            ));
        }
        [word] if word.is_one_of(&KEYWORDS) => return Err(no_time()),
        _ => {}
    }
    if has_words(&sql, &["to_local_time"]) {
        return Err(format!(
            "{HERE} behind a time of clocks in a zone, which several moments may have: leave the second one out, and \
             compare and return times of clocks, or moments without {HERE}"
        ));
    }
    if is_utc {
        return Ok(sql);
    }
    Ok(format!("{BEFORE}{sql}{BETWEEN}{}{BEHIND}", zone.name()))
}

/// Returns the text of `TIMESTAMP '2026-05-01'`, `'2026-05-01'::timestamp` or `CAST('2026-05-01' AS timestamp)`.
fn literal(operand: &[Unit]) -> Option<Unit> {
    let (text, kind) = match meaning(operand).as_slice() {
        [kind, text] if text.is_a(Kind::Text) => ((*text).clone(), (*kind).clone()),
        [text, first, second, kind] if first.is_sign(':') && second.is_sign(':') => {
            ((*text).clone(), (*kind).clone())
        }
        [cast, group] if cast.is("cast") && group.what == What::Group => {
            let inside = units(&group.text)?;
            match meaning(&inside).as_slice() {
                [text, word, kind] if word.is("as") => ((*text).clone(), (*kind).clone()),
                _ => return None,
            }
        }
        _ => return None,
    };
    (kind.is("timestamp") && text.is_a(Kind::Text)).then_some(text)
}

/// Writes the moment at which clocks in a zone show a literal.
fn moment(sql: &str, text: &Unit, zone: &Zone) -> Result<String, String> {
    let read = content(text).and_then(|inside| Some((inside, time(&text.text)?)));
    let (text, shown) = read.ok_or_else(|| {
        format!("{HERE} behind `{sql}`: it is no time such as TIMESTAMP '2026-05-01 00:00:00'")
    })?;
    let clock = text.get(10..).unwrap_or_default();
    if !clock
        .trim_start_matches(['T', 't', ' '])
        .chars()
        .all(is_of_clock)
    {
        return Err(format!(
            "{HERE} behind `{sql}`, which says its own zone: leave one of them out"
        ));
    }
    let parts_of_millisecond = shown.rem_euclid(1_000);
    let moment = match zone.local_time(shown.div_euclid(1_000)) {
        LocalTime::Once(moment) => moment.checked_mul(1_000),
        LocalTime::Twice(_) | LocalTime::Never => None,
    };
    let moment = moment
        .and_then(|moment| moment.checked_add(parts_of_millisecond))
        .and_then(timestamp_us_to_datetime);
    match moment {
        Some(moment) => Ok(format!(
            "TIMESTAMP '{}'",
            moment.to_string().replace(' ', "T")
        )),
        None => Err(format!(
            "{HERE}: clocks in {} showed {text} twice or never: write the moment in UTC, without {HERE}",
            zone.name()
        )),
    }
}

/// Returns whether a sign may be in the hours, minutes and seconds of a time without a zone.
fn is_of_clock(sign: char) -> bool {
    sign.is_ascii_digit() || matches!(sign, ':' | '.')
}

/// Returns whether these words follow each other somewhere in SQL.
fn has_words(sql: &str, words: &[&str]) -> bool {
    let all = meaningful(sql);
    all.windows(words.len())
        .any(|some| some.iter().zip(words).all(|(token, word)| is(token, word)))
}

/// Refuses a question in which a name may be that of local times already, since it is given in the question.
///
/// # Errors
/// Returns a sentence that says which name, and what to write.
pub fn check_names(table: &Table, sql: &str) -> Result<(), String> {
    let all = meaningful(sql);
    let is_at = |at: usize| {
        let words = all.get(at..at + 3).unwrap_or_default();
        let names = ["at", "time", "zone"];
        !words.is_empty() && words.iter().zip(names).all(|(token, name)| is(token, name))
    };
    // What is behind a text is a literal's moment, or the second one of two.
    let is_of_text = |at: usize| all[at - 1].kind == Kind::Text;
    let places: Vec<usize> = (1..all.len())
        .filter(|at| is_at(*at) && !is_of_text(*at))
        .collect();
    let queries = all.iter().filter(|token| is(token, "select")).count();
    if places.len() < 2 || queries < 2 {
        return Ok(());
    }
    // The `TIME` and the `ZONE` of these words are no names that are given.
    let is_of_zone = |at: usize| (at.saturating_sub(2)..=at).any(is_at);
    let others = (0..all.len()).filter(|at| !is_of_zone(*at));
    let words: Vec<Token<'_>> = others.map(|at| all[at]).collect();
    let may_be_local = |token: &Token<'_>| match token.kind {
        // That of a `CASE`.
        Kind::Word if is(token, "end") => false,
        Kind::Word => is_given(table, &words, &token.text.to_lowercase()),
        Kind::Name => is_given(table, &words, token.text.trim_matches(['"', '`'])),
        _ => false,
    };
    // The name of a type is no name of a column.
    let is_type = |at: usize| at >= 2 && all[at - 2].kind == Kind::Sign(':');
    let mut names = { places.into_iter() }
        .filter(|at| !is_type(*at))
        .map(|at| all[at - 1]);
    match names.find(may_be_local) {
        None => Ok(()),
        Some(name) => Err(format!(
            "{HERE} behind `{}`, which may have been given to times of clocks in a zone: give these another name than \
             a column of the table has, and write {HERE} behind columns of the table only",
            name.text
        )),
    }
}

/// Shortens local times to two arguments, for other dialects than that of DataFusion.
pub fn shorten(parts: &mut [Unit]) {
    for at in 1..parts.len() {
        if parts[at].what != What::Group || !parts[at - 1].is("to_local_time") {
            continue;
        }
        let begin = BEFORE.trim_start_matches("to_local_time(");
        let end = BEHIND.trim_end_matches(')');
        let inside = { parts[at].text.strip_prefix(begin) }
            .and_then(|inside| inside.strip_suffix(')')?.strip_suffix(end))
            .and_then(|inside| inside.rsplit_once(BETWEEN));
        if let Some((moment, zone)) = inside {
            parts[at].text = format!("{moment}, '{zone}'");
        }
    }
}

/// Writes the time of clocks in a zone.
///
/// # Errors
/// Returns what the dialect lacks.
pub fn local_time(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    let Some([moment, zone]) = call.exactly::<2>() else {
        return Err(format!("has no `to_local_time`, but {HERE} behind a time"));
    };
    match dialect {
        SqlDialect::Datafusion => Ok(None),
        SqlDialect::Postgres | SqlDialect::Duckdb | SqlDialect::DuckdbAlone => {
            Ok(Some(format!("({moment} {HERE} 'UTC' {HERE} {zone})")))
        }
        SqlDialect::Spark => Ok(Some(format!(
            "convert_timezone('UTC', {zone}, CAST({moment} AS TIMESTAMP_NTZ))"
        ))),
        SqlDialect::Sqlite => Err("has no time zones".to_owned()),
    }
}
