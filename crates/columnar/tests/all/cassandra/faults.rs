//! A server that no longer answers.

use std::fs;
use std::time::{Duration, Instant};

use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_columnar::{KeyRange, Store};
use bakeoff_servers::cassandra::Server;

use super::support::{
    Cassandra, KEYSPACE, PLACE, add, chunk_of_size, connect, definition, fresh_rows, row, valid,
    write_time,
};

/// The time limit of an attempt; there are six attempts, with 9 s of pauses between them.
const ATTEMPT_TIME_LIMIT: Duration = Duration::from_millis(500);
/// The time within which a request is given up, which is less than six attempts of a store without
/// a time limit take.
const GIVEN_UP_WITHIN: Duration = Duration::from_secs(60);

async fn impatient(cassandra: &Cassandra, name: &str) -> CassandraStore {
    let options = Options {
        attempt_time_limit: ATTEMPT_TIME_LIMIT,
        ..Options::default()
    };
    let session = connect(&cassandra.server.address().to_string()).await;
    CassandraStore::open(session, KEYSPACE, name, options)
        .await
        .unwrap()
}

/// Halts a server, which may be busy, and waits until all its threads have noticed.
async fn halt(server: &Server) {
    server.pause().unwrap();
    let is_halted = |stat: &str| {
        stat.rsplit_once(") ")
            .is_some_and(|(_, rest)| rest.starts_with('T'))
    };
    let tasks = format!("/proc/{}/task", server.pid());
    while !fs::read_dir(&tasks)
        .unwrap()
        .filter_map(|task| fs::read_to_string(task.unwrap().path().join("stat")).ok())
        .all(|stat| is_halted(&stat))
    {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub async fn a_server_that_halts_is_given_up_on(cassandra: &Cassandra) {
    let definition = definition();
    cassandra.table("halts").await;
    let store = impatient(cassandra, "halts").await;
    let chunks: Vec<_> = (0..20)
        .map(|_| chunk_of_size(&definition, 100_000))
        .collect();
    store.put(PLACE, &chunks).await.unwrap();
    store.commit(vec![add(PLACE, &chunks)]).await.unwrap();
    store
        .insert(PLACE, &[row("a", write_time(), Some("1"))])
        .await
        .unwrap();

    halt(&cassandra.server).await;
    let began = Instant::now();
    let rows = [row("b", write_time(), Some("1"))];
    let (snapshot, blobs, insert) = tokio::join!(
        store.snapshot(PLACE, KeyRange::default()),
        store.blobs(PLACE, &chunks[0].meta, &[0]),
        store.insert(PLACE, &rows),
    );
    let took = began.elapsed();
    cassandra.server.resume().unwrap();
    let place = "of bucket 19000 shard 1 in columnar_tests.halts_";
    for (error, doing) in [
        (snapshot.unwrap_err(), "reading"),
        (blobs.unwrap_err(), "reading a chunk"),
        (insert.unwrap_err(), ""),
    ] {
        let message = error.to_string();
        assert!(
            message.starts_with(doing) && message.contains(place),
            "{message}"
        );
        assert!(message.contains("given up after 6 attempts"), "{message}");
        assert!(message.contains("nodetool status"), "{message}");
        println!("{message}");
    }
    assert!(took < GIVEN_UP_WITHIN, "{took:?}");
    for chunk in &chunks {
        let blobs = store.blobs(PLACE, &chunk.meta, &[0, 1, 2]).await.unwrap();
        assert!(blobs == chunk.blobs);
    }
}

/// Checks that all acknowledged rows are there, and that a request survives a short absence of the
/// server.
pub async fn a_server_that_is_back_soon_is_waited_for(cassandra: Cassandra) {
    let store = cassandra.table("back").await;
    let chunks = [chunk_of_size(&definition(), 100_000)];
    store.put(PLACE, &chunks).await.unwrap();
    store.commit(vec![add(PLACE, &chunks)]).await.unwrap();
    let rows = [row("a", 1, Some("1"))];
    store.insert(PLACE, &rows).await.unwrap();

    let quick = impatient(&cassandra, "back").await;
    halt(&cassandra.server).await;
    let back = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        cassandra.server.resume().unwrap();
    };
    let (blobs, ()) = tokio::join!(quick.blobs(PLACE, &chunks[0].meta, &[0, 1, 2]), back);
    assert!(blobs.unwrap() == chunks[0].blobs);

    cassandra.server.kill().await.unwrap();
    let began = Instant::now();
    let error = store
        .snapshot(PLACE, KeyRange::default())
        .await
        .unwrap_err();
    println!("{error}");
    assert!(
        error.to_string().contains("given up after 6 attempts"),
        "{error}"
    );
    assert!(began.elapsed() < GIVEN_UP_WITHIN, "{:?}", began.elapsed());

    let server = cassandra.server.restart().await.unwrap();
    let session = connect(&server.address().to_string()).await;
    let again = CassandraStore::open(session, KEYSPACE, "back", Options::default())
        .await
        .unwrap();
    assert_eq!(fresh_rows(&again, PLACE).await, rows);
    assert_eq!(valid(&again, PLACE).await, [chunks[0].meta.id]);
    assert!(
        again
            .blobs(PLACE, &chunks[0].meta, &[0, 1, 2])
            .await
            .unwrap()
            == chunks[0].blobs
    );
    server.stop().await.unwrap();
}
