//! `AT TIME ZONE`, first in the SQL of DataFusion, and then in other dialects.

use super::super::SqlDialect::{Datafusion, DuckdbAlone};
use super::*;

/// A local time in the SQL of DataFusion.
fn clocks(moment: &str, zone: &str) -> String {
    format!(
        "to_local_time(arrow_cast(arrow_cast({moment}, 'Timestamp(Microsecond, Some(\"UTC\"))'), \
         'Timestamp(Microsecond, Some(\"{zone}\"))'))"
    )
}

#[test]
fn local_times_are_those_of_clocks_wherever_they_are_written() {
    let berlin = |moment: &str| clocks(moment, "Europe/Berlin");
    let local = "AT TIME ZONE 'Europe/Berlin'";
    for (sql, expected) in [
        (
            format!("time {local} AS l"),
            format!("{} AS l", berlin("time")),
        ),
        (
            "date_trunc('hour', readings.time at  time /* of */ zone 'Europe/Berlin')".to_owned(),
            format!("date_trunc('hour', {})", berlin("readings.time")),
        ),
        (
            format!("date_bin(INTERVAL '1 day', time {local})"),
            format!("date_bin(INTERVAL '1 day', {})", berlin("time")),
        ),
        (
            format!("extract(hour FROM time {local})"),
            format!("extract(hour FROM {})", berlin("time")),
        ),
        (
            format!("max(time) {local} + INTERVAL '1 hour'"),
            format!("{} + INTERVAL '1 hour'", berlin("max(time)")),
        ),
        (
            format!("date_trunc('day', time) {local} = note::timestamp {local}"),
            format!(
                "{} = {}",
                berlin("date_trunc('day', time)"),
                berlin("note::timestamp")
            ),
        ),
        (
            format!("time - INTERVAL '1 day' < (time + INTERVAL '1 day') {local}"),
            format!(
                "time - INTERVAL '1 day' < {}",
                berlin("(time + INTERVAL '1 day')")
            ),
        ),
        (
            format!("max_by(time, value) {local}"),
            berlin("last_value(time ORDER BY value NULLS FIRST)"),
        ),
        // Times of a table are those of clocks that show UTC.
        ("time AT TIME ZONE 'UTC'".to_owned(), "time".to_owned()),
        ("time AT TIME ZONE 'utc'".to_owned(), "time".to_owned()),
        (format!("time AT TIME ZONE 'UTC' {local}"), berlin("time")),
        (
            format!("(time AT TIME ZONE 'UTC') {local}"),
            berlin("(time)"),
        ),
    ] {
        let written = expression(Datafusion, &sql);
        assert_eq!(written, expected);
        // It may be written once more.
        assert_eq!(expression(Datafusion, &written), expected);
    }
}

#[test]
fn literals_are_the_moments_at_which_clocks_show_them() {
    for (sql, expected) in [
        (
            "time >= TIMESTAMP '2026-05-01' AT TIME ZONE 'Europe/Berlin'",
            "time >= TIMESTAMP '2026-04-30T22:00:00'",
        ),
        (
            "timestamp '2026-01-01 00:00:00.5' AT TIME ZONE 'America/New_York'",
            "TIMESTAMP '2026-01-01T05:00:00.500'",
        ),
        (
            "TIMESTAMP '2026-05-01' AT TIME ZONE 'UTC'",
            "TIMESTAMP '2026-05-01'",
        ),
        (
            "time < '2026-05-01 12:00:00'::timestamp AT TIME ZONE 'Asia/Tokyo'",
            "time < TIMESTAMP '2026-05-01T03:00:00'",
        ),
        (
            "time < CAST('2026-05-01 12:00:00' AS TIMESTAMP) AT TIME ZONE 'Asia/Tokyo'",
            "time < TIMESTAMP '2026-05-01T03:00:00'",
        ),
        (
            "'2026-05-01'::timestamp AT TIME ZONE 'utc'",
            "'2026-05-01'::timestamp",
        ),
    ] {
        assert_eq!(expression(Datafusion, sql), expected);
    }
}

