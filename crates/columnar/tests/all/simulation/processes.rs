//! What the processes of a simulation do, each over and over until its turns are over. When one has died,
//! another one goes on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bakeoff_columnar::cassandra::CassandraStore;
use bakeoff_columnar::{
    Change, Chunk, ChunkId, Error, FreshRow, Frozen, GRACE, KeyRange, Place, Result, Store,
};
use tokio::sync::OwnedRwLockReadGuard;

use super::history::Point;
use super::machine::{Dangers, Machine};
use super::rows::{PLACES, chunk, newest, read, row};
use super::world::World;

/// The number of keys of a place.
const KEYS: u64 = 12;

/// The time around a drop in which nobody puts chunks into the place: longer than clocks differ, since a drop
/// deletes what was named before by the clock of its own process.
const BEFORE_A_DROP: Duration = Duration::from_secs(30);
const AFTER_A_DROP: Duration = Duration::from_secs(90);

/// The number of times that a drop which failed is repeated.
const DROPS_AT_MOST: usize = 100;

/// The number of times that a reader asks again because chunks were gone.
const READS_AT_MOST: usize = 3;

/// What a process does.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    Writes,
    Reads,
    Seals,
    Sweeps,
    Drops,
}

/// The processes of a world.
pub const ROLES: [Role; 8] = [
    Role::Writes,
    Role::Writes,
    Role::Reads,
    Role::Reads,
    Role::Seals,
    Role::Seals,
    Role::Sweeps,
    Role::Drops,
];

/// A process.
pub struct Process {
    pub world: Arc<World>,
    machine: Arc<Machine>,
    /// The point before which this process first caught up with each place.
    caught_up: Mutex<[Option<Point>; PLACES.len()]>,
}

impl Role {
    fn turns(self) -> u64 {
        match self {
            Role::Writes => 10,
            Role::Reads => 8,
            Role::Seals => 5,
            Role::Sweeps => 2,
            Role::Drops => 1,
        }
    }

    fn dangers(self) -> Dangers {
        let sleeping = Dangers {
            sleeps: 60,
            ..Dangers::default()
        };
        match self {
            // Nothing protects a read during which all clocks of its machine stand still.
            Role::Reads => sleeping,
            Role::Writes => Dangers {
                dies: 30,
                is_paused: 40,
                ..sleeping
            },
            Role::Seals | Role::Sweeps => Dangers {
                dies: 60,
                ..sleeping
            },
            // A drop goes on until it has succeeded.
            Role::Drops => sleeping,
        }
    }
}

/// Lets processes with this role live, one after another, until all turns are over.
pub async fn live(world: Arc<World>, role: Role) {
    let turns = Arc::new(AtomicU64::new(role.turns()));
    while turns.load(Ordering::Relaxed) > 0 {
        let machine = world.machine(role.dangers());
        let process = Process::new(&world, &machine);
        let work = process.work(role, Arc::clone(&turns));
        if machine.run(work).await.is_none() {
            world.history.tell(|told| told.deaths += 1);
        }
    }
}

/// Returns whether there is another turn, and takes it.
fn take(turns: &AtomicU64) -> bool {
    let one_less = |turns: u64| turns.checked_sub(1);
    turns
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
        .is_ok()
}

impl Process {
    pub fn new(world: &Arc<World>, machine: &Arc<Machine>) -> Process {
        Process {
            world: Arc::clone(world),
            machine: Arc::clone(machine),
            caught_up: Mutex::default(),
        }
    }

    async fn work(self, role: Role, turns: Arc<AtomicU64>) {
        let store = match self.world.open().await {
            Ok(store) => store,
            Err(error) => {
                take(&turns);
                self.failed(&error);
                return self.think().await;
            }
        };
        while take(&turns) {
            self.think().await;
            let done = match role {
                Role::Writes => self.write(&store).await,
                Role::Reads => self.read(&store).await,
                Role::Seals if self.below(4) == 0 => self.load(&store).await,
                Role::Seals => self.seal(&store).await,
                Role::Sweeps => self.sweep(&store).await,
                Role::Drops => self.drop_place(&store).await,
            };
            if let Err(error) = done {
                self.failed(&error);
            }
        }
    }

    /// Notes an error. Servers that do not answer and chunks that are gone are to be expected.
    fn failed(&self, error: &Error) {
        match error {
            Error::Server { .. } | Error::Gone { .. } => {
                self.world.history.tell(|told| told.failures += 1);
            }
            error => self.world.history.find(error.to_string()),
        }
    }

    async fn write(&self, store: &CassandraStore) -> Result<()> {
        let at = self.place();
        let place = PLACES[at];
        let rows = self.rows(store, at).await?;
        let numbers = self.world.history.begin_rows(place, &rows);
        store.insert(place, &rows).await?;
        self.world.history.acknowledge(&numbers);
        Ok(())
    }

    async fn read(&self, store: &CassandraStore) -> Result<()> {
        let place = PLACES[self.place()];
        for _ in 1..READS_AT_MOST {
            match self.read_once(store, place).await {
                Err(Error::Gone { .. }) => {}
                done => return done,
            }
        }
        self.read_once(store, place).await
    }

    /// Reads a place, and checks what is shown.
    pub async fn read_once(&self, store: &CassandraStore, place: Place) -> Result<()> {
        let history = &self.world.history;
        let began = history.begin_read();
        let shown = read(store, place, KeyRange::default()).await?;
        if let Err(fault) = history.check(place, began, &shown) {
            history.find(fault);
        }
        Ok(())
    }

