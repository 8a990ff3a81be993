//! Forecast from the tables of several sizes that a run has: storage and times at another number of
//! rows, with their intervals, or the reason why there is none.
//!
//! Nothing is assumed about how large an error is: each run predicts its largest tables from the smaller
//! ones, and what that was wrong by is part of every interval.

mod axes;
mod fit;
mod grown;
mod pair;
mod purchase;
mod refusal;
mod scales;
mod storage;
mod twins;

pub use axes::Axis;
pub use purchase::{Purchase, RoomFrom};
pub use refusal::Refusal;

use serde::Serialize;

use super::Summary;
use crate::decide::Curve;
use axes::Factors;
use grown::{Growth, Target};
use pair::WIDEST;

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
    /// Whether its rows are further from the measured ones than the tables of the run are apart, so that the
    /// interval may be too narrow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_beyond: bool,
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
    /// Tables that were fitted along each axis, where the run has such.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub along: Vec<(Axis, usize)>,
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

    /// Returns the time by which the design can be ranked, known or too wide to be shown, or why there is
    /// none.
    pub(crate) fn ranked(&self) -> Result<&Projection, &Refusal> {
        match &self.forecast {
            Projected::Seconds(projection) => Ok(projection),
            Projected::Refused(refusal) => refusal.ranked().ok_or(refusal),
        }
    }

    /// Returns what the time rests on: `5 scales, held-out error 8%`.
    pub fn basis(&self) -> String {
        let is_measured = self.known().is_some_and(|known| known.spread == 0.0);
        let scales = self.counted();
        match &self.held_out {
            _ if is_measured => "measured".to_owned(),
            _ if self.known().is_none() && self.ranked().is_ok() => {
                format!("{scales}, too wide to rely on")
            }
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
    /// Returns the bytes to buy, or where they are not known of all designs those at rest.
    pub fn to_buy(&self, has_purchases: bool) -> f64 {
        let purchase = self.purchase.as_ref().filter(|_| has_purchases);
        purchase.map_or(self.bytes, |purchase| purchase.bytes)
    }

    /// Returns what the bytes rest on.
    pub fn basis(&self) -> String {
        let beyond = if self.is_beyond {
            ", beyond their range"
        } else {
            ""
        };
        match &self.held_out {
            _ if self.curve.is_none() && self.spread.is_none_or(|spread| spread == 0.0) => {
                "proportional to the rows".to_owned()
            }
            Some(held_out) => format!(
                "{} scales, held-out error {}{beyond}",
                self.scales,
                percent(held_out.error())
            ),
            None => format!("{} scales{beyond}", self.scales),
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

    /// Returns the forecast, unless its time may be too many times longer or shorter.
    fn unless_too_wide(self, factor: f64) -> Projected {
        if factor <= WIDEST {
            return Projected::Seconds(self);
        }
        Projected::Refused(Refusal::TooWide {
            factor,
            projection: self,
        })
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

#[cfg(test)]
pub(super) mod tests;
