//! Runs, loads and sweeps with designs, sessions and rows that do what a test says.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod compare;
mod drive;
mod moments;
mod sweep;
