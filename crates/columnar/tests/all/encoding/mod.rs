//! Columns as blobs: they come back as they were, whole and in part; broken ones are errors. The
//! statistics that are kept of a column in addition to its blob are tested, too.

pub mod columns;
mod faults;
mod golden;
mod rows;
mod stats;
