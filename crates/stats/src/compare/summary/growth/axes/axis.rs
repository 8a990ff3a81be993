//! Growth along one axis: the fits of tables that differ in it alone.

use super::super::fit::{Fit, Point, Value};
use super::super::ln_error;
use super::super::pair::{Check, FEWEST_SCALES, candidates};
use super::super::scales::Work;

/// Variance of a logarithm below which predictions are equally good.
const AS_GOOD: f64 = 1e-4;

/// Fits along one axis, each weighted by how well it predicted the largest table.
pub struct AxisFit {
    /// Rows of the smallest table and of the design's own.
    pub least: f64,
    pub own: f64,
    ways: Vec<(f64, Way)>,
    /// Prediction of the largest table by the way that did so best.
    pub check: Check,
}

/// Fit that ends to grow at a number of rows, where a window is full.
struct Way {
    fit: Fit,
    end: f64,
}

impl Way {
    fn at(&self, rows: f64) -> Value {
        self.fit.at(rows.min(self.end))
    }
}

/// Makes a fit of these points.
type Method<'a> = Box<dyn Fn(&[Point]) -> Way + 'a>;

impl AxisFit {
    /// Returns the fits, if there are points enough. `window` is the number of rows along this axis at
    /// which the windows of a question are full.
    pub fn of(points: &[Point], work: &Work, window: Option<f64>) -> Option<AxisFit> {
        if points.len() < FEWEST_SCALES {
            return None;
        }
        let (first, last) = (points.first()?, points.last()?);
        let methods = methods(work, window);
        let checked: Vec<(Check, &Method<'_>)> = { methods.iter() }
            .filter_map(|method| Some((check(points, method)?, method)))
            .collect();
        let noise = AS_GOOD + last.variance + checked.first()?.0.error.powi(2);
        let power = -(points.len() as f64) / 2.0;
        let error = |check: &Check| ln_error(check.predicted, check.measured);
        let weight = |check: &Check| (error(check).powi(2) + noise).powf(power);
        let sum: f64 = checked.iter().map(|(check, _)| weight(check)).sum();
        let best = { checked.iter() }.min_by(|a, b| error(&a.0).total_cmp(&error(&b.0)))?;
        Some(AxisFit {
            least: first.rows,
            own: last.rows,
            check: best.0,
            ways: { checked.iter() }
                .map(|(check, method)| (weight(check) / sum, method(points)))
                .collect(),
        })
    }

    /// Returns how many times larger the design's own table is than the smallest one.
    pub fn span(&self) -> f64 {
        self.own / self.least.max(1.0)
    }

    /// Returns the figure of a table that is this many times as large as the design's own.
    pub fn at(&self, times: f64) -> Value {
        let rows = self.own * times;
        let values: Vec<(f64, Value)> = { self.ways.iter() }
            .map(|(weight, way)| (*weight, way.at(rows)))
            .collect();
        let value: f64 = values.iter().map(|(weight, v)| weight * v.value).sum();
        let variance = |own: &Value| own.error.powi(2) + (own.value / value).ln().powi(2);
        let variance: f64 = values.iter().map(|(weight, v)| weight * variance(v)).sum();
        Value {
            value,
            error: variance.max(0.0).sqrt(),
        }
    }

    /// Returns the share of the figure of the design's own table that grows.
    pub fn growing(&self) -> f64 {
        let fixed = |way: &Way| way.fit.curve().constant / way.at(self.own).value;
        let shares = self.ways.iter().map(|(weight, way)| weight * fixed(way));
        (1.0 - shares.sum::<f64>()).clamp(0.0, 1.0)
    }
}

fn methods<'a>(work: &'a Work, window: Option<f64>) -> Vec<Method<'a>> {
    let plain = candidates(work).into_iter().map(|method| {
        let way = move |points: &[Point]| Way {
            fit: method(points, work),
            end: f64::INFINITY,
        };
        Box::new(way) as Method<'a>
    });
    let reads_more = *work != Work::Same;
    let ending = window.filter(|_| reads_more).map(|end| {
        let way = move |points: &[Point]| Way {
            fit: ending_at(end, points),
            end,
        };
        Box::new(way) as Method<'a>
    });
    plain.chain(ending).collect()
}

/// Fits a figure that grows until a window is full.
fn ending_at(end: f64, points: &[Point]) -> Fit {
    let ended = points.iter().map(|point| Point {
        rows: point.rows.min(end),
        ..*point
    });
    let ended: Vec<Point> = ended.collect();
    let is_full = ended.iter().all(|point| point.rows >= end);
    if is_full {
        Fit::constant(&ended)
    } else {
        Fit::growing(&ended)
    }
}

/// Predicts the largest table from the others.
fn check(points: &[Point], method: &Method<'_>) -> Option<Check> {
    let (last, others) = points.split_last()?;
    let before = others.last()?;
    let value = method(others).at(last.rows);
    Some(Check::new(&value, before, last))
}
