//! Loads on fake sessions, most of them on a clock that is paused.

mod fake;
mod faults;
mod knees;
mod lateness;
mod loops;
mod threads;
