//! Looks at the first values of a text file for what the guess of types does not see: codes, and words for null.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;

use arrow::array::AsArray;
use arrow::csv::ReaderBuilder;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use bakeoff_workload::{NULL_WORDS, NumberForm};

/// What the first values of a column are.
#[derive(Debug, Default)]
pub struct Look {
    /// Whether there are values such as 007, codes that would drop their zeros as numbers.
    pub has_codes: bool,
    /// Words that stand for no value, with how often they are there.
    pub words: BTreeMap<String, u64>,
    /// How numbers are written, unless they are plain ones.
    form: Option<&'static NumberForm>,
    values: u64,
    whole: u64,
    numbers: u64,
}

impl Look {
    fn see(&mut self, cell: &str, null: &[String]) {
        let cell = cell.trim();
        let is_null = if null.is_empty() {
            NULL_WORDS.contains(&cell)
        } else {
            null.iter().any(|word| word == cell)
        };
        if is_null {
            *self.words.entry(cell.to_owned()).or_default() += 1;
            return;
        }
        self.values += 1;
        self.has_codes |= is_code(cell);
        let plain = match self.form {
            Some(form) => form.plain(cell),
            None => Some(Cow::Borrowed(cell)),
        };
        let Some(plain) = plain else { return };
        self.whole += u64::from(plain.parse::<i64>().is_ok());
        self.numbers += u64::from(plain.parse::<f64>().is_ok());
    }

    /// Returns whether numbers have a form that the guess of types does not know.
    pub fn has_form(&self) -> bool {
        self.form.is_some()
    }

    /// Returns the type of a column of numbers that the guess of types does not know, since they have a form or words
    /// for null are among them; `None` if it has other values.
    pub fn numbers(&self) -> Option<DataType> {
        let has_only = |count: u64| self.values > 0 && count == self.values;
        let is_known = self.words.is_empty() && !self.has_form();
        if is_known || self.has_codes || !has_only(self.numbers) {
            None
        } else if has_only(self.whole) {
            Some(DataType::Int64)
        } else {
            Some(DataType::Float64)
        }
    }
}

/// Looks at the rows of a reader of this many columns of text. `null` are the words that stand for no value; if
/// there are none, the usual ones are looked for. Numbers are plain ones unless they have a form.
pub fn looks(
    reader: ReaderBuilder,
    input: impl Read,
    columns: usize,
    null: &[String],
    form: Option<&'static NumberForm>,
) -> Result<Vec<Look>, ArrowError> {
    let new = |_| Look {
        form,
        ..Look::default()
    };
    let mut looks: Vec<Look> = (0..columns).map(new).collect();
    for batch in reader.build(input)? {
        let batch = batch?;
        for (look, values) in looks.iter_mut().zip(batch.columns()) {
            for cell in values.as_string::<i32>().iter().flatten() {
                look.see(cell, null);
            }
        }
    }
    Ok(looks)
}

fn is_code(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{DecimalMark, ThousandsMark};

    use super::*;

    fn look(cells: &[&str], null: &[&str]) -> Look {
        let null: Vec<String> = null.iter().map(|word| (*word).to_owned()).collect();
        let mut look = Look::default();
        cells.iter().for_each(|cell| look.see(cell, &null));
        look
    }

    #[test]
    fn numbers_among_words_for_null_are_seen() {
        for (cells, null, expected) in [
            (vec!["1", "NA"], vec![], Some(DataType::Int64)),
            (vec!["1.5", "-", "2"], vec![], Some(DataType::Float64)),
            (vec!["1", "2"], vec![], None),
            (vec!["NA", "north"], vec![], None),
            (vec!["NA"], vec![], None),
            (vec!["007", "NA"], vec![], None),
            (vec!["1", "missing"], vec!["missing"], Some(DataType::Int64)),
            (vec!["1", "NA"], vec!["missing"], None),
        ] {
            assert_eq!(look(&cells, &null).numbers(), expected, "{cells:?}");
        }
        for (cells, expected) in [
            (vec!["1,5", "1.234,5"], Some(DataType::Float64)),
            (vec!["1.234", "7"], Some(DataType::Int64)),
            (vec!["1,5", "2.5"], None),
            (vec!["1,5", "007"], None),
            (vec!["north"], None),
            (vec![], None),
        ] {
            let mut look = Look {
                form: NumberForm::of_file(DecimalMark::Comma, None),
                ..Look::default()
            };
            cells.iter().for_each(|cell| look.see(cell, &[]));
            assert_eq!(look.numbers(), expected, "{cells:?}");
        }
        for (cells, expected) in [
            (vec!["1,000", "7"], Some(DataType::Int64)),
            (vec!["1,000.5", "-2,000"], Some(DataType::Float64)),
            (vec!["1,000", "1,00"], None),
            (vec!["2024-01-02"], None),
        ] {
            let mut look = Look {
                form: NumberForm::of_file(DecimalMark::Point, Some(ThousandsMark::Comma)),
                ..Look::default()
            };
            cells.iter().for_each(|cell| look.see(cell, &[]));
            assert_eq!(look.numbers(), expected, "{cells:?}");
        }
        assert_eq!(look(&["1", "NA", "NA"], &[]).words["NA"], 2);
        assert!(look(&["007"], &[]).has_codes && !look(&["70"], &[]).has_codes);
    }
}
