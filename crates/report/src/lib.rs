//! Shows a run: in the terminal, as one HTML file, as JSON.
//!
//! Everything here is a pure function of a summary: a comparison's
//! ([`Summary`](bakeoff_stats::Summary)) in [`html`], [`json`] and [`terminal`], a load's
//! ([`DriveSummary`](bakeoff_stats::drive::DriveSummary)) in [`drive`], an insert sweep's
//! ([`SweepSummary`](bakeoff_stats::sweep::SweepSummary)) in [`sweep`], of two or many comparisons
//! ([`Between`](bakeoff_stats::between::Between)) in [`between`], and of a check of the questions alone
//! ([`Verified`](bakeoff_stats::Verified)) in [`verify`]. What is worth saying is
//! decided once, in `verdict` and `notes` of each, and shown in each form.

mod answer;
pub mod between;
mod chart;
mod compare;
pub mod decide;
pub mod drive;
mod everything;
mod markup;
mod nodes;
mod page;
pub mod sweep;
mod text;
pub mod units;
pub mod verify;

pub use compare::{growth, html, json, terminal};
