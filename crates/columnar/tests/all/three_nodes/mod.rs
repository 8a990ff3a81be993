//! Columnar tables on three real nodes of Cassandra, with three copies of each row, and reads and writes at
//! quorums, while nodes stand still, are killed, or are cut off from each other, workers stand still or are killed,
//! and clocks are wrong.
//!
//! Three processes write, delete, read and seal, each with a clock of its own that is up to 14.5 s wrong. They
//! write down what they do, and when, and `history.rs` looks for answers that lack a row, or have one twice, or an
//! older one than they must. A process whose clock is further away must not even open the table. The clock of one
//! of the nodes is 8 s ahead of those of the others.

pub mod cluster;
mod events;
mod faults;
mod history;
mod links;
pub mod rows;
mod worker;
mod workers;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_columnar::cassandra::Options;
use bakeoff_columnar::{Error, Table};
use bakeoff_testing::{Moment, Random, times};
use tokio::time::sleep;

use crate::cassandra::support::has_cassandra;
use cluster::{Cluster, NODES, impatient, patient};
use faults::Fault;
use history::{History, Read};
use links::Links;
use worker::WRONG_CLOCK;
use workers::Workers;

/// The number of times that a table is read when all faults are over, until it answers.
const READS_AT_MOST: usize = 10;

/// The longest time until a table can be opened after a node stood still, next to other tests.
const OPENED_WITHIN: Duration = Duration::from_secs(300);

/// The clocks of visitors, in milliseconds: more wrong than is allowed, by a few seconds or much.
const TOO_WRONG_MS: (u64, u64) = (33_000, 3_600_000);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_lose_and_double_no_acknowledged_row() {
    if !has_cassandra().await {
        return;
    }
    let Some(mut cluster) = Box::pin(Cluster::start()).await else {
        return;
    };
    let links = Links::new();
    let mut random = Random::printed("three nodes with faults");
    for round in 0..times(1, 6) {
        let _moment = Moment::new(format!("round {round}"));
        let table = format!("rows_{round}");
        Box::pin(survive(&mut cluster, links.as_ref(), &table, &mut random)).await;
    }
    cluster.stop().await;
}

/// Runs as a worker or visitor that another process has started, or does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    worker::perform().await;
}

/// Lets workers use a table while all faults happen, and checks what they have seen, and what is there at the
/// end.
async fn survive(cluster: &mut Cluster, links: Option<&Links>, table: &str, random: &mut Random) {
    cluster.make_table(table).await;
    let mut workers = Workers::start(cluster.addresses(), table, random);
    workers.make_progress().await;
    for ahead in [-(TOO_WRONG_MS.0 as i64), TOO_WRONG_MS.0 as i64] {
        let why = workers.invite(ahead, random).why_refused();
        assert!(why.contains(WRONG_CLOCK), "{ahead} ms ahead: {why}");
    }
    for fault in Fault::shuffled(random) {
        let before = workers.acknowledged();
        let visitor = workers.invite(too_wrong(random), random);
        fault.strike(cluster, links, &mut workers, random).await;
        let during = workers.acknowledged() - before;
        println!("{fault:?}: {during} writes were acknowledged meanwhile");
        visitor.why_refused();
        workers.make_progress().await;
    }
    let log = workers.end();
    assert_eq!(log.broken, [""; 0]);
    assert!(log.seals > 0, "nothing was sealed: {:?}", log.given_up);
    let mut history = log.history;
    let acknowledged = history.writes.iter().filter(|w| w.acknowledged.is_some());
    println!(
        "{} versions, {} of them acknowledged, {} reads and {} seals; {} times something was given up",
        history.writes.len(),
        acknowledged.count(),
        history.reads.len(),
        log.seals,
        log.given_up.len()
    );
    history.reads.extend(last_reads(cluster, table).await);
    check(&history);
    assert_eq!(cluster.damages(table).await, [""; 0]);
}

/// Returns by how many milliseconds the clock of a visitor is ahead.
fn too_wrong(random: &mut Random) -> i64 {
    let (least, greatest) = TOO_WRONG_MS;
    let wrong_by = (least + random.below(greatest - least)) as i64;
    let sign = [1, -1][random.below(2) as usize];
    sign * wrong_by
}

/// Reads everything when all faults are over: from each two of the nodes, and before and after all fresh rows
/// are in chunks.
async fn last_reads(cluster: &Cluster, name: &str) -> Vec<Read> {
    let mut reads = Vec::new();
    for without in 0..NODES {
        let table = opened(cluster, name, impatient()).await;
        cluster.node(without).pause().unwrap();
        reads.push(read(&table).await);
        cluster.node(without).resume().unwrap();
    }
    let table = opened(cluster, name, patient()).await;
    table.seal(None).await.unwrap();
    reads.push(read(&table).await);
    table.sweep(Duration::ZERO).await.unwrap();
    let table = opened(cluster, name, patient()).await;
    reads.push(read(&table).await);
    reads
}

/// Opens a table, as often as the nodes take too long for it.
async fn opened(cluster: &Cluster, name: &str, options: Options) -> Arc<Table> {
    let began = Instant::now();
    loop {
        let reason = match cluster::open(&cluster.addresses(), name, options.clone()).await {
            Ok(store) => return Table::new(Arc::new(store), 0),
            Err(reason) => reason,
        };
        let may_pass = !reason.contains("damaged") && !reason.contains(WRONG_CLOCK);
        assert!(may_pass && began.elapsed() < OPENED_WITHIN, "{reason}");
        sleep(Duration::from_millis(500)).await;
    }
}

async fn read(table: &Table) -> Read {
    for _ in 0..READS_AT_MOST {
        match rows::read(table, None).await {
            Ok(read) => return read,
            Err(Error::Server { .. }) => sleep(Duration::from_millis(500)).await,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the table was not read in {READS_AT_MOST} attempts");
}

fn check(history: &History) {
    let violations = history.violations();
    assert!(violations.is_empty(), "{}", history.explained(&violations));
}
