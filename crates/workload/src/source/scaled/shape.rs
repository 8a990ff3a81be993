//! How far a sample grows along each axis, and which copy of it each row belongs to.
//!
//! Rows come period after period. In the first one are the sample and, copy by copy, its further series at the same times;
//! in each other one are all of them as they go on. The last copy may have the first series of the sample alone, and the
//! last period may be a part of one, of the earliest times.

use super::sample::Sample;
use super::times::Times;
use crate::{ColumnType, Error, Growth, Result, SampleAxis, SampleSize, ScaleSample, Table};

/// Which copies a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// All of them, since each one has values of its own.
    All,
    /// Those along the series: what a series has stays with it in time.
    Series,
    /// Those along the time: what a time has is the same in further series.
    Time,
}

impl Counted {
    /// Each way of counting, at its own index.
    pub const EACH: [Counted; 3] = [Counted::All, Counted::Series, Counted::Time];
}

/// The numbers of rows of a sample that has grown.
#[derive(Debug)]
pub struct Shape {
    /// Rows of the sample.
    sample: u64,
    /// Further copies at the times of the sample, the last of which may be a part of one.
    series: u64,
    /// Rows of a period.
    of_period: u64,
    /// Periods before the last one.
    periods: u64,
    /// Rows of a copy in the last period.
    of_last: u64,
    /// Which rows of the file these are; the first ones if this is empty.
    earliest: Vec<u32>,
    /// Which rows of the file the last copy of a period has; the first ones if this is empty.
    of_first_series: Vec<u32>,
    /// Those of them that it has in the last period.
    of_first_series_last: Vec<u32>,
    rows: u64,
}

impl Shape {
    /// Returns the shape of the table that a sample grows to.
    ///
    /// # Errors
    /// The sample is larger than that already, or its times cannot go on so far.
    pub fn of(
        sample: &Sample,
        table: &Table,
        times: Option<Times>,
        scaled: &ScaleSample,
    ) -> Result<Shape> {
        let (along_series, of_first_series) = match scaled.series {
            Some(to) => rows(sample, table, times, SampleAxis::Series, to)?,
            None => (sample.len(), Vec::new()),
        };
        let (along_time, _) = match scaled.time {
            Some(to) => rows(sample, table, times, SampleAxis::Time, to)?,
            None => (sample.len(), Vec::new()),
        };
        let mut shape = Shape::new(sample.len(), along_series, along_time);
        if shape.periods > 0 {
            check_times(table, times, shape.periods)?;
            if shape.of_last < sample.len() {
                shape.earliest = earliest(sample, shape.of_last);
            }
        }
        if of_first_series.is_empty() {
            return Ok(shape);
        }
        Ok(shape.with_first_series(of_first_series))
    }

    /// Returns the shape with these rows of the file, in its order, in the last copy of each period.
    fn with_first_series(mut self, rows: Vec<u32>) -> Shape {
        self.of_first_series_last = if self.earliest.is_empty() {
            rows.clone()
        } else {
            let earliest = self.earliest.iter().copied();
            let is_of_them = |row: &u32| rows.binary_search(row).is_ok();
            earliest.filter(is_of_them).collect()
        };
        self.of_first_series = rows;
        let before_last = self.periods.saturating_mul(self.of_period);
        let last = { self.series.saturating_mul(self.of_last) }
            .saturating_add(self.of_first_series_last.len() as u64);
        self.rows = before_last.saturating_add(last);
        self
    }

    /// Returns the shape of a table that would have so many rows along each axis alone, at least those of the sample.
    fn new(sample: u64, along_series: u64, along_time: u64) -> Shape {
        let series = (along_series - 1) / sample;
        let periods = (along_time - 1) / sample;
        let of_last = along_time - periods * sample;
        // The same share of the last copy as of the others; a sample in memory has less than 2^32 rows.
        let of_rest = ((along_series - series * sample) * of_last).div_ceil(sample);
        let last = series.saturating_mul(of_last).saturating_add(of_rest);
        Shape {
            sample,
            series,
            of_period: along_series,
            periods,
            of_last,
            earliest: Vec::new(),
            of_first_series: Vec::new(),
            of_first_series_last: Vec::new(),
            rows: periods.saturating_mul(along_series).saturating_add(last),
        }
    }

    /// Returns the number of all rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the number of rows at the times of the sample.
    pub fn of_period(&self) -> u64 {
        self.of_period
    }

    /// Returns how long all rows are, up to the time at which the next ones would follow.
    pub fn length(&self, sample: &Sample, times: Times) -> i64 {
        let periods = i64::try_from(self.periods).unwrap_or(i64::MAX);
        let of_last = self.length_of_part(sample).unwrap_or(times.period);
        { times.period.saturating_mul(periods) }.saturating_add(of_last)
    }

    /// Returns how long the last period is, if it has a part of the sample.
    fn length_of_part(&self, sample: &Sample) -> Option<i64> {
        if self.earliest.is_empty() {
            return None;
        }
        let times = sample.times.as_ref()?;
        let (first, _) = sample.first_and_last(0..sample.places.len())?;
        let others = { sample.places.iter().zip(0_u32..) }
            .filter(|(_, row)| self.earliest.binary_search(row).is_err());
        let next = others
            .filter_map(|(place, _)| times[*place as usize])
            .min()?;
        next.checked_sub(first)
    }

    /// Returns by how many times the rows of the sample grow along each axis.
    pub fn growth(&self) -> Growth {
        let along_time = { self.periods.saturating_mul(self.sample) }.saturating_add(self.of_last);
        let times = |rows: u64| rows as f64 / self.sample as f64;
        Growth {
            series: times(self.of_period),
            time: times(along_time),
        }
    }

