//! One query on one design along both axes.

use super::super::fit::Point;
use super::super::pair::{Check, Common, FEWEST_SCALES};
use super::super::refusal::Refusal;
use super::super::scales::{Scales, point};
use super::super::{COVERED, HeldOut, Projected, Projection};
use super::axis::AxisFit;
use super::joint::{self, Along};
use super::{Axis, Factors, Tables};
use crate::compare::DesignSummary;
use crate::compare::ladder::ToLoad;

/// Variance of the logarithm of a table off the axes beyond what its rounds show.
const OF_CORNER: f64 = 4e-4;

/// A query on a design with what its tables along both axes show.
pub struct StarPair {
    rows: u64,
    /// Median of the design's own table.
    pub measured: f64,
    series: OneAxis,
    time: OneAxis,
    corners: Vec<MeasuredCorner>,
    /// Variance of the logarithm of the design's own table.
    variance: f64,
}

/// Growth that the tables along one axis show.
struct OneAxis {
    axis: Axis,
    tables: usize,
    /// Tables with right answers that are large enough.
    scales: usize,
    /// Rows with which there would be a fit.
    load: Option<ToLoad>,
    fit: Option<AxisFit>,
}

/// Time of a table that is smaller along both axes.
struct MeasuredCorner {
    series: f64,
    time: f64,
    point: Point,
}

impl OneAxis {
    fn of(
        axis: Axis,
        (scales, there): (&Scales<'_>, Option<u64>),
        query: usize,
        window: Option<f64>,
    ) -> OneAxis {
        let points = scales.points(query);
        let to_load = |rows| ToLoad {
            rows,
            ladder: None,
            there: there.filter(|there| *there < rows),
        };
        OneAxis {
            axis,
            tables: scales.count(),
            scales: points.len(),
            load: scales.rows_to_load(FEWEST_SCALES).map(to_load),
            fit: AxisFit::of(&points, &scales.work(query), window),
        }
    }

    fn along(&self, times: f64) -> Along {
        match &self.fit {
            Some(fit) if times != 1.0 => Along {
                ratio: fit.at(times).value / fit.at(1.0).value,
                share: fit.growing(),
            },
            _ => Along::NONE,
        }
    }

    fn variance(&self, times: f64) -> f64 {
        let fit = self.fit.as_ref().filter(|_| times != 1.0);
        fit.map_or(0.0, |fit| fit.at(times).error.powi(2))
    }

    /// Returns why nothing is known of this many times as much.
    fn refusal(&self, times: f64, (rows, forecast): (u64, u64)) -> Option<Refusal> {
        let axis = self.axis;
        if times == 1.0 {
            return None;
        }
        let Some(fit) = &self.fit else {
            return Some(match self.load {
                _ if self.tables < 2 => Refusal::NoTables { axis, times },
                Some(load) => Refusal::TooFewRows {
                    rows,
                    forecast,
                    load,
                },
                None => Refusal::TooFewScales {
                    scales: self.scales,
                },
            });
        };
        let most = fit.span();
        if times > most * (1.0 + super::SAME) {
            return Some(Refusal::TooFarAlong { axis, times, most });
        }
        (times * most < 1.0 - super::SAME).then_some(Refusal::TooNearAlong { axis, times })
    }
}

impl StarPair {
    /// Returns the pair, if the design's own table has times. `window` is the share of the time that the
    /// question is about, and `there` the rows of the data, if it is known where they end.
    pub fn of(
        (tables, there): (&Tables<'_>, Option<u64>),
        design: &DesignSummary,
        rows: u64,
        query: usize,
        window: Option<f64>,
    ) -> Option<StarPair> {
        let own = design.queries.get(query)?;
        let full = window.map(|share| share * rows as f64);
        let corners = tables.corners.iter().filter_map(|corner| {
            let asked = corner.figures.queries.get(query)?;
            asked
                .time
                .filter(|_| asked.always_empty == own.always_empty)?;
            Some(MeasuredCorner {
                series: corner.series,
                time: corner.time,
                point: point(corner.rows, asked)?,
            })
        });
        Some(StarPair {
            rows,
            measured: own.time?.median,
            variance: point(rows, own).map_or(0.0, |point| point.variance),
            corners: corners.collect(),
            series: OneAxis::of(Axis::Series, (&tables.series, there), query, None),
            time: OneAxis::of(Axis::Time, (&tables.time, there), query, full),
        })
    }

    /// Returns the tables that were fitted along each axis.
    pub fn scales(&self) -> Vec<(Axis, usize)> {
        let axes = [&self.series, &self.time].into_iter();
        let several = axes.filter(|axis| axis.tables > 1);
        several.map(|axis| (axis.axis, axis.scales)).collect()
    }

    /// Returns the checks along both axes.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        let fits = [&self.series.fit, &self.time.fit].into_iter().flatten();
        fits.map(|fit| &fit.check)
    }

