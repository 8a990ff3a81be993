//! Bytes by rows: `b0 + b1 n`, neither of them negative.

use super::scales::Scales;
use super::{COVERED, HeldOut, StorageForecast, Trial, fit, ln_error};
use crate::compare::DesignSummary;
use crate::decide::Curve;

/// Tables of which the largest can be predicted from the others.
const FOR_CHECK: usize = 3;

/// Bytes of one copy at each scale, with the fit.
pub struct Bytes {
    rows: u64,
    measured: f64,
    /// Rows and bytes of each scale, the smallest first.
    sizes: Vec<(f64, f64)>,
    /// `None` with one scale.
    fit: Option<Curve>,
    check: Option<(HeldOut, f64)>,
}

impl Bytes {
    /// Returns the bytes of a design, if its own table has a footprint.
    pub fn of(scales: &Scales<'_>, design: &DesignSummary, rows: u64) -> Option<Bytes> {
        let measured = design.bytes_per_row.filter(|_| rows > 0)? * rows as f64;
        let sizes: Vec<(f64, f64)> = { scales.fitted().into_iter() }
            .filter_map(|(rows, figures)| Some((rows as f64, figures.bytes_per_row? * rows as f64)))
            .filter(|(_, bytes)| *bytes > 0.0)
            .collect();
        let fit = (sizes.len() > 1).then(|| line(&sizes));
        Some(Bytes {
            rows,
            measured,
            fit,
            check: check(&sizes),
            sizes,
        })
    }

    /// Returns the error of the check for each unit of the logarithm of rows.
    pub fn error_by_distance(&self) -> Option<f64> {
        let (held_out, ln_rows) = self.check.as_ref()?;
        Some(held_out.error() / ln_rows)
    }

    /// Returns the bytes of all copies, with the error by distance that all designs of the run have.
    pub fn at(&self, rows: u64, copies: u32, error: Option<f64>) -> StorageForecast {
        let copies = f64::from(copies);
        let proportional = Curve {
            linear: self.measured / self.rows as f64,
            ..Curve::default()
        };
        let fit = self.fit.filter(|_| rows != self.rows);
        let curve = fit::times(fit.unwrap_or(proportional), copies);
        let bytes = curve.at(rows as f64);
        let times = rows as f64 / self.rows as f64;
        let distance = times.ln().max(0.0);
        let spread = match error {
            _ if rows == self.rows => Some(0.0),
            Some(error) if fit.is_some() => Some(error * distance),
            _ => None,
        };
        StorageForecast {
            bytes,
            interval: spread.map(|spread| {
                let factor = (COVERED * spread).exp();
                (bytes / factor, bytes * factor)
            }),
            spread,
            is_beyond: fit.is_some() && times > span(&self.sizes),
            scales: self.sizes.len().max(1),
            held_out: self.check.as_ref().map(|(held_out, _)| held_out.clone()),
            trials: Vec::new(),
            purchase: None,
            curve: fit.map(|_| curve),
        }
    }

    /// Returns the check with the interval that it would have had.
    pub fn held_out(&self, error: f64) -> Option<HeldOut> {
        let (held_out, ln_rows) = self.check.as_ref()?;
        let factor = (COVERED * error * ln_rows).exp();
        let predicted = held_out.predicted;
        Some(HeldOut {
            interval: (predicted / factor, predicted * factor),
            ..held_out.clone()
        })
    }
}

impl Bytes {
    /// Returns the prediction of each table from the smaller ones, of two and more.
    pub fn trials(&self, error: f64) -> Vec<Trial> {
        let sizes = &self.sizes;
        let known = FOR_CHECK - 1..sizes.len();
        known
            .flat_map(|known| {
                let larger = sizes[known..].iter();
                larger.filter_map(move |size| trial(&sizes[..known], *size, error))
            })
            .collect()
    }
}

fn trial(known: &[(f64, f64)], (rows, measured): (f64, f64), error: f64) -> Option<Trial> {
    let (from_rows, bytes) = known.last()?;
    let predicted = line(known).at(rows);
    let factor = (COVERED * error * (rows / from_rows).ln()).exp();
    let held_out = HeldOut {
        predicted,
        interval: (predicted / factor, predicted * factor),
        measured,
        proportional: bytes * rows / from_rows,
    };
    let is_known = ln_error(predicted, measured).is_finite();
    is_known.then_some(Trial {
        from_rows: *from_rows as u64,
        rows: rows as u64,
        held_out,
    })
}

/// Returns how many times as many rows the largest of these tables has as the smallest.
pub fn span(sizes: &[(f64, f64)]) -> f64 {
    let (smallest, largest) = (sizes.first(), sizes.last());
    let rows = smallest.zip(largest);
    rows.map_or(1.0, |((least, _), (most, _))| most / least)
}

/// Fits by least squares of relative errors; a part that would be negative is 0.
pub fn line(sizes: &[(f64, f64)]) -> Curve {
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        sizes.iter().map(|(rows, bytes)| of(*rows, *bytes)).sum()
    };
    let (one, rows) = (sum(&|_, b| 1.0 / b), sum(&|n, b| n / b));
    let (ones, both, squares) = (
        sum(&|_, b| 1.0 / (b * b)),
        sum(&|n, b| n / (b * b)),
        sum(&|n, b| n * n / (b * b)),
    );
    let determinant = ones * squares - both * both;
    let constant = (one * squares - rows * both) / determinant;
    let linear = (ones * rows - one * both) / determinant;
    let (constant, linear) = match (constant >= 0.0, linear >= 0.0) {
        (true, true) => (constant, linear),
        (_, false) => (one / ones, 0.0),
        (false, true) => (0.0, rows / squares),
    };
    Curve {
        constant,
        linear,
        ..Curve::default()
    }
}

pub fn check(sizes: &[(f64, f64)]) -> Option<(HeldOut, f64)> {
    let ((rows, measured), others) = sizes.split_last()?;
    let (before, bytes) = others.last()?;
    if sizes.len() < FOR_CHECK {
        return None;
    }
    let predicted = line(others).at(*rows);
    let held_out = HeldOut {
        predicted,
        interval: (predicted, predicted),
        measured: *measured,
        proportional: bytes * rows / before,
    };
    ln_error(predicted, *measured)
        .is_finite()
        .then_some((held_out, (rows / before).ln()))
}
