//! Rows beyond a sample of the user's, which keep what storage and queries depend on.
//!
//! The first rows are the sample as it is. Then copies of it follow, row by row in the order of the file: each row of
//! a copy has the time of its row of the sample, moved, and the values of another row of the same series. Which one
//! follows from blocks of consecutive rows that change places within the series. Row *i* is a pure function of the
//! sample, the seed and *i*. Where a table grows along both axes, further series come before what comes later.

mod blocks;
mod calendar;
mod changes;
mod counter;
mod edges;
mod growth;
mod names;
mod near;
mod neighbours;
mod owners;
mod renamed;
mod roles;
mod sample;
mod shape;
mod spread;
#[cfg(test)]
mod tests;
mod times;

use std::iter::successors;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, SchemaRef, TimestampMillisecondType};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;

use self::blocks::Blocks;
use self::changes::Change;
use self::counter::Counter;
use self::edges::Edges;
use self::roles::{About, Role};
use self::sample::Sample;
use self::shape::{Counted, Shape};
use self::spread::numbers;
use self::times::Times;
use super::{BadRows, GrownFrom, GrownPartitions, RowBatch, RowBatches, RowSource};
use crate::{ColumnType, Error, Result, SampleAxis, ScaleSample, Stream, Table, days};

/// Most bytes of a sample in memory, in which it is kept.
const SAMPLE_BYTES: usize = 64 << 20;
/// Most bytes of a batch of long values, so that 32-bit offsets suffice.
const BATCH_BYTES: usize = 64 << 20;

/// A sample and the rows beyond it.
pub struct Scaled {
    /// The data file, which knows which of its rows are set aside.
    file: Box<dyn RowSource>,
    maker: Arc<Maker>,
    /// Number of rows after which times only grow.
    ordered_beyond: Option<u64>,
    /// What is known of the sample.
    grown_from: GrownFrom,
}

/// Makes rows by their numbers.
struct Maker {
    table: Table,
    schema: SchemaRef,
    sample: Sample,
    shape: Shape,
    blocks: Vec<Blocks>,
    changes: Vec<Change>,
    /// Ends of runs of the columns of few values.
    edges: Option<Edges>,
    /// Draws of the order of blocks.
    order: Stream,
    /// Most rows of a batch.
    most_rows: usize,
}

/// Rows of a batch, in one way of counting copies: the copy of each one, its place in the sample, and the place of the
/// row whose values it has.
struct Places {
    copies: Vec<u64>,
    own: UInt32Array,
    source: UInt32Array,
    /// The place of the row whose values it has in columns of few values.
    codes: UInt32Array,
}

impl Scaled {
    /// Reads a sample and finds out how to continue it.
    ///
    /// # Errors
    /// The sample cannot be read, is too large, or has too little to be continued in this way.
    pub fn new(
        file: Box<dyn RowSource>,
        table: &Table,
        seed: u64,
        scaled: &ScaleSample,
    ) -> Result<Scaled> {
        let sample = Sample::read(&*file, table, SAMPLE_BYTES)?;
        let times = Times::of(&sample, table);
        let shape = Shape::of(&sample, table, times, scaled)?;
        let about = |axis, counted| About {
            sample: &sample,
            table,
            axis,
            copies: shape.copies(counted),
            all_copies: shape.copies(Counted::All),
            times,
            seed,
        };
        let series = about(SampleAxis::Series, Counted::Series);
        let time = about(SampleAxis::Time, Counted::Time);
        let changes = match (scaled.series, scaled.time) {
            (Some(_), Some(_)) => changes::along_both(&series, &time)?,
            (None, Some(_)) => changes::along_one(time.roles()?),
            _ => changes::along_one(series.roles()?),
        };
        let codes: Vec<usize> = { changes.iter().enumerate() }
            .filter(|(_, change)| matches!(change.role, Role::Resampled(None)))
            .map(|(index, _)| index)
            .collect();
        let timestamps = { table.columns.iter() }
            .filter(|column| column.kind == ColumnType::Timestamp)
            .count();
        let has_time = table
            .time_column()
            .is_some_and(|index| sample.rows.column(index).null_count() == 0);
        let is_ordered = scaled.time.is_some() && has_time && timestamps == 1;
        let grown_from = GrownFrom {
            rows: sample.len(),
            growth: shape.growth(),
            length: times.map(|times| shape.length(&sample, times)),
            partitions: partitions(&sample, table, &changes, scaled.time.is_some()),
        };
        Ok(Scaled {
            file,
            grown_from,
            ordered_beyond: is_ordered.then_some(shape.of_period()),
            maker: Arc::new(Maker {
                schema: table.schema(),
                table: table.clone(),
                shape,
                blocks: times::blocks(&sample, times),
                changes,
                edges: Edges::find(&sample, table, &codes),
                order: Stream::new(&[seed, 1]),
                most_rows: (BATCH_BYTES / longest_row(&sample)).max(1),
                sample,
            }),
        })
    }
}

