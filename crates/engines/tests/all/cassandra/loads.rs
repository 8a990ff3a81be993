//! Rows that are loaded, again too, and the files that they become.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow::compute::concat_batches;
use arrow::record_batch::RecordBatch;
use bakeoff_stats::ServerSample;

use super::{EVENT_QUERIES, PLACE_QUERIES, count};
use crate::support::{Started, Table, events, part, places, wrong_answers};

pub async fn loading_again_changes_nothing(cassandra: &Started) {
    let table = events();
    let oracle = table.oracle(table.rows.clone()).await;
    for id in [
        "cassandra/narrow",
        "cassandra/wide?bucket=1d",
        "cassandra/blob?compressor=Deflate",
    ] {
        let design = cassandra.loaded(id, &table).await;
        assert!(design.survives().await);
        design
            .load(0, &table.rows.slice(0, table.rows.num_rows() / 2))
            .await
            .unwrap();
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &EVENT_QUERIES[..9]).await,
            [""; 0]
        );
    }
}

/// Samples that are asked for before one has to hold everything: a server that is kept busy may not answer in time.
const MOST_SAMPLES: u32 = 60;

pub async fn the_server_of_a_design_is_sampled_with_the_work_on_its_tables(cassandra: &Started) {
    let table = events();
    for id in ["cassandra/wide", "cassandra/narrow"] {
        let design = cassandra.loaded(id, &table).await;
        let before = design.server_sample().await.unwrap();
        design.load(1, &table.rows).await.unwrap();
        let is_known = |sample: &ServerSample| {
            let writes = sample.local_writes.zip(sample.coordinator_writes);
            writes.is_some() && sample.local_reads.is_some()
        };
        let mut after = ServerSample::default();
        for _ in 0..MOST_SAMPLES {
            after = design.server_sample().await.unwrap();
            if is_known(&after) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert!(is_known(&after), "{id}: {after:?}");
        assert!(
            after.local_writes > before.local_writes,
            "{id}: {before:?} {after:?}"
        );
        // The only node is asked for everything.
        assert!(after.coordinator_writes > Some(0), "{id}: {after:?}");
        assert_eq!(after.nodes, None, "{id}");
        // The server is the run's own, so that the operating system tells the rest.
        assert!(
            after.cpu_seconds >= before.cpu_seconds && after.cpu_seconds > Some(0.0),
            "{id}"
        );
        assert!(
            after.disk_written_bytes.is_some() && after.gc_count.is_some(),
            "{id}: {after:?}"
        );
    }
}

/// Makes rows with the same keys as the table's, and other values.
fn rewritten(table: &Table) -> RecordBatch {
    let mut columns = table.rows.columns().to_vec();
    let amounts: Int64Array = (0..table.rows.num_rows() as i64)
        .map(|i| Some(-i))
        .collect();
    *columns.last_mut().unwrap() = Arc::new(amounts);
    RecordBatch::try_new(table.rows.schema(), columns).unwrap()
}

pub async fn the_last_row_of_a_key_wins(cassandra: &Started) {
    let table = places();
    let (first, second) = (&table.rows, &rewritten(&table));
    let schema = first.schema();
    let one_slice = concat_batches(&schema, [first, second, first, second]).unwrap();
    let oracle = table.oracle(one_slice.clone()).await;
    for (turn, id) in [
        "cassandra/narrow",
        "cassandra/wide",
        "cassandra/blob?bucket=3",
    ]
    .into_iter()
    .enumerate()
    {
        let design = cassandra.design(id, &table).await;
        design.create().await.unwrap();
        design.load(0, &one_slice).await.unwrap();
        let queries = part(PLACE_QUERIES, turn);
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &queries).await,
            [""; 0]
        );

        design.create().await.unwrap();
        for (slice, rows) in [first, second].into_iter().enumerate() {
            design.load(slice as u64, rows).await.unwrap();
        }
        let queries = part(PLACE_QUERIES, turn + 1);
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &queries).await,
            [""; 0]
        );
    }
}

pub async fn a_row_that_cassandra_refuses_is_an_error(cassandra: &Started) {
    let table = events();
    let design = cassandra.loaded("cassandra/wide", &table).await;
    let nobody: ArrayRef = Arc::new(StringArray::from(vec![""]));
    let mut columns = table.rows.slice(0, 1).columns().to_vec();
    columns[0] = nobody;
    let row = RecordBatch::try_new(table.rows.schema(), columns).unwrap();
    let error = design.load(2, &row).await.unwrap_err().to_string();
    assert!(error.contains("Key may not be empty"), "{error}");
}

pub async fn a_table_made_anew_is_empty(cassandra: &Started) {
    let design = cassandra
        .loaded("cassandra/compact?bucket=2d", &events())
        .await;
    design.create().await.unwrap();
    assert_eq!(count(design.as_ref(), "events").await, 0);
}

pub async fn figures_agree_with_the_files(cassandra: &Started) {
    let table = places();
    let ids = [
        "cassandra/wide",
        "cassandra/narrow?compressor=none",
        "cassandra/compact",
    ];
    let mut designs = Vec::new();
    for id in ids {
        let design = cassandra.loaded(id, &table).await;
        design.load(2, &rewritten(&table)).await.unwrap();
        designs.push(design);
    }
    for design in &designs {
        design.settle().await.unwrap();
    }
    for (turn, (design, id)) in designs.iter().zip(ids).enumerate() {
        let footprint = design.footprint().await.unwrap();
        let (engine, files) = (
            footprint.engine_bytes.unwrap(),
            footprint.file_bytes.unwrap(),
        );
        assert!(
            files > 0 && engine.abs_diff(files) * 100 <= files,
            "{footprint:?}"
        );
        assert!(
            matches!(footprint.files, Some(8 | 9)),
            "more than one SSTable: {footprint:?}"
        );
        let statistics = footprint.statistics.unwrap();
        assert_eq!(statistics.sstables, Some(1), "{statistics:?}");
        assert_eq!(statistics.old_sstables, Some(0), "{statistics:?}");
        assert_eq!(statistics.live_bytes, footprint.engine_bytes);
        assert!(statistics.total_bytes >= statistics.live_bytes);
        assert!(statistics.off_heap_bytes > Some(0), "{statistics:?}");
        assert_eq!(statistics.pending_flushes, Some(0), "{statistics:?}");
        assert!(statistics.writes > Some(0) && statistics.write_micros > Some(0.0));
        assert_eq!(statistics.reads, Some(0), "{statistics:?}");
        if id.contains("none") {
            assert!(
                footprint.compression_ratio.is_none_or(|r| r >= 1.0),
                "{footprint:?}"
            )
        } else {
            assert!(footprint.compression_ratio.unwrap() < 1.0, "{footprint:?}")
        }
        let oracle = table.oracle(rewritten(&table)).await;
        let queries = part(PLACE_QUERIES, turn);
        assert_eq!(
            wrong_answers(design.as_ref(), &oracle, &queries).await,
            [""; 0]
        );
    }
}
