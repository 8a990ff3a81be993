//! First rows as they are stored are read only where that is asked for, once, and fail no design.

use bakeoff_stats::{Record, Stored, StoredRows};

use super::bench::{Bench, Records};
use super::fake::{Call, Fake, Plan};

fn stored(records: &Records) -> Vec<&Stored> {
    let stored = records.0.iter().filter_map(|record| match record {
        Record::Stored(stored) => Some(stored),
        _ => None,
    });
    stored.collect()
}

fn showing() -> Bench {
    let mut bench = Bench::new();
    bench.settings.shows_stored = true;
    bench
}

#[tokio::test]
async fn rows_are_read_where_that_is_asked_for_and_never_again() {
    let tells = Fake::new("a").with_stored(Plan::Tells("[1]@0 Row"));
    let records = Bench::new().complete(std::slice::from_ref(&tells)).await;
    assert!(stored(&records).is_empty());
    assert_eq!(tells.table().stored_asked, 0);

    let silent = Fake::new("b");
    let records = showing().complete(&[tells.clone(), silent]).await;
    let stored = stored(&records);
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].design, "a");
    assert_eq!(stored[0].rows, StoredRows::told("Fake", "[1]@0 Row"));
    assert_eq!(tells.table().stored_asked, 1);
}

#[tokio::test]
async fn a_run_that_goes_on_reads_no_rows_again() {
    let bench = showing();
    let is_timed = |call: &Call| call.asks("all", 1);
    let killed = Fake::hanging("a", is_timed).with_stored(Plan::Tells("[1]@0 Row"));
    bench.kill_in(std::slice::from_ref(&killed), is_timed).await;
    assert_eq!(stored(&bench.records()).len(), 1);

    let again = Fake::new("a").with_stored(Plan::Tells("another"));
    let again = again.surviving(true);
    again.table().slices = killed.table().slices.clone();
    let records = bench.complete(std::slice::from_ref(&again)).await;
    assert_eq!(again.table().stored_asked, 0);
    assert_eq!(stored(&records).len(), 1);
}

#[tokio::test]
async fn rows_that_cannot_be_read_are_a_reason_and_no_failure() {
    let fails = Fake::new("a").with_stored(Plan::Fails);
    let panics = Fake::new("b").with_stored(Plan::Panics);
    let records = showing().complete(&[fails, panics]).await;
    assert!(records.failures().is_empty());
    let reasons = ["its rows cannot be read", "a bug in a tool"];
    for (stored, why) in stored(&records).into_iter().zip(reasons) {
        let StoredRows::Unknown { reason } = &stored.rows else {
            panic!("{stored:?}");
        };
        assert!(reason.contains(why), "{reason}");
    }
    assert_eq!(stored(&records).len(), 2);
}
