//! Processes that are killed while they write, seal, sweep and drop.
//!
//! The child writes rows of few keys over and over, says which are
//! acknowledged, and seals, sweeps and drops in between, until it is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_columnar::{Change, FreshRow, Place, Snapshot, Store};
use bakeoff_testing::{Random, times};
use bytes::Bytes;

use super::child::{Versions, Writer};
use super::support::{
    Cassandra, ELSEWHERE, KEYSPACE, PLACE, chunk, definition, everything, fresh_rows, row, valid,
    write_time,
};

pub const TABLE: &str = "kills";
pub const DROPS_TABLE: &str = "kills_of_drops";
pub const MADE_TABLE: &str = "kills_of_tables";
/// The bytes that make a chunk too large for a single row, in every second seal.
const PADDING: usize = 40_000;

/// The points at which a child is killed, and at which of its passes.
const STEPS: &[(&str, &[u32])] = &[
    ("cassandra.place.listed", &[1]),
    ("cassandra.place.opened", &[1, 2]),
    ("cassandra.insert.opened", &[1, 7]),
    ("cassandra.insert.written", &[1, 9]),
    ("cassandra.freeze.closed", &[1, 2]),
    ("cassandra.freeze.read", &[1, 2]),
    ("cassandra.put.pending", &[1, 2]),
    ("cassandra.put.blob", &[1, 2, 3]),
    ("cassandra.put.blobs", &[1, 2]),
    ("cassandra.commit.renewed", &[1, 2]),
    ("cassandra.commit.index", &[1, 2]),
    ("cassandra.fresh.deleted", &[1, 2]),
    ("cassandra.commit.sealed", &[1, 2]),
    ("cassandra.sweep.abandoned", &[1]),
    ("cassandra.sweep.blobs", &[1, 2]),
    ("cassandra.sweep.index", &[1, 2]),
];

const STEPS_OF_A_DROP: &[(&str, &[u32])] = &[
    ("cassandra.drop.unlisted", &[1]),
    ("cassandra.drop.deleted", &[1, 2, 3]),
    ("cassandra.fresh.deleted", &[1, 2, 3]),
];

/// The points at which a child is killed while it makes or drops a table.
const STEPS_OF_TABLES: &[&str] = &[
    "cassandra.create.part",
    "cassandra.create.entry",
    "cassandra.drop_table.marked",
    "cassandra.drop_table.part",
];

/// Checks that no point in the source of the store is left out.
#[test]
fn a_child_is_killed_at_every_point() {
    let mut paths = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/cassandra")];
    let mut names = BTreeSet::new();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            let within = fs::read_dir(path).unwrap();
            paths.extend(within.map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let after = text.split("failpoint::hit(\"").skip(1);
        names.extend(after.map(|rest| rest.split('"').next().unwrap().to_owned()));
    }
    let of_rows = STEPS.iter().chain(STEPS_OF_A_DROP).map(|(step, _)| *step);
    let tested: BTreeSet<String> = of_rows
        .chain(STEPS_OF_TABLES.iter().copied())
        .map(str::to_owned)
        .collect();
    assert_eq!(names, tested);
}

pub async fn at_every_step(cassandra: &Cassandra) {
    let mut acknowledged = Versions::new();
    for (step, hits) in STEPS {
        for time in &hits[..times(1, hits.len())] {
            // The first step of all is that of a table without places.
            if *step == "cassandra.place.listed" {
                CassandraStore::drop_table(cassandra.session.clone(), KEYSPACE, TABLE)
                    .await
                    .unwrap();
                cassandra.table(TABLE).await;
            }
            let mut child = Writer::start(cassandra, "write", Some(format!("{step}:{time}")));
            child.acknowledged(&mut acknowledged);
            child.was_killed(step);
            check(cassandra, &acknowledged).await;
        }
    }
}

