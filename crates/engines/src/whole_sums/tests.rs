use arrow::array::{Int32Array, Int64Array, StringArray};
use arrow::record_batch::RecordBatch;
use arrow::util::pretty::pretty_format_batches;
use bakeoff_columnar::{Column as TableColumn, Definition, Kind, MemoryStore, Table};
use datafusion::datasource::MemTable;
use datafusion::physical_plan::displayable;

use super::*;
use crate::right_answer::expected;
use crate::sql::{self, message};

/// Makes rows whose numbers wrap around on the way to most sums, in two parts.
fn rows() -> [RecordBatch; 2] {
    let part = |names: [&str; 4], large: [Option<i64>; 4], small: [i32; 4]| {
        let columns: [(&str, ArrayRef); 3] = [
            ("name", Arc::new(StringArray::from_iter_values(names))),
            ("large", Arc::new(Int64Array::from_iter(large))),
            ("small", Arc::new(Int32Array::from_iter_values(small))),
        ];
        RecordBatch::try_from_iter_with_nullable(
            columns.map(|(name, values)| (name, values, name == "large")),
        )
        .unwrap()
    };
    let (most, least) = (Some(i64::MAX), Some(i64::MIN));
    [
        part(
            ["a", "b", "a", "b"],
            [most, most, most, None],
            [1, i32::MAX, i32::MIN, 4],
        ),
        part(
            ["a", "b", "a", "c"],
            [least, least, least, Some(7)],
            [5, 6, 7, 8],
        ),
    ]
}

/// Makes a session over the rows as the table `t`, with a rule or without.
fn session_over_rows(rule: Option<WholeSums>) -> SessionContext {
    let parts = rows().map(|part| vec![part]).to_vec();
    let table = MemTable::try_new(parts[0][0].schema(), parts).unwrap();
    let session = sql::session_with(2, "t", Arc::new(table)).unwrap();
    if let Some(rule) = rule {
        session.add_analyzer_rule(Arc::new(rule));
    }
    session
}

