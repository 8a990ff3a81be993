//! Functions of other systems, and what DataFusion does not have, in questions about a folder.

use std::fs;

use crate::support::{Bench, READINGS, WORKLOAD};

const ROWS: &str = "room,time,value
fern,2026-05-01T08:10:00Z,1.5
fern,2026-05-01T08:50:00Z,2.5
palm,2026-05-01T22:30:00Z,4.5
";

/// A folder `t` with these rows.
pub fn bench() -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    fs::write(bench.path("rows.csv"), ROWS).unwrap();
    let key = ["--partition-key", "room", "--order-key", "time"];
    bench
        .bakeoff(&[&["ingest", "rows.csv", "--into", "dir:t"], &key[..]].concat())
        .expect(0);
    bench
}

#[test]
fn functions_of_other_systems_are_those_of_a_workload() {
    let bench = bench();
    for (sql, expected) in [
        (
            "SELECT room, last(value, time) AS newest, arg_min(value, time) AS oldest FROM t GROUP BY room
             ORDER BY room",
            "room,newest,oldest\nfern,2.5,1.5\npalm,4.5,4.5\n",
        ),
        (
            "SELECT time_bucket('1 hour', time) AS hour, count(*) AS n FROM t GROUP BY hour ORDER BY hour",
            "hour,n\n2026-05-01T08:00:00,2\n2026-05-01T22:00:00,1\n",
        ),
        (
            "SELECT date_trunc('day', time AT TIME ZONE 'Europe/Berlin') AS day, variance(value) AS v FROM t
             WHERE time < TIMESTAMP '2026-05-02 02:00:00' AT TIME ZONE 'Europe/Berlin' GROUP BY day ORDER BY day",
            "day,v\n2026-05-01T00:00:00,0.5\n2026-05-02T00:00:00,\n",
        ),
    ] {
        let ended = bench.bakeoff(&["sql", sql, "--dir", "t", "--format", "csv"]);
        assert_eq!(ended.expect(0).stdout, expected, "{sql}");
    }
    // It would wrap around.
    let sum = "SELECT sum(CAST(value AS BIGINT) + 9223372036854775000) AS s FROM t";
    let ended = bench.bakeoff(&["sql", sum, "--dir", "t"]).expect(1);
    ended.says("is about 2.767e19, which is beyond whole numbers of 64 bits: write sum(CAST(");
}

#[test]
fn what_cannot_be_asked_is_said_in_words() {
    let bench = bench();
    let parentheses = format!("SELECT {}1{}", "(".repeat(60), ")".repeat(60));
    let anti = "SELECT t.room FROM t ANTI JOIN t AS u ON t.room = u.room";
    for (sql, words) in [
        (
            "SELECT last(value, time), vlaue FROM t",
            "error: there is no column `vlaue`; did you mean `value`?\n",
        ),
        (
            "SELECT vlaue, last(value, time) FROM t",
            "error: SQL 1:8: there is no column `vlaue`; did you mean `value`?\n  SELECT vlaue,",
        ),
        (
            "SELECT time AT TIME ZONE 'Berlin' FROM t",
            "error: SQL 1:13: AT TIME ZONE: `Berlin` is no time zone",
        ),
        (parentheses.as_str(), "error: it is nested too deeply"),
        (
            anti,
            "DataFusion has no ANTI JOIN: write LEFT ANTI JOIN, or WHERE NOT EXISTS",
        ),
        (
            "SELECT * FROM t PIVOT (sum(value) FOR room IN ('fern'))",
            "DataFusion has no PIVOT: write sum(x) FILTER (WHERE",
        ),
    ] {
        let ended = bench.bakeoff(&["sql", sql, "--dir", "t"]).expect(2);
        ended.says(words);
        assert!(!ended.stderr.contains("Ident"), "{}", ended.stderr);
    }
}
