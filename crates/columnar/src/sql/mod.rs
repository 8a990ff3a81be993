//! Tables as DataFusion tables.
//!
//! - Filters on the whole partition key (`=`, `IN`) and ranges of the first order key decide which
//!   places are looked at, and which keys are read of a part.
//! - All other filters leave parts out whose statistics say that no row matches.
//! - The scan applies the filters itself, and only to parts that they cut: where statistics prove
//!   that all rows of a part match, the columns of the filters are not even read.

mod aggregate;
mod condition;
mod display;
mod facts;
mod filter;
mod lastpoint;
mod measure;
mod newest;
mod order;
mod provider;
mod prune;
mod read;
mod reader;
mod scan;
mod session;
mod states;
mod statistics;
mod task;
mod value;
mod wanted;

pub use aggregate::AggregateFromChunks;
pub use lastpoint::NewestRows;
pub use provider::ColumnarTable;
pub use scan::ColumnarScan;
pub use session::{register, session, with_rules};
