//! A node that clients reach no more, as if it had lost its power: what is sent to it and from it is dropped, which takes
//! root and `nft`. Nothing ends the connections to it, so that a client has to notice by itself. The other nodes
//! reach it, and two copies of three are enough for everything that is asked.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use bakeoff_driver::drive::{Schedule, Stop, drive};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, Replication};
use bakeoff_stats::{FailureKind, Tally};
use bakeoff_testing::nft::{can_make, nft, remover};
use bakeoff_testing::skipped;
use bakeoff_workload::{Consistency, DesignId};
use futures::future::join_all;
use scylla::client::session::Session;
use scylla::statement::{Consistency as LevelOfTheDriver, Statement};
use tokio::time::sleep;

use crate::support::THREADS;
use crate::support::load::{
    Loaded, Loads, READINGS, READS_AND_WRITES, Seconds, failures, on_cluster, session_at, workload,
};

/// For how long a load runs before a node is cut off.
const BEFORE: Duration = Duration::from_secs(2);
/// The time after which it is known to be gone, 10 s, and some more for a machine that others keep busy.
const NOTICED_WITHIN: Duration = Duration::from_secs(14);
/// For how long the load then goes on.
const AFTERWARDS: Duration = Duration::from_secs(4);
const REQUEST_TIME_LIMIT: Duration = Duration::from_secs(5);
/// Reads of the driver at the same time.
const READERS: usize = 8;

/// A node that clients do not reach until this is dropped.
struct CutOff(Child);

impl CutOff {
    /// Returns `None`, with a note, where no packets can be dropped.
    fn prepare() -> Option<CutOff> {
        let table = table();
        match can_make(&table) {
            Ok(()) => Some(CutOff(remover(&table))),
            Err(reason) => {
                skipped(reason);
                None
            }
        }
    }

    fn begin(&self, node: SocketAddr) {
        let (table, ip, port) = (table(), node.ip(), node.port());
        let rule = format!("add rule ip {table} input iif lo ip");
        let rules = format!(
            "add table ip {table}\n\
             add chain ip {table} input {{ type filter hook input priority 0 ; policy accept ; }}\n\
             {rule} daddr {ip} tcp dport {port} drop\n\
             {rule} saddr {ip} tcp sport {port} drop\n"
        );
        nft(&rules).unwrap();
    }
}

impl Drop for CutOff {
    fn drop(&mut self) {
        // This closes the pipe to it first, whereupon it deletes the rules.
        if let Err(error) = self.0.wait() {
            eprintln!("the rules of {} may still be there: {error}", table());
        }
    }
}

/// Returns the name of the table with our rules.
fn table() -> String {
    format!("bakeoff_cut_off_{}", std::process::id())
}

/// Checks that a load has no failures any more once a node is known to be gone, or at most as many as the reads of the
/// driver, which run beside it.
pub async fn a_node_fails_no_more_operations_than_those_of_the_driver(
    node: SocketAddr,
    address: &str,
    run_dir: &Path,
) {
    let Some(cut_off) = CutOff::prepare() else {
        return;
    };
    let loads = connected(address, run_dir).await;
    let workload = workload(READINGS, READS_AND_WRITES);
    let level = Some(Consistency::Quorum);
    let loaded = loads
        .target_with("cassandra/wide", &workload, REQUEST_TIME_LIMIT, level)
        .await;
    loaded.fill().await;
    loaded.target.prepare().await.unwrap();

    let plan = loaded.plan(Schedule::ClosedLoop, BEFORE + NOTICED_WITHIN + AFTERWARDS);
    let (stop, mut seconds) = (Stop::new(), Seconds::default());
    let seen = seconds.clone();
    let ends = Instant::now() + plan.duration;
    let (driven, reads, ()) = tokio::join!(
        drive(loaded.target.clone(), &plan, &stop, &mut seconds),
        read_by_the_driver(&loads.session, &loaded, ends),
        async {
            sleep(BEFORE).await;
            cut_off.begin(node);
        }
    );
    drop(cut_off);
    let driven = driven.unwrap();
    assert!(driven.worker_failures.is_empty(), "{driven:?}");

    let all = seen.operations();
    let failed = |kind| all.iter().map(|tally| failures(tally, kind)).sum::<u64>();
    let of_the_node = failed(FailureKind::Connection) + failed(FailureKind::TimedOut);
    assert!(of_the_node > 0, "nothing was cut off");

    let (done, failed) = since(&seen, BEFORE + NOTICED_WITHIN);
    assert!(done > 0, "nothing is answered any more");
    let (ours, of_the_driver) = (share(done, failed), of_the_last(&reads, ends - AFTERWARDS));
    println!("failed once the node is gone: {ours} of ours, {of_the_driver} of the driver's");
    assert!(
        ours <= of_the_driver,
        "{ours}, {of_the_driver} of the driver's: {:?}",
        driven.failures
    );
    drop(loaded);
    loads.running.finish(false).await.unwrap();
}

/// Connects to the cluster for a table with a copy on each node.
async fn connected(address: &str, run_dir: &Path) -> Loads {
    let mut options = on_cluster(address, None);
    options.cassandra.replication = Replication {
        copies: Some(3),
        consistency: Some(Consistency::Quorum),
        ..Replication::default()
    };
    let context = Context {
        run_dir: run_dir.to_owned(),
        token: None,
        threads: THREADS,
        keys_repeat: true,
        options,
    };
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let running = engine(&id).unwrap().start(&context).await.unwrap();
    Loads {
        running,
        context,
        session: session_at(address).await,
    }
}

/// Reads a partition by the driver again and again, and returns when each read ended and whether it failed.
async fn read_by_the_driver(
    session: &Session,
    loaded: &Loaded,
    ends: Instant,
) -> Vec<(Instant, bool)> {
    let info = loaded.target.info();
    let creates = |statement: &&String| statement.starts_with("CREATE TABLE ");
    let create = info.statements.iter().find(creates).unwrap();
    let table = create.split(' ').nth(2).unwrap();
    let select = format!(
        "SELECT time FROM {table} WHERE sensor = {}",
        loaded.key(0, 0)
    );
    let reader = || async {
        let mut reads = Vec::new();
        while Instant::now() < ends {
            let mut statement = Statement::new(select.as_str());
            statement.set_consistency(LevelOfTheDriver::Quorum);
            statement.set_request_timeout(Some(REQUEST_TIME_LIMIT));
            let read = session.query_unpaged(statement, ()).await;
            reads.push((Instant::now(), read.is_err()));
        }
        reads
    };
    let all = join_all((0..READERS).map(|_| reader())).await;
    all.concat()
}

/// Returns the number of operations of a load that ended well after this time, and of those that failed.
fn since(seconds: &Seconds, time: Duration) -> (u64, u64) {
    let seconds = seconds.0.lock().unwrap();
    let last = seconds
        .iter()
        .filter(|second| u64::from(second.second) >= time.as_secs());
    let tallies: Vec<&Tally> = last.flat_map(|second| &second.operations).collect();
    let done = tallies.iter().map(|tally| tally.successes()).sum();
    let failed = tallies.iter().map(|tally| tally.failed()).sum();
    (done, failed)
}

/// Returns the share of the reads that have failed since a moment.
fn of_the_last(reads: &[(Instant, bool)], since: Instant) -> f64 {
    let last = || reads.iter().filter(|(ended, _)| *ended >= since);
    let failed = last().filter(|(_, has_failed)| *has_failed).count() as u64;
    share(last().count() as u64 - failed, failed)
}

fn share(done: u64, failed: u64) -> f64 {
    failed as f64 / (done + failed).max(1) as f64
}
