//! A process that writes, reads and seals all the time, or one that only tries to open the table: this
//! test's own program.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bakeoff_columnar::cassandra::CassandraStore;
use bakeoff_columnar::internals::{self, Machine};
use bakeoff_columnar::{Error, Store, Table};
use bakeoff_testing::Random;
use rustix::process::{Signal, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use uuid::Uuid;

use super::cluster::{impatient, open};
use super::events::Event;
use super::history::Key;
use super::rows::{HOSTS, SHARED_HOST, TIMES, batch, key, keys, now, read};

/// The variable with the task of the process, as JSON.
pub const TASK: &str = "COLUMNAR_TEST_WORKER";

/// The beginning of the error of a clock that is wrong.
pub const WRONG_CLOCK: &str = "the clock of this machine is";

/// The microseconds that a version is a multiple of, so that the number of the process can be added: no two
/// processes write the same version, whatever their clocks.
const VERSION_STEP: i64 = 1000;

/// The number of times that a visitor tries to open the table.
const VISITS: usize = 10;

/// The age from which on replaced chunks are removed: more than clocks differ by.
const GRACE: Duration = Duration::from_secs(40);

/// The pauses between two writes, reads and seals, in milliseconds, from the least to the greatest. Three nodes
/// and three workers share a small machine.
const BETWEEN_WRITES: (u64, u64) = (30, 90);
const BETWEEN_READS: (u64, u64) = (150, 400);
const BETWEEN_SEALS: (u64, u64) = (2_500, 6_000);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Writes, reads and seals until it is killed. No other worker writes the host.
    Work { host: u32 },
    /// Opens the table, and ends.
    Visit,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Task {
    pub role: Role,
    /// The number of the process, below [`VERSION_STEP`], which no other one has.
    pub process: i64,
    /// By how many milliseconds the wall clock of the process is ahead.
    pub ahead: i64,
    pub seed: u64,
    pub table: String,
    pub nodes: Vec<SocketAddr>,
}

/// Performs the task that another process of this test has put into the environment.
pub async fn perform() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let task: Task = serde_json::from_str(&task).unwrap();
    // Even one that stands still ends with the test. If that has ended already, nobody hears what is said, which
    // ends this process, too.
    set_parent_process_death_signal(Some(Signal::KILL)).unwrap();
    assert!(internals::replace(Arc::new(WrongClock {
        ahead: task.ahead
    })));
    // The test harness has begun a line.
    println!();
    match task.role {
        Role::Work { host } => work(&task, host).await,
        Role::Visit => visit(&task).await,
    }
}

/// The machine of a process, whose wall clock is wrong.
struct WrongClock {
    ahead: i64,
}

impl Machine for WrongClock {
    fn wall(&self) -> SystemTime {
        let by = Duration::from_millis(self.ahead.unsigned_abs());
        match self.ahead {
            ..0 => SystemTime::now() - by,
            _ => SystemTime::now() + by,
        }
    }

    fn name(&self) -> Uuid {
        // The first 48 of 128 bits are milliseconds.
        let ahead = i128::from(self.ahead) << 80;
        Uuid::from_u128(Uuid::now_v7().as_u128().wrapping_add_signed(ahead))
    }
}

async fn visit(task: &Task) {
    let mut reason = String::new();
    for _ in 0..VISITS {
        match open(&task.nodes, &task.table, impatient()).await {
            Ok(_) => return Event::Opened.say(),
            Err(why) => reason = why,
        }
        if reason.contains(WRONG_CLOCK) {
            break;
        }
        sleep(Duration::from_millis(500)).await;
    }
    Event::Refused(reason).say();
}

async fn work(task: &Task, host: u32) {
    let store = loop {
        match open(&task.nodes, &task.table, impatient()).await {
            Ok(store) => break Arc::new(store),
            Err(reason) => Event::GivenUp(reason).say(),
        }
        sleep(Duration::from_millis(500)).await;
    };
    Event::Opened.say();
    let table = Table::new(Arc::clone(&store) as Arc<dyn Store>, 1 << 20);
    let mut seeds = Random(task.seed);
    let mut random = || Random(seeds.number());
    let writer = Writer {
        store: &store,
        table: &table,
        process: task.process,
        host,
        random: random(),
        last: 0,
    };
    tokio::join!(
        writer.write(),
        read_all_the_time(&table, random()),
        seal_all_the_time(&table, random())
    );
}

/// Writes rows and deletions of keys.
struct Writer<'a> {
    store: &'a CassandraStore,
    table: &'a Table,
    process: i64,
    /// The host that no other process writes.
    host: u32,
    random: Random,
    /// The last version that it wrote.
    last: i64,
}

impl Writer<'_> {
    async fn write(mut self) {
        loop {
            let keys = self.some_keys();
            let deleted = self.random.below(5) == 0;
            let version = self.version();
            let began = Event::Began {
                at: now(),
                version,
                deleted,
                keys: keys.clone(),
            };
            began.say();
            match self.write_once(&keys, version, deleted).await {
                Ok(()) => Event::Acknowledged { at: now() }.say(),
                Err(error) => trouble("writing", &error).say(),
            }
            pause(&mut self.random, BETWEEN_WRITES).await;
        }
    }

    async fn write_once(
        &self,
        rows: &[Key],
        version: i64,
        deleted: bool,
    ) -> bakeoff_columnar::Result<()> {
        if deleted {
            self.table.delete_at(&keys(rows), version).await
        } else {
            self.table.insert_at(&batch(rows, version), version).await
        }
    }

    /// Returns a write time that neither this process nor another one has had, later than all that it knows of.
    fn version(&mut self) -> i64 {
        let steps = self.store.write_time() / VERSION_STEP + 1;
        self.last = (self.last + VERSION_STEP).max(steps * VERSION_STEP + self.process);
        self.last
    }

    fn some_keys(&mut self) -> Vec<Key> {
        let count = 1 + self.random.below(3);
        let mut chosen = BTreeSet::new();
        for _ in 0..count {
            let is_shared = self.random.below(3) == 0;
            let host = if is_shared { SHARED_HOST } else { self.host };
            chosen.insert(key(host, self.random.below(u64::from(TIMES)) as u32));
        }
        chosen.into_iter().collect()
    }
}

async fn read_all_the_time(table: &Table, mut random: Random) {
    loop {
        // Some questions name their places, and others list them.
        let host = random.below(u64::from(2 * HOSTS)) as u32;
        match read(table, (host < HOSTS).then_some(host)).await {
            Ok(read) => Event::Read(read).say(),
            Err(error) => trouble("reading", &error).say(),
        }
        pause(&mut random, BETWEEN_READS).await;
    }
}

async fn seal_all_the_time(table: &Arc<Table>, mut random: Random) {
    loop {
        pause(&mut random, BETWEEN_SEALS).await;
        match table.seal(None).await {
            Ok(_) => Event::Sealed.say(),
            Err(error) => trouble("sealing", &error).say(),
        }
        if random.below(4) == 0
            && let Err(error) = table.sweep(GRACE).await
        {
            trouble("sweeping", &error).say();
        }
    }
}

async fn pause(random: &mut Random, (least, greatest): (u64, u64)) {
    let milliseconds = least + random.below(greatest - least);
    sleep(Duration::from_millis(milliseconds)).await;
}

/// Tells an error that faults may cause from one that nothing may.
fn trouble(doing: &str, error: &Error) -> Event {
    let text = format!("{doing}: {error}");
    let is_possible = matches!(error, Error::Server { .. } | Error::Gone { .. });
    if is_possible && !text.contains("damaged") {
        Event::GivenUp(text)
    } else {
        Event::Broken(text)
    }
}
