//! The layout of a workload that is written in CQL: its own statements make the tables, fill them,
//! and are the operations of a load.

mod design;
pub mod plan;
mod replies;
mod results;
pub mod step;
pub mod steps;

pub use design::{AsWrittenDesign, statements};
