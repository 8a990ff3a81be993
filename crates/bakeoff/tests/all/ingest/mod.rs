//! `bakeoff ingest` and `bakeoff table`: columnar tables made of files and of other tables, in
//! folders and in a real Cassandra, and what is said of mistakes.

mod cassandra;
mod cells;
mod kills;
mod making;
mod mistakes;
mod notes;
mod upkeep;

use crate::support::{Bench, READINGS, WORKLOAD};

const KEYS: [&str; 4] = ["--partition-key", "series", "--order-key", "time"];

const ALL: &str = "SELECT * FROM t ORDER BY series, time";

/// A folder with `readings.csv`, and its rows in the columnar table `t`.
fn with_table() -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench
        .bakeoff(
            &[
                &[
                    "ingest",
                    "readings.csv",
                    "--into",
                    "dir:t",
                    "--bucket",
                    "1d",
                ],
                &KEYS[..],
            ]
            .concat(),
        )
        .expect(0);
    bench
}

/// The rows of a query over `t`, as CSV without a header.
#[track_caller]
fn rows(bench: &Bench, sql: &str) -> Vec<String> {
    let ended = bench.bakeoff(&["sql", sql, "--dir", "t"]).expect(0);
    ended.stdout.lines().skip(1).map(str::to_owned).collect()
}
