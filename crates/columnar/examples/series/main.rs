//! One long series, as rows of a CQL table and as a columnar table on the same Cassandra: its own
//! `avg()` next to ours, over the whole series and over a range that cuts chunks at both ends, point
//! reads, ranges of 100 rows, and how fast values come out of encoded blobs in memory.
//!
//! ```sh
//! cargo run --release --example series -- [ROWS]
//! ```
//!
//! The program starts a Cassandra on loopback, which ends with it, and needs Java and Maven.

mod chunks;
mod memory;
mod points;
mod report;
mod rows;
mod server;
mod timing;

use std::error::Error;
use std::time::Duration;

use points::Points;
use report::Line;
use timing::timed;
use tokio::time::{Instant, sleep_until};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The number of rows, which is that of the study of 2016.
const ROWS: u64 = 10_000_000;

/// The time after which readers remember the chunks from one query to the next.
const SETTLED_AFTER: Duration = Duration::from_secs(65);

/// The number of runs of slow queries, and of fast ones.
const FEW: usize = 5;
const MANY: usize = 2_000;

/// The size of the cache, in which the blobs of the whole series fit.
const CACHE_BYTES: u64 = 512 << 20;

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<()> {
    let rows = match std::env::args().nth(1) {
        Some(rows) => rows.parse()?,
        None => ROWS,
    };
    let points = Points { rows };
    let server = server::Cassandra::start().await?;
    println!("{rows} rows of one series (sensor_id int, time bigint, value double)");
    let columnar = chunks::Columnar::create(&server.session, points).await?;
    let took = columnar.load().await?;
    let loaded = Instant::now();
    report::rate("loading, columnar", rows, took);
    let cql = rows::CqlTable::create(&server.session, points).await?;
    let took = cql.load().await?;
    report::rate("loading, CQL rows in unlogged batches", rows, took);
    server.flush().await?;
    sleep_until(loaded + SETTLED_AFTER).await;
    compare(&cql, &columnar, points).await?;
    memory::distance(&columnar, points).await?;
    server.stop().await
}

async fn compare(cql: &rows::CqlTable, columnar: &chunks::Columnar, points: Points) -> Result<()> {
    let cold = columnar.uncached().await?;
    let cached = columnar.cached(CACHE_BYTES).await?;
    let (low, high) = points.cut_range();
    let mut all = Line::new("avg(value) of all rows");
    all.add(
        "Cassandra's avg()",
        timed(FEW, |_| cql.average(None)).await?,
    );
    all.add("columnar", timed(FEW * 10, |_| cold.average(None)).await?);
    all.add(
        "columnar, cached",
        timed(FEW * 10, |_| cached.average(None)).await?,
    );
    all.print();

    let range = Some((low, high));
    let mut cut = Line::new("avg(value) of a range that cuts chunks at both ends");
    cut.add(
        "Cassandra's avg()",
        timed(FEW, |_| cql.average(range)).await?,
    );
    cut.add("columnar", timed(FEW * 10, |_| cold.average(range)).await?);
    cut.add(
        "columnar, cached",
        timed(FEW * 10, |_| cached.average(range)).await?,
    );
    cut.print();

    for (what, width) in [("one row", 1), ("100 rows", 100)] {
        let mut line = Line::new(what);
        let at = |i: usize| points.some_range(i, width);
        line.add("CQL rows", timed(MANY, |i| cql.values(at(i))).await?);
        line.add("columnar", timed(MANY, |i| cold.values(at(i))).await?);
        line.add(
            "columnar, cached",
            timed(MANY, |i| cached.values(at(i))).await?,
        );
        line.add(
            "columnar, SQL",
            timed(MANY, |i| cold.values_by_sql(at(i))).await?,
        );
        line.add(
            "columnar, SQL, cached",
            timed(MANY, |i| cached.values_by_sql(at(i))).await?,
        );
        line.print();
    }
    Ok(())
}
