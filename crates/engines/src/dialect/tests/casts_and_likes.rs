//! Casts of floating-point numbers to whole ones, numbers with many digits, and `LIKE`.

use super::super::SqlDialect::{Datafusion, DuckdbAlone};
use super::*;

#[test]
fn numbers_with_more_digits_than_an_exact_decimal_have_an_exponent_for_duckdb() {
    for (sql, expected) in [
        (
            "value > 0.30000000000000004",
            "value > 0.30000000000000004e0",
        ),
        (
            "abs(value - (12.345678901234567)) < 1.5",
            "abs(value - (12.345678901234567e0)) < 1.5",
        ),
        ("value > 123456789.012345", "value > 123456789.012345"),
        (
            "value > 3.0000000000000004E-1",
            "value > 3.0000000000000004E-1",
        ),
        (
            "visits > 1234567890123456789",
            "visits > 1234567890123456789",
        ),
        (
            "note = '0.30000000000000004'",
            "note = '0.30000000000000004'",
        ),
    ] {
        for dialect in [Duckdb, DuckdbAlone] {
            assert_eq!(expression(dialect, sql), expected);
        }
        for dialect in [Postgres, Spark, Sqlite] {
            assert_eq!(expression(dialect, sql), sql);
        }
    }
}

#[test]
fn decimals_are_cut_off_before_a_cast_that_rounds() {
    for (sql, expected) in [
        ("CAST(value AS INT)", "CAST(trunc(value) AS INT)"),
        (
            "CAST( value / 2 /* half */ AS bigint )",
            "CAST(trunc(value / 2 /* half */) AS bigint )",
        ),
        ("value::int", "trunc(value)::int"),
        (
            "-readings.value :: bigint + 1",
            "-trunc(readings.value):: bigint + 1",
        ),
        ("(value * visits)::int", "trunc((value * visits))::int"),
        ("'2.5'::double::int", "trunc('2.5'::double)::int"),
        ("CAST(2.5 AS INT)", "CAST(trunc(2.5) AS INT)"),
        (
            "CAST(sum(value) AS BIGINT)",
            "CAST(trunc(sum(value)) AS BIGINT)",
        ),
        (
            "sum(CAST(coalesce(value, 0) AS INT)) FILTER (WHERE value > 1)",
            "sum(CAST(trunc(coalesce(value, 0)) AS INT)) FILTER (WHERE value > 1)",
        ),
        (
            "CAST(last_value(value ORDER BY time) AS INT)",
            "CAST(trunc(last_value(value ORDER BY time)) AS INT)",
        ),
        (
            "avg(visits) OVER (PARTITION BY room)::int",
            "trunc(avg(visits) OVER (PARTITION BY room))::int",
        ),
        (
            "CAST(CASE WHEN room = 'a' THEN value ELSE 0 END AS INT)",
            "CAST(trunc(CASE WHEN room = 'a' THEN value ELSE 0 END) AS INT)",
        ),
        (
            "CAST(CAST(value AS INT) / 2.0 AS INT)",
            "CAST(trunc(CAST(trunc(value) AS INT) / 2.0) AS INT)",
        ),
        ("round(value, 1)::int", "trunc(round(value, 1))::int"),
        ("variance(visits)::int", "trunc(variance(visits))::int"),
    ] {
        let (begin, end) = ("SELECT ", " FROM readings");
        let cut = super::super::casts::cut_off(&table(), &format!("{begin}{sql}{end}"));
        assert_eq!(cut, format!("{begin}{expected}{end}"));
    }
    let sql = "CAST(value AS INT)";
    for dialect in [Postgres, Duckdb, DuckdbAlone] {
        assert_eq!(expression(dialect, sql), "CAST(trunc(value) AS INT)");
    }
    for dialect in [Spark, Sqlite, Datafusion] {
        assert_eq!(expression(dialect, sql), sql);
    }
}

#[test]
fn what_is_not_certain_to_have_decimals_is_cast_as_it_is() {
    for sql in [
        "CAST(visits AS INT)",
        "visits::int",
        "CAST(visits * 2 + 1 AS BIGINT)",
        "CAST(note AS INT)",
        "CAST(value > 1 AS INT)",
        "(value IS NULL)::int",
        "CAST(${least} AS INT)",
        "CAST(floor(value) AS INT)",
        "round(value)::int",
        "CAST(value AS DOUBLE PRECISION)",
        "count(*)::bigint",
        "CAST(nothing AS INT)",
        "max(visits)::int",
    ] {
        assert_eq!(expression(Duckdb, sql), sql);
    }
    // A name of its own, one that is also given to something else, and one in a cast.
    for (sql, expected) in [
        (
            "SELECT m::int FROM (SELECT avg(visits) AS m FROM readings)",
            "SELECT trunc(m)::int FROM (SELECT avg(visits) AS m FROM readings)",
        ),
        (
            "SELECT value::int FROM (SELECT max(visits) AS value FROM readings)",
            "SELECT value::int FROM (SELECT max(visits) AS value FROM readings)",
        ),
        (
            "SELECT CAST(note AS INT) AS m, m::int FROM readings",
            "SELECT CAST(note AS INT) AS m, m::int FROM readings",
        ),
    ] {
        assert_eq!(query(Duckdb, sql), expected);
    }
}

