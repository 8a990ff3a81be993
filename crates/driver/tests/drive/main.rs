//! Loads on fake sessions, most of them on a clock that is paused.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod fake;
mod faults;
mod knees;
mod lateness;
mod loops;
mod threads;
