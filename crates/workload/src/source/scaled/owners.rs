//! Numbers that belong to a text or to another column of the key, such as the number of a site to its name.

use std::collections::HashMap;

use super::sample::Sample;
use super::spread::hashes;
use crate::{ColumnType, Table};

/// Columns whose values may determine those of others.
pub struct Owners(Vec<Owner>);

/// A column most of whose values come again: of one whose values come once, nobody knows what they determine.
struct Owner {
    index: usize,
    /// Number of the value at each place; a null counts as a value.
    values: Vec<u32>,
    /// How many different values there are.
    different: usize,
}

impl Owners {
    /// Finds the texts and UUIDs of a sample, and the whole numbers of the key that are no times.
    pub fn find(sample: &Sample, table: &Table) -> Owners {
        let columns = table.columns.iter().enumerate();
        let columns = columns.filter(|(index, column)| match column.kind {
            ColumnType::Text | ColumnType::Uuid => true,
            ColumnType::Int | ColumnType::Bigint => {
                table.is_key(&column.name) && table.time_column() != Some(*index)
            }
            _ => false,
        });
        let owners = columns.filter_map(|(index, column)| Owner::find(sample, index, column.kind));
        Owners(owners.collect())
    }

    /// Returns whether another column determines the cells of the one with this number, given as their hashes.
    pub fn determine(&self, index: usize, cells: &[Option<u64>]) -> bool {
        let mut others = self.0.iter().filter(|owner| owner.index != index);
        others.any(|owner| owner.determines(cells))
    }
}

impl Owner {
    fn find(sample: &Sample, index: usize, kind: ColumnType) -> Option<Owner> {
        let cells = hashes(sample.rows.column(index), kind);
        let mut numbers: HashMap<Option<u64>, u32> = HashMap::new();
        let (mut values, mut runs): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (place, cell) in cells.into_iter().enumerate() {
            let next = numbers.len() as u32;
            let value = *numbers.entry(cell).or_insert(next);
            if value == next {
                runs.push(0);
            }
            let is_in_series = place > 0 && sample.series[place] == sample.series[place - 1];
            if !(is_in_series && values.last() == Some(&value)) {
                runs[value as usize] += 1;
            }
            values.push(value);
        }
        let different = runs.len();
        let again = runs.iter().filter(|runs| **runs > 1).count();
        (2 * again >= different).then_some(Owner {
            index,
            values,
            different,
        })
    }

    fn determines(&self, cells: &[Option<u64>]) -> bool {
        let mut first: Vec<Option<Option<u64>>> = vec![None; self.different];
        let mut pairs = self.values.iter().zip(cells);
        pairs.all(|(value, cell)| first[*value as usize].get_or_insert(*cell) == cell)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray};
    use arrow::record_batch::RecordBatch;

    use super::*;
    use crate::Column;

    /// Whether texts determine numbers, in series of so many rows.
    fn determine(texts: &[Option<&str>], numbers: &[Option<u64>], rows_of_series: usize) -> bool {
        let table = Table {
            name: "t".to_owned(),
            columns: vec![Column {
                name: "site".to_owned(),
                kind: ColumnType::Text,
            }],
            partition_key: Vec::new(),
            order_key: Vec::new(),
        };
        let rows = texts.len();
        let texts: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
        let starts = (0..rows).step_by(rows_of_series).map(|row| row as u32);
        let sample = Sample {
            rows: RecordBatch::try_from_iter_with_nullable([("site", texts, true)]).unwrap(),
            places: (0..rows as u32).collect(),
            series: (0..rows).map(|row| (row / rows_of_series) as u32).collect(),
            starts: starts.chain([rows as u32]).collect(),
            times: None,
        };
        Owners::find(&sample, &table).determine(1, numbers)
    }

    #[test]
    fn a_text_determines_numbers_if_most_of_its_values_come_again_with_the_same_ones() {
        let texts = [Some("a"), Some("b"), Some("a"), None, Some("b"), None];
        let numbers = [Some(1), Some(2), Some(1), None, Some(2), None];
        assert!(determine(&texts, &numbers, 6));
        let others = [Some(1), Some(2), Some(1), None, Some(3), None];
        assert!(!determine(&texts, &others, 6));
        let nulls = [Some(1), Some(2), Some(1), None, None, None];
        assert!(!determine(&texts, &nulls, 6));
    }

    #[test]
    fn values_that_come_in_one_run_or_one_series_determine_nothing() {
        let texts = [Some("a"), Some("a"), Some("b"), Some("b")];
        let numbers = [Some(1), Some(1), Some(2), Some(2)];
        assert!(!determine(&texts, &numbers, 4));
        assert!(!determine(&texts, &numbers, 2));
        // Each value is in two series.
        assert!(determine(&texts, &numbers, 1));
        // One message comes again, and three come once.
        let texts = ["", "x", "", "y", "", "z"].map(Some);
        let numbers = [0, 7, 0, 8, 0, 9].map(Some);
        assert!(!determine(&texts, &numbers, 6));
    }
}
