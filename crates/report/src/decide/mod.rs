//! A decision as text for the terminal and as HTML.
//!
//! [`terminal`] is a page of at most 25 lines, for any number of designs and questions. [`html`] has the
//! same and, for each design and question, how many times longer it takes than the fastest one.

pub mod html;
mod questions;
pub mod terminal;
pub(crate) mod words;

pub(crate) use questions::slowest;
