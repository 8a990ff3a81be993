//! How far a sample grows along each axis, and which copy of it each row belongs to.
//!
//! Rows come period after period. In the first one are the sample and, copy by copy, its further series at the same times;
//! in each other one are all of them as they go on. The last period may be a part of one, of the earliest times.

use super::sample::Sample;
use super::times::Times;
use crate::{ColumnType, Error, Growth, Result, SampleSize, ScaleSample, Table};

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
        let along = |to: Option<SampleSize>| match to {
            Some(to) => rows(sample, table, times, to),
            None => Ok(sample.len()),
        };
        let mut shape = Shape::new(sample.len(), along(scaled.series)?, along(scaled.time)?);
        if shape.periods > 0 {
            check_times(table, times, shape.periods)?;
            if shape.of_last < sample.len() {
                shape.earliest = earliest(sample, shape.of_last);
            }
        }
        Ok(shape)
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

    /// Returns by how many times the sample grows along each axis.
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
        if row < before_last {
            let (time, of_period) = (row / self.of_period, row % self.of_period);
            let copy = self.copy(of_period / self.sample, time, counted);
            return (copy, of_period % self.sample);
        }
        let of_period = row - before_last;
        let copy = self.copy(of_period / self.of_last, self.periods, counted);
        let of_copy = of_period % self.of_last;
        let of_sample = self.earliest.get(of_copy as usize).copied();
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

/// Returns the number of rows that the sample grows to along one axis.
fn rows(sample: &Sample, table: &Table, times: Option<Times>, to: SampleSize) -> Result<u64> {
    let known = sample.len();
    // No error of rounding may ask for one row more.
    let by = |factor: f64| (known as f64 * factor * (1.0 - 1e-12)).ceil() as u64;
    let (rows, asked, has) = match to {
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn rows_of_both_axes_are_their_product_and_each_one_is_another() {
        for (along_series, along_time, rows) in [
            (288, 288, 288),
            (288, 432, 432),
            (1_440, 288, 1_440),
            (1_440, 576, 2_880),
            (1_440, 432, 2_160),
            // Two and a half times the series, and one and a half times the time.
            (720, 432, 1_080),
            (289, 289, 291),
        ] {
            let shape = Shape::new(288, along_series, along_time);
            let case = format!("{along_series} by {along_time}");
            assert_eq!(shape.rows(), rows, "{case}");
            let growth = shape.growth();
            assert_eq!(growth.series, along_series as f64 / 288.0, "{case}");
            assert_eq!(growth.time, along_time as f64 / 288.0, "{case}");
            let shape = &shape;
            let places = |counted| (0..rows).map(move |row| shape.place(row, counted));
            assert!((0..288).all(|row| shape.place(row, Counted::All) == (0, row)));
            assert!(places(Counted::All).all(|(_, of_sample)| of_sample < 288));
            assert_eq!(
                places(Counted::All).collect::<HashSet<_>>().len() as u64,
                rows,
                "{case}"
            );
            for counted in Counted::EACH {
                let most = places(counted).map(|(copy, _)| copy).max();
                assert_eq!(most, Some(shape.copies(counted)), "{case}");
            }
            assert!(places(Counted::Time).is_sorted_by_key(|(time, _)| time));
        }
    }

    #[test]
    fn growth_beyond_all_numbers_stays_a_number() {
        let shape = Shape::new(2, u64::MAX, u64::MAX);
        assert_eq!(shape.rows(), u64::MAX);
        assert_eq!(shape.copies(Counted::All), u64::MAX);
        assert_eq!(shape.place(3, Counted::All), (1, 1));
    }
}
