//! Whole queries, and what is refused.

use super::super::SqlDialect::Datafusion;
use super::super::position_of;
use super::*;

const ALL: [SqlDialect; 4] = [Postgres, Duckdb, Spark, Sqlite];

#[test]
fn nulls_are_where_datafusion_has_them() {
    for (sql, expected) in [
        (
            "SELECT * FROM readings ORDER BY value DESC, room, readings.note LIMIT 3",
            "SELECT * FROM readings ORDER BY value DESC NULLS FIRST, room, readings.note NULLS LAST LIMIT 3",
        ),
        (
            "SELECT room, row_number() OVER (ORDER BY value DESC ROWS 2 PRECEDING) AS n FROM readings \
             ORDER BY n, r.room OFFSET 1",
            "SELECT room, row_number() OVER (ORDER BY value DESC NULLS FIRST ROWS 2 PRECEDING) AS n FROM readings \
             ORDER BY n NULLS LAST, r.room OFFSET 1",
        ),
        (
            "SELECT room, max(value) AS range FROM readings GROUP BY room ORDER BY range, max(value) DESC -- d",
            "SELECT room, max(value) AS range FROM readings GROUP BY room ORDER BY range NULLS LAST, \
             max(value) DESC NULLS FIRST -- d",
        ),
        (
            "SELECT * FROM (SELECT * FROM readings ORDER BY note LIMIT 2) AS r ORDER BY time, value NULLS FIRST",
            "SELECT * FROM (SELECT * FROM readings ORDER BY note NULLS LAST LIMIT 2) AS r \
             ORDER BY time, value NULLS FIRST",
        ),
        (
            "SELECT room FROM readings ORDER BY room DESC, time",
            "SELECT room FROM readings ORDER BY room DESC, time",
        ),
    ] {
        assert_eq!(query(Spark, sql), expected);
        assert_eq!(query(SqlDialect::DuckdbAlone, sql), expected);
        assert_eq!(query(Duckdb, sql), sql);
    }
}

#[test]
fn keys_that_may_be_null_are_ordered_as_other_columns() {
    for (sql, expected) in [
        (
            "SELECT room, count(*) AS n FROM readings GROUP BY ROLLUP (room) ORDER BY room",
            "SELECT room, count(*) AS n FROM readings GROUP BY ROLLUP (room) ORDER BY room NULLS LAST",
        ),
        (
            "SELECT s.room, r.time FROM readings AS r LEFT JOIN readings AS s ON r.note = s.room ORDER BY s.room DESC",
            "SELECT s.room, r.time FROM readings AS r LEFT JOIN readings AS s ON r.note = s.room \
             ORDER BY s.room DESC NULLS FIRST",
        ),
        (
            "SELECT room, lag(time) OVER (ORDER BY room) AS time FROM readings ORDER BY room, time",
            "SELECT room, lag(time) OVER (ORDER BY room) AS time FROM readings ORDER BY room, time NULLS LAST",
        ),
        (
            "SELECT r.room FROM readings AS r JOIN readings AS s ON r.note = s.room ORDER BY r.room, time",
            "SELECT r.room FROM readings AS r JOIN readings AS s ON r.note = s.room ORDER BY r.room, time",
        ),
    ] {
        assert_eq!(query(Spark, sql), expected);
        assert_eq!(query(Sqlite, sql), expected);
        assert_eq!(query(Duckdb, sql), sql);
    }
}

#[test]
fn times_with_an_offset_are_asked_in_utc() {
    let sql = |text: &str| {
        format!(
            "SELECT room FROM readings WHERE time > '{text}' AND note <> '2026-05-01T02:00:00+02:00'"
        )
    };
    let given = sql("2026-05-01T02:00:00+02:00");
    for dialect in ALL {
        assert_eq!(query(dialect, &given), sql("2026-05-01T00:00:00"));
    }
    assert_eq!(query(Datafusion, &given), given);
}

#[test]
fn a_name_that_is_also_given_to_something_else_is_no_whole_number() {
    for (given, operator) in [
        ("avg(value)", "/"),
        ("value + 1", "/"),
        ("max(visits)", "div"),
        ("sum(visits) * 2", "div"),
    ] {
        let sql = |operator: &str| {
            format!(
                "SELECT visits {operator} 2 AS half FROM (SELECT {given} AS visits FROM readings)"
            )
        };
        assert_eq!(query(Spark, &sql("/")), sql(operator));
    }
}

