//! How a comparison is run: one protocol for all designs, whatever engine they are on.
//!
//! [`Design`] is what an engine implements; [`run`] creates, loads, settles, verifies and measures
//! all designs of a comparison in interleaved random order, and appends each finished step to the
//! run's journal, where a later call goes on. [`drive`] is the load driver: many operations at once,
//! timed from the moment they were due, and the protocol that drives several designs in rounds.
//! [`sweep`] inserts batches from many workers in closed loops. All three take the designs of a
//! command as [`Candidates`], whose engines they start.

mod call;
mod candidates;
mod compare;
mod cpu;
mod design;
pub mod drive;
mod error;
mod explain;
mod observer;
mod oracle;
mod order;
mod reader;
pub mod sweep;

pub use candidates::Candidates;
pub use compare::{
    Budget, Comparison, Designs, FurtherTables, Instances, Leeway, RunError, Scales, Settings,
    SmallerTables, Star, check_expectations, compare, compare_with, mutate, rows_to_forecast, run,
    start_designs, verify,
};
pub use cpu::{Meter, peak_memory_bytes, process_cpu_seconds};
pub use design::{Answer, Design};
pub use error::DesignError;
pub use explain::explain;
pub use observer::{Observer, Silent};
pub use oracle::{Expected, Oracle};
pub use order::shuffled;
