//! Rows beyond a sample of the user's, which keep what storage and queries depend on.
//!
//! The first rows are the sample as it is. Then copies of it follow, row by row in the order of the file: each row of
//! a copy has the time of its row of the sample, moved, and the values of another row of the same series. Which one
//! follows from blocks of consecutive rows that change places within the series. Row *i* is a pure function of the
//! sample, the seed and *i*.

mod blocks;
mod calendar;
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
use self::edges::Edges;
use self::roles::{About, Role};
use self::sample::Sample;
use self::spread::numbers;
use self::times::Times;
use super::{BadRows, RowBatch, RowBatches, RowSource};
use crate::{ColumnType, Error, Result, SampleAxis, SampleSize, ScaleSample, Stream, Table, days};

/// Most bytes of a sample in memory, in which it is kept.
const SAMPLE_BYTES: usize = 64 << 20;
/// Most bytes of a batch of long values, so that 32-bit offsets suffice.
const BATCH_BYTES: usize = 64 << 20;

/// A sample and the rows beyond it.
pub struct Scaled {
    /// The data file, which knows which of its rows are set aside.
    file: Box<dyn RowSource>,
    maker: Arc<Maker>,
    rows: u64,
    /// Number of rows after which times only grow.
    ordered_beyond: Option<u64>,
}

/// Makes rows by their numbers.
struct Maker {
    table: Table,
    schema: SchemaRef,
    sample: Sample,
    blocks: Vec<Blocks>,
    roles: Vec<Role>,
    /// Ends of runs of the columns of few values.
    edges: Option<Edges>,
    /// Draws of the order of blocks.
    order: Stream,
    /// Most rows of a batch.
    most_rows: usize,
}

/// Rows of a batch: the copy of each one, its place in the sample, and the place of the row whose values it has.
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
        let rows = rows(&sample, table, times, scaled)?;
        let copies = (rows - 1) / sample.len();
        if scaled.along == SampleAxis::Time && copies > 0 {
            check_times(table, times, copies)?;
        }
        let roles = About {
            sample: &sample,
            table,
            axis: scaled.along,
            copies,
            times,
            seed,
        }
        .roles()?;
        let codes: Vec<usize> = { roles.iter().enumerate() }
            .filter(|(_, role)| matches!(role, Role::Resampled(None)))
            .map(|(index, _)| index)
            .collect();
        let timestamps = { table.columns.iter() }
            .filter(|column| column.kind == ColumnType::Timestamp)
            .count();
        let has_time = table
            .time_column()
            .is_some_and(|index| sample.rows.column(index).null_count() == 0);
        let is_ordered = scaled.along == SampleAxis::Time && has_time && timestamps == 1;
        Ok(Scaled {
            file,
            rows,
            ordered_beyond: is_ordered.then_some(sample.len()),
            maker: Arc::new(Maker {
                schema: table.schema(),
                table: table.clone(),
                blocks: times::blocks(&sample, times),
                roles,
                edges: Edges::find(&sample, table, &codes),
                order: Stream::new(&[seed, 1]),
                most_rows: (BATCH_BYTES / longest_row(&sample)).max(1),
                sample,
            }),
        })
    }
}

impl RowSource for Scaled {
    fn schema(&self) -> SchemaRef {
        self.maker.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        Some(self.rows)
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let (maker, end) = (self.maker.clone(), self.rows);
        let step = batch_rows.clamp(1, maker.most_rows) as u64;
        let starts = successors(Some(from), move |row| row.checked_add(step));
        let starts = starts.take_while(move |row| *row < end);
        Ok(Box::new(starts.map(move |first_row| {
            let rows = maker.batch(first_row..end.min(first_row.saturating_add(step)))?;
            Ok(RowBatch { first_row, rows })
        })))
    }

    fn may_repeat_keys(&self) -> bool {
        self.file.may_repeat_keys()
    }

    fn in_order_of_time_beyond(&self) -> Option<u64> {
        self.ordered_beyond
    }

    fn bad_rows(&self) -> Option<&BadRows> {
        self.file.bad_rows()
    }
}

