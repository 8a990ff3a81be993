//! Checks of tables, and what is refused because rows would be lost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_columnar::{Check, Error, Store};
use bytes::Bytes;
use scylla::statement::Consistency;

use super::support::{
    Cassandra, KEYSPACE, PLACE, add, chunk, chunk_of_size, definition, fresh_rows, noise, replace,
    row, write_time,
};

/// The place of the tests, in CQL.
const AT: &str = "shard = 1 AND bucket = 19000";

async fn checked(cassandra: &Cassandra, name: &str) -> Check {
    let session = Arc::clone(&cassandra.session);
    CassandraStore::check(session, KEYSPACE, name, Options::default())
        .await
        .unwrap()
}

/// Returns what is damaged, which must be one thing.
async fn damage(cassandra: &Cassandra, name: &str) -> String {
    let check = checked(cassandra, name).await;
    assert!(!check.is_sound() && check.damages.len() == 1, "{check:?}");
    check.damages[0].to_string()
}

pub async fn what_is_damaged_is_said(cassandra: &Cassandra) {
    let store = cassandra.table("checked").await;
    let replaced = [chunk_of_size(&definition(), 10)];
    let packed = [chunk_of_size(&definition(), 20)];
    let large = [chunk(&definition(), "a", "b", vec![noise(30_000); 3])];
    for chunks in [&replaced, &packed, &large] {
        store.put(PLACE, chunks).await.unwrap();
    }
    store.commit(vec![add(PLACE, &replaced)]).await.unwrap();
    let replace = replace(PLACE, &packed, &replaced);
    store.commit(vec![replace]).await.unwrap();
    store.commit(vec![add(PLACE, &large)]).await.unwrap();
    let rows = [row("a", 1, Some("1")), row("b", 1, None)];
    store.insert(PLACE, &rows).await.unwrap();

    let check = checked(cassandra, "checked").await;
    assert!(check.is_sound(), "{check:?}");
    assert_eq!((check.chunks, check.fresh), (2, 2));
    assert_eq!(check.bytes, 3 * 20 + 3 * 30_000);
    assert_eq!(check.notes.len(), 1, "{check:?}");
    assert!(
        check.notes[0].ends_with("for a sweep to remove: 1"),
        "{check:?}"
    );

    let (small, big) = (packed[0].meta.id.0.simple(), large[0].meta.id.0.simple());
    let change = async |data: Bytes, column: i16, chunk| {
        let bytes: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
        let cql = format!(
            "UPDATE {KEYSPACE}.checked_chunks SET data = 0x{bytes} WHERE {AT} AND col = {column} \
             AND chunk = 0x{chunk}"
        );
        cassandra.cql(&cql).await;
    };
    change(noise(60), -1, small).await;
    let said = damage(cassandra, "checked").await;
    assert!(
        said.contains("of column `host`, column `time`, column `value`"),
        "{said}"
    );
    assert!(
        said.contains("1000 rows cannot be read; another replica"),
        "{said}"
    );
    change(packed[0].blobs.concat().into(), -1, small).await;
    assert!(checked(cassandra, "checked").await.is_sound());
    change(noise(30_000), 1, big).await;
    let said = damage(cassandra, "checked").await;
    assert!(
        said.contains("the checksum is wrong of column `time`; 1000"),
        "{said}"
    );
    change(large[0].blobs[1].clone(), 1, big).await;

    let lost = format!("DELETE FROM {KEYSPACE}.checked_chunks WHERE {AT} AND col = 2");
    cassandra.cql(&format!("{lost} AND chunk = 0x{big}")).await;
    let said = damage(cassandra, "checked").await;
    assert!(
        said.contains("blob 2: missing in columnar_tests.checked_chunks"),
        "{said}"
    );
    let entry = format!("WHERE {AT} AND chunk = 0x{big}");
    cassandra
        .cql(&format!(
            "UPDATE {KEYSPACE}.checked_index SET meta = 0x01 {entry}"
        ))
        .await;
    let said = damage(cassandra, "checked").await;
    assert!(said.contains("its row of the index: "), "{said}");
    cassandra
        .cql(&format!("DELETE FROM {KEYSPACE}.checked_index {entry}"))
        .await;
    let check = checked(cassandra, "checked").await;
    assert!(check.is_sound(), "{check:?}");
    assert!(
        check
            .notes
            .iter()
            .any(|note| note.contains("nothing names") && note.ends_with(": 1")),
        "{check:?}"
    );
    cassandra
        .cql(&format!("DROP TABLE {KEYSPACE}.checked_fresh"))
        .await;
    let said = damage(cassandra, "checked").await;
    assert!(
        said.contains("checked_fresh of its CQL tables is missing"),
        "{said}"
    );
}