pub async fn at_random(cassandra: &Cassandra) {
    cassandra.table(TABLE).await;
    let mut acknowledged = Versions::new();
    let mut rows = 0;
    let kills = times(6, 100);
    let mut random = Random::printed("stores killed at random times");
    for _ in 0..kills {
        let mut child = Writer::start(cassandra, "write", None);
        child.wait_for_row(&mut acknowledged);
        // The kills are spread over more than a whole round of the child.
        tokio::time::sleep(Duration::from_millis(random.below(1500))).await;
        child.process.kill().unwrap();
        rows += child.acknowledged(&mut acknowledged);
        child.process.wait().unwrap();
        check(cassandra, &acknowledged).await;
    }
    println!("{kills} kills, {rows} acknowledged rows, none lost");
}

pub async fn while_places_are_dropped(cassandra: &Cassandra) {
    let store = cassandra.table(DROPS_TABLE).await;
    for (step, hits) in STEPS_OF_A_DROP {
        for time in &hits[..times(1, hits.len())] {
            for place in [PLACE, ELSEWHERE] {
                store
                    .insert(place, &[row("a", write_time(), Some("1"))])
                    .await
                    .unwrap();
                seal(&store, place).await;
                store
                    .insert(place, &[row("b", write_time(), Some("1"))])
                    .await
                    .unwrap();
            }
            let child = Writer::start(cassandra, "drop", Some(format!("{step}:{time}")));
            child.was_killed(step);
            let places = store.places().await.unwrap();
            assert!(places.len() < 2, "{step}:{time}: {places:?}");
            // The caller drops them again, or a sweep does.
            match time % 2 {
                0 => store.drop_places(&[PLACE, ELSEWHERE]).await.unwrap(),
                _ => {
                    store.drop_places(&places).await.unwrap();
                    store.sweep(Duration::ZERO).await.unwrap();
                }
            }
            assert_eq!(store.places().await.unwrap(), []);
            for table in ["index", "chunks", "fresh"] {
                let left = cassandra.count(&format!("{DROPS_TABLE}_{table}")).await;
                assert_eq!(left, 0, "{step}:{time}: {table}");
            }
        }
    }
}

/// Checks that the next process completes a table that is half made, and drops one that is half
/// dropped.
pub async fn while_tables_are_made_and_dropped(cassandra: &Cassandra) {
    for time in [1, 3, 5] {
        Writer::start(
            cassandra,
            "make",
            Some(format!("cassandra.create.part:{time}")),
        )
        .was_killed("create.part");
        let store = cassandra.table(MADE_TABLE).await;
        store
            .insert(PLACE, &[row("a", write_time(), Some("1"))])
            .await
            .unwrap();
        Writer::start(
            cassandra,
            "unmake",
            Some(format!("cassandra.drop_table.part:{time}")),
        )
        .was_killed("drop_table.part");
        if time < 5 {
            let error = cassandra
                .create(MADE_TABLE, definition())
                .await
                .unwrap_err();
            assert!(error.to_string().contains("drop it again"), "{error}");
        }
        let session = cassandra.session.clone();
        let dropped = CassandraStore::drop_table(session, KEYSPACE, MADE_TABLE)
            .await
            .unwrap();
        assert_eq!(dropped, time < 5);
    }
    cassandra.table(MADE_TABLE).await;
    let marked = Some("cassandra.drop_table.marked".to_owned());
    Writer::start(cassandra, "unmake", marked).was_killed("marked");
    let session = cassandra.session.clone();
    let opened = CassandraStore::open(session.clone(), KEYSPACE, MADE_TABLE, Options::default());
    let error = opened.await.unwrap_err().to_string();
    assert!(error.contains("was about to be dropped"), "{error}");
    let dropped = CassandraStore::drop_table(session, KEYSPACE, MADE_TABLE).await;
    assert!(dropped.unwrap());
    Writer::start(cassandra, "make", Some("cassandra.create.entry".to_owned())).was_killed("entry");
    assert_eq!(
        fresh_rows(&cassandra.another(MADE_TABLE).await, PLACE).await,
        []
    );
}

