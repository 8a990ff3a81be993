//! A load in numbers: operations by second, failures by kind, the server beside; kept in a folder
//! of its own, and joined with those of other processes.

mod collect;
mod figures;
mod histogram_log;
mod log;
mod merge;
mod record;
mod steady;
mod summary;
mod tally;
#[cfg(test)]
mod testing;
mod window;

pub use figures::{CurvePoint, Latency, LoadFigures, OperationFigures};
pub use histogram_log::{HistogramLog, HistogramLogReader, LoggedSecond};
pub use log::{DriveLog, DriveRun};
pub use merge::{MergeError, merge};
pub use record::{
    DriveHeader, DriveRecord, FoundRate, OperationCounts, OperationInfo, Part, Populated,
    ProbeRecord, SecondCounts, TrialEnd, TrialStart,
};
pub use steady::{WarmUp, warm_up};
pub use summary::{DriveDesign, DriveSummary, DriveSummaryError, TrialSummary};
pub use tally::{FailureKind, MAX_NANOSECONDS, SIGNIFICANT_DIGITS, ServerSample, Tally};