#[test]
fn distinct_on_is_counted_where_it_is_lacking() {
    for (sql, expected) in [
        (
            "SELECT DISTINCT ON (room) room, value AS newest FROM readings WHERE value > ${least} \
             ORDER BY room, time DESC",
            "SELECT room, newest FROM (SELECT room, value AS newest, time AS bakeoff_order_2, row_number() OVER \
             (PARTITION BY room ORDER BY room, time DESC) AS bakeoff_place FROM readings WHERE value > ${least}) AS \
             bakeoff_counted WHERE bakeoff_place = 1 ORDER BY room, bakeoff_order_2 DESC",
        ),
        (
            "WITH r AS (SELECT 1) SELECT DISTINCT ON (day) date_trunc('day', time) AS day, room FROM readings \
             ORDER BY day LIMIT 2",
            "WITH r AS (SELECT 1) SELECT day, room FROM (SELECT date_trunc('day', time) AS day, room, row_number() \
             OVER (PARTITION BY date_trunc('day', time) ORDER BY date_trunc('day', time) NULLS LAST) AS bakeoff_place \
             FROM readings) AS bakeoff_counted WHERE bakeoff_place = 1 ORDER BY day NULLS LAST LIMIT 2",
        ),
    ] {
        assert_eq!(query(Spark, sql), expected);
        assert_eq!(query(Postgres, sql), sql);
    }
    let all = query(
        Sqlite,
        "SELECT DISTINCT ON (room) * FROM readings ORDER BY room, time DESC",
    );
    assert!(
        all.starts_with("SELECT \"room\", \"time\", \"value\", \"visits\", \"note\" FROM (SELECT"),
        "{all}"
    );
    assert!(
        all.ends_with("WHERE bakeoff_place = 1 ORDER BY \"room\", \"time\" DESC"),
        "{all}"
    );
}

#[test]
fn functions_of_other_systems_become_those_of_datafusion() {
    for (sql, expected) in [
        (
            "time_bucket('1 hour', time)",
            "date_bin(INTERVAL '1 hour', time, TIMESTAMP '2000-01-03')",
        ),
        (
            "time_bucket('1 month', time)",
            "date_bin(INTERVAL '1 month', time, TIMESTAMP '2000-01-01')",
        ),
        (
            "time_bucket(INTERVAL '1 day', time, ${from})",
            "date_bin(INTERVAL '1 day', time, ${from})",
        ),
        (
            "max_by(value, time)",
            "last_value(value ORDER BY time NULLS FIRST)",
        ),
        (
            "arg_min(value, time)",
            "first_value(value ORDER BY time NULLS LAST)",
        ),
        (
            "last(value, time)",
            "last_value(value ORDER BY time NULLS FIRST)",
        ),
        (
            "FIRST( value, time ) FILTER (WHERE value > 1) AS oldest",
            "first_value(value ORDER BY time NULLS LAST) FILTER (WHERE value > 1) AS oldest",
        ),
        (
            "percentile(value, 0.5)",
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY value)",
        ),
        ("variance(value)", "var_samp(value)"),
    ] {
        assert_eq!(expression(Datafusion, sql), expected);
    }
    let newest = expression(Datafusion, "max_by(value, time)");
    assert_eq!(expression(Spark, &newest), "max_by(value, time)");
    // What is called like TimescaleDB's functions and is none of them stays as it is.
    for sql in [
        "last(value)",
        "last(value, true)",
        "last(value ORDER BY time, room)",
        "last(value, time, room)",
        "first(value, time) OVER (PARTITION BY room)",
    ] {
        assert_eq!(expression(Datafusion, sql), sql);
    }
}

#[test]
fn the_newest_value_of_timescaledb_is_known_to_each_dialect() {
    let newest = expression(Datafusion, "last(value, time)");
    let oldest = expression(Datafusion, "first(value, time)");
    for (dialect, last, first) in [
        (
            Postgres,
            "(array_agg(value ORDER BY time DESC NULLS LAST))[1]",
            "(array_agg(value ORDER BY time NULLS LAST))[1]",
        ),
        (
            Duckdb,
            "last(value ORDER BY time NULLS FIRST)",
            "first(value ORDER BY time NULLS LAST)",
        ),
        (Spark, "max_by(value, time)", "min_by(value, time)"),
    ] {
        assert_eq!(expression(dialect, &newest), last);
        assert_eq!(expression(dialect, &oldest), first);
    }
}

