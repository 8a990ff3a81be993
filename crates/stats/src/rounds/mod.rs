//! Comparison of designs by figures that each of them has in several rounds: the same method and the
//! same words for runs, loads and sweeps.

pub mod best;
pub mod method;
pub mod paired;
pub mod table;
pub mod words;

pub use words::{AgainstBaseline, AgainstBest, Difference};

/// Relative difference up to which two designs are the same, if the workload states no other.
pub const SAME_WITHIN: f64 = 0.05;
