//! SQL with functions of other systems in that of DataFusion, unless it is nested too deeply to be read.

use crate::dialect::{plain, position_of};
use crate::statements::depth;

/// Why a text cannot be written in the SQL of DataFusion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotPlain {
    /// The line and the column of it, both counted from 1.
    pub position: (usize, usize),
    /// What is wrong there, and what to write.
    pub why: String,
}

/// Writes functions and clauses of other systems in the SQL of DataFusion. Returns `None` if a text stays as it is, as
/// one does that is nested too deeply, which every parser is kept from.
///
/// # Errors
/// The text has something that has no meaning there.
pub fn plain_sql(sql: &str) -> Result<Option<String>, NotPlain> {
    if depth::complaint(sql).is_some() {
        return Ok(None);
    }
    plain(sql).map_err(|lacking| NotPlain {
        position: position_of(sql, &lacking.word).unwrap_or((1, 1)),
        why: lacking.why,
    })
}