impl Maker {
    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch> {
        let first = rows.start;
        let places = self.places(rows);
        let columns = self.roles.iter().enumerate();
        let columns = columns.map(|(index, role)| self.column(index, role, &places));
        { columns.collect::<Result<Vec<ArrayRef>, ArrowError>>() }
            .and_then(|columns| RecordBatch::try_new(self.schema.clone(), columns))
            .map_err(|error| {
                Error::Usage(format!(
                    "cannot build rows from {first} on beyond the sample: {error}"
                ))
            })
    }

    fn places(&self, rows: Range<u64>) -> Places {
        let length = rows.end.saturating_sub(rows.start) as usize;
        let mut copies = Vec::with_capacity(length);
        let (mut own, mut source) = (Vec::with_capacity(length), Vec::with_capacity(length));
        let mut codes = Vec::with_capacity(length);
        for row in rows {
            let copy = row / self.sample.len();
            let place = self.sample.places[(row % self.sample.len()) as usize];
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

    fn column(&self, index: usize, role: &Role, places: &Places) -> Result<ArrayRef, ArrowError> {
        let column = self.sample.rows.column(index);
        let copies = &places.copies;
        let own = || take(column.as_ref(), &places.own, None);
        Ok(match role {
            Role::Own => own()?,
            Role::Moved(by) => moved(&own()?, self.table.columns[index].kind, *by, copies),
            Role::Counter(counter) => {
                counter.apply(&self.sample, column, &own()?, places.own.values(), copies)
            }
            Role::Calendar(calendar) => {
                let times = self.column(calendar.time, &self.roles[calendar.time], places)?;
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

/// Returns the number of rows that the sample grows to.
fn rows(sample: &Sample, table: &Table, times: Option<Times>, scaled: &ScaleSample) -> Result<u64> {
    let known = sample.len();
    // No error of rounding may ask for one row more.
    let by = |factor: f64| (known as f64 * factor * (1.0 - 1e-12)).ceil() as u64;
    let (rows, asked, has) = match scaled.to {
        SampleSize::Rows(rows) => (rows, format!("{rows} rows"), format!("{known}")),
        SampleSize::Times(times) => (
            by(times),
            format!("{times} times the rows"),
            format!("{known}"),
        ),
        SampleSize::Series(series) => {
            let there = sample.series();
            let rows = by(series as f64 / there as f64);
            (rows, format!("{series} series"), format!("{there}"))
        }
        SampleSize::Milliseconds(length) => {
            let there = times.ok_or_else(|| one_time(table))?.period;
            let days = |milliseconds: f64| format!("{:.2} days", milliseconds / 86_400_000.0);
            let rows = by(length as f64 / there as f64);
            (rows, days(length as f64), days(there as f64))
        }
    };
    if rows < known {
        return Err(Error::Usage(format!(
            "the sample of table {} is to grow to {asked}, but has {has} already; ask for more, or leave the growth \
             out of [data]",
            table.name
        )));
    }
    Ok(rows)
}

/// Checks that the sample has a time to go on from, and that the last time fits into its column.
fn check_times(table: &Table, times: Option<Times>, copies: u64) -> Result<()> {
    let times = times.ok_or_else(|| one_time(table))?;
    let kind = table.time_column().map(|index| table.columns[index].kind);
    let more = i64::try_from(copies)
        .ok()
        .and_then(|copies| times.period.checked_mul(copies));
    let last = more.and_then(|more| times.last.checked_add(more));
    let fits = |last: &i64| kind != Some(ColumnType::Int) || i32::try_from(*last).is_ok();
    if last.filter(fits).is_some() {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "so many rows cannot be made of the sample of table {}: its times would be greater than their type holds; \
         ask for fewer, or let it grow along \"series\"",
        table.name
    )))
}

fn one_time(table: &Table) -> Error {
    Error::Usage(format!(
        "the sample of table {} has fewer than two different times, so it is not known how it goes on; take a longer \
         time, or let it grow along \"series\"",
        table.name
    ))
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
