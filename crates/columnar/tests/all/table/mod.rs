//! Tables over any store: their answers and their chunks.

mod at_once;
mod clustering;
mod damage;
mod faults;
mod model;
mod seals;
mod sizes;
mod support;
mod times;
