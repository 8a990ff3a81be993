//! The way from Arrow to CQL tables: the encoding of cells, blobs and batches, and the buckets that
//! are written under load.

pub mod batches;
pub mod buckets;
mod encode;
pub mod inserts;
pub mod row_blob;
