//! A table that processes load, change and seal until they are killed: it has the rows of all steps that
//! they reported as done, and maybe some of the next one.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::kills::KILLS_OF_A_TABLE;
use crate::kills::steps::{
    FAILPOINTS, Hits, apply, check, definition, first_of, is_short, later, load, shown,
};
use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_columnar::{Definition, Table};

use bakeoff_testing::{Random, times};

use super::child::Writer;
use super::support::{Cassandra, KEYSPACE};

pub const TABLE: &str = "whole_table";

const SEALED_WITHIN: Duration = Duration::from_secs(120);

/// The number of steps after which a child that was not killed ends.
const STEPS_AT_MOST: u64 = 400;

pub async fn killed_at_every_step(cassandra: &Cassandra) {
    cassandra.table_of(TABLE, definition()).await;
    let mut done = 0;
    for failpoint in FAILPOINTS {
        for hit in times(&[1][..], &[1, 3]) {
            let why = format!("{failpoint}:{hit}");
            let child = Writer::start(cassandra, &role(done), Some(why.clone()));
            done = last_done(child, done);
            look(cassandra, done, &why).await;
        }
    }
}

pub async fn killed_at_random(cassandra: &Cassandra) {
    let (all_kills, kills_of_each) = times((6, 0), (500, 100));
    let mut random = Random::printed("whole tables killed at random times");
    let mut hits = Hits::default();
    while hits.kills() < all_kills || hits.least() < kills_of_each {
        assert!(hits.kills() < 10 * all_kills, "{hits}");
        CassandraStore::drop_table(cassandra.session.clone(), KEYSPACE, TABLE)
            .await
            .unwrap();
        cassandra.table_of(TABLE, definition()).await;
        let mut done = 0;
        for _ in 0..KILLS_OF_A_TABLE.min(all_kills) {
            let mut child = Writer::start(cassandra, &role(done), None);
            wait_for(&mut child, "begun");
            let kind = hits.rarest();
            let awaited = first_of(kind, done + 1) - (done + 1);
            for _ in 0..awaited {
                wait_for(&mut child, "done");
            }
            // The kill comes somewhere in the next step.
            let milliseconds = if is_short(kind) { 20 } else { 300 };
            tokio::time::sleep(Duration::from_millis(random.below(milliseconds))).await;
            child.process.kill().unwrap();
            done = last_done(child, done + awaited);
            hits.add(done + 1);
            look(cassandra, done, &format!("{hits}")).await;
        }
    }
    println!("{hits}");
}

fn wait_for(child: &mut Writer, word: &str) {
    let mut line = String::new();
    while !line.contains(word) {
        line.clear();
        let read = child.output.read_line(&mut line).unwrap();
        assert!(read > 0, "the child ended");
    }
}

/// Seals with few requests at a time: those of one group must not wait for the commit of another
/// one.
pub async fn sealed_with_few_requests_at_once(cassandra: &Cassandra) {
    const NAME: &str = "few_requests";
    const LOADS: u64 = 130;
    cassandra.table_of(NAME, one_place()).await;
    let table = Table::new(Arc::new(cassandra.another(NAME).await), 0);
    for step in 1..=LOADS {
        load(&table, &later(step)).await;
    }
    let before = shown(&table).await;
    let options = Options {
        requests_at_once: 2,
        ..Options::default()
    };
    let session = Arc::clone(&cassandra.session);
    let store = CassandraStore::open(session, KEYSPACE, NAME, options).await;
    let few = Table::new(Arc::new(store.unwrap()), 0);
    let sealed = tokio::time::timeout(SEALED_WITHIN, few.seal(None))
        .await
        .expect("the seal does not end")
        .unwrap();
    assert!(sealed.chunks_retired >= 2 * LOADS, "{sealed:?}");
    assert_eq!(shown(&few).await, before);
    assert_eq!(before.len() as u64, LOADS * 48);
}

/// Makes a definition without buckets and with one shard, in which a chunk has a load and a half.
fn one_place() -> Definition {
    Definition {
        bucket: None,
        shards: 1,
        ..definition()
    }
}

fn role(done: u64) -> String {
    format!("steps:{done}")
}

fn last_done(child: Writer, before: u64) -> u64 {
    let Writer {
        mut process,
        output,
    } = child;
    let lines = output.lines().map_while(Result::ok);
    let done = lines.filter_map(|line| line.strip_prefix("done ")?.parse().ok());
    let last = done.last().unwrap_or(before);
    assert!(
        !process.wait().unwrap().success(),
        "the child was not killed"
    );
    last
}

async fn look(cassandra: &Cassandra, done: u64, why: &str) {
    let table = Table::new(Arc::new(cassandra.another(TABLE).await), 0);
    check(&shown(&table).await, done, why);
}

/// Runs as the child.
pub async fn go_on(store: CassandraStore, done: &str) {
    let done: u64 = done.parse().unwrap();
    let table = Table::new(Arc::new(store), 0);
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    };
    // The test harness has begun a line.
    say("\nbegun".to_owned());
    for step in done + 1..=done + STEPS_AT_MOST {
        apply(&table, step).await;
        say(format!("done {step}"));
    }
}
