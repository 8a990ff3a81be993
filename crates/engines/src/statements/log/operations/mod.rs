//! Statements of a log that find rows by the key of their table, as operations of a mix.

mod conditions;
mod mix;
mod reads;
mod writes;

pub use mix::LoggedMix;

use super::forms::Form;
use crate::dialect::tokens::Token;
use crate::statements::asking::Asking;
use crate::statements::depth::too_deep;
use reads::of_select;
use writes::of_write;

/// An operation that statements of a log are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    Insert,
    /// Inserts several rows by one statement.
    InsertSeveral,
    /// Updates these columns of a row.
    Update {
        columns: Vec<String>,
    },
    DeleteRow,
    DeletePartition,
    ReadRow,
    /// Reads a partition, or so many rows at its beginning or its end.
    ReadPartition {
        limit: Option<Rows>,
        newest_first: bool,
    },
    /// Reads so many rows of a partition from one of them on.
    ReadRange(Rows),
}

/// A number of rows that statements read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// As a LIMIT says.
    Limited(u32),
    /// As a range of times has them, by the distance of times in the data.
    Estimated(u32),
    /// The log does not say it.
    Unknown,
}

impl Rows {
    /// What is taken where the log does not say it.
    const USUAL: u32 = 100;

    pub fn number(self) -> u32 {
        match self {
            Rows::Limited(number) | Rows::Estimated(number) => number,
            Rows::Unknown => Rows::USUAL,
        }
    }

    /// Says how the number is known, unless a statement says it.
    pub fn about(self) -> Option<&'static str> {
        match self {
            Rows::Limited(_) => None,
            Rows::Estimated(_) => {
                Some("an estimate, by the time that a statement asks for and the times of the rows")
            }
            Rows::Unknown => Some("a guess, since the log does not say how many rows it reads"),
        }
    }
}

/// Returns the operation that statements of a form are; `None` if they ask for more than rows by the key.
///
/// # Errors
/// Says why statements that write are none.
fn operation(
    form: &Form,
    words: &[Token<'_>],
    asking: &Asking<'_>,
) -> Result<Option<Operation>, String> {
    let too_deep = too_deep(words);
    if form.asks() {
        let is_shallow = too_deep.is_none();
        return Ok(is_shallow.then(|| of_select(words, asking)).flatten());
    }
    match too_deep {
        Some(why) => Err(why),
        None => of_write(form, words, asking).map(Some),
    }
}

#[cfg(test)]
mod tests;
