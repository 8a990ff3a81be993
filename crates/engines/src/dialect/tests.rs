//! Every rule, as SQL and what becomes of it.

mod casts_and_likes;
mod queries;
mod zones;

use bakeoff_workload::{Column, ColumnType};

use super::SqlDialect::{Duckdb, Postgres, Spark, Sqlite};
use super::*;

fn table() -> Table {
    let column = |name: &str, kind| Column {
        name: name.to_owned(),
        kind,
    };
    Table {
        name: "readings".to_owned(),
        columns: vec![
            column("room", ColumnType::Text),
            column("time", ColumnType::Timestamp),
            column("value", ColumnType::Double),
            column("visits", ColumnType::Bigint),
            column("note", ColumnType::Text),
        ],
        partition_key: vec!["room".to_owned()],
        order_key: vec!["time".to_owned()],
    }
}

/// Returns an expression in a dialect.
fn expression(dialect: SqlDialect, expression: &str) -> String {
    let sql = format!("SELECT {expression} FROM readings");
    let other = query(dialect, &sql);
    let inside = other
        .strip_prefix("SELECT ")
        .and_then(|sql| sql.strip_suffix(" FROM readings"));
    inside.unwrap_or_else(|| panic!("{other}")).to_owned()
}

/// Returns a query in a dialect.
fn query(dialect: SqlDialect, sql: &str) -> String {
    let other = translated(dialect, &table(), sql);
    other
        .unwrap_or_else(|lacking| panic!("{sql}: {lacking:?}"))
        .unwrap_or_else(|| sql.to_owned())
}

