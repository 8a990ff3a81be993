//! Comparison of designs in numbers: rows loaded, answers compared, times, and the figures that they support.
//!
//! [`Journal`] appends each step to the run folder, [`Run`] reads the folder, and [`Summary`] holds
//! everything that a report shows.

mod collect;
mod concurrent;
mod cost;
mod forecast;
mod journal;
mod record;
mod scale_out;
mod summary;
#[cfg(test)]
pub mod testing;

pub use concurrent::{
    BadQuestions, Concurrent, ConcurrentFigures, ConcurrentQuery, ConcurrentSummary,
};
pub use cost::{Cost, CostRange, DesignCost, Prices, QueryCost};
pub use forecast::{Basis, Forecast, QueryForecast, StorageForecast};
pub use journal::{Journal, Run};
pub use record::{
    Answered, Header, LoadSlice, Outcome, QueryInfo, Record, RowsLeft, Scale, Step, Timing,
};
pub use scale_out::{ScaleOut, ScaledQuery};
pub use summary::{DesignSummary, Failure, QuerySummary, Summary, SummaryError};
