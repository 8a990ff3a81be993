//! What is written around columns of floats, and where nothing is.

use bakeoff_workload::Column;

use super::super::{SqlDialect, translated};
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
            column("heat", ColumnType::Float),
            column("load", ColumnType::Float),
            column("level", ColumnType::Double),
        ],
        partition_key: vec!["room".to_owned()],
        order_key: vec!["time".to_owned()],
    }
}

#[test]
fn what_is_computed_with_floats_is_computed_with_doubles() {
    for (sql, expected) in [
        (
            "SELECT avg(heat), sum(r.heat * 3) AS s FROM readings r",
            "SELECT avg(CAST(heat AS DOUBLE)), sum(CAST(r.heat AS DOUBLE) * 3) AS s FROM readings r",
        ),
        (
            "SELECT room FROM readings WHERE \"heat\" > 0.1 AND -heat < load",
            "SELECT room FROM readings WHERE CAST(\"heat\" AS DOUBLE) > 0.1 \
             AND -CAST(heat AS DOUBLE) < CAST(load AS DOUBLE)",
        ),
        (
            "SELECT max(heat) - min(heat) FROM readings",
            "SELECT max(CAST(heat AS DOUBLE)) - min(CAST(heat AS DOUBLE)) FROM readings",
        ),
        (
            "SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY heat) FROM readings",
            "SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY CAST(heat AS DOUBLE)) FROM readings",
        ),
        (
            "SELECT CASE WHEN heat > 1 THEN heat ELSE 0 END FROM readings",
            "SELECT CASE WHEN CAST(heat AS DOUBLE) > 1 THEN CAST(heat AS DOUBLE) ELSE 0 END FROM readings",
        ),
        (
            "SELECT room FROM readings GROUP BY room, round(heat) HAVING max(heat) > ${x} ORDER BY heat / 2",
            "SELECT room FROM readings GROUP BY room, round(CAST(heat AS DOUBLE)) \
             HAVING max(CAST(heat AS DOUBLE)) > ${x} ORDER BY CAST(heat AS DOUBLE) / 2",
        ),
        (
            "SELECT count(*) FILTER (WHERE heat IN (1.5, load)), CAST(heat * 2 AS INT) FROM readings",
            "SELECT count(*) FILTER (WHERE CAST(heat AS DOUBLE) IN (1.5, CAST(load AS DOUBLE))), \
             CAST(CAST(heat AS DOUBLE) * 2 AS INT) FROM readings",
        ),
        (
            "SELECT m * 2 FROM (SELECT max(heat) AS m, heat AS h, heat FROM readings GROUP BY heat) AS q",
            "SELECT m * 2 FROM (SELECT max(CAST(heat AS DOUBLE)) AS m, CAST(heat AS DOUBLE) AS h, heat \
             FROM readings GROUP BY heat) AS q",
        ),
        (
            "SELECT heat - lag(heat) OVER (PARTITION BY room ORDER BY heat) FROM readings",
            "SELECT CAST(heat AS DOUBLE) - lag(CAST(heat AS DOUBLE)) OVER (PARTITION BY room ORDER BY heat) \
             FROM readings",
        ),
        (
            "SELECT room, max(heat) AS most FROM readings GROUP BY room HAVING max(heat) > 30 ORDER BY max(heat)",
            "SELECT room, max(CAST(heat AS DOUBLE)) AS most FROM readings GROUP BY room \
             HAVING max(CAST(heat AS DOUBLE)) > 30 ORDER BY max(CAST(heat AS DOUBLE))",
        ),
        (
            "SELECT lag(heat) OVER (ORDER BY time) AS before, heat - lag(heat) OVER (ORDER BY time) AS more \
             FROM readings",
            "SELECT lag(CAST(heat AS DOUBLE)) OVER (ORDER BY time) AS before, \
             CAST(heat AS DOUBLE) - lag(CAST(heat AS DOUBLE)) OVER (ORDER BY time) AS more FROM readings",
        ),
        (
            "SELECT quantile_cont(heat, 0.9) AS p, min(heat) AS least FROM readings",
            "SELECT quantile_cont(CAST(heat AS DOUBLE), 0.9) AS p, min(CAST(heat AS DOUBLE)) AS least FROM readings",
        ),
        (
            "SELECT heat::numeric(10, 2), CAST(heat AS DECIMAL(10, 2)), CAST(heat AS INT) FROM readings",
            "SELECT CAST(heat AS DOUBLE)::numeric(10, 2), CAST(CAST(heat AS DOUBLE) AS DECIMAL(10, 2)), \
             CAST(heat AS INT) FROM readings",
        ),
        (
            "SELECT h * 2 FROM (SELECT DISTINCT ON (room) heat h FROM readings) AS q",
            "SELECT h * 2 FROM (SELECT DISTINCT ON (room) CAST(heat AS DOUBLE) h FROM readings) AS q",
        ),
        (
            "SELECT * EXCEPT (heat), load * 2 AS twice FROM readings",
            "SELECT * EXCEPT (heat), CAST(load AS DOUBLE) * 2 AS twice FROM readings",
        ),
        (
            "SELECT last(heat, time) AS heat, sum(heat) AS total FROM readings",
            "SELECT last(heat, time) AS heat, sum(CAST(heat AS DOUBLE)) AS total FROM readings",
        ),
        (
            "SELECT room FROM readings WHERE heat IS DISTINCT FROM load AND load BETWEEN 1 AND heat",
            "SELECT room FROM readings WHERE CAST(heat AS DOUBLE) IS DISTINCT FROM CAST(load AS DOUBLE) \
             AND CAST(load AS DOUBLE) BETWEEN 1 AND CAST(heat AS DOUBLE)",
        ),
    ] {
        let found = widened(&table(), sql);
        assert_eq!(found.as_deref(), Some(expected));
        assert_eq!(widened(&table(), expected), None, "{expected}");
    }
}

