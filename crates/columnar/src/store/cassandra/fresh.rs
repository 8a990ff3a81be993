//! Fresh rows: ordinary CQL rows by key, in generations that are deleted as a whole (`places.rs`).
//!
//! The timestamp of a row in Cassandra is its write time, so that the last write wins, whichever arrives
//! first. A deletion is a row, too, which hides the rows in chunks. If write times are equal, Cassandra
//! keeps the greater value of each column, and `true` is greater: the deletion wins.

use std::cmp::Reverse;
use std::ops::{ControlFlow, RangeInclusive};

use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::response::PagingState;

use super::CassandraStore;
use super::client::{Task, each_row};
use super::names::Part;
use super::options::{FREEZE_WAIT, KEY_BYTES_AT_MOST, PLACES_AT_ONCE, ROW_BYTES_AT_MOST};
use super::places::{DELETED_AHEAD_MICROSECONDS, cql_shard, key};
use super::retry::server;
use super::time::now_milliseconds;
use crate::id::Place;
use crate::machine::sleep;
use crate::store::{FreshRow, Frozen, KeyRange};
use crate::{Error, Result, failpoint};

/// The number of generations that fresh rows are written to because the one before was frozen meanwhile.
const GENERATIONS_TRIED_AT_MOST: usize = 16;

impl CassandraStore {
    /// Inserts rows, which are durable and visible when it returns.
    pub(super) async fn insert_rows(&self, place: Place, rows: &[FreshRow]) -> Result<()> {
        rows.iter().try_for_each(check)?;
        // Whoever writes may have chosen later write times than the clock shows.
        self.write_times.see(rows.iter().map(|row| row.write_time));
        for _ in 0..GENERATIONS_TRIED_AT_MOST {
            let generation = self.place_rows().open_generation(place).await?;
            failpoint::hit("cassandra.insert.opened");
            self.write_fresh(place, generation, rows).await?;
            failpoint::hit("cassandra.insert.written");
            if self.place_rows().is_open(place, generation).await? {
                return Ok(());
            }
        }
        let task = self.client.task("inserting fresh rows", place, Part::Fresh);
        Err(server(
            &task,
            format!(
                "they were frozen by others {GENERATIONS_TRIED_AT_MOST} times before the rows were \
                 written; seal less often, and try again"
            ),
        ))
    }

    /// Writes rows to a generation.
    async fn write_fresh(&self, place: Place, generation: i64, rows: &[FreshRow]) -> Result<()> {
        let task = self.client.task("inserting fresh rows", place, Part::Fresh);
        let (shard, bucket) = key(place);
        let statement = &self.statements.fresh.insert;
        let statements: Vec<_> = rows
            .iter()
            .map(|row| {
                let (deleted, value) = match &row.row {
                    Some(value) => (false, &value[..]),
                    None => (true, &[][..]),
                };
                let time = row.write_time;
                let key = &row.key[..];
                (
                    statement,
                    (shard, bucket, generation, key, time, deleted, value, time),
                )
            })
            .collect();
        let bytes = |values: &(i32, i64, i64, &[u8], i64, bool, &[u8], i64)| {
            64 + values.3.len() + values.6.len()
        };
        self.client.in_batches(&task, &statements, bytes).await
    }

    /// Reads the fresh rows of some generations: the newest version of each key, in order of the keys.
    pub(super) async fn read_fresh(
        &self,
        place: Place,
        generations: RangeInclusive<i64>,
        keys: KeyRange<'_>,
    ) -> Result<Vec<FreshRow>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let of_each = stream::iter(generations)
            .map(|generation| self.read_generation(place, generation, keys));
        let all: Vec<Vec<FreshRow>> = of_each.buffered(PLACES_AT_ONCE).try_collect().await?;
        Ok(newest(all))
    }

    async fn read_generation(
        &self,
        place: Place,
        generation: i64,
        keys: KeyRange<'_>,
    ) -> Result<Vec<FreshRow>> {
        let task = self.client.task("reading fresh rows", place, Part::Fresh);
        let (shard, bucket) = key(place);
        let statements = &self.statements.fresh;
        let first = keys.first.unwrap_or_default();
        let mut found = Vec::new();
        let mut state = PagingState::start();
        loop {
            let (rows, next) = match keys.last {
                Some(last) => {
                    let values = (shard, bucket, generation, first, last);
                    self.client
                        .page(&task, &statements.read_between, values, state)
                        .await?
                }
                None => {
                    let values = (shard, bucket, generation, first);
                    self.client
                        .page(&task, &statements.read_from, values, state)
                        .await?
                }
            };
            found.extend(each_row(&task, &rows, |row| fresh_row(&task, row))?);
            match next.into_paging_control_flow() {
                ControlFlow::Continue(more) => state = more,
                ControlFlow::Break(()) => {
                    self.write_times.see(found.iter().map(|row| row.write_time));
                    return Ok(found);
                }
            }
        }
    }

    /// Freezes the fresh rows of a place and reads them.
    pub(super) async fn freeze_place(&self, place: Place) -> Result<Frozen> {
        let places = self.place_rows();
        let nothing = |up_to: i64| Frozen {
            rows: Vec::new(),
            from: 0,
            up_to: up_to.unsigned_abs(),
        };
        let Some(row) = places.read(place).await? else {
            return Ok(nothing(0));
        };
        let (generations, last) = (row.generations(), row.opened);
        if generations.is_empty() {
            return Ok(nothing(last));
        }
        places.close(place, last).await?;
        failpoint::hit("cassandra.freeze.closed");
        sleep(FREEZE_WAIT).await;
        let rows = self
            .read_fresh(place, generations, KeyRange::default())
            .await?;
        failpoint::hit("cassandra.freeze.read");
        if rows.is_empty() {
            places.seal(place, last).await?;
        }
        Ok(Frozen {
            rows,
            from: 0,
            up_to: last.unsigned_abs(),
        })
    }

    /// Removes fresh rows that are in chunks now.
    pub(super) async fn remove_sealed(&self, place: Place, sealed: &Frozen) -> Result<()> {
        let places = self.place_rows();
        let task = self
            .client
            .task("removing sealed fresh rows", place, Part::Fresh);
        let last = i64::try_from(sealed.up_to).unwrap_or(i64::MAX);
        let Some(row) = places.read(place).await? else {
            return Ok(());
        };
        if last > row.closed {
            return Err(server(
                &task,
                format!("generation {last} of fresh rows was never frozen; freeze it first"),
            ));
        }
        let write_times = sealed.rows.iter().map(|row| row.write_time);
        let newest = write_times.max().unwrap_or(i64::MIN);
        let first = *row.generations().start();
        self.delete_generations(place, first..=last, newest).await?;
        places.seal(place, last.max(row.sealed)).await?;
        failpoint::hit("cassandra.commit.sealed");
        Ok(())
    }

    /// Deletes generations that get no more rows. `newest` is the greatest write time of their rows, or the greatest
    /// there is if that is not known.
    pub(super) async fn delete_generations(
        &self,
        place: Place,
        generations: RangeInclusive<i64>,
        newest: i64,
    ) -> Result<()> {
        let task = self.client.task("deleting fresh rows", place, Part::Fresh);
        let now = now_milliseconds().saturating_mul(1000);
        let timestamp = now.saturating_add(DELETED_AHEAD_MICROSECONDS).max(newest);
        let statement = &self.statements.fresh.delete_generation;
        for generation in generations {
            let values = (timestamp, cql_shard(place.shard), place.bucket, generation);
            self.client.execute(&task, statement, values).await?;
            failpoint::hit("cassandra.fresh.deleted");
        }
        Ok(())
    }
}

