//! The layout `as-written`, where statements of the workload file create the tables, fill them and
//! are the operations of a load.

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

/// Entry of the layout in `bakeoff list`.
pub const LAYOUT: Layout = Layout {
    name: "cassandra/as-written",
    what: "the tables of a [mix] that is written in CQL, for bakeoff drive",
    settings: "",
};
