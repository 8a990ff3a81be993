//! How long a sample is, and which of its rows belong together in time.

use super::blocks::Blocks;
use super::sample::Sample;
use crate::{ColumnType, Table};

const DAY_MILLISECONDS: i64 = 86_400_000;
/// Fewest rows of a series in a day of which blocks are days: those of fewer would be single rows.
const FEWEST_ROWS_OF_A_DAY: u32 = 4;

/// Time of a sample.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// Distance of a copy from the one before it: from the first time of the sample to the one that would follow
    /// its last one, in milliseconds or in the units of a whole number.
    pub period: i64,
    /// The last time.
    pub last: i64,
    /// Whether the sample has times of at least two days, so that blocks are days, and copies begin at the same time
    /// of the day. Series with few rows in a day have other blocks.
    pub has_days: bool,
}

impl Times {
    /// Returns the times of a sample; `None` if there are fewer than two.
    pub fn of(sample: &Sample, table: &Table) -> Option<Times> {
        let all = sample.places.len();
        let (first, last) = sample.first_and_last(0..all)?;
        let span = last.checked_sub(first).filter(|span| *span > 0)?;
        let is_time = |index: usize| table.columns[index].kind == ColumnType::Timestamp;
        let has_times = table.time_column().is_some_and(is_time);
        let has_days = has_times && span >= 2 * DAY_MILLISECONDS;
        // Days by which partitions are divided have to stay days.
        let key = table.partition_key.iter();
        let is_date = |name| {
            table
                .column(name)
                .is_some_and(|c| c.kind == ColumnType::Date)
        };
        let has_day_in_key = { key }.any(|name| table.column_index(name).is_some_and(is_time))
            || has_times && table.key().any(is_date);
        let usual = Usual::of(sample);
        let mut period = if has_day_in_key {
            span.checked_add(usual.distance)?
        } else {
            usual.period(span, has_days)?
        };
        if has_days || has_day_in_key {
            let days = (period - 1) / DAY_MILLISECONDS + 1;
            period = days.checked_mul(DAY_MILLISECONDS)?;
        }
        Some(Times {
            period,
            last,
            has_days,
        })
    }
}

/// Usual distances of two times that follow each other.
struct Usual {
    /// That of the series that has the most rows, or of all rows if it has a single time.
    distance: i64,
    /// That of all rows.
    of_all: i64,
    /// From the first time of the series that has the most rows to its last one.
    span_of_longest: i64,
}

impl Usual {
    fn of(sample: &Sample) -> Usual {
        let rows = |series: &u32| sample.extent(*series).1;
        let longest = (0..sample.series() as u32).max_by_key(rows);
        let (start, rows) = longest.map_or((0, 0), |longest| sample.extent(longest));
        let places = start as usize..(start + rows) as usize;
        let times = sample.times.as_deref().unwrap_or_default();
        let distance =
            |times: &[Option<i64>]| median_distance(times.iter().flatten().copied().collect());
        let of_all = distance(times).unwrap_or(1);
        let of_longest = times.get(places.clone()).and_then(distance);
        let ends = sample.first_and_last(places);
        Usual {
            distance: of_longest.unwrap_or(of_all),
            of_all,
            span_of_longest: ends.map_or(0, |(first, last)| last.saturating_sub(first)),
        }
    }

    /// Returns the distance of a copy from the one before it, for times over this span: the longest series goes on at
    /// its usual distance, and all rows together at theirs. So many series of a few rows each, whose own distances are
    /// long, make no hole at the end of the sample. Where copies begin at the same time of the day, what is less than a
    /// day does not count.
    fn period(&self, span: i64, has_days: bool) -> Option<i64> {
        let counted = |distance: i64| match distance {
            distance if has_days && distance < DAY_MILLISECONDS => 1,
            distance => distance,
        };
        let of_longest = self.span_of_longest.checked_add(counted(self.distance))?;
        let of_all = span.checked_add(counted(self.distance.min(self.of_all)))?;
        Some(of_longest.max(of_all))
    }
}

/// Returns the median of the distances of different times that follow each other, so that a hole among them does not
/// count. There is one if two times differ.
fn median_distance(mut times: Vec<i64>) -> Option<i64> {
    times.sort_unstable();
    let distances = times.windows(2).map(|pair| pair[1] - pair[0]);
    let mut distances: Vec<i64> = distances.filter(|distance| *distance > 0).collect();
    if distances.is_empty() {
        return None;
    }
    let middle = distances.len() / 2;
    Some(*distances.select_nth_unstable(middle).1)
}

/// Returns the blocks of each series: days, if it has several rows in each, or otherwise the number of its rows to the
/// power of two thirds.
pub fn blocks(sample: &Sample, times: Option<Times>) -> Vec<Blocks> {
    let has_days = times.is_some_and(|times| times.has_days);
    let blocks = (0..sample.series() as u32).map(|series| {
        let (start, rows) = sample.extent(series);
        let of_a_day = has_days.then(|| rows_of_a_day(sample, start, rows));
        let of_a_day = of_a_day.filter(|length| *length >= FEWEST_ROWS_OF_A_DAY.min(rows));
        let length = of_a_day.unwrap_or_else(|| f64::from(rows).powf(2.0 / 3.0).ceil() as u32);
        Blocks {
            rows,
            length: length.clamp(1, rows.max(1)),
            is_day: of_a_day.is_some(),
        }
    });
    blocks.collect()
}

/// Returns how many rows a series has in a day, or all if it has no two days.
fn rows_of_a_day(sample: &Sample, start: u32, rows: u32) -> u32 {
    let places = start as usize..(start + rows) as usize;
    let Some((first, last)) = sample.first_and_last(places).filter(|_| rows >= 2) else {
        return rows;
    };
    let span = last.saturating_sub(first) as f64;
    let span = span * f64::from(rows) / f64::from(rows - 1);
    let days = span / DAY_MILLISECONDS as f64;
    if days < 2.0 {
        return rows;
    }
    (f64::from(rows) / days).round() as u32
}

#[cfg(test)]
mod tests;
