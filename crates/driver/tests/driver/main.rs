//! The protocol of a run, driven with designs, an oracle and rows that do what a test tells them.

#![allow(clippy::unwrap_used)]

mod answers;
mod bench;
mod budget;
mod concurrent;
mod failures;
mod fake;
mod protocol;
mod resume;
