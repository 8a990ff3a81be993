//! The way from Arrow to CQL tables: encoding of cells and blobs, batches, and the buckets that a
//! load has written.

pub mod batches;
pub mod buckets;
mod encode;
pub mod inserts;
pub mod summary_rows;
