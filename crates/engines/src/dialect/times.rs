//! Functions of times.

use super::call::Call;
use super::literals::{Interval, SECOND, interval, time};
use super::offsets;
use super::sql_dialect::SqlDialect;
use super::units::{find, trimmed};

/// How SQLite writes a time in full, as its driver stores it.
const SQLITE_TIME: &str = "%Y-%m-%dT%H:%M:%S.000";
/// Beginnings of years that origins are, 1970 and 2000, in microseconds since 1970.
const BEGINNINGS_OF_YEARS: [i64; 2] = [0, 946_684_800 * SECOND];
/// The parts of a time that SQLite has, with their formats.
const SQLITE_PARTS: [(&str, &str); 8] = [
    ("year", "%Y"),
    ("month", "%m"),
    ("day", "%d"),
    ("hour", "%H"),
    ("minute", "%M"),
    ("second", "%S"),
    ("doy", "%j"),
    ("dow", "%w"),
];
/// The beginnings of a time that SQLite has, with their formats.
const SQLITE_BEGINNINGS: [(&str, &str); 6] = [
    ("year", "%Y-01-01T00:00:00.000"),
    ("month", "%Y-%m-01T00:00:00.000"),
    ("day", "%Y-%m-%dT00:00:00.000"),
    ("hour", "%Y-%m-%dT%H:00:00.000"),
    ("minute", "%Y-%m-%dT%H:%M:00.000"),
    ("second", SQLITE_TIME),
];

/// Writes the beginning of the interval that a time is in.
pub fn date_bin(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    let mut arguments = call.arguments().into_iter();
    let (Some(width), Some(at)) = (arguments.next(), arguments.next()) else {
        return Ok(None);
    };
    let origin = arguments.next();
    let length = interval(&width);
    match dialect {
        SqlDialect::Datafusion | SqlDialect::Duckdb => Ok(None),
        SqlDialect::DuckdbAlone => {
            let origin = origin.as_deref().unwrap_or("TIMESTAMP '1970-01-01'");
            Ok(Some(format!("time_bucket({width}, {at}, {origin})")))
        }
        SqlDialect::Postgres if !matches!(length, Some(Interval::Months(_))) => {
            let with_origin = || format!("date_bin({width}, {at}, TIMESTAMP '1970-01-01')");
            Ok(origin.is_none().then(with_origin))
        }
        _ => {
            let begin = match &origin {
                Some(origin) => time(origin),
                None => Some(0),
            };
            let begin = begin.ok_or_else(|| needs_literal("origin", "TIMESTAMP '1970-01-01'"))?;
            match length {
                Some(Interval::Months(months)) => month_bin(dialect, &at, months, begin).map(Some),
                Some(Interval::Micros(micros)) if dialect == SqlDialect::Spark => {
                    Ok(Some(spark_bin(&at, micros, begin)))
                }
                Some(Interval::Micros(micros)) if micros % SECOND == 0 && begin % SECOND == 0 => {
                    Ok(Some(sqlite_bin(&at, micros / SECOND, begin / SECOND)))
                }
                Some(Interval::Micros(_)) => {
                    Err("has no `date_bin` of parts of a second".to_owned())
                }
                None => Err(needs_literal("interval", "INTERVAL '10 minutes'")),
            }
        }
    }
}

fn needs_literal(what: &str, example: &str) -> String {
    format!(
        "has no `date_bin`, and can do the same only if its {what} is a literal such as {example}"
    )
}

/// Writes a bin of months, for dialects that have it only where it is a month or a year of the calendar.
fn month_bin(dialect: SqlDialect, at: &str, months: i64, begin: i64) -> Result<String, String> {
    let part = match months {
        1 => Some("month"),
        12 => Some("year"),
        _ => None,
    };
    let part = part.filter(|_| BEGINNINGS_OF_YEARS.contains(&begin));
    match (part, dialect) {
        (None, _) => Err(
            "has no `date_bin` of months, but of one month or one year from the beginning of a year on"
                .to_owned(),
        ),
        (Some(part), SqlDialect::Sqlite) => beginning(part, at),
        (Some(part), _) => Ok(format!("date_trunc('{part}', {at})")),
    }
}

/// Writes a bin of microseconds, which begin counting at `begin`, as Spark has it.
fn spark_bin(at: &str, micros: i64, begin: i64) -> String {
    // It counts moments alone, which times without a zone become in the session's zone: UTC.
    let at = format!("unix_micros(CAST({at} AS TIMESTAMP_LTZ))");
    let since = match begin {
        0 => at.clone(),
        begin => format!("{at} - ({begin}L)"),
    };
    format!("CAST(timestamp_micros({at} - pmod({since}, {micros}L)) AS TIMESTAMP_NTZ)")
}

/// Writes a bin of seconds, which begin counting at `begin`, as SQLite has it.
fn sqlite_bin(at: &str, seconds: i64, begin: i64) -> String {
    let at = format!("CAST(strftime('%s', {at}) AS INTEGER)");
    format!(
        "strftime('{SQLITE_TIME}', {at} - (({at} - ({begin})) % {seconds} + {seconds}) % {seconds}, 'unixepoch')"
    )
}

