//! Fit of a growing positive figure by least squares on logarithms.
//!
//! Each shape has two parts that are not negative: `a + b g(n)`, with `g` one of `ln n`, `n` and
//! `n ln n`. The shapes are averaged with weights `RSS^(-S/2)` over `S` scales, which is the weight by
//! Akaike's criterion for models with as many parameters (Burnham, Anderson: Model Selection and
//! Multimodel Inference, 2002, section 2.9), and the error of the average is that of Buckland, Burnham,
//! Augustin: Model selection: an integral part of inference, 1997.

use crate::decide::Curve;

/// Logarithm of a figure at one number of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub rows: f64,
    pub ln: f64,
    /// Observations behind it, which are its weight.
    pub weight: f64,
    /// Variance of `ln`, as far as the observations show it; 0 where it is not known.
    pub variance: f64,
}

/// Mean of the shapes that were fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    shapes: Vec<(f64, Fitted)>,
}

/// Value of a fit, with the standard error of its logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    pub value: f64,
    pub error: f64,
}

/// Function of the rows by which a figure grows.
#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Constant,
    Log,
    Linear,
    LinearLog,
    /// Grows as something that was itself fitted, with the error of its logarithm at the rows.
    As(Box<Fit>),
}

/// `scale (1 - share + share g(n) / g(N))`, with `N` the largest number of rows that was fitted.
#[derive(Debug, Clone, PartialEq)]
struct Fitted {
    shape: Shape,
    largest: f64,
    scale: f64,
    share: f64,
    /// Covariance of the logarithm of `scale` and of `share`: both variances, then what they share.
    covariance: [f64; 3],
    residuals: f64,
}

/// Logarithms of `share / (1 - share)` between which the best one is looked for; beyond them a share is 0
/// or 1 for every figure that can be measured.
const LOGITS: std::ops::RangeInclusive<i32> = -14..=14;
/// Steps of the golden section, after which a share is exact to six digits.
const SECTIONS: usize = 30;
/// Least sum of squares, of figures that agree to a millionth, so that a perfect fit has a weight.
const LEAST_SQUARES: f64 = 1e-12;

impl Fit {
    /// Returns the fit of a figure that grows with the rows in one of the three ways.
    pub fn growing(points: &[Point]) -> Fit {
        Fit::of(points, [Shape::Log, Shape::Linear, Shape::LinearLog])
    }

    /// Returns the fit of a figure that is the same for any number of rows.
    pub fn constant(points: &[Point]) -> Fit {
        Fit::of(points, [Shape::Constant])
    }

    /// Returns the fit of a figure with a part that grows as another one does.
    pub fn growing_as(points: &[Point], work: Fit) -> Fit {
        Fit::of(points, [Shape::As(Box::new(work))])
    }

    fn of(points: &[Point], shapes: impl IntoIterator<Item = Shape>) -> Fit {
        let fitted: Vec<Fitted> = { shapes.into_iter() }
            .map(|shape| Fitted::of(points, shape))
            .collect();
        let power = -(points.len() as f64) / 2.0;
        // Differences between the shapes that are below the error of the points say nothing.
        let noise = LEAST_SQUARES + mean(points.iter().map(|point| point.variance));
        let raw: Vec<f64> = { fitted.iter() }
            .map(|shape| (power * (shape.residuals + noise).ln()).exp())
            .collect();
        let sum: f64 = raw.iter().sum();
        let weights = raw.iter().map(|weight| weight / sum);
        Fit {
            shapes: weights.zip(fitted).collect(),
        }
    }

    /// Returns the figure for a number of rows.
    pub fn at(&self, rows: f64) -> Value {
        let values: Vec<(f64, f64, f64)> = { self.shapes.iter() }
            .map(|(weight, shape)| (*weight, shape.at(rows), shape.variance_at(rows)))
            .collect();
        let value: f64 = values.iter().map(|(weight, value, _)| weight * value).sum();
        let spread = |own: f64| (own / value).ln().powi(2);
        let variance: f64 = { values.iter() }
            .map(|(weight, own, variance)| weight * (variance + spread(*own)))
            .sum();
        Value {
            value,
            error: variance.max(0.0).sqrt(),
        }
    }

    /// Returns the fit as a function of the rows.
    pub fn curve(&self) -> Curve {
        let curves = { self.shapes.iter() }.map(|(weight, shape)| times(shape.curve(), *weight));
        curves.fold(Curve::default(), plus)
    }
}

impl Fitted {
    fn of(points: &[Point], shape: Shape) -> Fitted {
        let largest = points.iter().map(|point| point.rows).fold(1.0, f64::max);
        let x: Vec<f64> = { points.iter() }
            .map(|point| shape.relative(point.rows, largest))
            .collect();
        let share = match shape {
            Shape::Constant => 0.0,
            _ => best_share(points, &x),
        };
        let residuals = residuals(points, &x, share);
        let level = level(points, &x, share);
        Fitted {
            covariance: covariance(points, &x, share, &residuals, &shape),
            residuals: residuals.iter().map(|residual| residual * residual).sum(),
            shape,
            largest,
            scale: level.exp(),
            share,
        }
    }

    fn at(&self, rows: f64) -> f64 {
        self.scale * grown(self.share, self.shape.relative(rows, self.largest))
    }

    /// Returns the variance of the logarithm, by the delta method.
    fn variance_at(&self, rows: f64) -> f64 {
        let x = self.shape.relative(rows, self.largest);
        let slope = (x - 1.0) / grown(self.share, x);
        let [level, share, both] = self.covariance;
        let work = match &self.shape {
            Shape::As(work) => self.share * x / grown(self.share, x) * work.at(rows).error,
            _ => 0.0,
        };
        level + slope * slope * share + 2.0 * slope * both + work * work
    }

