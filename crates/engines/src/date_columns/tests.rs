use datafusion::prelude::SessionContext;

use super::*;

async fn complaint_of(sql: &str) -> Option<String> {
    let session = SessionContext::new();
    let made = "CREATE TABLE t AS SELECT TIMESTAMP '2026-05-01' AS time, DATE '2026-05-01' AS day, 'a' AS host";
    session.sql(made).await.unwrap();
    complaint(&session.state().create_logical_plan(sql).await.unwrap())
}

/// Checks what questions are told.
async fn assert_told(told: &[(&str, &str)]) {
    for (sql, what) in told {
        let complaint = complaint_of(sql).await.unwrap_or_default();
        assert!(complaint.ends_with(what), "{sql}: {complaint}");
    }
}

async fn assert_taken(questions: &[&str]) {
    for sql in questions {
        assert_eq!(complaint_of(sql).await, None, "{sql}");
    }
}

#[tokio::test]
async fn what_computes_with_a_date_is_refused_with_what_to_write() {
    for sql in [
        "SELECT day + INTERVAL '1 day' AS next FROM t",
        "SELECT max(day) - min(day) AS days FROM t",
        "SELECT day - DATE '2026-01-01' AS days FROM t",
        "SELECT date_trunc('month', day) AS month, count(*) AS n FROM t GROUP BY month",
        "SELECT extract(year FROM day) AS year FROM t",
        "SELECT host FROM t WHERE date_part('month', day) = 5",
        "SELECT s.d - INTERVAL '1 day' AS d FROM (SELECT max(day) AS d FROM t) AS s",
        "SELECT host FROM t WHERE host IN (SELECT s.host FROM t AS s WHERE s.day - s.day IS NULL)",
        "SELECT host FROM t WHERE day > (SELECT max(day) FROM t) - INTERVAL '7 days'",
        "SELECT host FROM t WHERE EXISTS (SELECT s.host FROM t AS s WHERE s.time > t.day + INTERVAL '1 day')",
        "WITH s AS (SELECT host, day AS d FROM t) SELECT s.d + INTERVAL '1 day' AS d FROM s ORDER BY d",
        "SELECT u.d + INTERVAL '1 day' AS d FROM (SELECT time::date AS d FROM t UNION ALL SELECT day FROM t) AS u",
        "SELECT max(day) OVER (PARTITION BY host) - INTERVAL '1 day' AS d FROM t",
        "SELECT day - time::date AS days FROM t",
    ] {
        let complaint = complaint_of(sql).await.unwrap_or_default();
        assert!(complaint.contains(" AS TIMESTAMP)"), "{sql}: {complaint}");
    }
}

#[tokio::test]
async fn a_date_is_written_as_the_question_may_write_it() {
    assert_told(&[
        (
            "SELECT day + INTERVAL '1 day' AS next FROM t",
            "write CAST(day AS TIMESTAMP)",
        ),
        (
            "SELECT max(day) - min(day) AS days FROM t",
            "write CAST(max(day) AS TIMESTAMP)",
        ),
        (
            "SELECT coalesce(day, time::date) - INTERVAL '1 day' AS d FROM t",
            "write CAST(coalesce(day, CAST(time AS DATE)) AS TIMESTAMP)",
        ),
        (
            "SELECT max(coalesce(day, time::date)) - INTERVAL '1 day' AS d FROM t",
            "write CAST(max(coalesce(day, CAST(time AS DATE))) AS TIMESTAMP)",
        ),
        (
            "SELECT a.day - b.day AS days FROM t AS a JOIN t AS b ON a.host = b.host",
            "write CAST(a.day AS TIMESTAMP)",
        ),
        (
            "SELECT s.\"Day\" - INTERVAL '1 day' AS d FROM (SELECT day AS \"Day\" FROM t) AS s",
            "write CAST(\"Day\" AS TIMESTAMP)",
        ),
    ])
    .await;
    let complaint = complaint_of("SELECT day + 1 AS next FROM t").await.unwrap();
    assert!(
        complaint.contains("INTERVAL '1 day', instead of the number"),
        "{complaint}"
    );
}

#[tokio::test]
async fn what_reads_a_date_as_a_text_is_told_to_cast_it_to_one() {
    let text = "write CAST(day AS TEXT)";
    assert_told(&[
        ("SELECT host FROM t WHERE day LIKE '2026-05%'", text),
        ("SELECT host FROM t WHERE day NOT ILIKE '2026-05%'", text),
        ("SELECT day || 'a' AS written FROM t", text),
        ("SELECT concat(host, day) AS written FROM t", text),
    ])
    .await;
    assert_taken(&["SELECT host FROM t WHERE CAST(day AS TEXT) LIKE '2026-05%'"]).await;
}

#[tokio::test]
async fn where_no_other_question_has_the_same_answer_none_is_named() {
    assert_told(&[
        ("SELECT CAST(day AS BIGINT) AS number FROM t", "max(...)"),
        ("SELECT CAST(max(day) AS INT) AS number FROM t", "max(...)"),
    ])
    .await;
}