/// Returns the partitions of a sample; `None` if these are no series, or a longer time has further ones.
fn partitions(
    sample: &Sample,
    table: &Table,
    changes: &[Change],
    grows_in_time: bool,
) -> Option<GrownPartitions> {
    let key = table.partition_key.iter();
    let key: Vec<usize> = key.filter_map(|name| table.column_index(name)).collect();
    let stays = |index: &usize| {
        let change = &changes[*index];
        matches!(change.role, Role::Own) || change.counted == Counted::Series
    };
    let stay = !grows_in_time || key.iter().all(stays);
    let rows = (0..sample.series() as u32).map(|series| sample.extent(series).1);
    let largest = rows
        .max()
        .filter(|_| stay && table.series_columns() == key)?;
    Some(GrownPartitions {
        number: sample.series(),
        largest: u64::from(largest),
    })
}

impl RowSource for Scaled {
    fn schema(&self) -> SchemaRef {
        self.maker.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        Some(self.maker.shape.rows())
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let (maker, end) = (self.maker.clone(), self.maker.shape.rows());
        let step = batch_rows.clamp(1, maker.most_rows) as u64;
        let starts = successors(Some(from), move |row| row.checked_add(step));
        let starts = starts.take_while(move |row| *row < end);
        Ok(Box::new(starts.map(move |first_row| {
            let rows = maker.batch(first_row..end.min(first_row.saturating_add(step)))?;
            Ok(RowBatch { first_row, rows })
        })))
    }

    /// Keys of copies are new as far as the sample shows what makes them so, which is no proof.
    fn may_repeat_keys(&self) -> bool {
        true
    }

    fn in_order_of_time_beyond(&self) -> Option<u64> {
        self.ordered_beyond
    }

    fn grown_from(&self) -> Option<GrownFrom> {
        Some(self.grown_from)
    }

    fn bad_rows(&self) -> Option<&BadRows> {
        self.file.bad_rows()
    }
}

impl Maker {
    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch> {
        let first = rows.start;
        let places = Counted::EACH.map(|counted| {
            let is_needed = self.changes.iter().any(|change| change.needs(counted));
            let rows = if is_needed {
                rows.clone()
            } else {
                first..first
            };
            self.places(rows, counted)
        });
        let columns = (0..self.changes.len()).map(|index| self.column(index, &places));
        { columns.collect::<Result<Vec<ArrayRef>, ArrowError>>() }
            .and_then(|columns| RecordBatch::try_new(self.schema.clone(), columns))
            .map_err(|error| {
                Error::Usage(format!(
                    "cannot build rows from {first} on beyond the sample: {error}"
                ))
            })
    }

    fn places(&self, rows: Range<u64>, counted: Counted) -> Places {
        let length = rows.end.saturating_sub(rows.start) as usize;
        let mut copies = Vec::with_capacity(length);
        let (mut own, mut source) = (Vec::with_capacity(length), Vec::with_capacity(length));
        let mut codes = Vec::with_capacity(length);
        for row in rows {
            let (copy, of_sample) = self.shape.place(row, counted);
            let place = self.sample.places[of_sample as usize];
            copies.push(copy);
            own.push(place);
            let from = self.source(place, copy);
            source.push(from);
            codes.push(self.codes(from, copy));
        }
        Places {
            copies,
            own: own.into(),
            source: source.into(),
            codes: codes.into(),
        }
    }