#[test]
fn what_needs_no_change_stays_byte_for_byte() {
    for sql in [
        "SELECT 'median(value), 1::double', \"median\"(value), x.median (value) -- var(value)\n \
         FROM readings /* / */ ;",
        "SELECT room , avg( value )FROM readings GROUP BY room ORDER BY room",
        "SELECT date_trunc('hour', time) AS hour, max(value) FROM readings WHERE room = ${room} GROUP BY hour",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FROM readings",
        "SELECT last_value(value) OVER (PARTITION BY room ORDER BY time) FROM readings",
        "SELECT 'it''s', E'a\\'', $$ ' $$ FROM readings WHERE time > TIMESTAMP '2026-05-01' - INTERVAL '1 hour'",
        "SELECT ( does not end",
    ] {
        for dialect in [Postgres, Duckdb, Spark, Datafusion] {
            assert_eq!(query(dialect, sql), sql, "{dialect:?}");
        }
    }
    let deep = format!("SELECT {}1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(query(Spark, &deep), deep);
}

#[test]
fn comments_and_parameters_are_kept() {
    let sql = "SELECT median(value /* a, b */) -- c\n, '${room}', ${least} FROM readings -- d";
    assert_eq!(
        query(Postgres, sql),
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value /* a, b */) -- c\n, '${room}', ${least} \
         FROM readings -- d"
    );
    let ending = "SELECT quantile_cont(value -- a\n, 0.5) FROM readings";
    assert_eq!(
        query(Spark, ending),
        "SELECT percentile(value -- a\n, 0.5) FROM readings"
    );
}

#[test]
fn what_is_lacking_is_told() {
    for (sql, dialect, word) in [
        ("arrow_typeof(value)", Postgres, "arrow_typeof"),
        ("ENDS_WITH(room, 'a')", Postgres, "ENDS_WITH"),
        ("median(DISTINCT value)", Postgres, "median"),
        ("to_char(time, '%Y')", Spark, "to_char"),
        ("regexp_replace(note, 'a', 'b')", Spark, "regexp_replace"),
        ("to_char(time, '%f')", Duckdb, "to_char"),
        ("to_char(time, note)", Sqlite, "to_char"),
        ("to_timestamp(note, '%Y')", Postgres, "to_timestamp"),
        ("try_cast(note AS int)", Postgres, "try_cast"),
        (
            "last_value(value ORDER BY time, room DESC)",
            Spark,
            "last_value",
        ),
        ("date_bin(${width}, time)", Spark, "date_bin"),
        ("date_bin(INTERVAL '2 months', time)", Postgres, "date_bin"),
        ("date_bin(INTERVAL '10 ms', time)", Sqlite, "date_bin"),
        (
            "date_bin(INTERVAL '1 day', time, ${from})",
            Spark,
            "date_bin",
        ),
        ("stddev(value)", Sqlite, "stddev"),
        ("median(value)", Sqlite, "median"),
        ("CAST(note AS TIMESTAMP)", Sqlite, "CAST"),
        ("time + INTERVAL '1 hour'", Sqlite, "INTERVAL"),
    ] {
        let sql = format!("SELECT {sql} FROM readings");
        let lacking = translated(dialect, &table(), &sql).unwrap_err();
        assert_eq!(lacking.word, word, "{sql}");
        assert_eq!(
            position_of(&sql, &lacking.word),
            Some((1, sql.find(word).unwrap() + 1)),
            "{sql}"
        );
    }
    let star = "SELECT DISTINCT ON (room) * FROM readings AS r ORDER BY room";
    let unnamed = "SELECT DISTINCT ON (room) max(value) FROM readings ORDER BY room";
    for sql in [star, unnamed] {
        let lacking = translated(Spark, &table(), sql).unwrap_err();
        assert!(
            lacking.why.contains("unless each column has a name"),
            "{lacking:?}"
        );
    }
    assert_eq!(position_of("SELECT a,\n  b('c')", "B"), Some((2, 3)));
}

#[test]
fn texts_that_nobody_meant_as_sql_change_nothing_or_are_refused() {
    for sql in [
        "",
        "(",
        ")",
        "::",
        "a::",
        "::int",
        "cast()",
        "cast(a AS)",
        "/",
        "a / ",
        "extract()",
        "order by",
        "'",
    ] {
        for dialect in ALL {
            assert_eq!(query(dialect, sql), sql, "{dialect:?}");
        }
    }
    for sql in [
        "SELECT DISTINCT ON",
        "SELECT DISTINCT ON () FROM",
        "median()",
        "last_value(ORDER BY)",
    ] {
        for dialect in ALL {
            let _ = translated(dialect, &table(), sql);
        }
    }
}
