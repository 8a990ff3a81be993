//! The layout `columnar`, which keeps chunks of the crate `columnar` in CQL tables.

mod describe;
mod design;
mod layout;

pub use describe::{describe, relations};
pub use design::ColumnarDesign;
pub use layout::LAYOUT;
