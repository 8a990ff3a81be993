//! Shows a decision as text for the terminal and as HTML.
//!
//! [`terminal`] is a page of at most 25 lines, for any number of designs and questions. [`html`] shows the
//! same, and the multiple of the fastest time for each design and question.

pub mod html;
mod questions;
pub mod terminal;
pub(crate) mod words;

pub(crate) use questions::slowest;
