//! Forecast from the tables of several sizes that a run has: storage and times at another number of
//! rows, with their intervals, or the reason why there is none.
//!
//! Nothing is assumed about how large an error is: each run predicts its largest tables from the smaller
//! ones, and what that was wrong by is part of every interval.

mod axes;
mod fit;
mod pair;
mod refusal;
mod scales;
mod storage;
mod twins;

pub use axes::Axis;
pub use refusal::Refusal;

use serde::Serialize;

use super::Summary;
use crate::compare::{DesignSummary, QueryInfo};
use crate::decide::Curve;
use axes::{Factors, StarBytes, StarPair, Tables};
use pair::{Check, Common, Pair};
use scales::Scales;
use storage::Bytes;

/// Standard deviations of a normal distribution up and down that hold 90% of it.
const COVERED: f64 = 1.645;

/// Storage and times of every design at another number of rows, on the same machine with a warm cache.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    pub rows: u64,
    /// Copies of each row that the storage has.
    pub copies: u32,
    pub measured_rows: u64,
    /// Designs that did not fail, in the header's order.
    pub designs: Vec<DesignForecast>,
}

/// Storage and times of a design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DesignForecast {
    pub design: String,
    pub storage: Option<StorageForecast>,
    /// Queries that the design answered, in the header's order.
    pub times: Vec<TimeForecast>,
}

/// Bytes of all copies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StorageForecast {
    pub bytes: f64,
    /// 90% interval; `None` where the bytes are in proportion to the rows of too few tables to tell.
    pub interval: Option<(f64, f64)>,
    /// Standard deviation of the logarithm.
    pub spread: Option<f64>,
    /// Tables that were fitted. With one, the bytes are in proportion to the rows.
    pub scales: usize,
    pub held_out: Option<HeldOut>,
    /// Bytes of all copies by rows, where they were fitted.
    #[serde(skip)]
    pub curve: Option<Curve>,
}

/// Time of a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeForecast {
    pub query: String,
    /// Median at the measured number of rows.
    pub measured: f64,
    /// Tables that were fitted.
    pub scales: usize,
    /// Tables that were fitted along each axis, where the run has such.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub along: Vec<(Axis, usize)>,
    /// Range of rows that forecasts may be for.
    pub from_rows: u64,
    pub to_rows: u64,
    pub held_out: Option<HeldOut>,
    pub forecast: Projected,
}

/// Time for a number of rows, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Projected {
    Seconds(Projection),
    Refused(Refusal),
}

/// Time with its 90% interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Projection {
    pub seconds: f64,
    pub interval: (f64, f64),
    /// Standard deviation of the logarithm.
    pub spread: f64,
    /// Time by rows; `None` for a time that was measured.
    #[serde(skip)]
    pub curve: Option<Curve>,
}

/// Largest table of a design as the smaller ones predict it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeldOut {
    pub predicted: f64,
    /// 90% interval, with the errors of the other predictions of the run.
    pub interval: (f64, f64),
    pub measured: f64,
    /// The figure of the table before the largest one, in proportion to the rows.
    pub proportional: f64,
}

impl Summary {
    /// Returns storage and times for this number of rows and copies, as far as the tables of the run
    /// show them.
    pub fn projected(&self, rows: u64, copies: u32) -> Forecast {
        let times = rows as f64 / self.rows.max(1) as f64;
        let to = match &self.axes {
            Some(axes) => Factors::towards(axes, times),
            None => Factors::new(1.0, times),
        };
        Growth::of(self).forecast(Target { rows, to }, copies)
    }
}

impl Summary {
    /// Returns storage and times of a table that has this many times the series and the time; `None` if
    /// the run does not say what it has of them.
    pub fn projected_along(&self, series: f64, time: f64, copies: u32) -> Option<Forecast> {
        self.axes.as_ref()?;
        let to = Factors::new(series, time);
        let rows = (self.rows as f64 * series * time).round() as u64;
        Some(Growth::of(self).forecast(Target { rows, to }, copies))
    }
}

impl Forecast {
    /// Returns the forecast of a design, if it did not fail.
    pub fn design(&self, id: &str) -> Option<&DesignForecast> {
        self.designs.iter().find(|design| design.design == id)
    }
}

impl DesignForecast {
    /// Returns the forecast of a query, if the design answered it.
    pub fn time(&self, query: &str) -> Option<&TimeForecast> {
        self.times.iter().find(|time| time.query == query)
    }
}

impl TimeForecast {
    /// Returns the time, if it is known.
    pub fn known(&self) -> Option<&Projection> {
        match &self.forecast {
            Projected::Seconds(projection) => Some(projection),
            Projected::Refused(_) => None,
        }
    }

