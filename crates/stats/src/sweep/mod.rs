//! Insert sweep in numbers: each batch size with each number of workers, design by design; kept in
//! its own folder.

mod header;
mod log;
mod merge;
mod part;
mod record;
mod setting;
mod shared;
mod summary;
mod tally;
#[cfg(test)]
mod testing;

pub use header::{OVER_ANY, SweepHeader};
pub use log::{SweepLog, SweepRun};
pub use merge::{MergeError, merge};
pub use part::{CellPart, SavedTally};
pub use record::{Cell, Check, Failures, Inserted, SweepRecord};
pub use setting::SweepSetting;
pub use shared::{SharedSweep, SweepPart};
pub use summary::{Flattening, SweepComparison, SweepDesign, SweepSummary};
pub use tally::InsertTally;
