//! Tables over any store: what they answer, and what is in their chunks.

mod clustering;
mod faults;
mod model;
mod seals;
mod sizes;
mod support;
mod times;
