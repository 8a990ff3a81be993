//! Tables over any store: their answers and their chunks.

mod clustering;
mod faults;
mod model;
mod seals;
mod sizes;
mod support;
mod times;
