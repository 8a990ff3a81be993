//! Draws windows of time within the loaded rows.

use std::ops::Range;

use arrow::array::AsArray;
use arrow::compute::{max, min};
use arrow::datatypes::TimestampMillisecondType;

use super::{Drawable, Loaded};
use crate::{Result, Stream, literal};

impl Loaded<'_> {
    /// Draws the first moment of a window and the first one after it, for each stream.
    pub fn windows(
        &self,
        column: &Drawable<'_>,
        milliseconds: u64,
        streams: &mut [Stream],
    ) -> Result<Vec<Vec<String>>> {
        let times = self.times(column)?;
        let window = |stream: &mut Stream| {
            let window = within(&times, milliseconds, stream);
            [window.start, window.end]
                .into_iter()
                .map(literal::timestamp)
                .collect()
        };
        let windows: Option<Vec<_>> = streams.iter_mut().map(window).collect();
        windows.ok_or_else(|| self.no_value(column.name, "there are times beyond the year 9999"))
    }

    /// Returns the range from the first time to the last one, both included.
    fn times(&self, column: &Drawable<'_>) -> Result<Range<i64>> {
        let mut times: Option<(i64, i64)> = None;
        for rows in self.ends() {
            for batch in self.batches(rows)? {
                let batch = batch?;
                let values = batch
                    .column(column.index)
                    .as_primitive::<TimestampMillisecondType>();
                if let (Some(first), Some(last)) = (min(values), max(values)) {
                    let (before, after) = times.unwrap_or((first, last));
                    times = Some((first.min(before), last.max(after)));
                }
            }
        }
        let (first, last) =
            times.ok_or_else(|| self.no_value(column.name, "all of them are null there"))?;
        Ok(first..last.saturating_add(1))
    }

    /// Returns the rows that can have the first and the last time.
    fn ends(&self) -> impl Iterator<Item = Range<u64>> {
        let (first, last) = match self.source.in_order_of_time_beyond() {
            Some(distance) if distance < self.rows / 2 => (distance, self.rows - distance),
            _ => (self.rows, self.rows),
        };
        [0..first, last..self.rows]
            .into_iter()
            .filter(|rows| !rows.is_empty())
    }
}

/// Draws a window of this many milliseconds anywhere in a range; returns the whole range if it is
/// shorter.
fn within(times: &Range<i64>, milliseconds: u64, stream: &mut Stream) -> Range<i64> {
    let free = times.end.abs_diff(times.start).saturating_sub(milliseconds);
    if free == 0 {
        return times.clone();
    }
    let begin = times.start.wrapping_add_unsigned(stream.below(free));
    begin..begin.wrapping_add_unsigned(milliseconds)
}
