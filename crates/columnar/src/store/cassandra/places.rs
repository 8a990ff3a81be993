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
//! is opened after that. A drop takes a number, too, that no row is ever added to: once that is
//! sealed, all that was there is deleted.
//!
//! A writer may use what it has read of a place for [`super::options::WRITER_LEASE`] only: a write that ends later
//! counts once the place was read again and the generation is open still. So [`super::options::FREEZE_WAIT`] after
//! it was closed, a generation has all the rows that were acknowledged, and gets no more.

use std::collections::HashMap;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::response::PagingState;
use scylla::statement::prepared::PreparedStatement;
use tokio::time::Instant;

use super::client::{Client, Task, as_rows, each_row};
use super::names::Part;
use super::place_row::{Numbers, Row, row};
use super::statements::Statements;
use super::time::now_milliseconds;
use crate::definition::Place;
use crate::{Result, failpoint};

/// Places that are remembered, at most.
const REMEMBERED_PLACES_AT_MOST: usize = 65_536;

/// How long after it was read last a generation is taken to be open still. If it is not, what was
/// written there is written again elsewhere; what is left of it is deleted when, or before, the
/// generation is ([`DELETED_AHEAD_MICROSECONDS`]).
const GUESSED_WITHIN: Duration = Duration::from_secs(10);

/// How far ahead of the clock the timestamp is that deletes a generation: nothing is ever written
/// there again that counts, but writers that do not know yet may write something that does not.
pub(super) const DELETED_AHEAD_MICROSECONDS: i64 = 3_600_000_000;

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
        if remembered.len() >= REMEMBERED_PLACES_AT_MOST && !remembered.contains_key(&place) {
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
    /// All places that there ever were, in no order. Dropped ones are among them.
    pub(super) async fn all(self, shards: u32) -> Result<Vec<(Place, Row)>> {
        let of_shards = stream::iter(0..shards).map(|shard| self.of_shard(shard));
        let limit = self.client.options.requests_at_once;
        let found: Vec<Vec<(Place, Row)>> = of_shards.buffer_unordered(limit).try_collect().await?;
        Ok(found.into_iter().flatten().collect())
    }

    async fn of_shard(self, shard: u32) -> Result<Vec<(Place, Row)>> {
        let task = self.client.task_of_all("listing the places", Part::Places);
        let statement = &self.statements.places.read_shard;
        let values = (cql_shard(shard),);
        let mut found = Vec::new();
        let mut state = PagingState::start();
        loop {
            let read_at = Instant::now();
            let (rows, next) = self.client.page(&task, statement, &values, state).await?;
            found.extend(each_row(&task, &rows, |columns: (i64, _, _, _, _)| {
                let (bucket, opened, closed, sealed, dropped) = columns;
                let place = Place { bucket, shard };
                let row = row(&task, (opened, closed, sealed, dropped), read_at)?;
                self.places.remember(place, row);
                Ok((place, row))
            })?);
            match next.into_paging_control_flow() {
                ControlFlow::Continue(more) => state = more,
                ControlFlow::Break(()) => return Ok(found),
            }
        }
    }

    /// The generations that had fresh rows when the place was read last.
    pub(super) fn remembered(self, place: Place) -> Option<RangeInclusive<i64>> {
        self.places.get(place).map(|row| row.generations())
    }

    /// Reads what there is of a place now.
    pub(super) async fn read(self, place: Place) -> Result<Option<Row>> {
        let task = self.client.task("reading the state", place, Part::Places);
        let read_at = Instant::now();
        let statement = &self.statements.places.read;
        let answer = self.client.execute(&task, statement, key(place)).await?;
        let rows = as_rows(&task, answer)?;
        let rows = each_row(&task, &rows, |numbers: Numbers| {
            row(&task, numbers, read_at)
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
            Some(row) if !row.is_dropped() => Ok(()),
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
                dropped: 0,
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

    /// The place is listed no more, unless a generation after this one is opened; generations up
    /// to this one take no more rows.
    pub(super) async fn drop(self, place: Place, generation: i64) -> Result<()> {
        let task = self.client.task("dropping the place", place, Part::Places);
        let now = now_milliseconds().max(1);
        let (shard, bucket) = key(place);
        let values = (generation, generation, generation, now, shard, bucket);
        let statement = &self.statements.places.drop;
        self.client.execute(&task, statement, values).await?;
        Ok(())
    }

    /// Writes a number with itself as timestamp.
    async fn write(
        self,
        task: &Task<'_>,
        place: Place,
        statement: &PreparedStatement,
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
