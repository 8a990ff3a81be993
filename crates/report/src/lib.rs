//! Shows a run: in the terminal, as one HTML file, as JSON.
//!
//! Everything here is a pure function of a [`Summary`](bakeoff_stats::Summary), or, in [`drive`],
//! of a [`DriveSummary`](bakeoff_stats::drive::DriveSummary), or, in [`sweep`], of a
//! [`SweepSummary`](bakeoff_stats::sweep::SweepSummary); what is worth saying is decided once,
//! in `verdict` and `notes`, and shown in each form.

mod chart;
mod concurrent;
mod cost;
pub mod drive;
mod engine_choice;
mod figure;
pub mod html;
pub mod json;
mod markup;
mod nodes;
mod notes;
pub mod sweep;
pub mod terminal;
pub mod units;
mod verdict;