async fn answer(session: &SessionContext, sql: &str) -> Result<String> {
    let batches = session.sql(sql).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

#[tokio::test]
async fn sums_within_64_bits_are_those_of_datafusion() {
    let plain = session_over_rows(None);
    for rule in [WholeSums::Wide, WholeSums::Compared] {
        let checked = session_over_rows(Some(rule));
        for sql in [
            "SELECT sum(large) FROM t",
            "SELECT sum(large) AS total, avg(large) AS mean, count(large) AS n, count(*), sum(small), sum(1) FROM t",
            "SELECT sum(large) / 2 + count(*) AS more, sum(large / 2 + 1), sum(large / 2 + 2) FROM t",
            "SELECT name, sum(large) AS total FROM t GROUP BY name ORDER BY name",
            "SELECT name, sum(large) FROM t GROUP BY ROLLUP (name) ORDER BY name",
            "SELECT name FROM t GROUP BY name HAVING sum(large) < 0 ORDER BY sum(large) DESC LIMIT 1",
            "SELECT sum(large) FILTER (WHERE small > 5), sum(large) FILTER (WHERE small = 5) FROM t",
            "SELECT sum(large) FROM t WHERE small > 100000 AND name = 'nobody'",
            "SELECT sum(DISTINCT large), sum(DISTINCT small), count(DISTINCT name) FROM t",
            "SELECT small, sum(large) OVER (ORDER BY name, small) FROM t WHERE name = 'b' ORDER BY small",
            "SELECT small, sum(large) OVER (PARTITION BY name) AS s, row_number() OVER (ORDER BY small) AS n
             FROM t ORDER BY small",
            "SELECT small, sum(large) OVER (ORDER BY small DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s
             FROM t WHERE small IN (1, 5, 2147483647) ORDER BY small",
            "SELECT sum(total) FROM (SELECT name, sum(large) AS total FROM t GROUP BY name)",
            "SELECT count(*) FROM t WHERE large > (SELECT sum(large) FROM t)",
            "SELECT u.small, (SELECT sum(t.large) FROM t WHERE t.name = u.name AND t.small < 8) AS s
             FROM t AS u ORDER BY u.small",
            "SELECT sum(CAST(large AS BIGINT UNSIGNED)) AS s FROM t WHERE large > 7 AND small <> 1",
            "SELECT sum(CAST(large AS DOUBLE)) FROM t WHERE large > 0",
        ] {
            let wanted = answer(&plain, sql).await;
            let found = answer(&checked, sql).await;
            assert_eq!(found.unwrap(), wanted.unwrap(), "{rule:?}: {sql}");
        }
    }
}

#[tokio::test]
async fn sums_beyond_64_bits_are_errors_that_say_what_to_write() {
    let instead = "write sum(CAST(t.large AS DOUBLE))";
    for rule in [WholeSums::Wide, WholeSums::Compared] {
        let session = session_over_rows(Some(rule));
        for (sql, words) in [
            ("SELECT sum(large) AS s FROM t WHERE large > 0", instead),
            ("SELECT sum(large) AS s FROM t WHERE large < 0", instead),
            (
                "SELECT name, count(*), sum(large) FROM t WHERE large > 0 GROUP BY name ORDER BY name",
                instead,
            ),
            (
                "SELECT sum(large) FILTER (WHERE small < 0 OR small = 1) FROM t",
                instead,
            ),
            (
                "SELECT name FROM t WHERE large < 0 GROUP BY name HAVING sum(large) > 5",
                instead,
            ),
            (
                "SELECT sum(DISTINCT large) FROM t WHERE large > 0",
                "write sum(DISTINCT CAST(t.large AS DOUBLE))",
            ),
            (
                "SELECT sum(large) OVER (ORDER BY small) AS s FROM t",
                instead,
            ),
            (
                "SELECT count(*) FROM t WHERE small > (SELECT sum(large) FROM t WHERE large > 0)",
                instead,
            ),
            (
                "SELECT sum(large - 1) FROM t WHERE large > 0",
                "write sum(CAST(t.large AS DOUBLE) ...), with each column cast before anything is computed with it",
            ),
            (
                "SELECT sum(DISTINCT large - small) FROM t WHERE large > 0 AND small > 0",
                "write sum(DISTINCT CAST(t.large AS DOUBLE) ...), with each column cast before anything is computed \
                 with it",
            ),
            (
                "SELECT sum(9223372036854775807) FROM t",
                "write sum(...) with doubles alone in it, such as CAST(x AS DOUBLE) * 2.0",
            ),
        ] {
            let error = answer(&session, sql).await.unwrap_err();
            let error = message(&error);
            assert!(error.starts_with("sum("), "{rule:?}: {sql}: {error}");
            let said = "which is beyond whole numbers of 64 bits";
            assert!(error.contains(said), "{rule:?}: {sql}: {error}");
            assert!(error.ends_with(words), "{rule:?}: {sql}: {error}");
            assert!(!error.contains("Int64("), "{rule:?}: {sql}: {error}");
        }
    }
}

#[tokio::test]
async fn right_answers_beyond_64_bits_are_refused() {
    let session = session_over_rows(None);
    let right = expected(&session, "SELECT sum(large) AS s FROM t").await;
    assert_eq!(right.unwrap().rows(), 1);
    for (sql, words) in [
        (
            "SELECT sum(large) AS s FROM t WHERE large > 7",
            "sum(t.large) is 27670116110564327421, which is beyond whole numbers of 64 bits",
        ),
        (
            "SELECT name, sum(large) AS s FROM t WHERE large > 0 GROUP BY name ORDER BY s LIMIT 3",
            "sum(t.large) is 18446744073709551614, which is beyond whole numbers of 64 bits",
        ),
    ] {
        let error = expected(&session, sql).await.unwrap_err();
        let error = message(&error);
        assert!(error.starts_with(words), "{sql}: {error}");
    }
}

#[tokio::test]
async fn statistics_answer_sums_that_are_compared() {
    let columns = ["k", "v"].map(|name| TableColumn::new(name, Kind::Bigint));
    let definition = Definition::new(columns.to_vec(), &["k"], &[]);
    let table = Table::new(Arc::new(MemoryStore::new(definition).unwrap()), 0);
    let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(0..5_000));
    let rows = RecordBatch::try_from_iter([("k", Arc::clone(&keys)), ("v", keys)]).unwrap();
    let mut ingest = table.ingest();
    ingest.write(&rows).await.unwrap();
    ingest.finish().await.unwrap();
    let session = sql::session(2).unwrap();
    session.add_analyzer_rule(Arc::new(WholeSums::Compared));
    let session = bakeoff_columnar::sql::session(&session);
    bakeoff_columnar::sql::register(&session, "t", table).unwrap();
    let sql = "SELECT sum(v) AS total FROM t";
    assert!(answer(&session, sql).await.unwrap().contains("12497500"));
    let plan = session.sql(sql).await.unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    let plan = displayable(plan.as_ref()).indent(false).to_string();
    assert!(
        plan.contains("ColumnarStatistics") && !plan.contains("ColumnarScan"),
        "{plan}"
    );
}