#[tokio::test]
async fn dates_are_compared_with_days_and_times_only() {
    let day = "write a day, such as DATE '2026-05-01'";
    let noon = "write the time as TIMESTAMP '2026-05-01T12:00:00', of UTC, or a day, such as DATE '2026-05-01'";
    let midnight = "write the day as DATE '2026-05-01'";
    assert_told(&[
        ("SELECT host FROM t WHERE day > 18000", day),
        ("SELECT host FROM t WHERE 18000 < day", day),
        ("SELECT host FROM t WHERE day BETWEEN 18000 AND 18010", day),
        ("SELECT host FROM t WHERE day < '2026-05-01T12:00:00'", noon),
        (
            "SELECT host FROM t WHERE day < '2026-05-01 14:00:00+02:00'",
            noon,
        ),
        (
            "SELECT host FROM t WHERE day IN ('2026-05-02', '2026-05-01T12:00:00Z')",
            noon,
        ),
        (
            "SELECT host FROM t WHERE day BETWEEN '2026-04-01' AND '2026-05-01 12:00:00'",
            noon,
        ),
        (
            "SELECT host, max(day) AS d FROM t GROUP BY host HAVING max(day) > '2026-05-01T12:00:00'",
            noon,
        ),
        (
            "SELECT CASE day WHEN '2026-05-01T12:00:00' THEN 1 ELSE 2 END AS n FROM t",
            noon,
        ),
        (
            "SELECT host FROM t WHERE '2026-05-01T00:00:00' = day",
            midnight,
        ),
        ("SELECT host FROM t WHERE day = '2026-5-1'", midnight),
    ])
    .await;
    let complaint = complaint_of("SELECT host FROM t WHERE day < '2026-05-01T12:00:00'").await;
    let start = "it compares the date `day` with '2026-05-01T12:00:00', a text that is not just a day, which engines";
    assert!(complaint.unwrap().starts_with(start));
}

#[tokio::test]
async fn dates_are_compared_grouped_ordered_counted_and_picked() {
    assert_taken(&[
        "SELECT day, count(*) AS n, count(DISTINCT day) AS m FROM t GROUP BY day ORDER BY day DESC",
        "SELECT host FROM t WHERE day >= '2026-05-01' AND day < DATE '2026-06-01' OR day IN ('2026-07-01')",
        "SELECT host, min(day) AS first, max(day) AS last FROM t GROUP BY host HAVING max(day) > '2026-05-01'",
        "SELECT host FROM t WHERE day BETWEEN '2026-05-01' AND '2026-05-02' AND day <> CAST(time AS DATE)",
        "SELECT lag(day) OVER (ORDER BY day) AS before, coalesce(day, DATE '2026-05-01') AS d FROM t",
        "SELECT date_trunc('month', CAST(day AS TIMESTAMP)) AS month FROM t",
        "SELECT CAST(day AS VARCHAR) AS written FROM t WHERE day IS NOT NULL AND day < time",
        "SELECT date_trunc('day', time) AS d, time - INTERVAL '1 day' AS before FROM t",
        "SELECT host FROM t WHERE day = (SELECT max(day) FROM t) AND time > DATE '2026-05-01' + INTERVAL '1 day'",
        "SELECT host FROM t WHERE day < TIMESTAMP '2026-05-01T12:00:00' AND day > NULL",
    ])
    .await;
}

#[tokio::test]
async fn dates_that_a_question_makes_of_times_are_computed_with() {
    assert_taken(&[
        "SELECT host FROM t WHERE time::date - INTERVAL '1 day' > '2026-01-02' AND day > '2026-01-02'",
        "SELECT max(time::date) - min(time::date) AS days, max(day) AS day FROM t",
        "SELECT extract(day FROM time::date) AS d FROM t",
        "SELECT date_trunc('month', CAST(time AS DATE)) AS month FROM t",
        "SELECT to_char(time::date, '%Y') AS year, day FROM t",
        "SELECT s.d + INTERVAL '1 day' AS d, s.day FROM (SELECT time::date AS d, day FROM t) AS s",
        "WITH s AS (SELECT time::date AS d, max(day) AS m FROM t GROUP BY time::date) \
         SELECT s.d - INTERVAL '1 day' AS d, s.m FROM s",
        "SELECT max(time::date) OVER (PARTITION BY day) - INTERVAL '1 day' AS d FROM t",
        "SELECT CASE WHEN day > '2026-01-01' THEN time::date END + INTERVAL '1 day' AS d FROM t",
        "SELECT CAST(CAST(day AS TIMESTAMP) AS DATE) + INTERVAL '1 day' AS d FROM t",
        "SELECT u.d + INTERVAL '1 day' AS d FROM (SELECT time::date AS d FROM t UNION ALL \
         SELECT DATE '2026-05-01' FROM t) AS u",
        "SELECT host FROM t WHERE time > (SELECT max(time::date) FROM t) - INTERVAL '7 days'",
        "SELECT host FROM t WHERE EXISTS (SELECT s.host FROM t AS s WHERE s.time > t.time::date + INTERVAL '1 day')",
        "SELECT host FROM t WHERE time::date < '2026-05-01T12:00:00'",
    ])
    .await;
}
