//! Columnar chunks in CQL tables, as the crate `columnar` keeps them.

mod design;

pub use design::{ColumnarDesign, options};
