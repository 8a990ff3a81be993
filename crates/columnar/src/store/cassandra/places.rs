//! The list of places, and which of their fresh rows are whose business.
//!
//! Fresh rows of a place are kept in *generations*, each a partition of its own, numbered from 1.
//! Writers add to the generation that is open, a freeze closes it, and once its rows are in chunks
//! the whole partition is deleted at once: deleting them one by one would leave a tombstone for
//! each, and Cassandra refuses to read past 100,000 of them. A number is never used twice.
//!
//! A place's row holds four numbers: generations up to `closed` take no more rows, those up to
//! `sealed` are read no more, and `opened` is the last one that there is. Each only grows, and is
//! written with itself as timestamp, so that whoever is late, or has a slow clock, changes nothing.
//! `dropped` is when the place was dropped (milliseconds since 1970), and 0 again once a generation
//! is opened after that.
//!
//! A writer may use what it has read of a place for [`WRITER_LEASE`] only: a write that ends later
//! counts once the place was read again and the generation is open still. So [`FREEZE_WAIT`] after
//! it was closed, a generation has all the rows that were acknowledged, and gets no more.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::time::Instant;

use super::client::{Client, as_rows, each_row};
use super::names::Part;
use super::options::WRITER_LEASE;
use super::retry::server;
use super::statements::Statements;
use super::time::now_milliseconds;
use crate::definition::Place;
use crate::{Result, failpoint};

/// Generations of a place that wait to be sealed, at most; each costs a read.
const UNSEALED_GENERATIONS_AT_MOST: i64 = 10_000;

/// Places that are remembered, at most.
const REMEMBERED_PLACES_AT_MOST: usize = 65_536;

/// How long after it was read last a generation is taken to be open still. If it is not, what was
/// written there is written again elsewhere; what is left of it is deleted when, or before, the
/// generation is ([`DELETED_AHEAD_MICROSECONDS`]).
const GUESSED_WITHIN: Duration = Duration::from_secs(10);

/// How far ahead of the clock the timestamp is that deletes a generation: nothing is ever written
/// there again that counts, but writers that do not know yet may write something that does not.
pub(super) const DELETED_AHEAD_MICROSECONDS: i64 = 3_600_000_000;

/// What is known of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    opened: i64,
    closed: i64,
    sealed: i64,
    is_dropped: bool,
    /// When the read of it began.
    read_at: Instant,
}

impl Row {
    fn none(read_at: Instant) -> Self {
        Row {
            opened: 0,
            closed: 0,
            sealed: 0,
            is_dropped: false,
            read_at,
        }
    }

    /// Generations that have fresh rows, or may get some.
    pub(super) fn generations(&self) -> RangeInclusive<i64> {
        self.sealed + 1..=self.opened
    }

    /// The generation that takes rows.
    pub(super) fn open(&self) -> Option<i64> {
        (self.opened > self.closed && !self.is_dropped).then_some(self.opened)
    }

    /// The last generation.
    pub(super) fn opened(&self) -> i64 {
        self.opened
    }

    /// The last generation that takes no more rows.
    pub(super) fn closed(&self) -> i64 {
        self.closed
    }

    /// The last generation that is read no more.
    pub(super) fn sealed(&self) -> i64 {
        self.sealed
    }

    pub(super) fn is_dropped(&self) -> bool {
        self.is_dropped
    }

    fn is_leased(&self) -> bool {
        self.read_at.elapsed() < WRITER_LEASE
    }
}

/// A table's places, and what this process remembers of them.
pub(super) struct Places {
    remembered: Mutex<HashMap<Place, Row>>,
}

/// The rows of places of a table.
#[derive(Clone, Copy)]
pub(super) struct PlaceRows<'a> {
    pub(super) client: &'a Client,
    pub(super) statements: &'a Statements,
    pub(super) places: &'a Places,
}

impl Places {
    pub(super) fn new() -> Self {
        Places {
            remembered: Mutex::new(HashMap::new()),
        }
    }

    /// What was read of a place last; it may have changed.
    fn get(&self, place: Place) -> Option<Row> {
        self.lock().get(&place).copied()
    }

