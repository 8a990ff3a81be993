//! Columns as blobs: they come back as they were, whole and in part; broken ones are errors.

mod columns;
mod faults;
mod golden;
mod rows;
mod search;
