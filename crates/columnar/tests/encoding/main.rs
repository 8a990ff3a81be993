//! Columns as blobs: they come back as they were, whole and in part; broken ones are errors. Also
//! the statistics that are kept of a column beside its blob.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod columns;
mod faults;
mod golden;
mod rows;
mod stats;