#[test]
fn patterns_mean_the_same_in_every_dialect() {
    for (sql, dialect, expected) in [
        ("room LIKE 'a%'", Sqlite, "room GLOB 'a*'"),
        ("room NOT LIKE 'a_b'", Sqlite, "room NOT GLOB 'a?b'"),
        (
            r"room LIKE '[a]*?%\%\_\\it''s'",
            Sqlite,
            r"room GLOB '[[]a][*][?]*%_\it''s'",
        ),
        (
            r"room LIKE ('a\%') AND true",
            Sqlite,
            "room GLOB 'a%' AND true",
        ),
        (
            r"room LIKE 'a\_%' ESCAPE '\' m",
            Sqlite,
            "room GLOB 'a_*' m",
        ),
        ("room LIKE 'a%' m", Sqlite, "room GLOB 'a*' m"),
        (
            "room LIKE '%' || ${part} OR false",
            Sqlite,
            "room GLOB replace(replace(replace(replace(replace('%' || ${part}, '[', '[[]'), '*', '[*]'), '?', '[?]'), \
             '%', '*'), '_', '?') OR false",
        ),
        ("room ILIKE 'A%'", Sqlite, "room LIKE 'A%'"),
        (r"room ILIKE 'A\_%'", Sqlite, r"room LIKE 'A\_%' ESCAPE '\'"),
        (
            r"room NOT ILIKE ${part} AS m",
            Sqlite,
            r"room NOT LIKE ${part} ESCAPE '\' AS m",
        ),
        ("room LIKE 'a%'", Duckdb, "room LIKE 'a%'"),
        (r"room LIKE 'a\_%'", Duckdb, r"room LIKE 'a\_%' ESCAPE '\'"),
        (
            r"CASE WHEN room ILIKE 'a\_%' THEN 1 END",
            DuckdbAlone,
            r"CASE WHEN room ILIKE 'a\_%' ESCAPE '\' THEN 1 END",
        ),
        (
            r"room LIKE 'a\_%' ESCAPE '\'",
            Duckdb,
            r"room LIKE 'a\_%' ESCAPE '\'",
        ),
        (r"room LIKE 'a\_%\a\\'", Spark, r"room LIKE 'a\_%a\\'"),
        (
            r"room LIKE 'a\_%' ESCAPE '\' m",
            Spark,
            r"room LIKE 'a\_%' m",
        ),
        (r"room LIKE ('a\_%')", Spark, r"room LIKE ('a\_%')"),
        (r"room = 'a\b'", Spark, r"room = 'a\b'"),
        (r"room LIKE 'a\_%'", Postgres, r"room LIKE 'a\_%'"),
        (
            r"count(*) FILTER (WHERE room LIKE 'a\_%' AND value > 1)",
            Sqlite,
            "count(*) FILTER (WHERE room GLOB 'a_*' AND value > 1)",
        ),
        // A name without AS may follow any pattern.
        ("room LIKE ('a%') m", Sqlite, "room GLOB 'a*' m"),
        (
            "room LIKE note || '%' m",
            Sqlite,
            "room GLOB replace(replace(replace(replace(replace(note || '%', '[', '[[]'), '*', '[*]'), '?', '[?]'), \
             '%', '*'), '_', '?') m",
        ),
        (
            "max(room LIKE max(note) OVER w) OFFSET 5",
            Sqlite,
            "max(room GLOB replace(replace(replace(replace(replace(max(note) OVER w, '[', '[[]'), '*', '[*]'), \
             '?', '[?]'), '%', '*'), '_', '?')) OFFSET 5",
        ),
        (
            r"room ILIKE CASE WHEN value > 1 THEN 'a%' ELSE note END OR true",
            Sqlite,
            r"room LIKE CASE WHEN value > 1 THEN 'a%' ELSE note END ESCAPE '\' OR true",
        ),
        (
            "room ILIKE note OFFSET 5",
            Sqlite,
            r"room LIKE note ESCAPE '\' OFFSET 5",
        ),
        (
            r"room = 'a\b'::text",
            Spark,
            r"room = CAST('a\b' AS string)",
        ),
        (
            "room LIKE lower('A%') GROUP BY room",
            Sqlite,
            "room GLOB replace(replace(replace(replace(replace(lower('A%'), '[', '[[]'), '*', '[*]'), '?', '[?]'), \
             '%', '*'), '_', '?') GROUP BY room",
        ),
        // DataFusion refuses other signs.
        (
            "room LIKE 'a!%' ESCAPE '!'",
            Sqlite,
            "room LIKE 'a!%' ESCAPE '!'",
        ),
    ] {
        assert_eq!(expression(dialect, sql), expected, "{dialect:?}");
    }
}
