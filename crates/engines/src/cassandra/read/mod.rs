//! The way from CQL tables to Arrow: the DataFusion table, the conditions that go into CQL, the
//! requests of a scan, and the decoding of their pages.

pub mod any_table;
pub mod decode;
pub mod first_rows;
pub mod key_value;
mod metadata;
pub mod pushdown;
pub mod ranges;
pub mod readable;
pub mod scan;
pub mod statements;
pub mod table;
