//! The protocol of a sweep, driven with designs that do what a test tells them.

mod bench;
mod fake;
mod protocol;
