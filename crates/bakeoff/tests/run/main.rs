//! What a run does beside its rounds, through the program.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod concurrent;
mod prices;
#[path = "../support/mod.rs"]
mod support;
