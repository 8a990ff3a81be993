//! A simulated world: a cluster, a table in it, and what its processes share.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bakeoff_columnar::Error;
use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_testing::Random;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use tokio::sync::RwLock;

use super::coordinator::Coordinator;
use super::history::History;
use super::machine::{Dangers, Machine};
use super::replicas::{Breach, Replicas};
use super::rows::{PLACES, definition};
use super::server::Server;
use super::system::KEYSPACE;
use super::timeline::Timeline;

const TABLE: &str = "rows";

/// The number of times that making the table is tried while replicas are down.
const MAKINGS_AT_MOST: usize = 50;

/// A world.
pub struct World {
    pub timeline: Arc<Timeline>,
    pub coordinator: Arc<Coordinator>,
    pub history: History,
    /// What is held by who puts chunks into a place, and alone by who drops it: to do both at the same time
    /// is not promised to end well.
    pub drops: [Arc<RwLock<()>>; PLACES.len()],
    session: Arc<Session>,
    began: Instant,
    random: Mutex<Random>,
    machines: AtomicU16,
    _server: Server,
}

impl World {
    /// Makes a world with an empty table.
    pub async fn new(seed: u64, breach: Option<Breach>) -> Arc<World> {
        let mut random = Random(seed);
        let timeline = Arc::new(Timeline::default());
        let replicas = Replicas::new(Random(random.number()), breach);
        let coordinator = Coordinator::new(&timeline, replicas);
        let server = Server::start(&coordinator).await;
        let session = SessionBuilder::new()
            .known_node_addr(server.address)
            .fetch_schema_metadata(false)
            .fetch_full_schema_metadata(false)
            .write_coalescing(false)
            .build()
            .await
            .unwrap();
        Arc::new(World {
            timeline,
            coordinator,
            history: History::default(),
            drops: PLACES.map(|_| Arc::default()),
            session: Arc::new(session),
            began: Instant::now(),
            random: Mutex::new(random),
            machines: AtomicU16::new(0),
            _server: server,
        })
    }

    pub fn machine(&self, dangers: Dangers) -> Arc<Machine> {
        let number = self.machines.fetch_add(1, Ordering::Relaxed);
        let random = Random(self.random.lock().unwrap().number());
        Machine::new(&self.timeline, self.began, number, dangers, random)
    }

    /// Makes the table.
    pub async fn make(&self) -> Result<(), Error> {
        for _ in 1..MAKINGS_AT_MOST {
            match self.create().await {
                Ok(_) => return Ok(()),
                Err(Error::Server { .. }) => self.timeline.sleep(Duration::from_secs(10)).await,
                Err(error) => return Err(error),
            }
        }
        self.create().await.map(drop)
    }

    async fn create(&self) -> Result<CassandraStore, Error> {
        let session = Arc::clone(&self.session);
        let options = Options::default();
        CassandraStore::create(session, KEYSPACE, TABLE, definition(), options).await
    }

    /// Opens the table, on the machine of this task.
    pub async fn open(&self) -> Result<CassandraStore, Error> {
        let session = Arc::clone(&self.session);
        CassandraStore::open(session, KEYSPACE, TABLE, Options::default()).await
    }

    /// Returns what is wrong with the table, and what a sweep has left.
    pub async fn complaints(&self) -> Result<Vec<String>, Error> {
        let session = Arc::clone(&self.session);
        let check = CassandraStore::check(session, KEYSPACE, TABLE, Options::default()).await?;
        let damages = check.damages.iter().map(|damage| damage.to_string());
        Ok(damages.chain(check.notes.iter().cloned()).collect())
    }
}