    /// Returns what the time rests on: `5 scales, held-out error 8%`.
    pub fn basis(&self) -> String {
        let is_measured = self.known().is_some_and(|known| known.spread == 0.0);
        let scales = self.counted();
        match &self.held_out {
            _ if is_measured => "measured".to_owned(),
            Some(held_out) => {
                format!("{scales}, held-out error {}", percent(held_out.error()))
            }
            None => scales,
        }
    }

    fn counted(&self) -> String {
        let counted = self.along.iter().enumerate();
        let counted = counted.map(|(index, (axis, scales))| match index {
            0 => format!("{scales} scales of {axis}"),
            _ => format!("{scales} of {axis}"),
        });
        let counted: Vec<String> = counted.collect();
        if counted.is_empty() {
            return format!("{} scales", self.scales);
        }
        counted.join(" and ")
    }
}

impl StorageForecast {
    /// Returns what the bytes rest on.
    pub fn basis(&self) -> String {
        match &self.held_out {
            _ if self.curve.is_none() && self.spread.is_none_or(|spread| spread == 0.0) => {
                "proportional to the rows".to_owned()
            }
            Some(held_out) => format!(
                "{} scales, held-out error {}",
                self.scales,
                percent(held_out.error())
            ),
            None => format!("{} scales", self.scales),
        }
    }
}

impl Projection {
    fn measured(seconds: f64) -> Projection {
        Projection {
            seconds,
            interval: (seconds, seconds),
            spread: 0.0,
            curve: None,
        }
    }
}

impl HeldOut {
    /// Returns the logarithm by which the prediction was wrong, up or down.
    pub fn error(&self) -> f64 {
        ln_error(self.predicted, self.measured)
    }

    /// Returns the same error of the figure in proportion to the rows.
    pub fn proportional_error(&self) -> f64 {
        ln_error(self.proportional, self.measured)
    }

    /// Returns whether the interval holds what was measured.
    pub fn is_covered(&self) -> bool {
        (self.interval.0..=self.interval.1).contains(&self.measured)
    }
}

/// Returns the logarithm by which two figures differ; figures of nothing are the same.
fn ln_error(predicted: f64, measured: f64) -> f64 {
    let ln = |figure: f64| figure.max(1e-9).ln();
    (ln(predicted) - ln(measured)).abs()
}

/// Shows a logarithm as what it is too much or too little by: `8%`.
fn percent(error: f64) -> String {
    match 100.0 * (error.exp() - 1.0) {
        percent if percent < 0.05 => "below 0.1%".to_owned(),
        percent if percent < 0.95 => format!("{percent:.1}%"),
        percent => format!("{percent:.0}%"),
    }
}

/// What is forecast: a number of rows, and how many times as many series and as long a time they are.
#[derive(Clone, Copy)]
struct Target {
    rows: u64,
    to: Factors,
}

/// What the tables of a run show, for any number of rows.
struct Growth<'a> {
    summary: &'a Summary,
    designs: Vec<Grown<'a>>,
    /// Standard deviation of the logarithm between tables of one design.
    tables: f64,
}

/// Tables of a design, fitted.
struct Grown<'a> {
    design: &'a str,
    shown: Shown,
}

/// What the tables of a design show, by what they differ in. Pairs are in the header's order, `None` where
/// the design has no right answer.
enum Shown {
    /// Rows alone.
    Rows {
        bytes: Option<Bytes>,
        pairs: Vec<Option<Pair>>,
    },
    /// Series and time.
    Axes {
        bytes: Option<StarBytes>,
        pairs: Vec<Option<StarPair>>,
    },
}

impl Shown {
    fn of(summary: &Summary, design: &DesignSummary) -> Shown {
        let (rows, queries) = (summary.rows, &summary.header.queries);
        let tables = summary.axes.as_ref().zip(Tables::of(summary, design));
        if let Some((axes, tables)) = tables {
            let pair = |(index, query): (usize, &QueryInfo)| {
                let window = axes.windows.get(&query.name).copied();
                StarPair::of(&tables, design, rows, index, window)
            };
            return Shown::Axes {
                bytes: StarBytes::of(&tables, design, rows),
                pairs: queries.iter().enumerate().map(pair).collect(),
            };
        }
        let scales = Scales::of(summary, design);
        let pair = |query| Pair::of(&scales, design, rows, query);
        Shown::Rows {
            bytes: Bytes::of(&scales, design, rows),
            pairs: (0..queries.len()).map(pair).collect(),
        }
    }

    /// Returns the checks of a query.
    fn checks(&self, query: usize) -> Vec<&Check> {
        match self {
            Shown::Rows { pairs, .. } => {
                let pair = pairs.get(query).and_then(Option::as_ref);
                pair.and_then(|pair| pair.check.as_ref())
                    .into_iter()
                    .collect()
            }
            Shown::Axes { pairs, .. } => {
                let pair = pairs.get(query).and_then(Option::as_ref);
                pair.map(|pair| pair.checks().collect()).unwrap_or_default()
            }
        }
    }