pub async fn a_definition_that_was_changed_is_refused(cassandra: &Cassandra) {
    cassandra.table("changed").await;
    let session = &cassandra.session;
    let read = format!("SELECT definition FROM {KEYSPACE}.changed_columnar WHERE id = 'table'");
    let rows = session.query_unpaged(read, ()).await.unwrap();
    let rows = rows.into_rows_result().unwrap();
    let (whole,) = rows.first_row::<(String,)>().unwrap();
    let write = async |text: &str| {
        let cql =
            format!("UPDATE {KEYSPACE}.changed_columnar SET definition = ? WHERE id = 'table'");
        session.query_unpaged(cql, (text,)).await.unwrap();
    };
    let open = async || {
        let session = Arc::clone(&cassandra.session);
        CassandraStore::open(session, KEYSPACE, "changed", Options::default()).await
    };
    assert!(whole.contains(r#""shards":4"#), "{whole}");
    write(&whole.replace(r#""shards":4"#, r#""shards":5"#)).await;
    let error = open().await.unwrap_err().to_string();
    assert!(error.contains("its checksum is wrong"), "{error}");
    let said = damage(cassandra, "changed").await;
    assert!(
        said.contains("changed_columnar: its checksum is wrong"),
        "{said}"
    );
    // An early version wrote no checksum.
    let (early, _) = whole.rsplit_once(",\"crc\"").unwrap();
    write(&format!("{early}}}")).await;
    assert_eq!(**open().await.unwrap().definition(), definition());
    let check = checked(cassandra, "changed").await;
    assert!(
        check.is_sound() && check.notes[0].contains("no checksum"),
        "{check:?}"
    );
}

pub async fn nothing_is_written_that_others_may_not_see(cassandra: &Cassandra) {
    cassandra
        .cql(
            "CREATE KEYSPACE two_copies WITH replication = \
             {'class': 'SimpleStrategy', 'replication_factor': 2}",
        )
        .await;
    let options = |level| Options {
        read_consistency: level,
        write_consistency: level,
        ..Options::default()
    };
    let create = async |keyspace, level| {
        let session = Arc::clone(&cassandra.session);
        CassandraStore::create(session, keyspace, "weak", definition(), options(level)).await
    };
    let error = create("two_copies", Consistency::One).await.unwrap_err();
    let said =
        "reads of two_copies.weak at ONE may miss writes at ONE: of each row there are 2 copies";
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    assert!(error.to_string().starts_with(said), "{error}");
    // With one copy, everything overlaps but ANY, which no replica has to take.
    create(KEYSPACE, Consistency::One).await.unwrap();
    let session = Arc::clone(&cassandra.session);
    let any = Options {
        write_consistency: Consistency::Any,
        ..Options::default()
    };
    let store = CassandraStore::open(session, KEYSPACE, "weak", any)
        .await
        .unwrap();
    assert_eq!(fresh_rows(&store, PLACE).await, []);
    let rows = [row("a", write_time(), Some("1"))];
    for refused in [
        store.insert(PLACE, &rows).await,
        store.freeze(PLACE).await.map(drop),
        store.drop_places(&[PLACE]).await,
        store.sweep(Duration::ZERO).await.map(drop),
        store.commit(Vec::new()).await,
        store.put(PLACE, &[]).await,
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("may miss writes at ANY"), "{error}");
    }
}

/// The time within which a change of the keyspace is noticed, and some more.
const NOTICED_WITHIN: Duration = Duration::from_secs(120);

/// A table whose keyspace got a further copy after it was opened.
pub struct Weakened {
    at: Instant,
    store: CassandraStore,
}

pub async fn weaken(cassandra: &Cassandra) -> Weakened {
    let change = async |verb: &str, copies: u32| {
        let cql = format!(
            "{verb} KEYSPACE gets_copies WITH replication = \
             {{'class': 'SimpleStrategy', 'replication_factor': {copies}}}"
        );
        cassandra.cql(&cql).await;
    };
    change("CREATE", 1).await;
    let options = Options {
        read_consistency: Consistency::One,
        write_consistency: Consistency::One,
        ..Options::default()
    };
    let session = Arc::clone(&cassandra.session);
    let store = CassandraStore::create(session, "gets_copies", "weak", definition(), options);
    let store = store.await.unwrap();
    let rows = [row("a", write_time(), Some("1"))];
    store.insert(PLACE, &rows).await.unwrap();
    change("ALTER", 2).await;
    Weakened {
        at: Instant::now(),
        store,
    }
}

/// Checks that a process notices that its consistencies do not overlap any more.
pub async fn copies_that_were_added_are_noticed(weakened: &Weakened) {
    let store = &weakened.store;
    let error = loop {
        match store.freeze(PLACE).await {
            Err(error) => break error.to_string(),
            Ok(_) => assert!(weakened.at.elapsed() < NOTICED_WITHIN),
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    let said = "may miss writes at ONE: of each row there are 2 copies";
    assert!(error.contains(said), "{error}");
    let error = store.commit(Vec::new()).await.unwrap_err().to_string();
    assert!(error.contains(said), "{error}");
}

/// Checks that one process at a time creates the tables of a table.
pub async fn a_table_that_another_process_is_making_is_waited_for(cassandra: &Cassandra) {
    let catalogue = format!("{KEYSPACE}.waited_columnar");
    cassandra.table("waited").await;
    for part in ["places", "index", "chunks", "fresh"] {
        cassandra
            .cql(&format!("DROP TABLE {KEYSPACE}.waited_{part}"))
            .await;
    }
    let claim = format!(
        "INSERT INTO {catalogue} (id, definition) VALUES ('making', 'other') IF NOT EXISTS"
    );
    cassandra.cql(&claim).await;
    let mut creation = Box::pin(cassandra.create("waited", definition()));
    // It waits, however long: only one that does not wait uses less.
    let early = tokio::time::timeout(Duration::from_secs(2), &mut creation).await;
    assert!(
        early.is_err(),
        "it was created although another process was creating it"
    );
    let release = format!("DELETE FROM {catalogue} WHERE id = 'making' IF definition = 'other'");
    cassandra.cql(&release).await;
    let store = creation.await.unwrap();
    assert_eq!(fresh_rows(&store, PLACE).await, []);
    assert_eq!(
        cassandra.count("waited_columnar").await,
        1,
        "nobody is making it"
    );

    let creations = (0..4).map(|_| cassandra.create("together", definition()));
    for made in futures::future::join_all(creations).await {
        made.unwrap();
    }
    assert_eq!(cassandra.count("together_columnar").await, 1);
}
