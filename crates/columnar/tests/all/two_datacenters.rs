//! Columnar tables on two real nodes of Cassandra, each in a datacenter of its own with a copy of each row.
//!
//! A process of each datacenter writes, deletes, reads and seals, and reaches only the node of its own: each answer
//! has all that was acknowledged to either of them. Where consistency levels cannot give that, nothing is written.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_columnar::{Error, Table};
use bakeoff_servers::cassandra::{Server, Tuning};
use bakeoff_testing::Moment;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::statement::{Consistency, Statement};

use crate::cassandra::support::has_cassandra;
use crate::three_nodes::cluster;
use crate::three_nodes::rows::{HOSTS, TIMES, batch, definition, keys, read};

const KEYSPACE: &str = "two_datacenters";

/// The number of all keys.
const KEYS: u32 = HOSTS * TIMES;

/// Levels of reads and writes, with their names, at which a process may not see what one in the other datacenter was
/// told is written. The first ones are those that a process has unless others are chosen.
const WEAK: [(Consistency, Consistency, &str, &str); 4] = [
    (
        Consistency::LocalQuorum,
        Consistency::LocalQuorum,
        "LOCAL_QUORUM",
        "LOCAL_QUORUM",
    ),
    (
        Consistency::LocalOne,
        Consistency::LocalQuorum,
        "LOCAL_ONE",
        "LOCAL_QUORUM",
    ),
    (
        Consistency::LocalQuorum,
        Consistency::One,
        "LOCAL_QUORUM",
        "ONE",
    ),
    (Consistency::One, Consistency::One, "ONE", "ONE"),
];

/// Levels of reads and writes at which each read meets each write. Those of the second and third ones read the copy of
/// the own datacenter alone.
const SAFE: [(Consistency, Consistency); 3] = [
    (Consistency::Quorum, Consistency::Quorum),
    (Consistency::LocalQuorum, Consistency::EachQuorum),
    (Consistency::LocalOne, Consistency::All),
];

/// The number of times that each datacenter seals while the other one writes.
const ROUNDS: i64 = 2;

/// The time after which a write is given up that a node which stands still would have to take.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(2);

/// The longest time of a write that needs no node but one that runs, next to other tests.
const WRITTEN_WITHIN: Duration = Duration::from_secs(60);

/// The sessions of two processes, each with the node of its own datacenter.
type Sessions = [Arc<Session>; 2];

/// The values of all rows, by their keys.
type Rows = BTreeMap<u32, i64>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_writes_the_other_reads_and_seals() {
    if !has_cassandra().await {
        return;
    }
    let tuning = Tuning {
        own_datacenters: true,
        ..Tuning::default()
    };
    let Some((nodes, _keeper)) = Box::pin(cluster::start(2, tuning)).await else {
        return;
    };
    println!("2 nodes answer after {:.1} s", nodes.start_seconds());
    let servers = nodes.into_servers();
    let sessions = [session(&servers[0]).await, session(&servers[1]).await];
    for (session, name) in sessions.iter().zip(["dc1", "dc2"]) {
        assert_eq!(datacenter(session).await, name);
    }
    let keyspace = format!(
        "CREATE KEYSPACE {KEYSPACE} WITH replication = \
         {{'class': 'NetworkTopologyStrategy', 'dc1': 1, 'dc2': 1}}"
    );
    sessions[0].query_unpaged(keyspace, ()).await.unwrap();
    a_local_quorum_does_without_the_other(&sessions[0], &servers[1]).await;
    for (number, levels) in SAFE.into_iter().enumerate() {
        let _moment = Moment::new(format!("{levels:?}"));
        let name = format!("rows_{number}");
        Box::pin(both_see_all(&sessions, &name, levels)).await;
    }
    Box::pin(weak_levels_are_refused(&sessions)).await;
    for server in servers {
        server.stop().await.unwrap();
    }
}

/// Connects to a node, and to no other one.
async fn session(server: &Server) -> Arc<Session> {
    let (address, login) = (server.address(), server.login());
    let target = NodeIdentifier::NodeAddress(address);
    let profile = ExecutionProfile::builder()
        .load_balancing_policy(SingleTargetLoadBalancingPolicy::new(target, None))
        .build();
    let builder = SessionBuilder::new()
        .known_node_addr(address)
        .user(login.user(), login.password())
        .default_execution_profile_handle(profile.into_handle());
    Arc::new(builder.build().await.unwrap())
}

/// Returns the datacenter of the node that answers.
async fn datacenter(session: &Session) -> String {
    let asking = "SELECT data_center FROM system.local";
    let answer = session.query_unpaged(asking, ()).await.unwrap();
    let rows = answer.into_rows_result().unwrap();
    let (name,) = rows.single_row::<(String,)>().unwrap();
    name
}

/// Checks why such levels are refused: a write at a local quorum is acknowledged while the other datacenter does not
/// answer at all. One at a quorum is not.
async fn a_local_quorum_does_without_the_other(session: &Session, other: &Server) {
    let table = format!("{KEYSPACE}.plain");
    let create = format!("CREATE TABLE {table} (k int PRIMARY KEY)");
    session.query_unpaged(create, ()).await.unwrap();
    let write = async |level, within| {
        let mut insert = Statement::new(format!("INSERT INTO {table} (k) VALUES (1)"));
        insert.set_consistency(level);
        insert.set_request_timeout(Some(within));
        session.query_unpaged(insert, ()).await.map(drop)
    };
    other.pause().unwrap();
    let local = write(Consistency::LocalQuorum, WRITTEN_WITHIN).await;
    let of_both = write(Consistency::Quorum, GIVEN_UP_AFTER).await;
    other.resume().unwrap();
    local.unwrap();
    of_both.unwrap_err();
}