    /// Returns the number of copies besides the sample itself.
    pub fn copies(&self, counted: Counted) -> u64 {
        self.copy(self.series, self.periods, counted)
    }

    /// Returns the number of the copy that a row belongs to, 0 for the sample, and its row of the file.
    pub fn place(&self, row: u64, counted: Counted) -> (u64, u64) {
        let before_last = self.periods.saturating_mul(self.of_period);
        let is_last = row >= before_last;
        let (time, of_period, rows) = if is_last {
            (self.periods, row - before_last, self.of_last)
        } else {
            (row / self.of_period, row % self.of_period, self.sample)
        };
        let (series, of_copy) = (of_period / rows, of_period % rows);
        let has_first_series = series == self.series && !self.of_first_series.is_empty();
        let numbers: &[u32] = match (has_first_series, is_last) {
            (true, true) => &self.of_first_series_last,
            (true, false) => &self.of_first_series,
            (false, true) => &self.earliest,
            (false, false) => &[],
        };
        let of_sample = numbers.get(of_copy as usize).copied();
        let copy = self.copy(series, time, counted);
        (copy, of_sample.map_or(of_copy, u64::from))
    }

    /// Returns the number of the copy that has these numbers along the axes.
    fn copy(&self, series: u64, time: u64, counted: Counted) -> u64 {
        match counted {
            Counted::All => {
                { time.saturating_mul(self.series.saturating_add(1)) }.saturating_add(series)
            }
            Counted::Series => series,
            Counted::Time => time,
        }
    }
}

/// Returns so many rows of the file that have the earliest times, in its order.
fn earliest(sample: &Sample, rows: u64) -> Vec<u32> {
    let Some(times) = &sample.times else {
        return Vec::new();
    };
    let mut earliest: Vec<u32> = (0..sample.len() as u32).collect();
    earliest.sort_by_key(|row| times[sample.places[*row as usize] as usize]);
    earliest.truncate(rows as usize);
    earliest.sort_unstable();
    earliest
}

/// Returns the rows of the file that belong to so many series, those that come first in it.
fn of_first_series(sample: &Sample, series: u64) -> Vec<u32> {
    let mut is_of_them = vec![false; sample.series() as usize];
    let mut missing = series;
    let rows = { sample.places.iter().zip(0_u32..) }.filter(|(place, _)| {
        let is_one = &mut is_of_them[sample.series[**place as usize] as usize];
        if !*is_one && missing > 0 {
            *is_one = true;
            missing -= 1;
        }
        *is_one
    });
    rows.map(|(_, row)| row).collect()
}

/// Returns the number of rows that the sample grows to along one axis and, if that is no multiple of its series, those of
/// the file in the last copy.
fn rows(
    sample: &Sample,
    table: &Table,
    times: Option<Times>,
    axis: SampleAxis,
    to: SampleSize,
) -> Result<(u64, Vec<u32>)> {
    let known = sample.len();
    // No error of rounding may ask for one row more.
    let by = |factor: f64| (known as f64 * factor * (1.0 - 1e-12)).ceil() as u64;
    let (rows, asked, has) = match to {
        SampleSize::Series(series) => return rows_of_series(sample, table, series),
        SampleSize::Times(times) if axis == SampleAxis::Series => {
            let series = (sample.series() as f64 * times).round() as u64;
            return rows_of_series(sample, table, series);
        }
        SampleSize::Rows(rows) => (rows, format!("{rows} rows"), format!("{known}")),
        SampleSize::Times(times) => (
            by(times),
            format!("{times} times the rows"),
            format!("{known}"),
        ),
        SampleSize::Milliseconds(length) => {
            let there = times.ok_or_else(|| one_time(table))?.period;
            let days = |milliseconds: f64| format!("{:.2} days", milliseconds / 86_400_000.0);
            let rows = match by(length as f64 / there as f64) {
                fewer if fewer < known => fewer,
                _ => rows_within(sample, there, length).max(known),
            };
            (rows, days(length as f64), days(there as f64))
        }
    };
    if rows < known {
        return Err(too_few(table, &asked, &has));
    }
    Ok((rows, Vec::new()))
}

/// Returns the number of rows of a sample, which goes on after each `period`, that are less than `length` after its first
/// one. Those without a time come first in the part of it at the end.
fn rows_within(sample: &Sample, period: i64, length: u64) -> u64 {
    let period = period.max(1) as u64;
    let (periods, rest) = (length / period, length % period);
    let first = sample.first_and_last(0..sample.places.len());
    let is_within = |time: &Option<i64>| match (time, first) {
        (Some(time), Some((first, _))) => time.abs_diff(first) < rest,
        _ => true,
    };
    let times = sample.times.iter().flatten().filter(|_| rest > 0);
    let within = times.filter(|time| is_within(time)).count() as u64;
    periods.saturating_mul(sample.len()).saturating_add(within)
}

/// Returns the number of rows that so many series have, and those of the file in the last copy if it has a part of them.
fn rows_of_series(sample: &Sample, table: &Table, series: u64) -> Result<(u64, Vec<u32>)> {
    let there = sample.series();
    if series < there {
        return Err(too_few(
            table,
            &format!("{series} series"),
            &format!("{there}"),
        ));
    }
    let of_last = match series % there {
        0 => Vec::new(),
        first => of_first_series(sample, first),
    };
    let whole = (series / there).saturating_mul(sample.len());
    Ok((whole.saturating_add(of_last.len() as u64), of_last))
}

fn too_few(table: &Table, asked: &str, has: &str) -> Error {
    Error::Usage(format!(
        "the sample of table {} is to grow to {asked}, but has {has} already; ask for more, or leave the growth \
         out of [data]",
        table.name
    ))
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

#[cfg(test)]
mod tests;
