//! Columnar chunks in CQL tables, as the crate `columnar` keeps them.

mod describe;
mod design;

use crate::Layout;
pub use describe::describe;
pub use design::ColumnarDesign;

/// The layout as `bakeoff list` shows it.
pub const LAYOUT: Layout = Layout {
    name: "cassandra/columnar",
    what: "chunks of encoded columns in CQL tables, read by DataFusion",
    settings: crate::columnar::SETTINGS,
};
