//! Protocols of the three measurements, which are the same for all designs on all engines.
//!
//! An engine implements [`Design`]. [`run`] creates, loads, settles, verifies and measures all designs of
//! a comparison in interleaved random order, and appends each finished step to the run's journal, from
//! which a later call resumes. [`drive`] is the load driver: it performs many operations at once, timed
//! from the moment they were due, and drives several designs in rounds. [`sweep`] inserts batches from
//! many workers in closed loops. All three take the designs of a command as [`Candidates`], whose engines
//! they start.

mod answer;
mod call;
mod candidates;
mod compare;
mod cpu;
mod design;
mod digest;
pub mod drive;
mod error;
mod explain;
mod observer;
mod oracle;
mod order;
mod partitions;
mod reader;
mod server_watch;
mod servers;
pub mod sweep;

pub use answer::{ANSWER_BYTES, Answer, IncomingAnswer, too_large};
pub use candidates::Candidates;
pub use compare::{
    Budget, BudgetShares, Comparison, Designs, FurtherTables, Instances, Leeway, PROFILED_FOR,
    Profiles, RIGHT_ANSWERS_WITHIN, RunError, Settings, SmallerTables, Star, check_expectations,
    compare, compare_answer, compare_with, mutate, rows_to_forecast, run, start_designs, verify,
};
pub use cpu::{Meter, OwnCpu, peak_memory_bytes};
pub use design::{Design, PlanText, StoredText};
pub use digest::Digest;
pub use error::DesignError;
pub use explain::explain;
pub use observer::{Observer, Silent};
pub use oracle::{Expected, Oracle};
pub use order::shuffled;
pub use partitions::{KeyBucket, PartitionKey};
pub use servers::{DesignServers, NodeCounts};
