//! Draws several different values of a column, for `IN (...)`.

use super::{Drawable, Loaded};
use crate::source::visit_rows;
use crate::{Result, Stream, literal};

/// Largest number of passes in which rows are drawn for missing values.
const PASSES: u32 = 20;

impl Loaded<'_> {
    /// Draws a list of `count` different values, or of all values, for each stream. The values are
    /// those of rows that the stream draws; if many draws yield too few, the first ones of the data
    /// follow.
    pub fn distinct(
        &self,
        column: &Drawable<'_>,
        count: usize,
        streams: &mut [Stream],
    ) -> Result<Vec<String>> {
        let mut lists: Vec<Vec<String>> = vec![Vec::new(); streams.len()];
        for _ in 0..PASSES {
            if lists.iter().all(|list| list.len() == count) {
                break;
            }
            self.draw_missing(column, count, streams, &mut lists)?;
        }
        if lists.iter().any(|list| list.len() < count) {
            let first = self.first_values(column, count)?;
            for list in &mut lists {
                add_new(list, first.clone(), count);
            }
        }
        if lists.iter().any(Vec::is_empty) {
            return Err(self.no_value(column.name, "all of them are null there"));
        }
        Ok(lists.into_iter().map(|list| list.join(", ")).collect())
    }

    /// Draws one row for each value that a stream lacks.
    fn draw_missing(
        &self,
        column: &Drawable<'_>,
        count: usize,
        streams: &mut [Stream],
        lists: &mut [Vec<String>],
    ) -> Result<()> {
        let mut wanted = Vec::new();
        for (number, (stream, list)) in streams.iter_mut().zip(&*lists).enumerate() {
            let draws = list.len()..count;
            wanted.extend(draws.map(|draw| (stream.below(self.rows), (number, draw))));
        }
        wanted.sort_unstable();
        let mut found = Vec::with_capacity(wanted.len());
        visit_rows(self.source, &wanted, |draw, batch, row| {
            let value = literal::of_cell(column.kind, batch.column(column.index), row);
            found.extend(value.map(|value| (*draw, value)));
        })?;
        // In the order of the draws again.
        found.sort_unstable();
        for ((number, _), value) in found {
            add_new(&mut lists[number], [value], count);
        }
        Ok(())
    }

    /// Returns the first different values in the order of the rows, at most `count`.
    fn first_values(&self, column: &Drawable<'_>, count: usize) -> Result<Vec<String>> {
        let mut first = Vec::new();
        for batch in self.batches(0..self.rows)? {
            let batch = batch?;
            let cells = (0..batch.num_rows())
                .filter_map(|row| literal::of_cell(column.kind, batch.column(column.index), row));
            add_new(&mut first, cells, count);
            if first.len() == count {
                break;
            }
        }
        Ok(first)
    }
}

/// Adds values that the list lacks, until it has `count`.
fn add_new(list: &mut Vec<String>, values: impl IntoIterator<Item = String>, count: usize) {
    for value in values {
        if list.len() == count {
            break;
        }
        if !list.contains(&value) {
            list.push(value);
        }
    }
}