#[test]
fn functions_are_written_as_each_dialect_has_them() {
    for (sql, dialect, expected) in [
        (
            "quantile_cont(value, 0.9)",
            Postgres,
            "percentile_cont(0.9) WITHIN GROUP (ORDER BY value)",
        ),
        (
            "quantile_cont(value, 0.9)",
            Duckdb,
            "quantile_cont(value, 0.9)",
        ),
        ("quantile_cont(value, 0.9)", Spark, "percentile(value, 0.9)"),
        (
            "percentile_cont(value, 0.9)",
            Duckdb,
            "quantile_cont(value, 0.9)",
        ),
        (
            "percentile_cont(value, 0.9) FILTER (WHERE value > 0) AS p",
            Postgres,
            "percentile_cont(0.9) WITHIN GROUP (ORDER BY value) FILTER (WHERE value > 0) AS p",
        ),
        (
            "approx_percentile_cont(value, 0.9, 200)",
            Spark,
            "percentile(value, 0.9)",
        ),
        (
            "approx_percentile_cont(0.9) WITHIN GROUP (ORDER BY value DESC)",
            Duckdb,
            "percentile_cont(0.9) WITHIN GROUP (ORDER BY value DESC)",
        ),
        (
            "median(value)",
            Postgres,
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY value)",
        ),
        ("approx_median(value)", Spark, "median(value)"),
        ("approx_distinct(room)", Sqlite, "count(DISTINCT room)"),
        (
            "approx_distinct(room) / 2",
            Spark,
            "count(DISTINCT room) div 2",
        ),
        (
            "last_value(value ORDER BY time)",
            Postgres,
            "(array_agg(value ORDER BY time DESC))[1]",
        ),
        (
            "last_value(value ORDER BY time)",
            Duckdb,
            "last(value ORDER BY time)",
        ),
        (
            "last_value(value ORDER BY time)",
            Spark,
            "max_by(value, time)",
        ),
        (
            "first_value(value ORDER BY time DESC, room DESC) FILTER (WHERE value > 1)",
            Postgres,
            "(array_agg(value ORDER BY time DESC, room DESC) FILTER (WHERE value > 1))[1]",
        ),
        (
            "first_value(value ORDER BY time DESC, room DESC) FILTER (WHERE value > 1)",
            Spark,
            "max_by(value, struct(time, room)) FILTER (WHERE value > 1)",
        ),
        (
            "first_value(value ORDER BY time)",
            Spark,
            "min_by(value, time)",
        ),
        (
            "date_bin(INTERVAL '7 hours', time)",
            Postgres,
            "date_bin(INTERVAL '7 hours', time, TIMESTAMP '1970-01-01')",
        ),
        (
            "date_bin(INTERVAL '10 minutes', time, TIMESTAMP '1970-01-01')",
            Spark,
            "CAST(timestamp_micros(unix_micros(CAST(time AS TIMESTAMP_LTZ)) - \
             pmod(unix_micros(CAST(time AS TIMESTAMP_LTZ)), 600000000L)) AS TIMESTAMP_NTZ)",
        ),
        (
            "date_bin(INTERVAL '1 second', time, TIMESTAMP '1969-12-31T23:59:59')",
            Spark,
            "CAST(timestamp_micros(unix_micros(CAST(time AS TIMESTAMP_LTZ)) - \
             pmod(unix_micros(CAST(time AS TIMESTAMP_LTZ)) - (-1000000L), 1000000L)) AS TIMESTAMP_NTZ)",
        ),
        (
            "date_bin(INTERVAL '7 hours', time)",
            SqlDialect::DuckdbAlone,
            "time_bucket(INTERVAL '7 hours', time, TIMESTAMP '1970-01-01')",
        ),
        (
            "date_bin(INTERVAL '1 month', time)",
            Spark,
            "date_trunc('month', time)",
        ),
        (
            "date_bin(INTERVAL '1 year', time, TIMESTAMP '2000-01-01')",
            Postgres,
            "date_trunc('year', time)",
        ),
        (
            "date_bin(INTERVAL '1 month', time)",
            Sqlite,
            "strftime('%Y-%m-01T00:00:00.000', time)",
        ),
        (
            "date_bin(INTERVAL '10 minutes', time)",
            Sqlite,
            "strftime('%Y-%m-%dT%H:%M:%S.000', CAST(strftime('%s', time) AS INTEGER) - \
             ((CAST(strftime('%s', time) AS INTEGER) - (0)) % 600 + 600) % 600, 'unixepoch')",
        ),
        (
            "date_trunc('hour', time)",
            Sqlite,
            "strftime('%Y-%m-%dT%H:00:00.000', time)",
        ),
        (
            "extract(dow FROM time)",
            Spark,
            "(extract(dow FROM time) - 1)",
        ),
        (
            "date_part('second', time)",
            Postgres,
            "floor(extract(second FROM time))",
        ),
        (
            "extract(hour FROM time)",
            Sqlite,
            "CAST(strftime('%H', time) AS INTEGER)",
        ),
        (
            "to_timestamp('2026-05-01')",
            Postgres,
            "TIMESTAMP '2026-05-01'",
        ),
        (
            "to_timestamp_millis(visits)",
            Postgres,
            "(to_timestamp((visits) / 1000.0) AT TIME ZONE 'UTC')",
        ),
        (
            "to_timestamp_seconds(visits)",
            Spark,
            "timestamp_seconds(visits)",
        ),
        (
            "to_timestamp(DATE '2026-05-01')",
            Sqlite,
            "TIMESTAMP '2026-05-01'",
        ),
        (
            "to_timestamp('2026-05-01T00:00:00+02:00')",
            Postgres,
            "TIMESTAMP '2026-04-30T22:00:00'",
        ),
        (
            "to_timestamp('2026-05-01T00:00:00+02:00')",
            Duckdb,
            "TIMESTAMP '2026-04-30T22:00:00'",
        ),
        (
            "extract(millisecond FROM time)",
            Postgres,
            "floor(extract(milliseconds FROM time))",
        ),
        (
            "extract(epoch FROM time)",
            Sqlite,
            "((CAST(strftime('%s', time) AS INTEGER) * 1000 + CAST(substr(strftime('%f', time), 4) AS INTEGER)) / \
             1000.0)",
        ),
        ("to_char(time, '%Y')", Duckdb, "strftime(time, '%Y')"),
        (
            "first_value(value ORDER BY time DESC, note NULLS LAST)",
            SqlDialect::DuckdbAlone,
            "first(value ORDER BY time DESC NULLS FIRST, note NULLS LAST)",
        ),
        (
            "concat(room, '-', note)",
            Spark,
            "concat_ws('', room, '-', note)",
        ),
        ("var(value)", Postgres, "var_samp(value)"),
        (
            "mean(value) OVER (PARTITION BY room)",
            Postgres,
            "avg(value) OVER (PARTITION BY room)",
        ),
        ("strpos(room, 'a')", Spark, "instr(room, 'a')"),
        ("position('a' IN room)", Sqlite, "instr(room, 'a')"),
        ("contains(room, 'a')", Postgres, "(strpos(room, 'a') > 0)"),
        ("nvl(note, '')", Duckdb, "coalesce(note, '')"),
        ("bool_and(value > 0)", Sqlite, "min(value > 0)"),
        ("log(value)", Spark, "log10(value)"),
        ("isnan(value)", Postgres, "((value) = 'NaN')"),
        (
            "round(value, 2)",
            Postgres,
            "(sign(value) * floor(abs(value) * 1e2 + 0.5) / 1e2)",
        ),
        (
            "max(median(value))",
            Postgres,
            "max(percentile_cont(0.5) WITHIN GROUP (ORDER BY value))",
        ),
    ] {
        assert_eq!(expression(dialect, sql), expected, "{dialect:?}");
    }
}

