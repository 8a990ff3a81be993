//! Numbers of a measurement: its records, kept in one folder, and the figures that they support.
//!
//! This crate knows no engine, no clock and no thread. A comparison ([`Journal`], [`Run`],
//! [`Summary`]), a load ([`drive`]) and an insert [`sweep`] each have their records, the folder
//! that holds them, and a summary with everything that a report shows.

mod compare;
pub mod decide;
mod design;
pub mod drive;
mod error;
mod estimate;
mod event;
mod lines;
mod log;
mod machine;
mod quantile;
mod random;
mod rounds;
pub mod sweep;
mod thousands;

pub use compare::between;
pub use compare::{
    AgainstBaseline, AgainstBest, Answered, BadQuestions, Concurrent, ConcurrentFigures,
    ConcurrentQuery, ConcurrentSummary, Cost, CostRange, Decide, DesignCost, DesignForecast,
    DesignSummary, Difference, Failure, Forecast, Grows, Header, HeldOut, Instance, InstanceKind,
    InstanceSummary, Journal, LoadSlice, MeasuredLoad, MutationKind, MutationScore, Outcome,
    PairedComparison, Prices, Projected, Projection, QueryComparison, QueryCost, QueryInfo,
    QuerySummary, Record, Refusal, RowsLeft, Run, Scale, ScaleOut, ScaledQuery, Step,
    StorageForecast, Summary, SummaryError, TimeForecast, Timing, UnderLoad, Verified,
    VerifiedQuestion,
};
pub use design::{DesignInfo, Footprint, PublishedFigure, Role};
pub use drive::{FailureKind, MAX_NANOSECONDS, SIGNIFICANT_DIGITS, ServerSample, Tally};
pub use error::JournalError;
pub use estimate::Estimate;
pub use event::{Event, EventLog};
pub use log::{LogRecord, RunLog, SavedRun};
pub use machine::{CpuSeconds, EngineInfo, Machine, NodesInfo};
pub use thousands::thousands;