#[test]
fn each_dialect_has_local_times_without_a_zone() {
    let plain = expression(
        Datafusion,
        "date_trunc('day', r.time AT TIME ZONE 'Europe/Berlin') AS day",
    );
    let zones =
        "date_trunc('day', (r.time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin')) AS day";
    for (dialect, expected) in [
        (Postgres, zones),
        (Duckdb, zones),
        (DuckdbAlone, zones),
        (
            Spark,
            "date_trunc('day', convert_timezone('UTC', 'Europe/Berlin', CAST(r.time AS TIMESTAMP_NTZ))) AS day",
        ),
    ] {
        assert_eq!(expression(dialect, &plain), expected, "{dialect:?}");
    }
    for (sql, dialect) in [(plain.as_str(), Sqlite), ("to_local_time(time)", Postgres)] {
        let sql = format!("SELECT {sql} FROM readings");
        let lacking = translated(dialect, &table(), &sql).unwrap_err();
        assert_eq!(lacking.word, "to_local_time");
    }
    // What is around it is translated as elsewhere.
    let part = expression(
        Datafusion,
        "extract(minute FROM time AT TIME ZONE 'Asia/Tokyo') / 7",
    );
    assert_eq!(
        expression(Postgres, &part),
        "trunc(extract(minute FROM (time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo')) / 7)"
    );
}

#[test]
fn what_has_no_one_meaning_is_refused_with_what_to_write() {
    for (sql, why) in [
        (
            "SELECT time AT TIME ZONE room FROM readings",
            "has no name of a zone behind it",
        ),
        (
            "SELECT time AT TIME ZONE 'Berlin' FROM readings",
            "`Berlin` is no time zone",
        ),
        (
            "SELECT time AT TIME ZONE '+02:00' FROM readings",
            "`+02:00` is no time zone",
        ),
        (
            "SELECT time AT TIME ZONE 'europe/berlin' FROM readings",
            "as the time zone database does",
        ),
        (
            "SELECT date_trunc('day', time AT TIME ZONE 'Asia/Tokyo') AT TIME ZONE 'Asia/Tokyo' FROM readings",
            "leave the second one out",
        ),
        (
            "SELECT time AT TIME ZONE 'Asia/Tokyo' AT TIME ZONE 'UTC' FROM readings",
            "leave the second one out",
        ),
        (
            "SELECT l FROM (SELECT time AT TIME ZONE 'Asia/Tokyo' AS l FROM readings) \
             WHERE l AT TIME ZONE 'Asia/Tokyo' > '2026-05-01'",
            "behind `l`, which may have been given",
        ),
        (
            "SELECT l FROM (SELECT time AT TIME ZONE 'Asia/Tokyo' l FROM readings) \
             WHERE l AT TIME ZONE 'Asia/Tokyo' > '2026-05-01'",
            "behind `l`, which may have been given",
        ),
        (
            "SELECT l FROM (SELECT time AT TIME ZONE 'Asia/Tokyo' AS \"l\" FROM readings) \
             WHERE L AT TIME ZONE 'Asia/Tokyo' > '2026-05-01'",
            "behind `L`, which may have been given",
        ),
        (
            "SELECT l FROM (SELECT date_trunc('day', time AT TIME ZONE 'Asia/Tokyo') l FROM readings) \
             WHERE \"l\" AT TIME ZONE 'Asia/Tokyo' > '2026-05-01'",
            "behind `\"l\"`, which may have been given",
        ),
        (
            "WITH s(l) AS (SELECT time AT TIME ZONE 'Asia/Tokyo' FROM readings) SELECT l FROM s \
             WHERE l AT TIME ZONE 'Asia/Tokyo' > '2026-05-01'",
            "behind `l`, which may have been given",
        ),
        (
            "SELECT l FROM (SELECT time AT TIME ZONE 'Asia/Tokyo' FROM readings) AS s(l) \
             WHERE l AT TIME ZONE 'Asia/Tokyo' > '2026-05-01'",
            "behind `l`, which may have been given",
        ),
        (
            "SELECT CAST(time AS TIMESTAMP WITH TIME ZONE) AT TIME ZONE 'Asia/Tokyo' FROM readings",
            "leave its zone out",
        ),
        (
            "SELECT time::timestamptz AT TIME ZONE 'Asia/Tokyo' FROM readings",
            "leave its zone out",
        ),
        (
            "SELECT '2026-05-01'::timestamptz AT TIME ZONE 'Asia/Tokyo' FROM readings",
            "leave its zone out",
        ),
        (
            "SELECT note::timestamp with time zone AT TIME ZONE 'Asia/Tokyo' FROM readings",
            "leave its zone out",
        ),
        (
            "SELECT '2026-05-01'::date AT TIME ZONE 'Asia/Tokyo' FROM readings",
            "write TIMESTAMP '2026-05-01 00:00:00' there",
        ),
        (
            "SELECT 1 FROM readings WHERE time > '2026-05-01' AT TIME ZONE 'Asia/Tokyo'",
            "write TIMESTAMP '2026-05-01 00:00:00' there",
        ),
        (
            "SELECT 1 FROM readings WHERE time > DATE '2026-05-01' AT TIME ZONE 'Asia/Tokyo'",
            "write TIMESTAMP '2026-05-01 00:00:00' there",
        ),
        (
            "SELECT TIMESTAMP '2026-05-01T00:00:00Z' AT TIME ZONE 'Asia/Tokyo' FROM readings",
            "says its own zone",
        ),
        (
            "SELECT TIMESTAMP 'tomorrow' AT TIME ZONE 'Asia/Tokyo' FROM readings",
            "it is no time such as",
        ),
        (
            "SELECT TIMESTAMP '2026-10-25 02:30:00' AT TIME ZONE 'Europe/Berlin' FROM readings",
            "showed 2026-10-25 02:30:00 twice or never",
        ),
        (
            "SELECT AT TIME ZONE 'Asia/Tokyo' FROM readings",
            "no time before it",
        ),
        ("AT TIME ZONE 'Asia/Tokyo'", "no time before it"),
    ] {
        let refused = plain(sql).unwrap_err();
        assert!(refused.why.contains(why), "{sql}: {refused:?}");
        let place = sql.find("AT TIME").map(|at| (1, at + 1));
        assert_eq!(position_of(sql, &refused.word), place, "{sql}");
    }
}