#[test]
fn casts_and_types_are_written_as_each_dialect_has_them() {
    for (sql, dialect, expected) in [
        (
            "CAST(value AS DOUBLE)",
            Postgres,
            "cast(value AS double precision)",
        ),
        (
            "CAST(value AS DOUBLE PRECISION)",
            Postgres,
            "CAST(value AS DOUBLE PRECISION)",
        ),
        ("value::float", Postgres, "value::real"),
        (
            "value::double precision",
            Postgres,
            "value::double precision",
        ),
        ("'NaN'::double", Spark, "CAST('NaN' AS double)"),
        (
            "max(value)::text || 'a'",
            Spark,
            "CAST(max(value) AS string) || 'a'",
        ),
        (
            "1 + readings.value :: int",
            Spark,
            "1 + CAST(readings.value AS int)",
        ),
        (
            "(value + 1)::decimal(10, 2)::text",
            Spark,
            "CAST(CAST((value + 1) AS decimal(10, 2)) AS string)",
        ),
        ("CAST(${least} AS STRING)", Sqlite, "cast(${least} AS text)"),
        (
            "sum(value) OVER (PARTITION BY room)::int",
            Spark,
            "CAST(sum(value) OVER (PARTITION BY room) AS int)",
        ),
        (
            "1 + sum(value) FILTER (WHERE value > 1) OVER w::int",
            Spark,
            "1 + CAST(sum(value) FILTER (WHERE value > 1) OVER w AS int)",
        ),
        (
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY value)::int",
            Spark,
            "CAST(percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS int)",
        ),
        (
            "CASE WHEN (value > 1)::boolean THEN CASE room WHEN 'a' THEN 1 END END::int",
            Spark,
            "CAST(CASE WHEN CAST((value > 1) AS boolean) THEN CASE room WHEN 'a' THEN 1 END END AS int)",
        ),
        (
            "value IN (1)::boolean",
            Spark,
            "value IN CAST((1) AS boolean)",
        ),
    ] {
        assert_eq!(expression(dialect, sql), expected, "{dialect:?}");
    }
}

#[test]
fn whole_numbers_are_divided_in_spark_as_elsewhere() {
    for (sql, expected) in [
        ("count(*) / 6", "count(*) div 6"),
        (
            "count(*) FILTER (WHERE value > 1) / 6",
            "count(*) FILTER (WHERE value > 1) div 6",
        ),
        ("visits/10", "visits div 10"),
        (
            "sum(visits) * 100 / count(value)",
            "sum(visits) * 100 div count(value)",
        ),
        (
            "(readings.visits + 1) / CAST(note AS int)",
            "(readings.visits + 1) div CAST(note AS int)",
        ),
        (
            "sum(visits) OVER (PARTITION BY room) / 2",
            "sum(visits) OVER (PARTITION BY room) div 2",
        ),
        (
            "avg(value) OVER (PARTITION BY visits) / 2",
            "avg(value) OVER (PARTITION BY visits) / 2",
        ),
        (
            "extract(hour FROM time) / 6",
            "extract(hour FROM time) div 6",
        ),
        ("value / 10", "value / 10"),
        ("value * visits / 2", "value * visits / 2"),
        ("visits / 2.0", "visits / 2.0"),
        ("sum(value) / count(*)", "sum(value) / count(*)"),
        ("hours / 2 /* visits / 2 */", "hours / 2 /* visits / 2 */"),
    ] {
        assert_eq!(expression(Spark, sql), expected);
        let alone = expression(SqlDialect::DuckdbAlone, sql);
        assert_eq!(alone, expected.replace("div", "//"));
        let has_decimals = sql.contains("sum(visits)") || sql.contains("extract");
        assert_eq!(expression(Postgres, sql) == sql, !has_decimals, "{sql}");
    }
}

#[test]
fn quotients_of_sums_and_of_parts_of_times_are_cut_for_postgresql() {
    for (sql, expected) in [
        (
            "1 + sum(visits) * 100 / count(value) FILTER (WHERE value > 1) + 1",
            "1 + trunc(sum(visits) * 100 / count(value) FILTER (WHERE value > 1)) + 1",
        ),
        ("sum(visits) / 2 / 3", "trunc(trunc(sum(visits) / 2) / 3)"),
        (
            "count(*) / (1 + sum(visits) OVER w)",
            "trunc(count(*) / (1 + sum(visits) OVER w))",
        ),
        (
            "date_part('hour', time) / 6 AS quarter",
            "trunc(date_part('hour', time) / 6) AS quarter",
        ),
        ("sum(value) / 2", "sum(value) / 2"),
        ("sum(visits) / 2.0", "sum(visits) / 2.0"),
        ("sum(visits) / 2::numeric", "sum(visits) / 2::numeric"),
    ] {
        assert_eq!(expression(Postgres, sql), expected);
    }
}