    fn curve(&self) -> Curve {
        let growing = match &self.shape {
            Shape::Constant => Curve::default(),
            Shape::Log => Curve {
                log: 1.0,
                ..Curve::default()
            },
            Shape::Linear => Curve {
                linear: 1.0,
                ..Curve::default()
            },
            Shape::LinearLog => Curve {
                linear_log: 1.0,
                ..Curve::default()
            },
            Shape::As(work) => work.curve(),
        };
        let at_largest = growing.at(self.largest).max(f64::MIN_POSITIVE);
        let mut curve = times(growing, self.scale * self.share / at_largest);
        curve.constant += self.scale * (1.0 - self.share);
        curve
    }
}

impl Shape {
    /// Returns the shape's value as a multiple of its value at the largest number of rows.
    fn relative(&self, rows: f64, largest: f64) -> f64 {
        // Below e the logarithm would be nearly nothing, and the multiple without bounds.
        let ln = |rows: f64| rows.max(std::f64::consts::E).ln();
        match self {
            Shape::Constant => 1.0,
            Shape::Log => ln(rows) / ln(largest),
            Shape::Linear => rows / largest,
            Shape::LinearLog => rows * ln(rows) / (largest * ln(largest)),
            Shape::As(work) => work.at(rows).value / work.at(largest).value,
        }
    }
}

fn grown(share: f64, x: f64) -> f64 {
    (1.0 - share + share * x).max(f64::MIN_POSITIVE)
}

/// Returns the share of the growing part with the least sum of squares.
fn best_share(points: &[Point], x: &[f64]) -> f64 {
    let squares = |share: f64| -> f64 {
        let (mut weights, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for (point, x) in points.iter().zip(x) {
            let ln = point.ln - grown(share, *x).ln();
            weights += point.weight;
            sum += point.weight * ln;
            squares += point.weight * ln * ln;
        }
        squares - sum * sum / weights
    };
    let share = |logit: f64| 1.0 / (1.0 + (-logit).exp());
    let of_logit = |logit: &f64| squares(share(*logit));
    let start = { LOGITS.map(f64::from) }
        .min_by(|a, b| of_logit(a).total_cmp(&of_logit(b)))
        .unwrap_or(0.0);
    let inside = share(golden_section(of_logit, start - 1.0, start + 1.0));
    { [0.0, 1.0, inside].into_iter() }
        .min_by(|a, b| squares(*a).total_cmp(&squares(*b)))
        .unwrap_or(inside)
}

fn golden_section(function: impl Fn(&f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let ratio = 0.618_033_988_749_894_9;
    for _ in 0..SECTIONS {
        let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
        if function(&left) <= function(&right) {
            high = right;
        } else {
            low = left;
        }
    }
    low.midpoint(high)
}

/// Returns the logarithm of the scale that fits best with this share.
fn level(points: &[Point], x: &[f64], share: f64) -> f64 {
    let weights: f64 = points.iter().map(|point| point.weight).sum();
    let sum: f64 = { points.iter().zip(x) }
        .map(|(point, x)| point.weight * (point.ln - grown(share, *x).ln()))
        .sum();
    sum / weights
}

fn residuals(points: &[Point], x: &[f64], share: f64) -> Vec<f64> {
    let level = level(points, x, share);
    let residual = |(point, x): (&Point, &f64)| point.ln - level - grown(share, *x).ln();
    points.iter().zip(x).map(residual).collect()
}

/// Returns the covariance of the two parameters.
fn covariance(
    points: &[Point],
    x: &[f64],
    share: f64,
    residuals: &[f64],
    shape: &Shape,
) -> [f64; 3] {
    let count = points.len() as f64;
    if matches!(shape, Shape::Constant) {
        return [variance(points, residuals, 1.0) / count, 0.0, 0.0];
    }
    let slopes: Vec<f64> = x.iter().map(|x| (x - 1.0) / grown(share, *x)).collect();
    let weights = relative_weights(points);
    let sum = |power: i32| -> f64 {
        let terms = weights.iter().zip(&slopes);
        terms.map(|(w, slope)| w * slope.powi(power)).sum()
    };
    let determinant = (count * sum(2) - sum(1).powi(2)).max(f64::MIN_POSITIVE);
    let part = |sum: f64| variance(points, residuals, 2.0) * sum / determinant;
    [part(sum(2)), part(count), part(-sum(1))]
}

/// Returns the variance of a point: that of the residuals, and at least what the observations of one scale
/// differ by, since a few points may lie on a curve by chance.
fn variance(points: &[Point], residuals: &[f64], parameters: f64) -> f64 {
    let weights = relative_weights(points);
    let squares = residuals.iter().zip(&weights).map(|(r, w)| w * r * r);
    let scatter = squares.sum::<f64>() / (points.len() as f64 - parameters).max(1.0);
    scatter.max(mean(points.iter().map(|point| point.variance)))
}

/// Returns the weights as multiples of their mean.
fn relative_weights(points: &[Point]) -> Vec<f64> {
    let mean_weight = mean(points.iter().map(|point| point.weight));
    let relative = points.iter().map(|point| point.weight / mean_weight);
    relative.collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

pub(super) fn times(curve: Curve, factor: f64) -> Curve {
    Curve {
        constant: curve.constant * factor,
        log: curve.log * factor,
        linear: curve.linear * factor,
        linear_log: curve.linear_log * factor,
    }
}

fn plus(one: Curve, other: Curve) -> Curve {
    Curve {
        constant: one.constant + other.constant,
        log: one.log + other.log,
        linear: one.linear + other.linear,
        linear_log: one.linear_log + other.linear_log,
    }
}