#[test]
fn what_has_one_meaning_is_not_refused() {
    for sql in [
        // A name of the table that is given once more where there is no other query.
        "SELECT time AT TIME ZONE 'Asia/Tokyo' AS time FROM readings ORDER BY time AT TIME ZONE 'Asia/Tokyo'",
        // Literals give no local times, and two zones are those of one time.
        "SELECT max(time) AS m FROM (SELECT time AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo' AS time FROM readings \
         WHERE time >= TIMESTAMP '2026-05-01' AT TIME ZONE 'Asia/Tokyo') AS s",
        // A type is no name that is given.
        "SELECT CAST(a AS timestamp) AS c FROM (SELECT note::timestamp AT TIME ZONE 'Asia/Tokyo' AS a, \
         room::timestamp AT TIME ZONE 'Asia/Tokyo' AS b FROM readings) AS s",
        // Neither is a list of names that has others, nor what a CASE ends with.
        "WITH names(name) AS (VALUES ('a')) SELECT time AT TIME ZONE 'Asia/Tokyo' AS shown FROM readings \
         WHERE room IN (SELECT name FROM names) ORDER BY time AT TIME ZONE 'Asia/Tokyo'",
        "SELECT CASE WHEN room = 'a' THEN time END AT TIME ZONE 'Asia/Tokyo' AS m, \
         time AT TIME ZONE 'Asia/Tokyo' AS n FROM readings WHERE room IN (SELECT room FROM readings)",
        // A column may be called so.
        "SELECT max(time) FILTER (WHERE zone = 'a') AT TIME ZONE 'Asia/Tokyo' AS m FROM readings",
        "SELECT CAST(note AS timestamp without time zone) AT TIME ZONE 'Asia/Tokyo' AS m FROM readings",
        "SELECT CASE WHEN room = 'a' THEN time END AT TIME ZONE 'Asia/Tokyo' AS m FROM readings",
    ] {
        for written in [plain(sql), translated(Datafusion, &table(), sql)] {
            let written = written.unwrap_or_else(|refused| panic!("{sql}: {refused:?}"));
            assert!(
                written.is_some_and(|sql| sql.contains("to_local_time(")),
                "{sql}"
            );
        }
    }
}