    /// Returns the least and the most times as many rows that forecasts on this way may be for.
    pub fn range(&self, way: Factors) -> (f64, f64) {
        let steps = [(&self.series, way.series), (&self.time, way.time)];
        let steps = { steps.into_iter() }
            .filter(|(_, times)| *times != 1.0)
            .map(|(axis, times)| {
                axis.fit.as_ref().map_or(1.0, AxisFit::span).ln() / times.ln().abs()
            });
        let part = steps.fold(f64::INFINITY, f64::min);
        let most = (way.series * way.time).powf(if part.is_finite() { part } else { 0.0 });
        (most.recip().min(most), most.max(most.recip()))
    }

    /// Returns the time of a table that is larger by these factors.
    pub fn at(&self, to: Factors, common: &Common) -> Projected {
        if to.is_measured() {
            return Projected::Seconds(Projection::measured(self.measured));
        }
        let forecast = (self.rows as f64 * to.series * to.time).round() as u64;
        let rows = (self.rows, forecast);
        let refusal = self.series.refusal(to.series, rows);
        match refusal.or_else(|| self.time.refusal(to.time, rows)) {
            Some(refusal) => Projected::Refused(refusal),
            None => self.projected(to, common),
        }
    }

    fn projected(&self, to: Factors, common: &Common) -> Projected {
        let (one, other) = (self.series.along(to.series), self.time.along(to.time));
        let corners = self.corners(common);
        let shares = joint::shares(one.share, other.share, &corners);
        let relative = |both: f64| joint::relative(one, other, both);
        let mean: f64 = shares.iter().map(|(both, w)| w * relative(*both)).sum();
        let apart = |both: f64| (relative(both) / mean).ln().powi(2);
        let apart: f64 = shares.iter().map(|(both, w)| w * apart(*both)).sum();
        let variance = self.series.variance(to.series) + self.time.variance(to.time) + apart;
        let spread = common.spread(variance.sqrt(), to.distance());
        let factor = (COVERED * spread).exp();
        // As along one axis, no forecast of more is shorter than what was measured.
        let is_more = to.series >= 1.0 && to.time >= 1.0;
        let least = if is_more { self.measured } else { 0.0 };
        let seconds = (self.level(to) * mean).max(least);
        Projection {
            seconds,
            interval: (seconds / factor, seconds * factor),
            spread,
            curve: None,
        }
        .unless_too_wide(factor)
    }

    /// Returns the time of the design's own table by the fits along the axes that grow.
    fn level(&self, to: Factors) -> f64 {
        let axes = [(&self.series, to.series), (&self.time, to.time)];
        let growing = axes.into_iter().filter(|(_, times)| *times != 1.0);
        let fits = growing.filter_map(|(axis, _)| axis.fit.as_ref());
        let levels: Vec<f64> = fits.map(|fit| fit.at(1.0).value.ln()).collect();
        (levels.iter().sum::<f64>() / levels.len().max(1) as f64).exp()
    }

    fn corners(&self, common: &Common) -> Vec<joint::Corner> {
        let both = Factors {
            series: 0.5,
            time: 0.5,
        };
        let level = self.level(both).ln();
        let tables = 2.0 * common.tables.powi(2);
        let corners = self.corners.iter().map(|corner| joint::Corner {
            one: self.series.along(corner.series),
            other: self.time.along(corner.time),
            ln: corner.point.ln - level,
            variance: OF_CORNER + tables + self.variance + corner.point.variance,
        });
        corners.collect()
    }

    /// Returns the worse check of both axes with the interval that it would have had.
    pub fn held_out(&self, others: &Common) -> Option<HeldOut> {
        let of = |check: &Check| check.held_out(others);
        let checks = self.checks().map(of);
        checks.max_by(|a, b| a.error().total_cmp(&b.error()))
    }
}
