//! Columns as blobs: they come back as they were, whole and in part; broken ones are errors. Also
//! the statistics that are kept of a column beside its blob.

mod columns;
mod faults;
mod golden;
mod rows;
mod stats;
