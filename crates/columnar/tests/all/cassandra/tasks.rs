//! The tasks of a process that is to be killed.

use std::io::Write;
use std::time::Duration;

use bakeoff_columnar::Store;
use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bytes::Bytes;

use super::child::TASK;
use super::kills::{DROPS_TABLE, MADE_TABLE, TABLE, seal};
use super::support::{ELSEWHERE, KEYSPACE, PLACE, chunk, connect, definition, row, write_time};
use super::whole_table;

const KEYS: i64 = 30;
/// The number of rows after which a child that was not killed ends.
const ROWS_AT_MOST: i64 = 4_000;

/// Runs as the child if another process of this test says so in the environment.
pub async fn perform() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let (role, address) = task.split_once(' ').unwrap();
    let session = connect(address).await;
    let open = async |table| {
        let session = session.clone();
        CassandraStore::open(session, KEYSPACE, table, Options::default())
            .await
            .unwrap()
    };
    let place = [PLACE, ELSEWHERE];
    match role {
        "drop" => open(DROPS_TABLE).await.drop_places(&place).await.unwrap(),
        "make" => {
            let options = Options::default();
            let made = CassandraStore::create(session, KEYSPACE, MADE_TABLE, definition(), options);
            made.await.unwrap();
        }
        "unmake" => {
            CassandraStore::drop_table(session, KEYSPACE, MADE_TABLE)
                .await
                .unwrap();
        }
        "write" => write(&open(TABLE).await).await,
        role => {
            let done = role.strip_prefix("steps:").unwrap();
            whole_table::go_on(open(whole_table::TABLE).await, done).await;
        }
    }
}

async fn write(store: &CassandraStore) {
    for i in 0..ROWS_AT_MOST {
        let (key, time) = (format!("{:03}", (i * 7) % KEYS), write_time());
        let value = (i % 5 != 0).then(|| time.to_string());
        // This chunk is never committed, so that the sweep finds it.
        if i % 40 == 0 {
            let lost = chunk(&definition(), "", "z", vec![Bytes::new(); 3]);
            store.put(PLACE, &[lost]).await.unwrap();
        }
        store
            .insert(PLACE, &[row(&key, time, value.as_deref())])
            .await
            .unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "acknowledged ={key} {time}").unwrap();
        out.flush().unwrap();
        drop(out);
        if i % 40 == 39 {
            seal(store, PLACE).await;
        }
        if i % 80 == 79 {
            store.sweep(Duration::ZERO).await.unwrap();
        }
    }
}
