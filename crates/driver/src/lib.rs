//! How a comparison is run: one protocol for all designs, whatever engine they are on.
//!
//! [`Design`] is what an engine implements; [`run`] creates, loads, settles, verifies and measures
//! all designs of a comparison in interleaved random order, and appends each finished step to the
//! run's journal, where a later call goes on. [`drive`] is the load driver: many operations at once,
//! timed from the moment they were due. [`sweep`] inserts batches from many workers in closed loops.

mod call;
mod compare;
mod cpu;
mod design;
pub mod drive;
mod oracle;
mod order;
pub mod sweep;

pub use compare::{
    Budget, Comparison, Observer, RunError, Settings, Silent, check_expectations, compare, run,
};
pub use cpu::{Meter, peak_memory_bytes, process_cpu_seconds};
pub use design::{Answer, Design, DesignError};
pub use oracle::{Expected, Oracle};
pub use order::shuffled;
