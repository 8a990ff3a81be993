//! The way from the filters of a query to the parts that are read: which keys are wanted, what
//! statistics prove, and how the parts are divided among DataFusion's partitions.

pub mod condition;
pub mod facts;
pub mod filter;
pub mod prune;
pub mod task;
pub mod totals;
pub mod value;
pub mod wanted;
