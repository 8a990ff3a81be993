//! Numbers: what a run saw, kept in one folder, and what it supports.
//!
//! No engine, no clock and no thread is known here. [`Journal`] appends what happened to the run
//! folder; [`Run`] reads it back; [`Summary`] is everything that a report shows.

mod collect;
mod concurrent;
mod cost;
pub mod drive;
mod estimate;
mod forecast;
mod journal;
mod record;
mod scale_out;
mod summary;
pub mod sweep;
#[cfg(test)]
mod testing;

pub use concurrent::{
    BadQuestions, Concurrent, ConcurrentFigures, ConcurrentQuery, ConcurrentSummary,
};
pub use cost::{Cost, CostRange, DesignCost, Prices, QueryCost};
pub use drive::{FailureKind, MAX_NANOSECONDS, SIGNIFICANT_DIGITS, ServerSample, Tally};
pub use estimate::Estimate;
pub use forecast::{Basis, Forecast, QueryForecast, StorageForecast};
pub use journal::{Journal, JournalError, Run};
pub use record::{
    Answered, CpuSeconds, DesignInfo, EngineInfo, Footprint, Header, LoadSlice, Machine, NodesInfo,
    Outcome, PublishedFigure, QueryInfo, Record, RowsLeft, Scale, Step, Timing,
};
pub use scale_out::{ScaleOut, ScaledQuery};
pub use summary::{DesignSummary, Failure, QuerySummary, Summary, SummaryError};
