//! Decisions whose right answer is known.

mod bad_input;
mod fixture;
mod flips;
mod more;
mod simulated;