    /// Adds rows as a chunk, as an ingest does.
    async fn load(&self, store: &CassandraStore) -> Result<()> {
        let at = self.place();
        let _undropped = self.undropped(at).await;
        let rows = self.rows(store, at).await?;
        let numbers = self.world.history.begin_rows(PLACES[at], &rows);
        let chunk = chunk(newest(&rows).values(), self.below(4) == 0);
        self.put(store, at, &chunk).await?;
        store.commit(vec![change(at, &chunk, &[], None)]).await?;
        // Of a key that came twice the earlier version is not there, and need not be.
        self.world.history.acknowledge(&numbers);
        Ok(())
    }

    /// Turns the fresh rows and all chunks of a place into one chunk.
    async fn seal(&self, store: &CassandraStore) -> Result<()> {
        let at = self.place();
        let _undropped = self.undropped(at).await;
        self.seal_place(store, at).await
    }

    pub async fn seal_place(&self, store: &CassandraStore, at: usize) -> Result<()> {
        let frozen = store.freeze(PLACES[at]).await?;
        let shown = read(store, PLACES[at], KeyRange::EMPTY).await?;
        if frozen.rows.is_empty() && shown.chunks.len() < 2 {
            return Ok(());
        }
        let rows = [&frozen.rows[..], &shown.rows[..]].concat();
        let merged = chunk(newest(&rows).values(), self.below(4) == 0);
        self.put(store, at, &merged).await?;
        let history = &self.world.history;
        history.replace(merged.meta.id, shown.chunks.clone());
        let sealed = (!frozen.rows.is_empty()).then_some(frozen);
        let change = change(at, &merged, &shown.chunks, sealed);
        store.commit(vec![change]).await?;
        history.tell(|told| told.seals += 1);
        Ok(())
    }

    /// Puts a chunk, and sometimes waits until a sweep gives it up.
    async fn put(&self, store: &CassandraStore, at: usize, chunk: &Chunk) -> Result<()> {
        store.put(PLACES[at], std::slice::from_ref(chunk)).await?;
        if self.below(8) == 0 {
            self.sleep_up_to(GRACE * 2).await;
        }
        Ok(())
    }

    async fn sweep(&self, store: &CassandraStore) -> Result<()> {
        self.sleep_up_to(GRACE * 2).await;
        store.sweep(GRACE).await?;
        self.world.history.tell(|told| told.sweeps += 1);
        Ok(())
    }

    /// Drops a place. If that fails, it may be done in part at any time, and is repeated.
    async fn drop_place(&self, store: &CassandraStore) -> Result<()> {
        let at = self.place();
        let _alone = Arc::clone(&self.world.drops[at]).write_owned().await;
        self.world.timeline.sleep(BEFORE_A_DROP).await;
        let history = &self.world.history;
        let number = history.begin_drop(PLACES[at]);
        for _ in 0..DROPS_AT_MOST {
            match store.drop_places(&[PLACES[at]]).await {
                Ok(()) => {
                    history.end_drop(number);
                    history.tell(|told| told.drops += 1);
                    break;
                }
                Err(error) => self.failed(&error),
            }
            self.think().await;
        }
        self.world.timeline.sleep(AFTER_A_DROP).await;
        Ok(())
    }

    /// Makes sure that nobody drops a place meanwhile.
    async fn undropped(&self, at: usize) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.world.drops[at]).read_owned().await
    }

    /// Makes rows for a place, and checks that they are later than what was there when this process first did.
    async fn rows(&self, store: &CassandraStore, at: usize) -> Result<Vec<FreshRow>> {
        let history = &self.world.history;
        let began = history.begin_read();
        store.catch_up(&[PLACES[at]]).await?;
        let caught_up = *self.caught_up.lock().unwrap()[at].get_or_insert(began);
        let row = |_| {
            let key = format!("k{:02}", self.below(KEYS));
            let write_time = self.machine.write_time(store.write_time());
            row(&key, write_time, self.below(5) == 0)
        };
        let rows: Vec<FreshRow> = (0..=self.below(3)).map(row).collect();
        if let Err(fault) = history.check_is_later(PLACES[at], caught_up, &rows) {
            history.find(fault);
        }
        Ok(rows)
    }

    fn place(&self) -> usize {
        self.below(PLACES.len() as u64) as usize
    }

    fn below(&self, end: u64) -> u64 {
        self.machine.below(end)
    }

    /// Does nothing for a while.
    async fn think(&self) {
        let longest = match self.below(100) {
            0..50 => Duration::from_millis(50),
            50..75 => Duration::from_millis(500),
            75..92 => Duration::from_secs(5),
            92..98 => Duration::from_secs(90),
            _ => GRACE * 2,
        };
        self.sleep_up_to(longest).await;
    }

    async fn sleep_up_to(&self, longest: Duration) {
        let time = Duration::from_millis(self.below(longest.as_millis() as u64 + 1));
        self.world.timeline.sleep(time).await;
    }
}

/// Returns the change that adds a chunk to the place with this number.
pub fn change(at: usize, chunk: &Chunk, retire: &[ChunkId], sealed: Option<Frozen>) -> Change {
    Change {
        place: PLACES[at],
        add: vec![Arc::clone(&chunk.meta)],
        retire: retire.to_vec(),
        sealed,
    }
}
