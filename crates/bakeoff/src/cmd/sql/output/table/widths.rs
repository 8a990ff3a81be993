//! Computes the widths of a table's columns.

use unicode_width::UnicodeWidthStr;

/// Width below which a column is not narrowed to make room for others.
const NARROWEST: usize = 12;
/// Number of blanks around each column.
const BLANKS: usize = 2;

pub struct Widths {
    columns: Vec<usize>,
    all: usize,
    /// Whether longer cells are cut.
    pub clip: bool,
}

impl Widths {
    /// Makes columns as wide as their names and cells, within a line of this width: long columns are
    /// narrowed first, then the last ones are hidden.
    pub fn new(names: &[String], rows: &[Vec<String>], line: Option<usize>) -> Self {
        let mut columns: Vec<usize> = names.iter().map(|name| name.width()).collect();
        for row in rows {
            for (width, cell) in columns.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        let all = columns.len();
        if let Some(line) = line {
            shrink(&mut columns, line);
            while columns.len() > 1 && total(&columns) > line {
                columns.pop();
            }
        }
        Widths {
            columns,
            all,
            clip: line.is_some(),
        }
    }

    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Returns the number of columns that do not fit.
    pub fn hidden(&self) -> usize {
        self.all - self.columns.len()
    }

    pub fn total(&self) -> usize {
        total(&self.columns)
    }
}

fn total(columns: &[usize]) -> usize {
    columns.iter().map(|width| width + BLANKS).sum()
}

/// Narrows the widest columns until all fit, or none can be narrowed further.
fn shrink(columns: &mut [usize], line: usize) {
    while total(columns) > line {
        let Some(widest) = columns.iter_mut().max() else {
            return;
        };
        if *widest <= NARROWEST {
            return;
        }
        *widest -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(cells: &[usize], line: Option<usize>) -> Widths {
        let row = cells.iter().map(|n| "x".repeat(*n)).collect();
        Widths::new(&vec![String::new(); cells.len()], &[row], line)
    }

    #[test]
    fn long_columns_give_way_and_then_the_last() {
        assert_eq!(widths(&[3, 50], None).columns(), [3, 50]);
        assert_eq!(widths(&[3, 50], Some(40)).columns(), [3, 33]);
        assert_eq!(widths(&[30, 50, 3], Some(40)).columns(), [16, 15, 3]);
        let narrow = widths(&[12, 12, 12], Some(30));
        assert_eq!((narrow.columns(), narrow.hidden()), (&[12, 12][..], 1));
        assert_eq!(widths(&[50], Some(5)).columns(), [12]);
    }
}
