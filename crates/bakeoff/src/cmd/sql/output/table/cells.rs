//! Writes values as text that fits a line.

use std::borrow::Cow;

use anyhow::Result;
use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::terminal::on_one_line;

/// The cells of a batch.
pub struct Cells<'a> {
    columns: Vec<ArrayFormatter<'a>>,
}

impl<'a> Cells<'a> {
    pub fn new(rows: &'a RecordBatch) -> Result<Self> {
        // A date that is out of range is shown as an error in its cell; the other cells are not affected.
        let options = FormatOptions::default()
            .with_null("NULL")
            .with_display_error(true);
        let columns = rows.columns().iter();
        let columns: Result<_, _> = columns
            .map(|c| ArrayFormatter::try_new(c, &options))
            .collect();
        Ok(Cells { columns: columns? })
    }

    pub fn row(&self, row: usize) -> Vec<String> {
        let cell = |column: &ArrayFormatter<'_>| on_one_line(&column.value(row).to_string());
        self.columns.iter().map(cell).collect()
    }
}

/// Returns a cell, cut to `width` if `clip` is set, and the number of blanks that fill its width.
pub fn clipped(cell: &str, width: usize, clip: bool) -> (Cow<'_, str>, usize) {
    let own = cell.width();
    if own <= width || !clip {
        return (Cow::Borrowed(cell), width.saturating_sub(own));
    }
    let mut cut = String::new();
    let mut used = 0;
    for c in cell.chars() {
        let next = c.width().unwrap_or(0);
        if used + next + 1 > width {
            break;
        }
        used += next;
        cut.push(c);
    }
    cut.push('…');
    (Cow::Owned(cut), width.saturating_sub(used + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(clipped("日本語", 6, true), ("日本語".into(), 0));
        assert_eq!(clipped("日本語", 5, true), ("日本…".into(), 0));
        assert_eq!(clipped("日本語", 4, true), ("日…".into(), 1));
        assert_eq!(clipped("日本語", 4, false), ("日本語".into(), 0));
    }
}
