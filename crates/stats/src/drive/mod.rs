//! Load in numbers: operations by second, failures by kind, figures of the server; kept in a folder
//! of its own, and joined with those of other processes.

mod beside;
mod climb;
mod database;
mod disk;
mod disk_for_reads;
mod figures;
mod header;
mod histogram_log;
mod log;
mod merge;
mod node_added;
mod partitions;
mod passes;
mod record;
mod repairs;
mod steady;
mod summary;
mod tally;
#[cfg(test)]
pub(crate) mod testing;
mod threshold;
mod window;

pub use beside::{AnsweringEnded, AskedBeside, Beside, BesideQuestion, BesideRecord};
pub use climb::least_climb;
pub use database::DatabaseSample;
pub use disk::{NoDiskForecast, OnDisk};
pub use disk_for_reads::DiskForReads;
pub use figures::{CurvePoint, Latency, LoadFigures, NodeRequests, OperationFigures, Support};
pub use header::{DriveHeader, OperationInfo, Part, Published};
pub use histogram_log::{HistogramLog, HistogramLogReader, LoggedSecond};
pub use log::{DriveLog, DriveRun};
pub use merge::{MergeError, merge};
pub use node_added::{LoadPart, NodeAdded, PartFigures, PartOfLoad};
pub use partitions::{KeyShares, PartitionBytes, PartitionRows, Partitions};
pub use passes::{PassInfo, PassRecord, Passes};
pub use record::{
    DriveRecord, FoundRate, OperationCounts, Populated, ProbeRecord, RateEstimate, SecondCounts,
    TrialEnd, TrialStart,
};
pub use repairs::ReadRepairs;
pub use steady::{WarmUp, warm_up, warm_up_of_throughput};
pub use summary::{
    AskedInRound, BesideFigures, DriveDesign, DriveSummary, DriveSummaryError, FigureComparison,
    Harm, LoadChoice, LoadComparison, LoadFigure, OperationBeside, PassFigures, QuestionBeside,
    TrialSummary, WithAndWithout, warm_up_of,
};
pub use tally::{
    CacheCounts, FailureKind, MAX_NANOSECONDS, SIGNIFICANT_DIGITS, ServerSample, Tally,
};
pub use threshold::{Judged, Threshold};
