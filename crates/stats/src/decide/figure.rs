//! A figure with everything that is known about its error.

use serde::{Deserialize, Serialize};

/// Share of resamples within an interval that is shown.
const SHOWN_COVERAGE: f64 = 0.90;

/// Estimate at the scale of interest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub point: f64,
    /// Interval of 90%; `None` if the error is not known, as for a single observation.
    pub interval: Option<(f64, f64)>,
    /// Figure in each resample; empty if the figure is exact, or its error is not known.
    pub resamples: Vec<f64>,
    /// Figure as a function of the number of rows, if it was fitted.
    pub curve: Option<Curve>,
}

/// Curve `constant + log ln n + linear n + linear_log n ln n`, for `n` rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    pub constant: f64,
    pub log: f64,
    pub linear: f64,
    pub linear_log: f64,
}

/// A point and its interval, as a report shows them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Span {
    pub point: f64,
    pub interval: Option<(f64, f64)>,
}

impl Figure {
    /// Makes a figure without error, such as a size that was counted.
    pub fn exact(point: f64) -> Figure {
        Figure {
            point,
            interval: Some((point, point)),
            resamples: Vec::new(),
            curve: None,
        }
    }

    /// Makes a figure that was observed once, so that its error is not known.
    pub fn once(point: f64) -> Figure {
        Figure {
            point,
            interval: None,
            resamples: Vec::new(),
            curve: None,
        }
    }

    /// Makes a figure with the interval of its resamples. With fewer than two, its error is not known.
    pub fn resampled(point: f64, resamples: Vec<f64>) -> Figure {
        let is_known = resamples.len() > 1;
        Figure {
            point,
            interval: is_known.then(|| interval(&resamples, SHOWN_COVERAGE)),
            resamples,
            curve: None,
        }
    }

    /// Adds the curve that was fitted to the figure.
    pub fn with_curve(self, curve: Curve) -> Figure {
        Figure {
            curve: Some(curve),
            ..self
        }
    }

    /// Returns the point with its interval.
    pub fn span(&self) -> Span {
        Span {
            point: self.point,
            interval: self.interval,
        }
    }

    /// Returns whether point and resamples are finite and not negative.
    pub(super) fn is_usable(&self) -> bool {
        let is_amount = |value: &f64| value.is_finite() && *value >= 0.0;
        is_amount(&self.point) && self.resamples.iter().all(is_amount)
    }

    pub(super) fn is_error_known(&self) -> bool {
        self.interval.is_some()
    }

    /// Returns the value in a resample, or the point.
    pub(crate) fn at(&self, resample: Option<usize>) -> f64 {
        match resample {
            Some(index) if !self.resamples.is_empty() => {
                self.resamples[index % self.resamples.len()]
            }
            _ => self.point,
        }
    }
}

impl Curve {
    /// Returns the value of the curve for a number of rows.
    pub fn at(&self, rows: f64) -> f64 {
        let ln = rows.max(1.0).ln();
        self.constant + self.log * ln + self.linear * rows + self.linear_log * rows * ln
    }
}

/// Returns the interval that holds this share of the values, of which there is at least one.
pub fn interval(values: &[f64], coverage: f64) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let outside = ((1.0 - coverage) / 2.0).max(0.0);
    (quantile(&sorted, outside), quantile(&sorted, 1.0 - outside))
}

/// Returns a quantile of sorted values, interpolated between the two nearest ones.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let position = share.clamp(0.0, 1.0) * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let (low, high) = (sorted[below], sorted[above]);
    low + (high - low) * (position - below as f64)
}
