//! Insert sweep in numbers: each batch size with each number of workers, design by design; kept in
//! its own folder.

mod header;
mod log;
mod record;
mod summary;
mod tally;

pub use header::SweepHeader;
pub use log::{SweepLog, SweepRun};
pub use record::{Cell, Check, Failures, Inserted, SweepRecord};
pub use summary::{Flattening, SweepDesign, SweepSummary};
pub use tally::InsertTally;