    /// Returns the errors of the checks of bytes for each unit of the logarithm of rows.
    fn errors_of_bytes(&self) -> Vec<f64> {
        match self {
            Shown::Rows { bytes, .. } => {
                let error = bytes.as_ref().and_then(Bytes::error_by_distance);
                error.into_iter().collect()
            }
            Shown::Axes { bytes, .. } => { bytes.iter() }.flat_map(StarBytes::errors).collect(),
        }
    }

    fn storage(&self, target: Target, copies: u32, error: Option<f64>) -> Option<StorageForecast> {
        match self {
            Shown::Rows { bytes, .. } => bytes.as_ref().map(|bytes| StorageForecast {
                held_out: bytes.held_out(error.unwrap_or(0.0)),
                ..bytes.at(target.rows, copies, error)
            }),
            Shown::Axes { bytes, .. } => {
                let bytes = bytes.as_ref()?;
                Some(bytes.at(target.to, copies, error))
            }
        }
    }
}

impl<'a> Growth<'a> {
    fn of(summary: &'a Summary) -> Growth<'a> {
        let designs = summary.designs.iter().filter(|design| !design.has_failed());
        let grown = designs.map(|design| Grown {
            design: &design.info.id,
            shown: Shown::of(summary, design),
        });
        Growth {
            designs: grown.collect(),
            tables: twins::deviation(summary),
            summary,
        }
    }

    fn forecast(&self, target: Target, copies: u32) -> Forecast {
        let error = self.error_of_bytes();
        let designs = self.designs.iter().map(|grown| DesignForecast {
            design: grown.design.to_owned(),
            storage: grown.shown.storage(target, copies, error),
            times: self.times(grown, target),
        });
        Forecast {
            rows: target.rows,
            copies,
            measured_rows: self.summary.rows,
            designs: designs.collect(),
        }
    }

    fn times(&self, grown: &Grown<'_>, target: Target) -> Vec<TimeForecast> {
        let queries = 0..self.summary.header.queries.len();
        let time = |query: usize| match &grown.shown {
            Shown::Rows { pairs, .. } => {
                let pair = pairs.get(query)?.as_ref()?;
                Some(self.of_rows(grown, query, pair, target.rows))
            }
            Shown::Axes { pairs, .. } => {
                let pair = pairs.get(query)?.as_ref()?;
                Some(self.of_axes(grown, query, pair, target.to))
            }
        };
        queries.filter_map(time).collect()
    }

    fn of_rows(&self, grown: &Grown<'_>, query: usize, pair: &Pair, rows: u64) -> TimeForecast {
        let header = &self.summary.header;
        TimeForecast {
            query: header.queries[query].name.clone(),
            measured: pair.measured,
            scales: pair.scales(),
            along: Vec::new(),
            from_rows: pair.least_rows(),
            to_rows: pair.most_rows(),
            held_out: pair.held_out(&self.common_without(grown, query)),
            forecast: pair.at(rows, &header.scale, &self.common()),
        }
    }

    fn of_axes(
        &self,
        grown: &Grown<'_>,
        query: usize,
        pair: &StarPair,
        to: Factors,
    ) -> TimeForecast {
        let (least, most) = pair.range(to);
        let rows = self.summary.rows as f64;
        let along = pair.scales();
        TimeForecast {
            query: self.summary.header.queries[query].name.clone(),
            measured: pair.measured,
            scales: along.iter().map(|(_, scales)| *scales).min().unwrap_or(1),
            along,
            from_rows: (rows * least).round() as u64,
            to_rows: (rows * most).round() as u64,
            held_out: pair.held_out(&self.common_without(grown, query)),
            forecast: pair.at(to, &self.common()),
        }
    }

    fn common(&self) -> Common {
        self.common_of(|_, _| true)
    }

    /// Errors of the others, so that no prediction is judged by itself.
    fn common_without(&self, grown: &Grown<'_>, query: usize) -> Common {
        self.common_of(|other, its| other.design != grown.design || its != query)
    }

    fn common_of(&self, takes: impl Fn(&Grown<'_>, usize) -> bool) -> Common {
        let queries = self.summary.header.queries.len();
        let pairs = { self.designs.iter() }
            .flat_map(|grown| (0..queries).map(move |query| (grown, query)))
            .filter(|(grown, query)| takes(grown, *query));
        let checks = pairs.flat_map(|(grown, query)| grown.shown.checks(query));
        let excess = checks.map(|check| check.excess(self.tables));
        Common {
            tables: self.tables,
            prediction: mean(excess).unwrap_or(0.0).max(0.0).sqrt(),
        }
    }

    fn error_of_bytes(&self) -> Option<f64> {
        let errors = { self.designs.iter() }.flat_map(|grown| grown.shown.errors_of_bytes());
        mean(errors.map(|error| error * error)).map(f64::sqrt)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    (count > 0.0).then(|| values.iter().sum::<f64>() / count)
}

#[cfg(test)]
pub(super) mod tests;