async fn check(cassandra: &Cassandra, acknowledged: &Versions) {
    let store = cassandra.another(TABLE).await;
    check_place(&store, PLACE, acknowledged).await;
    assert!(valid(&store, PLACE).await.len() <= 1);
}

/// Checks that every acknowledged row is seen, or a later one of its key.
///
/// # Panics
/// Panics if one is missing, or if two versions of a key with the same write time differ.
pub async fn check_place(store: &CassandraStore, place: Place, acknowledged: &Versions) {
    let snapshot = everything(store, place).await;
    let found = versions_of(store, place, &snapshot).await;
    for (key, time) in acknowledged {
        let seen = found.get(key).copied();
        assert!(
            seen >= Some(*time),
            "{key} of {time} is lost, there is {seen:?}"
        );
    }
}

/// Returns the newest version of each key, from fresh rows and chunks.
pub async fn versions_of(store: &CassandraStore, place: Place, snapshot: &Snapshot) -> Versions {
    let mut all = snapshot.fresh.clone();
    for meta in &snapshot.chunks {
        let blobs = store.blobs(place, meta, &[0]).await.unwrap();
        assert_eq!(crc32fast::hash(&blobs[0]), meta.blobs[0].crc);
        let rows = decoded(&blobs[0]);
        for in_chunk in &rows {
            let fresh = snapshot
                .fresh
                .iter()
                .find(|fresh| fresh.key == in_chunk.key);
            if let Some(fresh) = fresh.filter(|fresh| fresh.write_time == in_chunk.write_time) {
                assert_eq!(fresh, in_chunk);
            }
        }
        all.extend(rows);
    }
    let mut versions = Versions::new();
    for row in all {
        if let Some(value) = &row.row {
            assert_eq!(
                *value,
                row.write_time.to_string(),
                "a value of another version"
            );
        }
        let key = String::from_utf8(row.key.to_vec()).unwrap();
        let newest = versions.entry(key).or_insert(row.write_time);
        *newest = row.write_time.max(*newest);
    }
    versions
}

/// Turns the fresh rows and all chunks of a place into one chunk.
pub async fn seal(store: &CassandraStore, place: Place) {
    let frozen = store.freeze(place).await.unwrap();
    if frozen.rows.is_empty() {
        return;
    }
    let chunks = everything(store, place).await.chunks;
    let mut newest: BTreeMap<Bytes, FreshRow> = BTreeMap::new();
    let mut rows = frozen.rows.clone();
    for meta in &chunks {
        rows.extend(decoded(&store.blobs(place, meta, &[0]).await.unwrap()[0]));
    }
    for row in rows {
        let there = newest.entry(row.key.clone()).or_insert_with(|| row.clone());
        if there.write_time < row.write_time {
            *there = row;
        }
    }
    let padding = if write_time() % 2 == 0 { PADDING } else { 0 };
    let padding = || Bytes::from(vec![0; padding]);
    let blobs = vec![encoded(newest.values()), padding(), padding()];
    let merged = chunk(&definition(), "", "z", blobs);
    store
        .put(place, std::slice::from_ref(&merged))
        .await
        .unwrap();
    let change = Change {
        place,
        add: vec![merged.meta],
        retire: chunks.iter().map(|meta| meta.id).collect(),
        sealed: Some(frozen),
    };
    store.commit(vec![change]).await.unwrap();
}

fn encoded<'a>(rows: impl Iterator<Item = &'a FreshRow>) -> Bytes {
    let line = |row: &FreshRow| {
        let key = String::from_utf8(row.key.to_vec()).unwrap();
        format!("{key} {} {}\n", row.write_time, row.row.is_some())
    };
    rows.map(line).collect::<String>().into()
}

fn decoded(blob: &[u8]) -> Vec<FreshRow> {
    let of_line = |line: &str| {
        let parts: Vec<&str> = line.split(' ').collect();
        let value = (parts[2] == "true").then_some(parts[1]);
        row(parts[0], parts[1].parse().unwrap(), value)
    };
    std::str::from_utf8(blob)
        .unwrap()
        .lines()
        .map(of_line)
        .collect()
}
