//! The list of places, and the generations of their fresh rows.
//!
//! The fresh rows of a place are kept in *generations*, each of which is a partition, numbered from
//! one. Writers add to the generation that is open, a freeze closes it, and once its rows are in
//! chunks the whole partition is deleted. Deleting rows one by one would leave a tombstone for
//! each, and Cassandra refuses to read past 100,000 of them. A number is never used twice.
//!
//! The row of a place has four numbers: generations up to `closed` take no more rows, those up to
//! `sealed` are no longer read, and `opened` is the last one that exists. Each of the three only
//! grows and is written with itself as the timestamp, so that a late write, or a slow clock,
//! changes nothing. `dropped` is when the place was dropped (milliseconds since 1970), and becomes
//! 0 again when another generation is opened. A drop takes a number, too, to which no row is ever
//! added: once that is sealed, everything before is deleted.
//!
//! Fresh rows count once their place was read again after they were written, and their generation was
//! still open: whoever closes it afterwards finds them, by whatever clock. That is one more read for each
//! insert into a place. For all else, such as that a place is listed, a process relies on what it has read
//! for [`super::options::WRITER_LEASE`], and who closes a generation or drops a place waits for
//! [`super::options::FREEZE_WAIT`].

use std::collections::HashMap;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::response::PagingState;
use scylla::statement::prepared::PreparedStatement;

use super::client::{Client, Task, as_rows, each_row};
use super::names::Part;
use super::place_row::{Numbers, Row, row};
use super::statements::Statements;
use super::time::{Moment, now_milliseconds};
use crate::id::Place;
use crate::{Result, failpoint};

/// The highest number of places that are remembered.
pub(super) const REMEMBERED_PLACES_AT_MOST: usize = 65_536;

/// The time after the last read for which a generation is assumed to be open. If it is not, rows
/// that were written there are written again elsewhere, and the copies are deleted with the
/// generation or before ([`DELETED_AHEAD_MICROSECONDS`]).
const GUESSED_WITHIN: Duration = Duration::from_secs(10);

/// The distance from the clock to the timestamp that deletes a generation, at least. Nothing that counts is ever
/// written there again, but writers that do not know that yet may write rows that do not count.
pub(super) const DELETED_AHEAD_MICROSECONDS: i64 = 3_600_000_000;

/// The places of a table, as far as this process remembers them.
pub(super) struct Places {
    remembered: Mutex<HashMap<Place, Row>>,
}

/// Requests for the rows of places.
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

    /// Returns what was read of a place last, which may have changed since.
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
    /// Reads all places that ever existed, including dropped ones, in no order.
    pub(super) async fn all(self, shards: u32) -> Result<Vec<(Place, Row)>> {
        let by_shard = stream::iter(0..shards).map(|shard| self.in_shard(shard));
        let limit = self.client.options.requests_at_once;
        let found: Vec<Vec<(Place, Row)>> = by_shard.buffer_unordered(limit).try_collect().await?;
        Ok(found.into_iter().flatten().collect())
    }

    async fn in_shard(self, shard: u32) -> Result<Vec<(Place, Row)>> {
        let task = self.client.task_of_all("listing the places", Part::Places);
        let statement = &self.statements.places.read_shard;
        let values = (cql_shard(shard),);
        let mut found = Vec::new();
        let mut state = PagingState::start();
        loop {
            let read_at = Moment::now();
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

    /// Returns the generations that had fresh rows when the place was read last.
    pub(super) fn remembered(self, place: Place) -> Option<RangeInclusive<i64>> {
        self.places.get(place).map(|row| row.generations())
    }

    /// Reads the row of a place. Returns `None` if there is no such place.
    pub(super) async fn read(self, place: Place) -> Result<Option<Row>> {
        let task = self.client.task("reading the state", place, Part::Places);
        let read_at = Moment::now();
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

    /// Returns the row of a place, not older than the lease.
    async fn leased(self, place: Place) -> Result<Option<Row>> {
        match self.places.get(place) {
            Some(row) if row.is_leased() => Ok(Some(row)),
            _ => self.read(place).await,
        }
    }

    /// Makes sure that a place is listed before something is written there.
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

    /// Returns the generation that takes fresh rows now, and opens one if there is none. The caller
    /// has to ask [`Self::is_open`] once the rows are written, to see whether it still does.
    pub(super) async fn open_generation(self, place: Place) -> Result<i64> {
        let remembered = self.places.get(place);
        let recent = remembered.filter(|row| row.read_at.elapsed() < GUESSED_WITHIN);
        if let Some(generation) = recent.and_then(|row| row.open()) {
            return Ok(generation);
        }
        let began = Moment::now();
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

    /// Returns whether rows that were written to a generation before now count. What was read before does
    /// not tell: the machine may have slept since, and no clock says so for certain.
    pub(super) async fn is_open(self, place: Place, generation: i64) -> Result<bool> {
        let row = self.read(place).await?;
        Ok(row.and_then(|row| row.open()) == Some(generation))
    }

    /// Closes generations up to this one. They get no more rows from
    /// [`super::options::FREEZE_WAIT`] after this has returned.
    pub(super) async fn close(self, place: Place, generation: i64) -> Result<()> {
        let task = self
            .client
            .task("closing a generation of fresh rows", place, Part::Places);
        self.write(&task, place, &self.statements.places.close, generation)
            .await
    }

    /// Notes that generations up to this one are no longer read.
    pub(super) async fn seal(self, place: Place, generation: i64) -> Result<()> {
        let task = self
            .client
            .task("noting what is sealed", place, Part::Places);
        self.write(&task, place, &self.statements.places.seal, generation)
            .await
    }

    /// Removes a place from the list, unless a generation after this one is opened. Generations up
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

    /// Writes a number with itself as the timestamp.
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

/// Returns the columns that a place has in every CQL table.
pub(super) fn key(place: Place) -> (i32, i64) {
    (cql_shard(place.shard), place.bucket)
}

/// Converts a shard to CQL's type. Shards are few ([`crate::Definition::check`]).
pub(super) fn cql_shard(shard: u32) -> i32 {
    shard as i32
}
