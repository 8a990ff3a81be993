//! Tables as DataFusion tables.
//!
//! - Filters on the whole partition key (`=`, `IN`) and ranges of the first order key decide which
//!   places are looked up, and which keys are read of a part.
//! - All other filters leave parts out whose statistics say that no row matches.
//! - The scan applies the filters itself, and only to parts that they cut: where statistics prove
//!   that all rows of a part match, the columns of the filters are not even read.
//! - `COUNT`, `MIN`, `MAX`, `SUM` and `AVG` without `GROUP BY` take whole chunks from statistics
//!   and read the others.
//! - Aggregations by one column of texts or blobs look at the codes of its dictionaries, not at the
//!   texts.
//! - Rows of one partition key come in order of the order key from either end, without a sort; a
//!   limit reads the chunks at that end. For other orders with a limit, chunks with the best values
//!   come first, and those that cannot be among the best any more are passed over.
//! - Aggregations by partition key that look at newest rows only read newest chunks only.
//!
//! - Bounds and keys are in total order, in which -0.0 comes before 0.0; in SQL's comparisons they
//!   are one value. So proofs treat both alike, and a float that a filter restricts to zero is not
//!   one value to sorts and merges.
//!
//! `EXPLAIN` says how many chunks are read of how many, and what decided; `EXPLAIN ANALYZE` what
//! was read in the end.

mod aggregate;
mod below;
mod codes;
mod condition;
mod display;
mod facts;
mod filter;
mod first_rows;
mod grouping;
mod groups;
mod lastpoint;
mod measure;
mod newest;
mod order;
mod provider;
mod prune;
mod read;
mod reader;
mod rule;
mod scan;
mod session;
mod states;
mod statistics;
mod task;
mod value;
mod wanted;

pub use below::{below, with_scan};
pub use first_rows::RowOrder;
pub use provider::ColumnarTable;
pub use rule::{Replacement, Rule};
pub use scan::ColumnarScan;
pub use session::{ORDERED_READ_AHEAD_BYTES, register, session, with_early_rules, with_rules};
pub use states::StatisticsExec;