#[test]
fn what_is_only_shown_or_ordered_by_stays() {
    for sql in [
        "SELECT heat, r.heat AS warmth FROM readings AS r ORDER BY heat DESC NULLS LAST, room LIMIT 5",
        "SELECT max(heat) AS most, count(heat), count(DISTINCT heat) FROM readings GROUP BY heat, (load)",
        "SELECT last_value(heat ORDER BY time) FILTER (WHERE room = 'a') AS heat FROM readings",
        "SELECT DISTINCT ON (heat) heat, time FROM readings ORDER BY heat, time DESC",
        "SELECT DISTINCT heat FROM readings WHERE heat IS NOT NULL AND load IS NULL",
        "SELECT DISTINCT heat warmth, r.load l FROM readings r ORDER BY warmth",
        "SELECT CAST(heat AS DOUBLE), heat::text, avg(CAST(heat AS REAL)) FROM readings",
        "SELECT avg(level) AS heat, heat(1), 'heat' FROM readings -- heat * 2\n WHERE level > 1",
        "WITH heat (room, heat) AS (SELECT room, level FROM readings) SELECT heat.room FROM heat",
        "SELECT a.room FROM readings a JOIN readings b USING (room, heat)",
        "SELECT * EXCLUDE (heat) FROM readings",
        "SELECT extract(load FROM time) AS part FROM readings",
        "SELECT * EXCEPT (heat) FROM readings",
        "SELECT row_number() OVER (ORDER BY heat) AS n FROM readings",
        "SELECT * FROM (WITH a AS (SELECT 1), heat AS (SELECT room FROM readings) SELECT * FROM heat) AS q",
        // The name stands for something else as well.
        "WITH racks(room, heat) AS (VALUES ('a', 'hot')) SELECT max(racks.heat) FROM readings JOIN racks USING (room)",
        "SELECT room FROM (SELECT room, count(*) AS heat FROM readings GROUP BY room) WHERE heat > 3",
        "SELECT sum(heat FROM readings",
    ] {
        assert_eq!(widened(&table(), sql), None, "{sql}");
    }
    let mut doubles = table();
    doubles.columns[2].kind = ColumnType::Double;
    doubles.columns[3].kind = ColumnType::Double;
    assert_eq!(widened(&doubles, "SELECT sum(heat) FROM readings"), None);
}

#[test]
fn the_columns_of_keys_of_groups_stay_in_parentheses() {
    let sql =
        "SELECT heat, sum(load) FROM readings GROUP BY GROUPING SETS ((heat), ()), ROLLUP (heat)";
    let expected = sql.replace("sum(load)", "sum(CAST(load AS DOUBLE))");
    assert_eq!(widened(&table(), sql), Some(expected));
}

#[test]
fn every_dialect_is_asked_for_doubles() {
    for (dialect, expected) in [
        (
            SqlDialect::Datafusion,
            "SELECT sum(CAST(heat AS DOUBLE)) FROM readings",
        ),
        (
            SqlDialect::Duckdb,
            "SELECT sum(CAST(heat AS DOUBLE)) FROM readings",
        ),
        (
            SqlDialect::Spark,
            "SELECT sum(CAST(heat AS DOUBLE)) FROM readings",
        ),
        (
            SqlDialect::Postgres,
            "SELECT sum(cast(heat AS double precision)) FROM readings",
        ),
    ] {
        let sql = "SELECT sum(heat) FROM readings";
        let found = translated(dialect, &table(), sql).unwrap();
        assert_eq!(found.as_deref(), Some(expected));
    }
    let shown = "SELECT heat FROM readings ORDER BY heat";
    assert_eq!(
        translated(SqlDialect::Datafusion, &table(), shown),
        Ok(None)
    );
}

