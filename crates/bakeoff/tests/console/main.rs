//! What commands say: lists, mistakes, ports, servers that end, exit codes.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod ended;
mod listing;
mod messages;
mod ports;
#[path = "../support/mod.rs"]
mod support;
