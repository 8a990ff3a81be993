//! Reasons not to forecast, each with what to measure instead.

use std::fmt;

use super::Projection;
use super::axes::Axis;
use crate::compare::ladder::{Ladder, ToLoad};
use crate::thousands;

/// Why there is no forecast of a time.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Refusal {
    /// The design has a table of one size.
    OneScale { rows: u64 },
    /// Too few tables are large enough to show how the design works with many rows.
    TooFewRows {
        rows: u64,
        forecast: u64,
        load: ToLoad,
    },
    /// Too few tables have right answers to the query.
    TooFewScales { scales: usize },
    /// The rows are further from the measured ones than the measured ones from each other, and more have to be
    /// loaded.
    TooFar {
        rows: u64,
        forecast: u64,
        load: ToLoad,
    },
    /// The same, where smaller tables of the rows that were loaded would do.
    TooClose {
        rows: u64,
        forecast: u64,
        ladder: Ladder,
    },
    /// The rows are fewer than those of the smallest table.
    TooNear { rows: u64, from: u64 },
    /// The interval is too wide to be shown: the time may be this factor longer or shorter. Designs can
    /// still be ranked by it.
    TooWide {
        factor: f64,
        #[serde(skip)]
        projection: Projection,
    },
    /// The run has no tables that differ in this axis.
    NoTables { axis: Axis, times: f64 },
    /// There is more along this axis than the tables of the run are apart.
    TooFarAlong { axis: Axis, times: f64, most: f64 },
    /// There is less along this axis than in the smallest table.
    TooNearAlong { axis: Axis, times: f64 },
    /// The table grows in several ways, and the workload does not say in which.
    SeveralWays,
    /// The number of series grows, which smaller tables do not show.
    MoreSeries { times: f64 },
}

/// Largest factor up and down of a forecast by which designs are still ranked.
const WIDEST_RANKED: f64 = 10.0;

impl Refusal {
    /// Returns the refused forecast, if designs can be ranked by it.
    pub(crate) fn ranked(&self) -> Option<&Projection> {
        match self {
            Refusal::TooWide { factor, projection } if *factor <= WIDEST_RANKED => Some(projection),
            _ => None,
        }
    }

    /// Returns the rows with which there would be a forecast, where more rows are what it takes.
    pub(crate) fn rows_to_load(&self) -> Option<u64> {
        match self {
            Refusal::TooFewRows { load, .. } | Refusal::TooFar { load, .. } => Some(load.rows),
            _ => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::OneScale { rows } => write!(
                f,
                "one table of {} rows shows no growth; measure smaller ones, too",
                thousands(*rows)
            ),
            Refusal::TooFewRows {
                rows,
                forecast,
                load,
            } => write!(
                f,
                "{} rows are too few to forecast {} from; {}",
                thousands(*rows),
                thousands(*forecast),
                to_load(load, *forecast)
            ),
            Refusal::TooFewScales { scales } => {
                let tables = if *scales == 1 { "table" } else { "tables" };
                write!(
                    f,
                    "{scales} {tables} with right answers are too few; 4 are needed"
                )
            }
            Refusal::TooFar {
                rows,
                forecast,
                load,
            } => write!(
                f,
                "{} rows are too far from {} to forecast; {}",
                thousands(*forecast),
                thousands(*rows),
                to_load(load, *forecast)
            ),
            Refusal::TooClose {
                rows,
                forecast,
                ladder,
            } => write!(
                f,
                "{} rows are further from {} than the tables of the run are apart; measure with --scales {ladder}",
                thousands(*forecast),
                thousands(*rows),
            ),
            Refusal::TooNear { rows, from } => write!(
                f,
                "{} rows are fewer than the {} of the smallest table; load that many",
                thousands(*rows),
                thousands(*from)
            ),
            Refusal::TooWide { factor, .. } => {
                let times = match factor {
                    factor if *factor < 100.0 => format!("{factor:.0}×"),
                    _ => "100× or more".to_owned(),
                };
                write!(
                    f,
                    "it could be {times} longer or shorter; measure more rounds or more rows"
                )
            }
            Refusal::NoTables { axis, times } => write!(
                f,
                "no table of the run differs in {axis} alone, of which there is {} as much; measure \
                 with --scales star",
                shown(*times)
            ),
            Refusal::TooFarAlong { axis, times, most } => write!(
                f,
                "{} the {axis} is further than the tables of the run, which are {} apart; measure \
                 with --scales star:4x{} or load more {axis}",
                shown(*times),
                shown(*most),
                (times.cbrt().ceil() as u64).clamp(2, 16)
            ),
            Refusal::TooNearAlong { axis, times } => write!(
                f,
                "{} the {axis} is less than in the smallest table; load that little",
                shown(*times)
            ),
            Refusal::SeveralWays => f.write_str(
                "the table can grow by more series or by a longer time: write by how many times into \
                 [scale.grows] of the workload, such as series = 40, time = 3",
            ),
            Refusal::MoreSeries { times } => write!(
                f,
                "smaller tables do not show {times:.0}× the series; measure with --scales star"
            ),
        }
    }
}

/// Shows a factor: `40×`, `2.5×`.
fn shown(times: f64) -> String {
    if times >= 10.0 {
        format!("{times:.0}×")
    } else {
        format!("{}×", (times * 100.0).round() / 100.0)
    }
}

/// Writes how many rows to load, which are no more than there will be, with the options for it.
fn to_load(load: &ToLoad, forecast: u64) -> String {
    let rows = load.rows;
    if let Some(there) = load.there {
        return format!(
            "{} are needed, and the data has {}",
            thousands(rows),
            thousands(there)
        );
    }
    if rows >= forecast {
        return format!("load all {}", thousands(forecast));
    }
    let ladder = load.ladder.map(|ladder| format!(" --scales {ladder}"));
    let ladder = ladder.unwrap_or_default();
    format!("load {} (--rows {rows}{ladder})", thousands(rows))
}
