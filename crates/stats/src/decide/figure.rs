//! A figure with everything that is known about its error.

use serde::{Deserialize, Serialize};

/// The share of resamples that lies in a shown interval.
const SHOWN_COVERAGE: f64 = 0.90;

/// An estimate at the scale of interest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub point: f64,
    /// The 90% interval. `None` where nothing is known about the error, as with one observation.
    pub interval: Option<(f64, f64)>,
    /// The figure in each resample. Empty for a figure that is exact, or of which nothing else is known.
    pub resamples: Vec<f64>,
    /// The figure by the number of rows, where it was fitted.
    pub curve: Option<Curve>,
}

/// `constant + log ln n + linear n + linear_log n ln n`, for `n` rows.
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
    /// A figure without error, such as a size that was counted.
    pub fn exact(point: f64) -> Figure {
        Figure {
            point,
            interval: Some((point, point)),
            resamples: Vec::new(),
            curve: None,
        }
    }

    /// A figure that was observed once, so that nothing is known about its error.
    pub fn once(point: f64) -> Figure {
        Figure {
            point,
            interval: None,
            resamples: Vec::new(),
            curve: None,
        }
    }

    /// A figure with the interval that its resamples have. Two resamples are the fewest that say
    /// anything about the error.
    pub fn resampled(point: f64, resamples: Vec<f64>) -> Figure {
        let is_known = resamples.len() > 1;
        Figure {
            point,
            interval: is_known.then(|| interval(&resamples, SHOWN_COVERAGE)),
            resamples,
            curve: None,
        }
    }

    pub fn with_curve(self, curve: Curve) -> Figure {
        Figure {
            curve: Some(curve),
            ..self
        }
    }

    pub fn span(&self) -> Span {
        Span {
            point: self.point,
            interval: self.interval,
        }
    }

    /// Whether point and resamples are numbers that an amount can have. NaN is none.
    pub(super) fn is_usable(&self) -> bool {
        let is_amount = |value: &f64| value.is_finite() && *value >= 0.0;
        is_amount(&self.point) && self.resamples.iter().all(is_amount)
    }

    pub(super) fn is_error_known(&self) -> bool {
        self.interval.is_some()
    }

    /// The value in a resample, or the point.
    pub(super) fn at(&self, resample: Option<usize>) -> f64 {
        match resample {
            Some(index) if !self.resamples.is_empty() => {
                self.resamples[index % self.resamples.len()]
            }
            _ => self.point,
        }
    }
}

impl Curve {
    pub fn at(&self, rows: f64) -> f64 {
        let ln = rows.max(1.0).ln();
        self.constant + self.log * ln + self.linear * rows + self.linear_log * rows * ln
    }
}

/// The interval between two quantiles of values, which are not empty.
pub fn interval(values: &[f64], coverage: f64) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let outside = ((1.0 - coverage) / 2.0).max(0.0);
    (quantile(&sorted, outside), quantile(&sorted, 1.0 - outside))
}

/// The quantile of sorted values, between the two that are nearest.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let (low, high) = (sorted[below], sorted[above]);
    low + (high - low) * (place - below as f64)
}
