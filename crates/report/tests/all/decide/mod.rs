//! Decisions in the terminal and as HTML.

mod asked;
mod changes;
mod fixture;
mod html;
mod terminal;
mod to_buy;
