//! The load driver: worker threads perform the operations of a mix as a schedule says that they are due,
//! and time them from that moment.
//!
//! [`drive`] carries out a [`Plan`] on a [`Target`]. Each worker thread has its own runtime, connections,
//! and share of the rate and of the operations in flight; workers share nothing while the load lasts. A
//! worker's slots take operations in the order in which they are due. None is skipped: when all slots are
//! busy, operations wait, and their response time is still counted from the moment they were due.
//! [`search`] finds the highest rate at which an [`Objective`] holds. A [`Pass`] performs one operation once on
//! each row.
//!
//! A [`BesideFor`] asks questions beside loads, to find what they cost them.
//!
//! A node may join the servers while a load runs, which is then told before, during and after it.
//!
//! [`drive_designs`] is the protocol of the command `drive`: it fills the tables of all designs,
//! drives each once in every round, and appends what happens to the log of the drive.

mod added_node;
mod arrivals;
mod asking;
mod background;
mod beside;
mod calls;
mod client;
mod clock;
mod collector;
mod context;
mod driven;
mod fill;
mod highest_rate;
mod in_flight_limit;
mod new_rows;
mod objective;
mod operation;
mod pacer;
mod pair;
mod pass_plan;
mod passes;
mod plan;
mod profile;
mod protocol;
mod recorder;
mod repairs;
mod requests;
mod rounds;
mod run;
mod schedule;
mod search;
mod session;
mod stop;
mod target;
mod trial;
mod turn;
mod warm_up;
mod worker;
mod worker_thread;

pub use background::BackgroundRuns;
pub use beside::{BesideFor, MOST_ANSWERING, Question};
pub use context::{DriveCandidates, DriveSettings, Driving, LiveView, RecordError, SearchFor};
pub use driven::{DriveError, DriveObserver, Driven, Second, ServerUse, Used};
pub use new_rows::NewRows;
pub use objective::{DEFAULT_ERROR_SHARE, Judgement, Objective, ObjectiveError};
pub use operation::{Call, Done, Failure};
pub use pass_plan::{MOST_PASSES, PassesFor};
pub use plan::{DEFAULT_DRAIN_LIMIT, DEFAULT_IN_FLIGHT, Plan, PlanError, Shard, ShardError};
pub use protocol::drive_designs;
pub use run::{drive, drive_here};
pub use schedule::{MAX_RATE, NO_TIME_LIMIT, Pass, Rate, Schedule, ScheduleError};
pub use search::{
    Found, Probe, ProbeError, ProbeResult, Probed, SearchSettings, WhyStopped, search,
};
pub use session::Session;
pub use stop::Stop;
pub use target::Target;
pub use warm_up::{LONGEST_WARM_UP, keeps_rows, longest_load};
pub use worker::Worker;
