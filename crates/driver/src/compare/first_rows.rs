//! The first rows of a right answer, as a reader sees them.

use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use bakeoff_stats::FirstRows;

/// Rows that are shown at most.
const ROWS: usize = 3;
/// Columns that are shown at most.
const COLUMNS: usize = 8;
/// Characters of a cell that are shown at most.
const CHARACTERS: usize = 40;
/// Stands for what is not shown.
const MORE: &str = "…";

/// Returns the first rows of an answer, and some of their columns if there are many.
pub fn first_rows(batches: &[RecordBatch]) -> FirstRows {
    let mut first = FirstRows {
        of: batches.iter().map(|batch| batch.num_rows() as u64).sum(),
        ..FirstRows::default()
    };
    let options = FormatOptions::default().with_null("null");
    for batch in batches {
        let columns = batch.columns().iter().take(COLUMNS);
        let formatters = columns.map(|column| ArrayFormatter::try_new(column, &options));
        let Ok(formatters) = formatters.collect::<Result<Vec<_>, _>>() else {
            continue;
        };
        let more = (batch.num_columns() > COLUMNS).then(|| MORE.to_owned());
        if first.columns.is_empty() {
            let schema = batch.schema();
            let fields = schema.fields().iter().take(COLUMNS);
            let names = fields.map(|field| shown(field.name()));
            first.columns = names.chain(more.clone()).collect();
        }
        let wanted = ROWS.saturating_sub(first.rows.len()).min(batch.num_rows());
        for row in 0..wanted {
            let cells = { formatters.iter() }.map(|column| shown(&column.value(row).to_string()));
            first.rows.push(cells.chain(more.clone()).collect());
        }
    }
    first
}

/// Returns a text on one line, cut off if it is long.
fn shown(text: &str) -> String {
    let mut characters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut shown: String = characters.by_ref().take(CHARACTERS).collect();
    if characters.next().is_some() {
        shown.push_str(MORE);
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, StringArray};

    use super::*;

    fn batch(numbers: &[i64], texts: &[Option<&str>]) -> RecordBatch {
        let columns: [(&str, ArrayRef); 2] = [
            ("n", Arc::new(Int64Array::from(numbers.to_vec()))),
            ("text", Arc::new(StringArray::from(texts.to_vec()))),
        ];
        let columns = columns.map(|(name, values)| (name, values, true));
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }

    #[test]
    fn three_rows_are_shown_on_a_line_each() {
        let long = "x".repeat(50);
        let batches = [
            batch(&[], &[]),
            batch(&[1, 2], &[None, Some("a\nb")]),
            batch(&[3, 4], &[Some(&long), Some("d")]),
        ];
        let cut = format!("{}…", "x".repeat(40));
        let wanted = FirstRows {
            columns: vec!["n".to_owned(), "text".to_owned()],
            rows: [["1", "null"], ["2", "a b"], ["3", cut.as_str()]]
                .map(|row| row.map(str::to_owned).to_vec())
                .to_vec(),
            of: 4,
        };
        assert_eq!(first_rows(&batches), wanted);
        assert_eq!(first_rows(&[]), FirstRows::default());
    }

    #[test]
    fn of_many_columns_the_first_ones_are_shown() {
        let names: Vec<String> = (0..20).map(|column| format!("c{column}")).collect();
        let number: ArrayRef = Arc::new(Int64Array::from(vec![7]));
        let columns = names.iter().map(|name| (name, Arc::clone(&number)));
        let first = first_rows(&[RecordBatch::try_from_iter(columns).unwrap()]);
        let last = ["c7", MORE].map(str::to_owned);
        assert_eq!(first.columns[7..], last);
        assert_eq!(first.rows[0][7..], ["7", MORE].map(str::to_owned));
    }
}
