//! The row of a place. Its meaning is described in `places.rs`.

use std::ops::RangeInclusive;

use super::client::Task;
use super::options::WRITER_LEASE;
use super::retry::server;
use super::time::Moment;
use crate::Result;

/// The highest number of generations of a place that wait to be sealed: each costs a read.
const UNSEALED_GENERATIONS_AT_MOST: i64 = 10_000;

/// A number that no generation ever reaches.
const LAST_GENERATION: i64 = i64::MAX / 2;

/// The row of a place, and when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// The last generation that exists.
    pub(super) opened: i64,
    /// The last generation that takes no more rows.
    pub(super) closed: i64,
    /// The last generation that is no longer read.
    pub(super) sealed: i64,
    /// The moment when the place was dropped, in milliseconds since 1970-01-01 UTC, or 0.
    pub(super) dropped: i64,
    /// The moment at which the read began.
    pub(super) read_at: Moment,
}

impl Row {
    pub(super) fn none(read_at: Moment) -> Self {
        Row {
            opened: 0,
            closed: 0,
            sealed: 0,
            dropped: 0,
            read_at,
        }
    }

    /// Returns the generations that have fresh rows or may get some.
    pub(super) fn generations(&self) -> RangeInclusive<i64> {
        self.sealed + 1..=self.opened
    }

    /// Returns the generation that takes rows, if there is one.
    pub(super) fn open(&self) -> Option<i64> {
        (self.opened > self.closed && !self.is_dropped()).then_some(self.opened)
    }

    pub(super) fn is_dropped(&self) -> bool {
        self.dropped != 0
    }

    /// Returns the moment of an unfinished drop, in milliseconds since 1970-01-01 UTC. A drop is
    /// unfinished until everything in the place is deleted.
    pub(super) fn unfinished_drop(&self) -> Option<i64> {
        (self.is_dropped() && self.sealed < self.opened).then_some(self.dropped)
    }

    /// Returns whether no fresh row can have been removed since the row was read. That is so if all
    /// of them are in generations that still took rows then, because a seal waits longer than the
    /// lease after it has closed one.
    pub(super) fn is_quiet(&self) -> bool {
        self.closed <= self.sealed && !self.is_dropped() && self.is_leased()
    }

    /// Returns whether the row was read so recently that writers may rely on it.
    pub(super) fn is_leased(&self) -> bool {
        self.read_at.elapsed() < WRITER_LEASE
    }
}

/// The numbers of a row: opened, closed, sealed and dropped.
pub(super) type Numbers = (Option<i64>, Option<i64>, Option<i64>, Option<i64>);

/// Checks the numbers of a row.
pub(super) fn row(task: &Task<'_>, numbers: Numbers, read_at: Moment) -> Result<Row> {
    let row = Row {
        opened: numbers.0.unwrap_or(0),
        closed: numbers.1.unwrap_or(0),
        sealed: numbers.2.unwrap_or(0),
        dropped: numbers.3.unwrap_or(0),
        read_at,
    };
    let is_number = |number: i64| (0..=LAST_GENERATION).contains(&number);
    let are_numbers = [row.opened, row.closed, row.sealed]
        .into_iter()
        .all(is_number);
    if !are_numbers || row.opened.saturating_sub(row.sealed) > UNSEALED_GENERATIONS_AT_MOST {
        let Row {
            opened,
            closed,
            sealed,
            ..
        } = row;
        return Err(server(
            task,
            format!(
                "generations {opened} opened, {closed} closed and {sealed} sealed cannot be, or more \
                 than {UNSEALED_GENERATIONS_AT_MOST} wait to be sealed: the row is damaged"
            ),
        ));
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_is_unfinished_until_every_generation_is_sealed() {
        let dropped = Row {
            opened: 5,
            closed: 5,
            sealed: 3,
            dropped: 1_000,
            ..Row::none(Moment::now())
        };
        assert_eq!(dropped.unfinished_drop(), Some(1_000));
        assert_eq!(
            Row {
                sealed: 5,
                ..dropped
            }
            .unfinished_drop(),
            None
        );
        assert_eq!(
            Row {
                dropped: 0,
                ..dropped
            }
            .unfinished_drop(),
            None
        );
    }
}