    fn remember(&self, place: Place, row: Row) {
        let mut remembered = self.lock();
        if remembered.len() >= REMEMBERED_PLACES_AT_MOST {
            remembered.clear();
        }
        remembered.insert(place, row);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Place, Row>> {
        self.remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl PlaceRows<'_> {
    /// Places that may hold something, in no order.
    pub(super) async fn all(self, shards: u32) -> Result<Vec<Place>> {
        let of_shards = stream::iter(0..shards).map(|shard| self.of_shard(shard));
        let limit = self.client.options.requests_at_once;
        let found: Vec<Vec<Place>> = of_shards.buffer_unordered(limit).try_collect().await?;
        Ok(found.into_iter().flatten().collect())
    }

    async fn of_shard(self, shard: u32) -> Result<Vec<Place>> {
        let task = self.client.task_of_all("listing the places", Part::Places);
        let statement = &self.statements.places.read_shard;
        let values = (cql_shard(shard),);
        let mut found = Vec::new();
        let mut state = scylla::response::PagingState::start();
        loop {
            let (rows, next) = self.client.page(&task, statement, &values, state).await?;
            each_row(&task, &rows, |(bucket, dropped): (i64, Option<i64>)| {
                if dropped.unwrap_or(0) == 0 {
                    found.push(Place { bucket, shard });
                }
                Ok(())
            })?;
            match next.into_paging_control_flow() {
                std::ops::ControlFlow::Continue(more) => state = more,
                std::ops::ControlFlow::Break(()) => return Ok(found),
            }
        }
    }

    /// The generations that had fresh rows when the place was read last.
    pub(super) fn remembered(self, place: Place) -> Option<RangeInclusive<i64>> {
        self.places.get(place).map(|row| row.generations())
    }

    /// Reads what there is of a place now.
    pub(super) async fn read(self, place: Place) -> Result<Option<Row>> {
        type Numbers = (Option<i64>, Option<i64>, Option<i64>, Option<i64>);
        let task = self.client.task("reading the state", place, Part::Places);
        let read_at = Instant::now();
        let statement = &self.statements.places.read;
        let answer = self.client.execute(&task, statement, key(place)).await?;
        let rows = each_row(&task, &as_rows(&task, answer)?, |numbers: Numbers| {
            let row = Row {
                opened: numbers.0.unwrap_or(0),
                closed: numbers.1.unwrap_or(0),
                sealed: numbers.2.unwrap_or(0),
                is_dropped: numbers.3.unwrap_or(0) != 0,
                read_at,
            };
            let unsealed = row.opened.saturating_sub(row.sealed);
            let is_sound = 0 <= row.sealed && unsealed <= UNSEALED_GENERATIONS_AT_MOST;
            is_sound.then_some(row).ok_or_else(|| {
                server(
                    &task,
                    format!(
                        "{unsealed} generations of fresh rows wait to be sealed, more than the \
                         {UNSEALED_GENERATIONS_AT_MOST} that are possible: the row is damaged"
                    ),
                )
            })
        })?;
        let row = rows.into_iter().next();
        if let Some(row) = row {
            self.places.remember(place, row);
        }
        Ok(row)
    }

    /// What is known of a place, not older than the lease.
    async fn leased(self, place: Place) -> Result<Option<Row>> {
        match self.places.get(place) {
            Some(row) if row.is_leased() => Ok(Some(row)),
            _ => self.read(place).await,
        }
    }

    /// Reads a place again if what is known of it is too old to count.
    pub(super) async fn renew_lease(self, place: Place) -> Result<()> {
        self.leased(place).await.map(drop)
    }

    /// Makes sure that the place is listed before something is put there.
    pub(super) async fn list(self, place: Place) -> Result<()> {
        match self.leased(place).await? {
            Some(row) if !row.is_dropped => Ok(()),
            Some(row) => self.open(place, row).await.map(drop),
            None => {
                let task = self.client.task("listing the place", place, Part::Places);
                self.write(&task, place, &self.statements.places.open, 0)
                    .await?;
                failpoint::hit("cassandra.place.listed");
                Ok(())
            }
        }
    }

    /// The generation that takes fresh rows now; opens one if need be. Whether it does still is
    /// to be asked ([`Self::is_open`]) once the rows are written.
    pub(super) async fn open_generation(self, place: Place) -> Result<i64> {
        let remembered = self.places.get(place);
        let recent = remembered.filter(|row| row.read_at.elapsed() < GUESSED_WITHIN);
        if let Some(generation) = recent.and_then(|row| row.open()) {
            return Ok(generation);
        }
        let began = Instant::now();
        let row = self.read(place).await?.unwrap_or(Row::none(began));
        match row.open() {
            Some(generation) => Ok(generation),
            None => self.open(place, row).await,
        }
    }

    async fn open(self, place: Place, row: Row) -> Result<i64> {
        let task = self
            .client
            .task("opening a generation of fresh rows", place, Part::Places);
        let generation = row.opened + 1;
        self.write(&task, place, &self.statements.places.open, generation)
            .await?;
        failpoint::hit("cassandra.place.opened");
        self.places.remember(
            place,
            Row {
                opened: generation,
                is_dropped: false,
                ..row
            },
        );
        Ok(generation)
    }

    /// Whether what was written to a generation before now counts.
    pub(super) async fn is_open(self, place: Place, generation: i64) -> Result<bool> {
        let row = self.leased(place).await?;
        Ok(row.and_then(|row| row.open()) == Some(generation))
    }

    /// From [`super::options::FREEZE_WAIT`] after this returned, generations up to this one get no
    /// more rows.
    pub(super) async fn close(self, place: Place, generation: i64) -> Result<()> {
        let task = self
            .client
            .task("closing a generation of fresh rows", place, Part::Places);
        self.write(&task, place, &self.statements.places.close, generation)
            .await
    }

    /// Generations up to this one are read no more.
    pub(super) async fn seal(self, place: Place, generation: i64) -> Result<()> {
        let task = self
            .client
            .task("noting what is sealed", place, Part::Places);
        self.write(&task, place, &self.statements.places.seal, generation)
            .await
    }

    /// The place is listed no more, unless a generation after this one is opened.
    pub(super) async fn drop(self, place: Place, generation: i64) -> Result<()> {
        let task = self.client.task("dropping the place", place, Part::Places);
        let now = now_milliseconds().max(1);
        let values = (
            generation,
            generation,
            generation,
            now,
            cql_shard(place.shard),
            place.bucket,
        );
        let statement = &self.statements.places.drop;
        self.client.execute(&task, statement, values).await?;
        Ok(())
    }

    /// Writes a number with itself as timestamp.
    async fn write(
        self,
        task: &super::client::Task<'_>,
        place: Place,
        statement: &scylla::statement::prepared::PreparedStatement,
        number: i64,
    ) -> Result<()> {
        let values = (number, number, cql_shard(place.shard), place.bucket);
        self.client.execute(task, statement, values).await?;
        Ok(())
    }
}

/// A place's columns in every table.
pub(super) fn key(place: Place) -> (i32, i64) {
    (cql_shard(place.shard), place.bucket)
}

/// Shards are few ([`crate::Definition::check`]).
pub(super) fn cql_shard(shard: u32) -> i32 {
    shard as i32
}
