//! What mixed loads on all engines share: the rows that were written, and the comparison of replies with them.
//!
//! An engine has the cells of a reply in CQL's wire format, or turns them into it. [`Checker`](check::Checker) compares
//! them with what was written, which [`Rows`](rows::Rows) knows. Every cell has two versions, and a column that the mix
//! updates may hold either of them, so that a lost update or a stale read is not noticed.

pub mod check;
pub mod partition;
pub mod query_texts;
pub mod read_rows;
mod replies;
pub mod rows;
pub mod values;
