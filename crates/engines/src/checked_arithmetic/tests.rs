use arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::SessionContext;

use crate::right_answer::expected;
use crate::run_plan::message;

/// A session with a table of two rows, one of which has the largest number of each type.
async fn session() -> SessionContext {
    let session = SessionContext::new();
    let made = "CREATE TABLE t AS SELECT n, large, arrow_cast(small, 'Int32') AS small, name FROM
                (VALUES (1, 9223372036854775807, 2147483647, 'a'), (2, 3, 4, 'b')) AS v(n, large, small, name)";
    session.sql(made).await.unwrap();
    session
}

#[tokio::test]
async fn arithmetic_within_a_type_is_that_of_datafusion() {
    let session = session().await;
    for sql in [
        "SELECT n * 2 + 1 AS x, large - n AS y, small - 1 FROM t ORDER BY x",
        "SELECT large * 2 AS x FROM t WHERE n = 2",
        "SELECT large * 2.0 AS x, CAST(large AS DOUBLE) * n AS y FROM t ORDER BY n",
        "SELECT n, CASE WHEN n = 2 THEN large * 2 ELSE 0 END AS x FROM t ORDER BY n",
        "SELECT n * 2 AS k, count(*), sum(n + 1) AS s FROM t GROUP BY n * 2 ORDER BY k",
        "SELECT n, sum(n + 1) AS s FROM t GROUP BY ROLLUP (n) ORDER BY s",
        "SELECT n * 2 AS k, count(*) AS c FROM t GROUP BY ROLLUP (n * 2) ORDER BY k",
        "SELECT n + 1 AS k, name, sum(n * 2) AS s FROM t GROUP BY GROUPING SETS ((n + 1, name), (n + 1), (name)) \
         ORDER BY k, name",
        "SELECT abs(n - 2) AS k, n, count(*) AS c FROM t GROUP BY CUBE (abs(n - 2), n) ORDER BY k, n",
        "SELECT DISTINCT ON (n) n, n + 1 AS k, name FROM t ORDER BY n",
        "SELECT DISTINCT ON (n * 2, name) n * 2 AS k, n + 1, name FROM t ORDER BY n * 2, name, n - 1",
        "SELECT name FROM t GROUP BY name HAVING sum(n * 2) > 2",
        "SELECT n, sum(n * 3) OVER (ORDER BY n + 1) AS s FROM t ORDER BY n",
        "SELECT t.n FROM t JOIN t AS u ON t.n = u.n + 1 ORDER BY t.n",
        "SELECT n FROM t WHERE n + 1 IN (SELECT n * 2 FROM t) ORDER BY n",
        "SELECT n FROM t WHERE n > (SELECT max(n - 1) FROM t) ORDER BY n",
        "SELECT x FROM (SELECT n * n AS x FROM t UNION ALL SELECT NULL - n FROM t) ORDER BY x DESC NULLS LAST",
    ] {
        let plain = session.sql(sql).await.expect(sql).collect().await;
        let right = expected(&session, sql).await.expect(sql);
        let [wanted, found] = [plain.expect(sql), right.batches]
            .map(|rows| pretty_format_batches(&rows).unwrap().to_string());
        assert_eq!(found, wanted, "{sql}");
    }
}

#[tokio::test]
async fn arithmetic_beyond_a_type_is_an_error_that_says_what_to_write() {
    let session = session().await;
    let twice = "9223372036854775807 * 2 of t.large is beyond whole numbers of 64 bits: write CAST(t.large AS DOUBLE)";
    for (sql, words) in [
        ("SELECT large * 2 AS x FROM t", twice),
        ("SELECT sum(large * 2) AS s FROM t", twice),
        ("SELECT count(*) AS c FROM t WHERE large * 2 > 5", twice),
        (
            "SELECT count(*) AS c FROM t GROUP BY large * 2 ORDER BY c",
            twice,
        ),
        (
            "SELECT count(*) AS c FROM t GROUP BY ROLLUP (large * 2) ORDER BY c",
            twice,
        ),
        (
            "SELECT n, count(*) AS c FROM t GROUP BY GROUPING SETS ((n, large * 2), (n)) ORDER BY c",
            twice,
        ),
        (
            "SELECT DISTINCT ON (large * 2) n FROM t ORDER BY large * 2, n",
            twice,
        ),
        (
            "SELECT DISTINCT ON (n) n, large * 2 AS x FROM t ORDER BY n",
            twice,
        ),
        (
            "SELECT n, max(large * 2) OVER (ORDER BY n) AS m FROM t ORDER BY n",
            twice,
        ),
        (
            "SELECT n FROM t WHERE n < (SELECT max(large * 2) FROM t)",
            twice,
        ),
        (
            "SELECT n + large AS x FROM t",
            "1 + 9223372036854775807 of t.large and t.n is beyond",
        ),
        (
            "SELECT -large - 2 AS x FROM t",
            "-9223372036854775807 - 2 of t.large is beyond",
        ),
        (
            "SELECT small * small AS x FROM t",
            "of t.small is beyond whole numbers of 32 bits: write CAST(t.small AS BIGINT)",
        ),
        (
            "SELECT row_number() OVER (ORDER BY n) - row_number() OVER (ORDER BY n DESC) AS x FROM t",
            "1 - 2 is beyond whole numbers of 64 bits without a sign: write CAST(x AS BIGINT)",
        ),
    ] {
        let error = message(&expected(&session, sql).await.expect_err(sql));
        assert!(error.contains(words), "{sql}: {error}");
    }
}