fn options((read, write): (Consistency, Consistency)) -> Options {
    Options {
        read_consistency: read,
        write_consistency: write,
        ..Options::default()
    }
}

async fn created(
    session: &Arc<Session>,
    name: &str,
    options: Options,
) -> bakeoff_columnar::Result<CassandraStore> {
    CassandraStore::create(Arc::clone(session), KEYSPACE, name, definition(), options).await
}

async fn opened(session: &Arc<Session>, name: &str, options: Options) -> Arc<Table> {
    let store = CassandraStore::open(Arc::clone(session), KEYSPACE, name, options).await;
    Table::new(Arc::new(store.unwrap()), 0)
}

/// Lets both use a table that one of them has made.
async fn both_see_all(sessions: &Sessions, name: &str, levels: (Consistency, Consistency)) {
    created(&sessions[0], name, options(SAFE[0])).await.unwrap();
    let tables = [
        opened(&sessions[0], name, options(levels)).await,
        opened(&sessions[1], name, options(levels)).await,
    ];
    let mut rows = Rows::new();
    for round in 0..ROUNDS {
        for (one, other) in [(&tables[0], &tables[1]), (&tables[1], &tables[0])] {
            write(one, &mut rows, round).await;
            assert_eq!(seen_by(other).await, rows);
            let last = *rows.keys().next_back().unwrap();
            other.delete(&keys(&[last])).await.unwrap();
            rows.remove(&last);
            assert_eq!(seen_by(one).await, rows);
            write_while_the_other_seals(one, other, &mut rows).await;
            for table in &tables {
                assert_eq!(seen_by(table).await, rows);
            }
        }
    }
    let session = Arc::clone(&sessions[1]);
    let check = CassandraStore::check(session, KEYSPACE, name, options(levels)).await;
    let check = check.unwrap();
    assert!(check.is_sound() && check.chunks > 0, "{check:?}");
}

/// Writes all keys.
async fn write(table: &Table, rows: &mut Rows, value: i64) {
    let all: Vec<u32> = (0..KEYS).collect();
    table.insert(&batch(&all, value)).await.unwrap();
    rows.extend(all.iter().map(|key| (*key, value)));
}

/// Writes one row after the other until the other process has sealed the table, whose rows go on to another generation
/// meanwhile, and some more.
async fn write_while_the_other_seals(writer: &Table, sealer: &Arc<Table>, rows: &mut Rows) {
    let is_over = AtomicBool::new(false);
    let write = async {
        let mut number = 0_u32;
        loop {
            let is_last = is_over.load(Ordering::Relaxed);
            let (key, value) = (number % KEYS, i64::from(number) + 1_000);
            writer.insert(&batch(&[key], value)).await.unwrap();
            rows.insert(key, value);
            number += 1;
            if is_last {
                break number;
            }
        }
    };
    let seal = async {
        let sealed = sealer.seal(None).await.unwrap();
        is_over.store(true, Ordering::Relaxed);
        sealed
    };
    let (written, sealed) = tokio::join!(write, seal);
    println!("{written} rows were written meanwhile, {sealed:?}");
    assert!(sealed.fresh > 0, "{sealed:?}");
}

/// Reads all rows, each of which is there once.
async fn seen_by(table: &Table) -> Rows {
    let rows = read(table, None).await.unwrap().rows;
    let count = rows.len();
    let seen: Rows = rows.into_iter().collect();
    assert_eq!(seen.len(), count, "a row is there twice");
    seen
}

/// Nothing is made or written at such levels, whichever datacenter the process is in.
async fn weak_levels_are_refused(sessions: &Sessions) {
    let default = Options::default();
    let levels = (default.read_consistency, default.write_consistency);
    assert_eq!((WEAK[0].0, WEAK[0].1), levels);
    created(&sessions[0], "kept", options(SAFE[0]))
        .await
        .unwrap();
    let safe = opened(&sessions[0], "kept", options(SAFE[0])).await;
    let mut rows = Rows::new();
    write(&safe, &mut rows, 7).await;
    for (read, write, read_at, written_at) in WEAK {
        for session in sessions {
            let weak = opened(session, "kept", options((read, write))).await;
            for refused in [
                created(session, "weak", options((read, write)))
                    .await
                    .map(drop),
                weak.insert(&batch(&[0], 8)).await,
                weak.delete(&keys(&[0])).await,
                weak.seal(None).await.map(drop),
                weak.drop_before(i64::from(TIMES)).await.map(drop),
                weak.sweep(Duration::ZERO).await.map(drop),
            ] {
                let error = refused.unwrap_err();
                let said = format!(
                    "at {read_at} may miss writes at {written_at}: of each row there are 1 in datacenter dc1, \
                     1 in datacenter dc2. Seals would lose rows, so that nothing is written: use QUORUM"
                );
                assert!(matches!(error, Error::Invalid(_)), "{error}");
                assert!(error.to_string().contains(&said), "{error}");
            }
        }
    }
    assert_eq!(seen_by(&safe).await, rows);
}
