//! Comparison of designs in numbers: rows loaded, answers compared, times, and the figures that
//! they support.
//!
//! [`Journal`] appends each step to the run folder, [`Run`] reads the folder, and [`Summary`] holds
//! everything that a report shows.

pub mod between;
mod instance;
mod journal;
mod raced;
mod record;
mod summary;
#[cfg(test)]
pub mod testing;
mod verified;

pub use instance::{Instance, InstanceKind};
pub use journal::{Journal, Run};
pub use raced::{Beaten, Dropped, Stopped, WhyStopped};
pub use record::{
    Answered, BadQuestions, Concurrent, ConcurrentQuery, Decide, Grows, Header, LoadSlice, Outcome,
    QueryInfo, Record, RowsLeft, Scale, Step, Timing,
};
#[cfg(test)]
pub use summary::parts_of_error;
pub use summary::{
    AgainstBaseline, AgainstBest, ConcurrentFigures, ConcurrentSummary, Cost, CostRange,
    DesignCost, DesignForecast, DesignSummary, Difference, Failure, Forecast, HeldOut,
    InstanceSummary, LOOKS, MeasuredLoad, PairedComparison, Prices, Projected, Projection,
    QueryComparison, QueryCost, QuerySummary, RaceSummary, Refusal, ScaleOut, ScaledQuery,
    StorageForecast, Summary, SummaryError, TimeForecast, UnderLoad,
};
pub use verified::{MutationKind, MutationScore, Verified, VerifiedQuestion};
