//! The protocol of a run, driven with designs, an oracle and rows that do what a test tells them.

mod accounts;
mod answers;
mod bench;
mod budget;
mod concurrent;
mod concurrent_sets;
mod failures;
pub mod fake;
pub mod fake_rows;
mod further;
mod partitions;
mod plans;
mod profile;
mod protocol;
mod race;
mod resume;
mod selected;
mod server;
mod shared;
mod stored;
