//! Growth along both axes at once, from that along each.
//!
//! With `u` and `v` that grow along one axis each, and are 1 at the measured table, a figure is
//! `1 + p (u - 1) + q (v - 1) + B (u - 1)(v - 1)` times the measured one. Tables along the axes show the
//! shares `p` and `q` that grow with each, but not the share `B` that grows with both: a fixed part and one
//! that grows with the product have `B = p = q`, parts that grow with one axis each have `B = 0`. A table
//! that is smaller along both axes tells them apart.

/// Shares that grow with both axes which are tried, between the least and the most.
const TRIED: u32 = 8;
/// Share of a figure below which it does not grow.
const NONE: f64 = 1e-6;

/// Growth along one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Along {
    /// Figure as a multiple of the one measured.
    pub ratio: f64,
    /// Share of the measured figure that grows along this axis.
    pub share: f64,
}

impl Along {
    /// Growth along an axis that stays as it is.
    pub const NONE: Along = Along {
        ratio: 1.0,
        share: 0.0,
    };

    /// Returns by how much what grows has grown, as a multiple of itself.
    fn more(self) -> f64 {
        if self.share < NONE {
            0.0
        } else {
            (self.ratio - 1.0) / self.share
        }
    }
}

/// Returns the figure along both axes as a multiple of the one measured.
pub fn relative(one: Along, other: Along, both: f64) -> f64 {
    let figure = one.ratio + other.ratio - 1.0 + both * one.more() * other.more();
    figure.max(f64::MIN_POSITIVE)
}

/// Returns the least and the most share that can grow with both axes, so that no part is negative.
pub fn range(one: f64, other: f64) -> (f64, f64) {
    let most = one.min(other);
    ((one + other - 1.0).max(0.0).min(most), most)
}

/// Returns the share that grows with both axes by which the figure of one table is met best.
pub fn solved(one: Along, other: Along, figure: f64) -> f64 {
    let (least, most) = range(one.share, other.share);
    let by = one.more() * other.more();
    if by.abs() < NONE {
        return most;
    }
    let apart = one.ratio + other.ratio - 1.0;
    ((figure - apart) / by).clamp(least, most)
}

/// Figure of a table that is smaller along both axes, as a multiple of the one measured.
#[derive(Debug, Clone, Copy)]
pub struct Corner {
    pub one: Along,
    pub other: Along,
    pub ln: f64,
    /// Variance of the logarithm.
    pub variance: f64,
}

/// Returns shares that may grow with both axes, with their weights by the corners.
pub fn shares(one: f64, other: f64, corners: &[Corner]) -> Vec<(f64, f64)> {
    let (least, most) = range(one, other);
    let tried: Vec<(f64, f64)> = { 0..=TRIED }
        .map(|step| least + (most - least) * f64::from(step) / f64::from(TRIED))
        .map(|both| (both, unlikely(both, corners)))
        .collect();
    let best = tried.iter().map(|(_, u)| *u).fold(f64::INFINITY, f64::min);
    let weights = tried.iter().map(|(_, u)| (best - u).exp());
    let sum: f64 = weights.clone().sum();
    { tried.iter().zip(weights) }
        .map(|((both, _), weight)| (*both, weight / sum))
        .collect()
}

/// Returns the negative logarithm of how likely the corners are.
fn unlikely(both: f64, corners: &[Corner]) -> f64 {
    let of = |corner: &Corner| {
        let error = relative(corner.one, corner.other, both).ln() - corner.ln;
        error * error / (2.0 * corner.variance)
    };
    corners.iter().map(of).sum()
}
