//! What inserts, an ingest and point reads of a columnar table take, in a folder and in Cassandra. Each line is a
//! place, an operation and its mean time in seconds, with tabs between. `benches/safety.sh` compares two versions.
//!
//! ```sh
//! cargo run --release --example writes
//! ```
//!
//! The program starts a Cassandra on loopback, which ends with it, and needs Java and Maven.

#[path = "../series/server.rs"]
mod server;

use std::error::Error;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch};
use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_columnar::{Column, Definition, DirectoryStore, Kind, Scalar, Selection, Store, Table};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SENSOR: i32 = 10;

/// The rows that are ingested, and those of a batch.
const INGESTED: i64 = 1_000_000;
const BATCH: i64 = 65_536;

/// The number of operations of each kind that count, and of those before them, since servers are slow at first.
const INSERTS: i64 = 400;
const READS: i64 = 2_000;
const WARM_UP: i64 = 2_000;

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = DirectoryStore::create(&folder.path().join("table"), definition())?;
    measure("folder", Arc::new(store)).await?;

    let cassandra = server::Cassandra::start().await?;
    let session = Arc::clone(&cassandra.session);
    CassandraStore::create(
        Arc::clone(&session),
        server::KEYSPACE,
        "writes",
        definition(),
        Options::default(),
    )
    .await?;
    let store =
        CassandraStore::open(session, server::KEYSPACE, "writes", Options::default()).await?;
    measure("cassandra", Arc::new(store)).await?;
    cassandra.flush().await?;
    cassandra.stop().await
}

fn definition() -> Definition {
    let columns = vec![
        Column::new("sensor_id", Kind::Int),
        Column::new("time", Kind::Bigint),
        Column::new("value", Kind::Double),
    ];
    Definition::new(columns, &["sensor_id"], &["time"])
}

async fn measure(place: &str, store: Arc<dyn Store>) -> Result<()> {
    let table = Table::new(store, 0);
    let mut next = INGESTED;
    for _ in 0..WARM_UP {
        table.insert(&rows(next..next + 10)?).await?;
        value_at(&table, next).await?;
        next += 10;
    }

    for count in [1, 100] {
        let began = Instant::now();
        for _ in 0..INSERTS {
            table.insert(&rows(next..next + count)?).await?;
            next += count;
        }
        print(place, &format!("insert of {count} rows"), began, INSERTS);
    }

    let began = Instant::now();
    let mut ingest = table.ingest();
    for start in (0..INGESTED).step_by(BATCH as usize) {
        ingest
            .write(&rows(start..(start + BATCH).min(INGESTED))?)
            .await?;
    }
    ingest.finish().await?;
    print(place, "ingest of 1,000,000 rows", began, 1);

    for (kind, first) in [("ingested", 0), ("inserted", INGESTED)] {
        let began = Instant::now();
        for i in 0..READS {
            value_at(&table, first + i * 7_919 % 20_000).await?;
        }
        print(place, &format!("read of one {kind} row"), began, READS);
    }
    Ok(())
}

fn print(place: &str, operation: &str, began: Instant, count: i64) {
    let seconds = began.elapsed().as_secs_f64() / count as f64;
    println!("{place}\t{operation}\t{seconds:.9}");
}

fn rows(times: Range<i64>) -> Result<RecordBatch> {
    let sensors = Int32Array::from_iter_values(times.clone().map(|_| SENSOR));
    let values = Float64Array::from_iter_values(times.clone().map(|time| (time % 977) as f64));
    let columns: [(&str, ArrayRef); 3] = [
        ("sensor_id", Arc::new(sensors)),
        ("time", Arc::new(times.collect::<Int64Array>())),
        ("value", Arc::new(values)),
    ];
    Ok(RecordBatch::try_from_iter(columns)?)
}

async fn value_at(table: &Table, time: i64) -> Result<()> {
    let selection = Selection {
        partitions: Some(vec![vec![Scalar::Int(i64::from(SENSOR))]]),
        low: Some(time),
        high: Some(time),
    };
    let found = table.rows(&selection, &[2]).await?;
    match found.iter().map(RecordBatch::num_rows).sum() {
        1 => Ok(()),
        rows => Err(format!("{rows} rows at {time}").into()),
    }
}
