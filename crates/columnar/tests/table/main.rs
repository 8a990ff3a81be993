//! Tables over any store: what they answer, and what is in their chunks.

// Tests fail by unwrapping, also in the functions that they share.
#![allow(clippy::unwrap_used)]

mod clustering;
mod faults;
mod model;
mod seals;
mod sizes;
mod support;
mod times;
