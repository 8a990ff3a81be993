//! The insert sweep: a number of workers, each in a closed loop, insert batches of a number of rows.
//!
//! [`measure`] carries out one [`Setting`] on a [`Design`](crate::Design) whose table it makes again:
//! first a warm-up, then, when all its inserts are answered, the measured time. Rows are those of
//! the workload in their order, each inserted once; they are made ahead by a thread of their own,
//! and how long workers waited for them is recorded. When all workers have ended, the rows of the
//! table are counted.

mod burst;
mod feed;
mod inserts;
mod measure;

pub use inserts::{Inserter, Inserts};
pub use measure::{Setting, Sweeping, check_inserts, measure, warm_up};

#[cfg(test)]
mod tests;
