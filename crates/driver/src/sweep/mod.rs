//! The insert sweep: a number of workers, each in a closed loop, insert batches of a number of rows.
//!
//! [`sweep()`] starts the designs and measures each with every [`Setting`] of a [`Grid`], in random
//! order. For each setting the table is made again: first comes a warm-up, then, when all its inserts
//! are answered, the measured time. Rows are those of the workload in their order, each inserted
//! once; they are made ahead by a thread of their own, and how long workers waited for them is
//! recorded. When all workers have ended, the rows of the table are counted.

mod burst;
mod feed;
mod grid;
mod inserts;
mod measure;
mod protocol;

pub use grid::Grid;
pub use inserts::{Inserter, Inserts};
pub use measure::{Setting, Sweeping};
pub use protocol::{SweepPlan, sweep};

#[cfg(test)]
mod tests;
