//! What the time-out of a read means to an aggregate that a real Cassandra computes: it counts from the start of
//! the statement, and no page is read after it.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::time::Duration;

use bakeoff_engines::EngineOptions;
use scylla::client::session::Session;
use scylla::errors::{DbError, ExecutionError, RequestAttemptError};
use scylla::response::PagingState;
use scylla::statement::Statement;

use crate::cassandra::{address_of, cql};
use crate::support::load::session_at;
use crate::support::{Started, has_cassandra};

/// Time-out of a read: between the reads of the second and the third page, which take next to no time.
const TIME_OUT: &str = "2500ms";
/// Rows of the partition, of which each takes the function 20 ms: 2 s for a page of a hundred.
const ROWS: i32 = 300;
/// Time limit of a statement on a busy machine.
const ANSWERED_WITHIN: Duration = Duration::from_secs(300);
/// Heap of a server in MiB: others run at the same time.
const HEAP_MIB: u64 = 512;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_aggregate_has_the_time_out_of_one_read_for_all_of_its_pages() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut options = EngineOptions::default();
    options.cassandra.functions = true;
    options.cassandra.server.heap_mib = Some(HEAP_MIB);
    let time_out = ("read_request_timeout".to_owned(), TIME_OUT.to_owned());
    options.cassandra.server.cassandra = vec![time_out];
    let cassandra = Started::with("cassandra/wide", folder.path().join("run"), options).await;
    let session = session_at(&address_of(&cassandra.context.run_dir)).await;
    make_a_slow_aggregate(&session).await;

    // All rows are read at once, and what the function does with them afterwards has no time-out.
    let answer = counted(&session, 10_000).await;
    assert_eq!(answer.unwrap(), i64::from(ROWS));
    // The time-out has passed when the third page is to be read, though each page is there at once.
    let error = counted(&session, 100).await.unwrap_err();
    let is_a_time_out = matches!(
        error,
        ExecutionError::LastAttemptError(RequestAttemptError::DbError(
            DbError::ReadTimeout { .. },
            _
        ))
    );
    assert!(is_a_time_out, "{error:?}");
    cassandra.running.finish(false).await.unwrap();
}

/// Makes a table with one partition, and an aggregate that counts its rows, 20 ms for each.
async fn make_a_slow_aggregate(session: &Session) {
    for statement in [
        "CREATE KEYSPACE paged WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
        "CREATE TABLE paged.numbers (series int, number int, PRIMARY KEY (series, number))",
        "CREATE FUNCTION paged.one_more (state bigint, number int) CALLED ON NULL INPUT RETURNS bigint \
         LANGUAGE java AS $$ long end = System.currentTimeMillis() + 20; \
         while (System.currentTimeMillis() < end) { } return state + 1; $$",
        "CREATE AGGREGATE paged.counted (int) SFUNC one_more STYPE bigint INITCOND 0",
    ] {
        cql(session, statement).await;
    }
    for number in 0..ROWS {
        let insert = format!("INSERT INTO paged.numbers (series, number) VALUES (1, {number})");
        cql(session, &insert).await;
    }
}

/// Asks for the number of rows with pages of this many.
async fn counted(session: &Session, page_rows: i32) -> Result<i64, ExecutionError> {
    let select = "SELECT paged.counted(number) FROM paged.numbers WHERE series = 1";
    let mut statement = Statement::new(select);
    statement.set_page_size(page_rows);
    statement.set_request_timeout(Some(ANSWERED_WITHIN));
    let start = PagingState::start();
    let (reply, _) = session.query_single_page(statement, (), start).await?;
    let rows = reply.into_rows_result().unwrap();
    let (count,) = rows.single_row::<(i64,)>().unwrap();
    Ok(count)
}
