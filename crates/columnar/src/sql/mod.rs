//! Columnar tables as tables of DataFusion.
//!
//! [`register`] makes a table known to a session, and [`session`] gives a session the rules that
//! answer queries without reading more than they need:
//!
//! - Filters on the whole partition key (`=`, `IN`) and ranges of the first order key decide which
//!   places are looked up and which keys are read.
//! - All other filters exclude parts whose statistics show that no row matches.
//! - The scan applies filters itself. Where statistics prove that all rows of a part match, it does
//!   not even read the columns of the filters.
//! - `COUNT`, `MIN`, `MAX`, `SUM` and `AVG` without `GROUP BY` are computed from the statistics of
//!   whole chunks; only the other chunks are read.
//! - Aggregations by one column of texts or blobs work on the codes of its dictionaries instead of on
//!   the texts.
//! - The rows of one partition key come in order of the order key, from either end, without a sort. A
//!   limit reads only the chunks at that end. For other orders with a limit, chunks with the best
//!   values come first, and chunks that cannot contribute any more are skipped.
//! - Aggregations by partition key that look only at the newest rows read only the newest chunks.
//!
//! Statistics and keys are in total order, in which -0.0 comes before 0.0, while SQL compares them as
//! equal. So proofs treat both alike, and a filter on a float that is zero does not make the column a
//! constant.
//!
//! `EXPLAIN` shows how many chunks are read out of how many, and what excluded the others;
//! `EXPLAIN ANALYZE` shows what was read in the end.

mod aggregate;
mod error;
mod plan;
mod provider;
mod rules;
mod scan;
mod session;

pub use self::aggregate::first_rows::RowOrder;
pub use self::aggregate::plain::{Function, PlainAggregate};
pub use self::aggregate::statistics_exec::StatisticsExec;
pub use self::plan::filter::is_of_the_row;
pub use self::provider::ColumnarTable;
pub use self::rules::below::{Below, below, with_scan};
pub use self::rules::optimizer::with_early_rules;
pub use self::rules::rule::{Replacement, Rule};
pub use self::scan::exec::ColumnarScan;
pub use self::scan::parts::parts_read;
pub use self::session::{ORDERED_READ_AHEAD_BYTES, register, session, with_rules};
