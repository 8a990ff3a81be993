//! Comparison of designs in numbers: rows loaded, answers compared, times, and the figures that
//! they support.
//!
//! [`Journal`] appends each step to the run folder, [`Run`] reads the folder, and [`Summary`] holds
//! everything that a report shows.

mod answers;
mod asked;
pub mod between;
mod concurrent;
mod header;
mod instance;
mod journal;
mod ladder;
mod planned;
mod raced;
mod record;
mod sets;
mod stored;
mod summary;
#[cfg(test)]
pub mod testing;
mod verified;

pub use answers::{Answered, Outcome, Timing};
pub use asked::{Asked, AskedScan};
pub use concurrent::{BadQuestions, Concurrent, ConcurrentQuery, Unfinished};
pub use header::{Decide, Grows, Header, QueryInfo, Scale};
pub use instance::{Axes, Instance, InstanceKind};
pub use journal::{Journal, Run};
pub use ladder::{Ladder, ToLoad};
pub use planned::{Planned, QueryPlan};
pub use raced::{Beaten, Claim, Dropped, OPEN_ROUND, Stopped, WhyStopped};
pub use record::{ColumnsRead, DistinctValues, LoadSlice, Record, RowsLeft, Selected, Step};
pub use sets::{Agreed, QuerySets};
pub use stored::{Stored, StoredRows};
#[cfg(test)]
pub use summary::parts_of_error;
pub use summary::{
    AgainstBaseline, AgainstBest, AtLevel, AtLevels, Axis, BUSY, Because, BoundBy, ByScanSpeed,
    BySetting, CheckedSets, ConcurrentComparison, ConcurrentFigures, ConcurrentSummary, CoreSpeed,
    Cost, CostRange, Demand, DesignCost, DesignForecast, DesignSummary, Difference, FEWEST_ANSWERS,
    Failure, Forecast, FullScan, HeldOut, InstanceSummary, KeptFigures, LOOKS, MOST_MACHINES,
    Machines, MeasuredLoad, MixComparison, Needed, NotChecked, PairedComparison, PriceFlip,
    PriceOf, Projected, Projection, Purchase, QueryComparison, QueryCost, QuerySummary, READ_LEVEL,
    RaceSummary, Refusal, RoomFrom, ScaleOut, ScaledQuery, ScanCheck, ScanEstimate, ScanQuestion,
    ScanSpeed, ScanSpeeds, SpeedUp, SpeedUps, StorageForecast, Summary, SummaryError, TimeForecast,
    Together, TogetherQuery, Trial, UnderLoad, UnknownLoad, UsersChecked, UsersForecast,
    WhyNotChecked, ledger,
};
pub use verified::{
    ENOUGH_CAUGHT, FirstRows, MutationKind, MutationScore, Verified, VerifiedQuestion,
};
