//! The layouts that keep rows as rows of one CQL table: narrow, wide, blob and compact.

mod design;
pub mod layout;
pub mod operations;

pub use design::CassandraDesign;