/// Writes the beginning of the hour, day or the like that a time is in.
pub fn date_trunc(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    let Some([part, at]) = call.exactly::<2>() else {
        return Ok(None);
    };
    match dialect {
        SqlDialect::Sqlite => {
            let part = part.trim_matches('\'').to_ascii_lowercase();
            beginning(&part, &at).map(Some)
        }
        _ => Ok((call.name != "date_trunc").then(|| call.renamed("date_trunc"))),
    }
}

/// Writes the beginning of the hour, day or the like that a time is in, as SQLite has it.
fn beginning(part: &str, at: &str) -> Result<String, String> {
    let known = SQLITE_BEGINNINGS.iter().find(|(name, _)| *name == part);
    match known {
        Some((_, format)) => Ok(format!("strftime('{format}', {at})")),
        None => Err(format!("cannot cut times to `{part}`")),
    }
}

/// Writes a part of a time, such as its hour.
pub fn part(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    let Some((part, at)) = part_of(call) else {
        return Ok(None);
    };
    let extracted = |part: &str| format!("extract({part} FROM {at})");
    Ok(match (dialect, part.as_str()) {
        // These have fractions in it, and DataFusion has none.
        (SqlDialect::Postgres | SqlDialect::Spark, "second" | "seconds") => {
            Some(format!("floor({})", extracted("second")))
        }
        (SqlDialect::Postgres, "millisecond" | "milliseconds") => {
            Some(format!("floor({})", extracted("milliseconds")))
        }
        // Sunday is 1.
        (SqlDialect::Spark, "dow") => Some(format!("({} - 1)", extracted("dow"))),
        (SqlDialect::Spark, "isodow") => Some(extracted("dayofweek_iso")),
        (SqlDialect::Spark, "epoch") => {
            Some(format!("(unix_micros(CAST({at} AS TIMESTAMP_LTZ)) / 1e6)"))
        }
        // Its times have milliseconds.
        (SqlDialect::Sqlite, "epoch") => Some(format!(
            "((CAST(strftime('%s', {at}) AS INTEGER) * 1000 + CAST(substr(strftime('%f', {at}), 4) AS INTEGER)) / \
             1000.0)"
        )),
        (SqlDialect::Sqlite, name) => {
            let known = SQLITE_PARTS.iter().find(|(known, _)| *known == name);
            let (_, format) = known.ok_or_else(|| format!("has no part `{name}` of times"))?;
            Some(format!("CAST(strftime('{format}', {at}) AS INTEGER)"))
        }
        _ => (call.name == "datepart").then(|| call.renamed("date_part")),
    })
}

/// Reads `extract(hour FROM time)` or `date_part('hour', time)`.
fn part_of(call: &Call) -> Option<(String, String)> {
    let (part, at) = if call.name == "extract" {
        let (place, behind) = find(&call.inside, 0, &["from"])?;
        (
            trimmed(&call.inside[..place]),
            trimmed(&call.inside[behind..]),
        )
    } else {
        let [part, at] = call.exactly::<2>()?;
        (part, at)
    };
    Some((part.trim_matches('\'').to_ascii_lowercase(), at))
}

/// Writes a time that is made of a text or of a number of units since 1970; `per_second` of them are a second.
pub fn to_timestamp(dialect: SqlDialect, call: &Call, per_second: u32) -> Option<String> {
    let [from] = call.exactly::<1>()?;
    if time(&from).is_some() {
        let text = &from[from.find('\'').unwrap_or(0)..];
        // Others ignore the offset in the text of a time without a zone.
        let in_utc = offsets::moment(text.trim_end());
        let text = in_utc.as_deref().unwrap_or(text);
        return (dialect != SqlDialect::Datafusion).then(|| format!("TIMESTAMP {text}"));
    }
    let seconds = match per_second {
        1 => from.clone(),
        _ => format!("({from}) / {per_second}.0"),
    };
    match dialect {
        SqlDialect::Datafusion => None,
        SqlDialect::Postgres => Some(format!("(to_timestamp({seconds}) AT TIME ZONE 'UTC')")),
        SqlDialect::Duckdb | SqlDialect::DuckdbAlone => {
            let micros = SECOND / i64::from(per_second);
            Some(format!(
                "make_timestamp(CAST(({from}) * {micros} AS BIGINT))"
            ))
        }
        SqlDialect::Spark => {
            let name = match per_second {
                1 => "timestamp_seconds",
                1_000 => "timestamp_millis",
                _ => "timestamp_micros",
            };
            Some(format!("{name}({from})"))
        }
        SqlDialect::Sqlite => Some(format!(
            "strftime('%Y-%m-%dT%H:%M:%f', {seconds}, 'unixepoch')"
        )),
    }
}

/// Writes the whole seconds from 1970 to a time.
pub fn to_unixtime(dialect: SqlDialect, call: &Call) -> Option<String> {
    let [at] = call.exactly::<1>()?;
    match dialect {
        SqlDialect::Datafusion => None,
        SqlDialect::Postgres => Some(format!("floor(extract(epoch FROM {at}))")),
        SqlDialect::Duckdb | SqlDialect::DuckdbAlone => {
            Some(format!("CAST(floor(epoch({at})) AS BIGINT)"))
        }
        SqlDialect::Spark => Some(format!("unix_timestamp({at})")),
        SqlDialect::Sqlite => Some(format!("CAST(strftime('%s', {at}) AS INTEGER)")),
    }
}
