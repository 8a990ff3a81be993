//! Large rows and large partitions.

use super::{different_rows, rows};
use crate::support::server::Server;

/// Rows of 100 kB in a large partition, which are nine pages.
const LARGE_ROWS: usize = 400;
/// Scans of a whole table until one of them splits its large partition.
const TRIES: usize = 20;

pub fn large_rows_come_in_small_pages(server: &Server) {
    server.cql("CREATE TABLE ks.large (p int, c int, v blob, PRIMARY KEY (p, c));\n");
    let value = "00".repeat(100_000);
    for c in 0..LARGE_ROWS {
        server.cql(&format!(
            "INSERT INTO ks.large (p, c, v) VALUES (1, {c}, 0x{value});\n"
        ));
    }
    // 100 rows, and then 41 of 100 kB in each 4 MiB.
    let sql = "SELECT * FROM ks.large WHERE p = 1";
    assert_eq!(measured(server, sql, "pages", "1"), 9);
    // 40 MB do not come in pages of a millisecond each.
    let hasty = ["sql", sql, "--format", "csv", "--time-out", "1ms"];
    let ended = server.bakeoff(&hasty).expect(1);
    ended.says("more time with --time-out");
    let patient = ["sql", "SELECT max(c) FROM ks.large", "--time-out", "10m"];
    server.bakeoff(&patient).expect(0);
    let never = ["sql", sql, "--time-out", "0s"];
    server
        .bakeoff(&never)
        .expect(2)
        .says("--time-out <DURATION>");
}

/// One partition among small ones, in both orders, with two threads.
pub fn large_partitions_are_read_by_ranges(server: &Server) {
    server.cql(
        "CREATE TABLE ks.newest (p int, c timestamp, s text static, v blob, PRIMARY KEY (p, c))
           WITH CLUSTERING ORDER BY (c DESC);\n",
    );
    let value = "00".repeat(100_000);
    for c in 0..LARGE_ROWS {
        server.cql(&format!(
            "INSERT INTO ks.newest (p, c, s, v) VALUES (1, {}, 'one', 0x{value});\n",
            c * 1000
        ));
    }
    for p in 2..40 {
        server.cql(&format!(
            "INSERT INTO ks.large (p, c, v) VALUES ({p}, 0, 0x00);
             INSERT INTO ks.newest (p, c, v) VALUES ({p}, 0, 0x00);\n"
        ));
    }
    for table in ["ks.large", "ks.newest"] {
        let one = format!("SELECT c FROM {table} WHERE p = 1 AND v IS NOT NULL");
        assert_eq!(different_rows(server, &one), LARGE_ROWS, "{table}");
        // Four requests at the same time, and four ranges for each.
        assert_eq!(measured(server, &one, "ranges", "2"), 16);
        let all = format!("SELECT p, c FROM {table} WHERE v IS NOT NULL");
        // It is split when the other thread has read all that it has to, which is soon.
        let splits = |_| measured(server, &all, "ranges", "2") > 0;
        assert!((0..TRIES).any(splits), "{table}");
        assert_eq!(different_rows(server, &all), LARGE_ROWS + 38, "{table}");
        let whole = format!("EXPLAIN SELECT v FROM {table}");
        let plan = server.bakeoff(&["sql", &whole, "--format", "table"]);
        let plan = plan.expect(0).stdout;
        // No column is read for it that a question does not want.
        assert!(!plan.contains("if large by ranges"), "{plan}");
    }
    let statics = "SELECT DISTINCT s FROM ks.newest WHERE p = 1 AND v IS NOT NULL";
    assert_eq!(rows(server, statics), ["one"]);
}

/// A number that `EXPLAIN ANALYZE` shows of the scan, or 0 if it does not.
fn measured(server: &Server, sql: &str, metric: &str, threads: &str) -> u32 {
    let sql = format!("EXPLAIN ANALYZE {sql}");
    let shown = ["sql", &sql, "--format", "table", "--threads", threads];
    let plan = server.bakeoff(&shown).expect(0).stdout;
    let line = plan.lines().find(|line| line.contains("CassandraScan"));
    let metrics = line.and_then(|line| line.split("metrics=[").nth(1));
    let name = format!("{metric}=");
    let values = metrics.unwrap_or_default().split([',', ']']);
    let mut values = values.filter_map(|value| value.trim().strip_prefix(&name));
    values.next().map_or(0, |value| value.parse().unwrap())
}
