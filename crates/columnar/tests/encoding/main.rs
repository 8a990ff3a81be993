//! Columns as blobs: they come back as they were, whole and in part; broken ones are errors.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod columns;
mod faults;
mod golden;
mod rows;
mod search;