/// Checks that Cassandra can keep a row.
fn check(row: &FreshRow) -> Result<()> {
    let (key, value) = (row.key.len(), row.row.as_ref().map_or(0, Bytes::len));
    if key > KEY_BYTES_AT_MOST {
        return Err(Error::Invalid(format!(
            "a row's key takes {key} bytes, and at most {KEY_BYTES_AT_MOST} are possible in Cassandra"
        )));
    }
    if value > ROW_BYTES_AT_MOST {
        return Err(Error::Invalid(format!(
            "a row takes {value} bytes, and at most {ROW_BYTES_AT_MOST} are possible in Cassandra"
        )));
    }
    if row.write_time == i64::MIN {
        return Err(Error::Invalid(
            "a row's write time is the least that there is, which Cassandra cannot keep".to_owned(),
        ));
    }
    Ok(())
}

type Columns<'a> = (&'a [u8], Option<i64>, Option<bool>, Option<&'a [u8]>);

fn fresh_row(task: &Task<'_>, (key, time, deleted, row): Columns<'_>) -> Result<FreshRow> {
    let (Some(write_time), Some(deleted)) = (time, deleted) else {
        return Err(server(
            task,
            "a row has no write time: it was not written by this library; remove it",
        ));
    };
    let row = Bytes::copy_from_slice(row.unwrap_or_default());
    Ok(FreshRow {
        key: Bytes::copy_from_slice(key),
        write_time,
        row: (!deleted).then_some(row),
    })
}

/// Returns the newest version of each key, given generations in order. If write times are equal, the
/// deletion wins, or else the version that came after the other was frozen.
fn newest(all: Vec<Vec<FreshRow>>) -> Vec<FreshRow> {
    let mut rows: Vec<FreshRow> = all.into_iter().rev().flatten().collect();
    let order = |row: &FreshRow| (Reverse(row.write_time), row.row.is_some());
    rows.sort_by(|a, b| a.key.cmp(&b.key).then_with(|| order(a).cmp(&order(b))));
    rows.dedup_by(|later, earlier| later.key == earlier.key);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &'static str, write_time: i64, value: Option<&'static str>) -> FreshRow {
        FreshRow {
            key: Bytes::from_static(key.as_bytes()),
            write_time,
            row: value.map(|v| Bytes::from_static(v.as_bytes())),
        }
    }

    #[test]
    fn the_newest_version_is_kept_and_with_equal_times_the_deletion() {
        let first = vec![
            row("a", 1, Some("old")),
            row("b", 5, Some("new")),
            row("c", 3, Some("x")),
        ];
        let second = vec![
            row("a", 2, Some("new")),
            row("b", 4, None),
            row("c", 3, None),
        ];
        let expected = [
            row("a", 2, Some("new")),
            row("b", 5, Some("new")),
            row("c", 3, None),
        ];
        assert_eq!(newest(vec![first.clone(), second.clone()]), expected);
        assert_eq!(newest(vec![second, first]), expected);
        let one = |value| vec![row("a", 1, Some(value))];
        assert_eq!(newest(vec![one("z"), one("a")]), one("a"));
    }

    #[test]
    fn what_cassandra_cannot_keep_is_refused() {
        let mut long = row("", 1, None);
        long.key = Bytes::from(vec![0; KEY_BYTES_AT_MOST + 1]);
        let message = check(&long).unwrap_err().to_string();
        assert!(message.contains("65536 bytes"), "{message}");
        let mut large = row("", 1, None);
        large.row = Some(Bytes::from(vec![0; ROW_BYTES_AT_MOST + 1]));
        assert!(check(&large).is_err());
        assert!(check(&row("", i64::MIN, None)).is_err());
        check(&row("", i64::MIN + 1, None)).unwrap();
    }
}
