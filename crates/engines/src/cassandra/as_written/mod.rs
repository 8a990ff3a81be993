//! The layout of a workload that is written in CQL: its own statements make the tables, fill them,
//! and are the operations of a load.

mod describe;
mod design;
pub mod plan;
mod replies;
mod results;
pub mod step;
pub mod steps;

use crate::Layout;
pub use describe::describe;
pub use design::AsWrittenDesign;

/// The layout as `bakeoff list` shows it.
pub const LAYOUT: Layout = Layout {
    name: "cassandra/as-written",
    what: "the tables of a [mix] that is written in CQL, for bakeoff drive",
    settings: "",
};
