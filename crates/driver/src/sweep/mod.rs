//! The insert sweep: inserts batches of various sizes from various numbers of workers in closed loops.
//!
//! [`sweep()`] starts the designs and measures each with every [`Setting`] of a [`Grid`] once in each round, in
//! an order that is drawn for the round. Each setting begins with an empty table. A warm-up comes first, and the measured time begins
//! once all inserts of the warm-up have ended. Rows are those of the workload in their order, each
//! inserted once. A separate thread generates them ahead of the workers, and the time that workers wait
//! for them is recorded. When all workers have ended, the rows of the table are counted.
//!
//! Several processes may sweep one table [together](sweep_together()): each inserts its own blocks of rows,
//! and settings begin at the same moments in all of them.

mod blocks;
mod burst;
mod feed;
mod grid;
mod inserts;
mod measure;
mod over_any;
mod protocol;
mod together;

pub use grid::Grid;
pub use inserts::{Inserter, Inserts};
pub use measure::{Setting, Sweeping};
pub use over_any::over_any_id;
pub use protocol::{SweepPlan, sweep};
pub use together::{SharedCandidates, Together, sweep_together};

#[cfg(test)]
mod tests;
