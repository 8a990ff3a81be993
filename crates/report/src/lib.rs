//! Shows a run: in the terminal, as one HTML file, as JSON.
//!
//! Everything here is a pure function of one of these summaries:
//!
//! - a comparison, [`Summary`](bakeoff_stats::Summary): [`html`], [`json`] and [`terminal`], and what to take after it,
//!   [`recommendation`]
//! - a load, [`DriveSummary`](bakeoff_stats::drive::DriveSummary): [`drive`], and what to take after it,
//!   [`drive::recommendation`]
//! - an insert sweep, [`SweepSummary`](bakeoff_stats::sweep::SweepSummary): [`sweep`]
//! - a study, [`Study`](bakeoff_stats::study::Study), with the summaries of its steps: [`study`]
//! - two or many comparisons, [`Between`](bakeoff_stats::between::Between): [`between`]
//! - what is wrong with a running Cassandra, [`Diagnosis`](bakeoff_stats::diagnose::Diagnosis): [`diagnose`]
//! - what rules propose for a workload, [`Proposals`](bakeoff_stats::propose::Proposals): [`propose`]
//! - a check of the questions alone, [`Verified`](bakeoff_stats::Verified): [`verify`]
//! - a traced request, [`Traced`](bakeoff_stats::trace::Traced): [`trace`]
//!
//! The `verdict` and `notes` of each decide once what is worth saying; every form shows the same.

mod answer;
pub mod between;
mod chart;
mod compare;
mod compression;
pub mod decide;
pub mod diagnose;
pub mod drive;
mod everything;
pub mod listing;
mod markup;
mod nodes;
mod page;
mod partitions;
mod per_node;
pub mod propose;
mod rows_from;
mod sample_notes;
pub mod study;
pub mod sweep;
mod text;
pub mod trace;
pub mod units;
pub mod values;
pub mod verify;

pub use compare::{growth, html, json, recommendation, terminal};
pub use page::{PageLink, is_own as is_own_page};
pub use text::COLUMNS;
pub use text::style::STYLES;
