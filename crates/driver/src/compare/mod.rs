//! A comparison: all designs are loaded, verified and measured, slice by slice and round by round.
//!
//! [`run`] is the list of its steps, in `run.rs`; each step has its own file.

mod accounts;
mod answer;
mod ask;
mod budget;
mod concurrent;
mod context;
mod duplicates;
mod first_rows;
mod further;
mod interpolated;
mod load;
mod look;
mod marking;
mod measure;
mod mutate;
mod open;
mod partitions;
mod parts;
mod plans;
mod profile;
mod questions;
mod race;
mod rows_by_partition;
mod run;
mod selected;
mod shared;
mod smaller;
mod space;
mod star;
mod start;
mod state;
mod stored;
mod summands;
mod tables;
mod turns;
mod verify;
mod warm_up;

pub use answer::{Comparison, Leeway, compare, compare_answer, compare_with};
pub use budget::{Budget, BudgetShares};
pub use context::{PROFILED_FOR, Profiles, RIGHT_ANSWERS_WITHIN, RunError, Settings};
pub use further::Instances;
pub(crate) use interpolated::asks_percentile;
pub use mutate::mutate;
pub use run::{Designs, check_expectations, run};
pub use smaller::{FurtherTables, SmallerTables, rows_to_forecast};
pub use star::Star;
pub use start::start_designs;
pub use verify::verify;
