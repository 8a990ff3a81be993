//! Decisions in the terminal and as HTML.

mod fixture;
mod html;
mod terminal;