fn with_uuids(dialect: SqlDialect, sql: &str) -> String {
    let mut table = table();
    for name in ["id", "owner"] {
        table.columns.push(Column {
            name: name.to_owned(),
            kind: ColumnType::Uuid,
        });
    }
    let translated = translated(dialect, &table, sql).unwrap();
    translated.unwrap_or_else(|| sql.to_owned())
}

const UUID: &str = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";

#[test]
fn uuids_that_are_shown_counted_or_compared_with_others_stay() {
    for sql in [
        "SELECT id, count(*) AS n, count(DISTINCT owner) AS o FROM readings GROUP BY id ORDER BY id DESC",
        "SELECT * FROM readings WHERE id = 'UUID' AND 'UUID' = owner AND owner <> ${x} AND ${x} <> id",
        "SELECT room FROM readings WHERE id IN ('UUID', ${x}) OR r.id NOT IN ('UUID')",
        "SELECT a.room FROM readings a JOIN readings b ON a.id = b.owner AND a.id != b.id",
        "SELECT room FROM readings WHERE id IN (SELECT owner FROM readings WHERE room = 'a')",
        "SELECT CASE WHEN id = 'UUID' THEN 1 ELSE 0 END AS own FROM readings WHERE owner IS NOT NULL",
        "SELECT count(*) AS id FROM readings GROUP BY id",
    ] {
        let sql = sql.replace("UUID", UUID);
        for dialect in [SqlDialect::Postgres, SqlDialect::Duckdb] {
            assert_eq!(with_uuids(dialect, &sql), sql);
        }
    }
}

#[test]
fn with_other_uuids_questions_compute_as_with_texts() {
    for (sql, expected) in [
        (
            "SELECT min(id), max(r.owner) AS m FROM readings r",
            "SELECT min(CAST(id AS VARCHAR)), max(CAST(r.owner AS VARCHAR)) AS m FROM readings r",
        ),
        (
            "SELECT room FROM readings WHERE id LIKE '6%' AND id > '6' AND id = 'none'",
            "SELECT room FROM readings WHERE CAST(id AS VARCHAR) LIKE '6%' \
             AND CAST(id AS VARCHAR) > '6' AND CAST(id AS VARCHAR) = 'none'",
        ),
        (
            "SELECT room FROM readings WHERE id IN ('UUID', 'none') AND id = room AND id <= 'UUID'",
            "SELECT room FROM readings WHERE CAST(id AS VARCHAR) IN ('UUID', 'none') \
             AND CAST(id AS VARCHAR) = room AND CAST(id AS VARCHAR) <= 'UUID'",
        ),
        (
            "SELECT coalesce(id, '') AS i, lower(owner) || 'x' FROM readings ORDER BY lower(owner)",
            "SELECT coalesce(CAST(id AS VARCHAR), '') AS i, lower(CAST(owner AS VARCHAR)) || 'x' \
             FROM readings ORDER BY lower(CAST(owner AS VARCHAR))",
        ),
        (
            "SELECT room FROM readings WHERE id IN (SELECT room FROM readings) OR 'a' || id = 'UUID'",
            "SELECT room FROM readings WHERE CAST(id AS VARCHAR) IN (SELECT room FROM readings) \
             OR 'a' || CAST(id AS VARCHAR) = 'UUID'",
        ),
    ] {
        let [sql, expected] = [sql, expected].map(|sql| sql.replace("UUID", UUID));
        assert_eq!(with_uuids(SqlDialect::Duckdb, &sql), expected);
        let of_postgres = expected
            .replace(
                "CAST(r.owner AS VARCHAR)",
                "(CAST(r.owner AS TEXT) COLLATE \"C\")",
            )
            .replace("CAST(id AS VARCHAR)", "(CAST(id AS TEXT) COLLATE \"C\")")
            .replace(
                "CAST(owner AS VARCHAR)",
                "(CAST(owner AS TEXT) COLLATE \"C\")",
            );
        assert_eq!(with_uuids(SqlDialect::Postgres, &sql), of_postgres);
        assert_eq!(with_uuids(SqlDialect::Datafusion, &sql), sql);
    }
    // As it is in upper case it is another text.
    let sql = format!(
        "SELECT room FROM readings WHERE id = '{}'",
        UUID.to_uppercase()
    );
    assert!(with_uuids(SqlDialect::Duckdb, &sql).contains("CAST(id AS VARCHAR) ="));
}
