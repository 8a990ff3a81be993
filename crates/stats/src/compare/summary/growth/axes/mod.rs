//! Forecast along the two axes of a table of series over time: more series, and a longer time. A run has
//! smaller tables along each, and one that is smaller along both.

mod axis;
mod bytes;
mod joint;
mod pair;

use std::fmt;

use serde::Serialize;

pub use bytes::StarBytes;
pub use pair::StarPair;

use super::scales::Scales;
use crate::Axes;
use crate::compare::{DesignSummary, Summary};

/// How far a factor may be from 1 with the axis the same: tables of as many days differ by an interval.
const SAME: f64 = 0.01;

/// One of the two ways in which a table of series over time grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    Series,
    Time,
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Axis::Series => "series",
            Axis::Time => "time",
        })
    }
}

/// How many times as many series and as long a time as measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    pub series: f64,
    pub time: f64,
}

impl Factors {
    pub fn new(series: f64, time: f64) -> Factors {
        let same = |times: f64| (times - 1.0).abs() <= SAME;
        Factors {
            series: if same(series) { 1.0 } else { series },
            time: if same(time) { 1.0 } else { time },
        }
    }

    /// Returns the factors for a number of rows on the way from the measured table to the full scale.
    pub fn towards(axes: &Axes, times: f64) -> Factors {
        let (series, time) = axes.to_full;
        let full = (series * time).ln();
        if full.abs() <= SAME {
            return Factors::new(1.0, times);
        }
        let part = times.ln() / full;
        Factors::new(series.powf(part), time.powf(part))
    }

    pub fn is_measured(self) -> bool {
        self.series == 1.0 && self.time == 1.0
    }

    /// Returns how far it is to there, as a logarithm; towards less it is no distance.
    pub fn distance(self) -> f64 {
        let along = |times: f64| times.ln().max(0.0);
        along(self.series).hypot(along(self.time))
    }
}

/// Tables of a design along the axes.
pub struct Tables<'a> {
    pub series: Scales<'a>,
    pub time: Scales<'a>,
    pub corners: Vec<Corner<'a>>,
}

/// Table that is smaller along both axes.
pub struct Corner<'a> {
    /// Share of the rows along each axis.
    pub series: f64,
    pub time: f64,
    pub rows: u64,
    pub figures: &'a DesignSummary,
}

impl<'a> Tables<'a> {
    /// Returns the tables, if a design has any along the axes.
    pub fn of(summary: &'a Summary, design: &'a DesignSummary) -> Option<Tables<'a>> {
        let parts = summary.parts_of(design);
        if parts.len() < 2 {
            return None;
        }
        let along = |is_on: fn((u32, u32)) -> bool| {
            let tables = parts.iter().filter(|part| is_on(part.divided));
            tables.map(|part| (part.rows, part.figures)).collect()
        };
        let share = |divided: (u32, u32)| {
            let table = parts.iter().find(|part| part.divided == divided)?;
            Some(table.rows as f64 / summary.rows.max(1) as f64)
        };
        let is_large = |rows: u64| rows >= design.info.rows_to_forecast();
        let corners = parts.iter().filter_map(|part| {
            let (series, time) = part.divided;
            let is_corner = series > 1 && time > 1 && is_large(part.rows);
            Some(Corner {
                series: share((series, 1)).filter(|_| is_corner)?,
                time: share((1, time))?,
                rows: part.rows,
                figures: part.figures,
            })
        });
        Some(Tables {
            corners: corners
                .filter(|corner| !corner.figures.has_failed())
                .collect(),
            series: Scales::along(design, along(|(_, time)| time == 1)),
            time: Scales::along(design, along(|(series, _)| series == 1)),
        })
    }
}
