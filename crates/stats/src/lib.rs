//! Records of a measurement, which are kept in one folder, and the figures that they support.
//!
//! This crate knows no engine, no clock and no thread. A comparison ([`Journal`], [`Run`],
//! [`Summary`]), a load ([`drive`]) and an insert [`sweep`] each have their records, the folder
//! that holds them, and a summary with everything that a report shows. A [`study`] has no records of its
//! own: it decides published statements by these summaries. What rules [`propose`] for a workload precedes all of
//! them. A [`trace`] is not a measurement
//! of a run: it shows where the time of one request to Cassandra went.

mod compare;
mod counts;
pub mod decide;
mod design;
pub mod diagnose;
pub mod drive;
mod error;
mod estimate;
mod event;
mod histogram_text;
mod lines;
mod log;
mod machine;
pub mod per_node;
mod prices;
mod profile;
pub mod propose;
pub mod quantile;
pub mod race;
mod random;
mod rounds;
mod server_account;
mod server_growth;
mod server_window;
mod shards;
pub mod study;
pub mod sweep;
mod system;
mod thousands;
pub mod trace;

pub use compare::{
    AgainstBaseline, AgainstBest, Agreed, Answered, Asked, AskedScan, AtLevel, AtLevels, Axes,
    Axis, BUSY, BadQuestions, Beaten, Because, BoundBy, ByScanSpeed, BySetting, CheckedSets, Claim,
    ColumnsRead, Concurrent, ConcurrentComparison, ConcurrentFigures, ConcurrentQuery,
    ConcurrentSummary, CoreSpeed, Cost, CostRange, Decide, Demand, DesignCost, DesignForecast,
    DesignSummary, Difference, DistinctValues, Dropped, ENOUGH_CAUGHT, FEWEST_ANSWERS, Failure,
    FirstRows, Forecast, FullScan, Grows, Header, HeldOut, Instance, InstanceKind, InstanceSummary,
    Journal, KeptFigures, Ladder, LoadSlice, MOST_MACHINES, Machines, MeasuredLoad, MixComparison,
    MutationKind, MutationScore, Needed, NotChecked, Outcome, PairedComparison, Planned, PriceFlip,
    PriceOf, Projected, Projection, Purchase, QueryComparison, QueryCost, QueryInfo, QueryPlan,
    QuerySets, QuerySummary, READ_LEVEL, RaceSummary, Record, Refusal, RoomFrom, RowsLeft, Run,
    Scale, ScaleOut, ScaledQuery, ScanCheck, ScanEstimate, ScanQuestion, ScanSpeed, ScanSpeeds,
    Selected, SpeedUp, SpeedUps, Step, Stopped, StorageForecast, Stored, StoredRows, Summary,
    SummaryError, TimeForecast, Timing, ToLoad, Together, TogetherQuery, Trial, UnderLoad,
    Unfinished, UnknownLoad, UsersChecked, UsersForecast, Verified, VerifiedQuestion,
    WhyNotChecked, WhyStopped,
};
pub use compare::{between, ledger};
pub use counts::total;
pub use design::{
    AtValue, DesignInfo, DesignsBySetting, Footprint, Needs, NotAsked, PublishedFigure, Role,
    Space, TableStatistics,
};
pub use drive::{
    CacheCounts, DatabaseSample, FailureKind, MAX_NANOSECONDS, SIGNIFICANT_DIGITS, ServerSample,
    Tally,
};
pub use error::JournalError;
pub use estimate::Estimate;
pub use event::{Event, EventLog};
pub use lines::LOCK as LOCK_FILE;
pub use log::{LogRecord, RunLog, SavedRun};
pub use machine::{CpuSeconds, EngineInfo, Machine, NodesInfo, StandbysInfo};
pub use prices::Prices;
pub use profile::{DesignProfile, MethodSamples, Profile, Stacks};
pub use server_account::{AccountAt, Moment, ServerAccount};
pub use server_growth::{ServerGrowth, server_growth, server_growth_between};
pub use server_window::{During, SampleAt, ServerWindow};
pub use thousands::thousands;
