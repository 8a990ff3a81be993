//! Insert sweep in numbers: each batch size with each number of workers, design by design; kept in
//! its own folder.

mod header;
mod log;
mod record;
mod setting;
mod summary;
mod tally;

pub use header::{OVER_ANY, SweepHeader};
pub use log::{SweepLog, SweepRun};
pub use record::{Cell, Check, Failures, Inserted, SweepRecord};
pub use setting::SweepSetting;
pub use summary::{Flattening, SweepComparison, SweepDesign, SweepSummary};
pub use tally::InsertTally;
