//! Texts that stand for times and numbers, and whether DataFusion agrees.

use arrow::record_batch::RecordBatch;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;

use super::*;

async fn session() -> SessionContext {
    let session = SessionContext::new();
    let made = "CREATE TABLE t AS SELECT arrow_cast('2026-05-01', 'Timestamp(Millisecond, None)') AS time, \
                'a' AS host, 1 AS n";
    session.sql(made).await.unwrap();
    session
}

/// What is said of a question.
async fn said(session: &SessionContext, sql: &str) -> Vec<Unreadable> {
    unreadable(&session.state().create_logical_plan(sql).await.unwrap())
}

async fn run(session: &SessionContext, sql: &str) -> Result<Vec<RecordBatch>, DataFusionError> {
    session.sql(sql).await?.collect().await
}

#[tokio::test]
async fn what_datafusion_reads_as_a_time_is_taken() {
    let session = session().await;
    for sql in [
        "SELECT n FROM t WHERE time > '2026-05-01'",
        "SELECT n FROM t WHERE time > '2026-05-01T12:30:00'",
        "SELECT n FROM t WHERE time > '2026-05-01 12:30:00'",
        "SELECT n FROM t WHERE time > '2026-05-01 12:30:00.5'",
        "SELECT n FROM t WHERE time > '2026-05-01 12:30:00.123456789'",
        "SELECT n FROM t WHERE time > '2026-05-01T12:30:00Z'",
        "SELECT n FROM t WHERE time > '2026-05-01T12:30:00.250+02:00'",
        "SELECT n FROM t WHERE time > '2026-05-01 12:30:00+0200'",
        "SELECT n FROM t WHERE time > '2026-05-01 123000'",
        "SELECT n FROM t WHERE '2024-02-29' < time AND time < '2262-01-01'",
        "SELECT n FROM t WHERE time BETWEEN '2026-04-01' AND '2026-06-01'",
        "SELECT n FROM t WHERE time IN ('2026-05-01', '2026-05-02T00:00:00Z')",
        "SELECT n FROM t WHERE CAST(time AS DATE) = '2026-5-1'",
        "SELECT n FROM t WHERE time >= DATE '2026-05-01' AND time < TIMESTAMP '2026-05-02 00:00:00'",
        "SELECT n FROM t WHERE date_trunc('day', time) = '2026-05-01' AND time > NULL",
        "SELECT '2026-05-01'::timestamp AS seen, CAST('2026-05-01T12:30:00Z' AS TIMESTAMPTZ) AS more",
        "SELECT n FROM t WHERE host > '2024-13-45' AND host NOT IN ('2024-13-45', 'b')",
        "SELECT TRY_CAST('2024-13-45' AS TIMESTAMP) AS seen, '2024-13-45' AS text FROM t",
        "SELECT n FROM t WHERE n = '1' AND n IN ('1', '2') AND n * 0.5 < '1e3' AND host <> 'one'",
        "SELECT TRY_CAST('one' AS INT) AS one, CAST('1.5' AS DOUBLE) AS more, 'one' AS text FROM t",
    ] {
        let said = said(&session, sql).await;
        assert!(said.is_empty(), "{sql}: {said:?}");
        run(&session, sql).await.expect(sql);
    }
}

#[tokio::test]
async fn what_datafusion_cannot_read_as_a_time_is_named() {
    let session = session().await;
    for (sql, literal) in [
        ("SELECT n FROM t WHERE time > '2024-13-45'", "'2024-13-45'"),
        ("SELECT n FROM t WHERE time > '2026-02-29'", "'2026-02-29'"),
        ("SELECT n FROM t WHERE 'yesterday' <= time", "'yesterday'"),
        ("SELECT n FROM t WHERE time <> ''", "''"),
        (
            "SELECT n FROM t WHERE time > '2026-05-01 25:00:00'",
            "'2026-05-01 25:00:00'",
        ),
        (
            "SELECT n FROM t WHERE time > '2026-05-01 12:30'",
            "'2026-05-01 12:30'",
        ),
        (
            "SELECT n FROM t WHERE time BETWEEN '2026-05-01' AND '2026-05-32'",
            "'2026-05-32'",
        ),
        (
            "SELECT n FROM t WHERE time IN ('2026-05-01', 'o''clock')",
            "'o''clock'",
        ),
        (
            "SELECT n FROM t WHERE date_trunc('day', time) = '01.05.2026'",
            "'01.05.2026'",
        ),
        (
            "SELECT n FROM t WHERE CAST(time AS DATE) = '2026-13-01'",
            "'2026-13-01'",
        ),
        (
            "SELECT n FROM t WHERE time > TIMESTAMP '2024-13-45 00:00:00'",
            "'2024-13-45 00:00:00'",
        ),
        (
            "SELECT n FROM t WHERE time > DATE '2024-13-45'",
            "'2024-13-45'",
        ),
        ("SELECT '2024-13-45'::timestamp AS seen", "'2024-13-45'"),
        (
            "SELECT host FROM t GROUP BY host HAVING max(time) > '2024-13-45'",
            "'2024-13-45'",
        ),
        (
            "SELECT t.n FROM t JOIN t AS u ON t.n = u.n AND u.time > '2024-13-45'",
            "'2024-13-45'",
        ),
        (
            "SELECT n FROM t WHERE n IN (SELECT s.n FROM t AS s WHERE s.time > '2024-13-45')",
            "'2024-13-45'",
        ),
    ] {
        let said = said(&session, sql).await;
        assert_eq!(said.len(), 1, "{sql}: {said:?}");
        assert_eq!(said[0].literal, literal, "{sql}");
        assert!(said[0].why.contains("'2026-05-01'"), "{said:?}");
        assert!(run(&session, sql).await.is_err(), "{sql}");
    }
    let late = "SELECT n FROM t WHERE time < '9999-12-31'";
    let why = said(&session, late).await.pop().unwrap().why;
    assert!(why.contains("within the years 1678 to 2261"), "{why}");
    assert!(run(&session, late).await.is_err());
}

#[tokio::test]
async fn what_datafusion_cannot_read_as_a_number_is_named() {
    let session = session().await;
    for (sql, why) in [
        (
            "SELECT n FROM t WHERE n = 'one'",
            "'one' cannot be read as a whole number: write one without quotes, such as 5",
        ),
        (
            "SELECT n FROM t WHERE n IN ('1', '')",
            "'' cannot be read as a whole number: write one without quotes, such as 5",
        ),
        (
            "SELECT n FROM t WHERE n * 0.5 < '1,5'",
            "'1,5' cannot be read as a number: write one without quotes, such as 5.5",
        ),
        (
            "SELECT CAST('2026-05-01' AS DOUBLE) AS x FROM t",
            "'2026-05-01' cannot be read as a number: write one without quotes, such as 5.5",
        ),
    ] {
        let said = said(&session, sql).await;
        let said: Vec<&str> = said.iter().map(|found| found.why.as_str()).collect();
        assert_eq!(said, [why], "{sql}");
        assert!(run(&session, sql).await.is_err(), "{sql}");
    }
}

#[tokio::test]
async fn what_may_not_be_computed_is_left_alone() {
    let session = session().await;
    for sql in [
        "SELECT CASE WHEN n = 5 THEN CAST('2024-13-45' AS DATE) END AS seen FROM t",
        "SELECT coalesce(time, CAST('2024-13-45' AS TIMESTAMP)) AS seen FROM t",
    ] {
        let said = said(&session, sql).await;
        assert!(said.is_empty(), "{sql}: {said:?}");
    }
}
