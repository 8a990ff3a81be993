//! Shows a comparison: in the terminal, as one HTML file, as JSON.

mod advice;
mod by_level;
mod by_setting;
mod concurrent;
mod cost;
mod engine_choice;
pub(crate) mod figure;
pub mod growth;
pub mod html;
pub mod json;
pub(crate) mod notes;
mod plans;
mod race;
pub mod recommendation;
mod rules;
mod sets;
mod stored;
pub mod terminal;
pub(crate) mod to_best;
mod together;
mod verdict;
