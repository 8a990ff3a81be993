//! The layout `columnar`, which keeps chunks of the crate `columnar` in CQL tables.

mod describe;
mod design;

use crate::Layout;
pub use describe::describe;
pub use design::ColumnarDesign;

/// Entry of the layout in `bakeoff list`.
pub const LAYOUT: Layout = Layout {
    name: "cassandra/columnar",
    what: "chunks of encoded columns in CQL tables, read by DataFusion",
    settings: crate::columnar::SETTINGS,
};