    /// Returns the place of the row whose values a copy has at a place.
    fn source(&self, place: u32, copy: u64) -> u32 {
        if copy == 0 {
            return place;
        }
        let series = self.sample.series[place as usize];
        let (start, _) = self.sample.extent(series);
        let blocks = self.blocks[series as usize];
        start + blocks.source(place - start, self.order.and(copy))
    }

    /// Returns the place of the row whose values a copy has in columns of few values, where others are from `place`.
    fn codes(&self, place: u32, copy: u64) -> u32 {
        match &self.edges {
            Some(edges) if copy > 0 => {
                let series = self.sample.series[place as usize];
                edges.moved(place, self.sample.extent(series), &self.order.and(copy))
            }
            _ => place,
        }
    }

    /// Makes a column of rows, whose places are there for each way of counting copies.
    fn column(&self, index: usize, all: &[Places; 3]) -> Result<ArrayRef, ArrowError> {
        let Change { role, counted } = &self.changes[index];
        let places = &all[*counted as usize];
        let column = self.sample.rows.column(index);
        let copies = &places.copies;
        let own = || take(column.as_ref(), &places.own, None);
        Ok(match role {
            Role::Own => own()?,
            Role::Moved(by) => moved(&own()?, self.table.columns[index].kind, *by, copies),
            Role::Counter(counter) => {
                counter.apply(&self.sample, column, &own()?, places.own.values(), copies)
            }
            Role::Counters { series, time } => {
                let apply = |counter: &Counter, taken: &ArrayRef, counted: Counted| {
                    let Places { own, copies, .. } = &all[counted as usize];
                    counter.apply(&self.sample, column, taken, own.values(), copies)
                };
                let further = apply(series, &own()?, Counted::Series);
                apply(time, &further, Counted::Time)
            }
            Role::Calendar(calendar) => {
                let times = self.column(calendar.time, all)?;
                calendar.apply(&times)?
            }
            Role::Renamed(renamed) => renamed.apply(&own()?, places.own.values(), copies),
            Role::Resampled(Some(spread)) => {
                let taken = take(column.as_ref(), &places.source, None)?;
                spread.apply(&taken, places.source.values(), copies)
            }
            Role::Resampled(None) => take(column.as_ref(), &places.codes, None)?,
        })
    }
}

/// Returns times or whole numbers, moved by so much per copy.
fn moved(column: &ArrayRef, kind: ColumnType, by: i64, copies: &[u64]) -> ArrayRef {
    let sum = |row: usize, value: i64| {
        let more = by.saturating_mul(copies[row] as i64);
        value.saturating_add(more)
    };
    match kind {
        ColumnType::Int => numbers::<Int32Type>(column, |row, value| {
            i32::try_from(sum(row, i64::from(value))).unwrap_or(value)
        }),
        ColumnType::Timestamp => numbers::<TimestampMillisecondType>(column, sum),
        // Those that leave the calendar stay.
        ColumnType::Date => numbers::<Date32Type>(column, |row, value| {
            let time = sum(row, days::milliseconds(value));
            let day = i32::try_from(time.div_euclid(days::MILLISECONDS_OF_A_DAY)).ok();
            day.filter(|day| days::is_in_calendar(*day))
                .unwrap_or(value)
        }),
        _ => numbers::<Int64Type>(column, sum),
    }
}

/// Returns an upper estimate of the bytes of a row.
fn longest_row(sample: &Sample) -> usize {
    let longest = |column: &ArrayRef| {
        let offsets = {
            column
                .as_string_opt::<i32>()
                .map(|cells| cells.value_offsets())
        }
        .or_else(|| {
            column
                .as_binary_opt::<i32>()
                .map(|cells| cells.value_offsets())
        });
        let lengths = offsets.into_iter().flat_map(|offsets| offsets.windows(2));
        let longest = lengths.map(|pair| (pair[1] - pair[0]) as usize).max();
        longest.unwrap_or(0) + 8
    };
    sample
        .rows
        .columns()
        .iter()
        .map(longest)
        .sum::<usize>()
        .max(1)
}
