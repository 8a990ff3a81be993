//! Comparisons of runs with known truth, and of runs that show nothing.

mod records;
mod simulated;
