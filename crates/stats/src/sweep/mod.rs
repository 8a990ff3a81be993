//! Insert sweep in numbers: each batch size with each number of workers, design by design; kept in
//! its own folder.

mod agreement;
mod header;
mod log;
mod merge;
mod part;
mod record;
mod saved;
mod setting;
mod shared;
mod summary;
mod tally;
#[cfg(test)]
pub(crate) mod testing;

pub use header::{OVER_ANY, SweepHeader};
pub use log::{SweepLog, SweepRun};
pub use merge::{MergeError, merge};
pub use record::{AtRest, Cell, CellPart, Check, Failures, Inserted, SweepRecord};
pub use saved::SavedTally;
pub use setting::SweepSetting;
pub use shared::{SharedSweep, SweepPart};
pub use summary::{Flattening, SweepComparison, SweepDesign, SweepSummary};
pub use tally::InsertTally;
