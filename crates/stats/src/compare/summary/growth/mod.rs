//! Forecast from the tables of several sizes that a run has: storage and times at another number of
//! rows, with their intervals, or the reason why there is none.
//!
//! Nothing is assumed about how large an error is: each run predicts its largest tables from the smaller
//! ones, and what that was wrong by is part of every interval.

mod fit;
mod pair;
mod purchase;
mod refusal;
mod scales;
mod storage;
mod twins;

pub use purchase::{Purchase, RoomFrom};
pub use refusal::Refusal;

use serde::Serialize;

use super::Summary;
use crate::decide::Curve;
use pair::{Common, Pair};
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
    /// Predictions of the larger tables from the smaller ones.
    #[serde(skip)]
    pub trials: Vec<Trial>,
    /// Storage to buy; `None` in runs of earlier versions, which did not look for the highest bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purchase: Option<Purchase>,
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
    /// Range of rows that forecasts may be for.
    pub from_rows: u64,
    pub to_rows: u64,
    pub held_out: Option<HeldOut>,
    /// Predictions of the larger tables from the smaller ones.
    #[serde(skip)]
    pub trials: Vec<Trial>,
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

/// Prediction of one table of a run from smaller ones, of which it knew nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Rows of the largest table that it was made from.
    pub from_rows: u64,
    /// Rows that it is for.
    pub rows: u64,
    pub held_out: HeldOut,
}

impl Summary {
    /// Returns storage and times for this number of rows and copies, as far as the tables of the run
    /// show them.
    pub fn projected(&self, rows: u64, copies: u32) -> Forecast {
        Growth::of(self).forecast(rows, copies)
    }
}

impl Forecast {
    /// Returns whether it is known of every design how much to buy. Where it is not, designs are compared
    /// by their bytes at rest.
    pub fn has_purchases(&self) -> bool {
        let mut storage = self.designs.iter().filter_map(|d| d.storage.as_ref());
        storage.all(|storage| storage.purchase.is_some())
    }

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
        let is_measured = self.known().is_some_and(|known| known.curve.is_none());
        match &self.held_out {
            _ if is_measured => "measured".to_owned(),
            Some(held_out) => format!(
                "{} scales, held-out error {}",
                self.scales,
                percent(held_out.error())
            ),
            None => format!("{} scales", self.scales),
        }
    }
}

impl StorageForecast {
    /// Returns the bytes to buy, or where they are not known of all designs those at rest.
    pub fn to_buy(&self, has_purchases: bool) -> f64 {
        let purchase = self.purchase.as_ref().filter(|_| has_purchases);
        purchase.map_or(self.bytes, |purchase| purchase.bytes)
    }

    /// Returns what the bytes rest on.
    pub fn basis(&self) -> String {
        match &self.held_out {
            _ if self.curve.is_none() => "proportional to the rows".to_owned(),
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
pub(super) fn ln_error(predicted: f64, measured: f64) -> f64 {
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
    bytes: Option<Bytes>,
    /// In the header's order; `None` where the design has no right answer.
    pairs: Vec<Option<Pair>>,
}

impl Grown<'_> {
    fn storage(
        &self,
        summary: &Summary,
        rows: u64,
        copies: u32,
        error: Option<f64>,
    ) -> Option<StorageForecast> {
        let bytes = self.bytes.as_ref()?;
        let at_rest = StorageForecast {
            held_out: bytes.held_out(error.unwrap_or(0.0)),
            trials: bytes.trials(error.unwrap_or(0.0)),
            ..bytes.at(rows, copies, error)
        };
        let design = summary.design(self.design)?;
        let purchase = Purchase::of(design, &at_rest, copies);
        Some(StorageForecast {
            purchase,
            ..at_rest
        })
    }
}

impl<'a> Growth<'a> {
    fn of(summary: &'a Summary) -> Growth<'a> {
        let designs = summary.designs.iter().filter(|design| !design.has_failed());
        let grown = designs.map(|design| {
            let scales = Scales::of(summary, design);
            let queries = 0..summary.header.queries.len();
            Grown {
                design: &design.info.id,
                bytes: Bytes::of(&scales, design, summary.rows),
                pairs: queries
                    .map(|query| Pair::of(&scales, design, summary.rows, query))
                    .collect(),
            }
        });
        Growth {
            designs: grown.collect(),
            tables: twins::deviation(summary),
            summary,
        }
    }

    fn forecast(&self, rows: u64, copies: u32) -> Forecast {
        let error = self.error_of_bytes();
        let designs = self.designs.iter().map(|grown| DesignForecast {
            design: grown.design.to_owned(),
            storage: grown.storage(self.summary, rows, copies, error),
            times: self.times(grown, rows),
        });
        Forecast {
            rows,
            copies,
            measured_rows: self.summary.rows,
            designs: designs.collect(),
        }
    }

    fn times(&self, grown: &Grown<'_>, rows: u64) -> Vec<TimeForecast> {
        let header = &self.summary.header;
        let pairs = header.queries.iter().zip(&grown.pairs);
        let known = pairs.filter_map(|(query, pair)| Some((query, pair.as_ref()?)));
        known
            .map(|(query, pair)| TimeForecast {
                query: query.name.clone(),
                measured: pair.measured,
                scales: pair.scales(),
                from_rows: pair.least_rows(),
                to_rows: pair.most_rows(),
                held_out: pair.held_out(&self.common_without(pair)),
                trials: pair.trials(&self.common_without(pair)),
                forecast: pair.at(rows, &header.scale, &self.common()),
            })
            .collect()
    }

    fn common(&self) -> Common {
        self.common_of(|_| true)
    }

    /// Errors of the others, so that no prediction is judged by itself.
    fn common_without(&self, pair: &Pair) -> Common {
        self.common_of(|other| !std::ptr::eq(other, pair))
    }

    fn common_of(&self, takes: impl Fn(&Pair) -> bool) -> Common {
        let pairs = self.designs.iter().flat_map(|grown| grown.pairs.iter());
        let pairs = pairs.flatten().filter(|pair| takes(pair));
        let excess = pairs.filter_map(|pair| Some(pair.check.as_ref()?.excess(self.tables)));
        Common {
            tables: self.tables,
            prediction: mean(excess).unwrap_or(0.0).max(0.0).sqrt(),
        }
    }

    fn error_of_bytes(&self) -> Option<f64> {
        let bytes = self.designs.iter().filter_map(|grown| grown.bytes.as_ref());
        let squares = bytes.filter_map(|bytes| Some(bytes.error_by_distance()?.powi(2)));
        mean(squares).map(f64::sqrt)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    (count > 0.0).then(|| values.iter().sum::<f64>() / count)
}

#[cfg(test)]
pub(super) mod tests;
