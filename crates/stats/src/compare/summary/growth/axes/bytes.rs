//! Bytes along both axes: a line along each, and a table that is smaller along both.

use super::super::storage::{check, line, span};
use super::super::{COVERED, HeldOut, StorageForecast};
use super::joint::{self, Along};
use super::{Factors, SAME, Tables};
use crate::compare::DesignSummary;
use crate::decide::Curve;

/// Bytes of one copy, with lines along the axes.
pub struct StarBytes {
    measured: f64,
    tables: usize,
    series: Line,
    time: Line,
    /// Share of the bytes that grows with both axes.
    both: f64,
}

/// Bytes by rows along one axis.
struct Line {
    own: f64,
    /// `None` with one table.
    line: Option<Curve>,
    /// How many times as many rows its largest table has as its smallest.
    span: f64,
    check: Option<(HeldOut, f64)>,
}

impl Line {
    fn of(own: f64, sizes: &[(f64, f64)]) -> Line {
        Line {
            own,
            line: (sizes.len() > 1).then(|| line(sizes)),
            span: span(sizes),
            check: check(sizes),
        }
    }

    /// Returns whether this many times the rows are further away than the tables are apart.
    fn is_beyond(&self, times: f64) -> bool {
        self.line.is_some() && times > self.span * (1.0 + SAME)
    }

    /// Returns the growth to this many times the rows; in proportion to them where nothing is known.
    fn along(&self, times: f64) -> Along {
        match &self.line {
            Some(line) => Along {
                ratio: line.at(self.own * times) / line.at(self.own),
                share: 1.0 - line.constant / line.at(self.own),
            },
            None => Along {
                ratio: times,
                share: 1.0,
            },
        }
    }
}

impl StarBytes {
    /// Returns the bytes of a design, if its own table has a footprint.
    pub fn of(tables: &Tables<'_>, design: &DesignSummary, rows: u64) -> Option<StarBytes> {
        let bytes = |figures: &DesignSummary, rows: u64| Some(figures.bytes_per_row? * rows as f64);
        let measured = bytes(design, rows).filter(|bytes| *bytes > 0.0)?;
        let sizes = |scales: &super::Scales<'_>| -> Vec<(f64, f64)> {
            { scales.fitted().into_iter() }
                .filter_map(|(rows, figures)| Some((rows as f64, bytes(figures, rows)?)))
                .filter(|(_, bytes)| *bytes > 0.0)
                .collect()
        };
        let (of_series, of_time) = (sizes(&tables.series), sizes(&tables.time));
        let (series, time) = (
            Line::of(rows as f64, &of_series),
            Line::of(rows as f64, &of_time),
        );
        let share = |line: &Line| line.along(1.0).share;
        let corner = tables.corners.iter().find_map(|corner| {
            let bytes = bytes(corner.figures, corner.rows)?;
            let (one, other) = (series.along(corner.series), time.along(corner.time));
            Some(joint::solved(one, other, bytes / measured))
        });
        let (_, most) = joint::range(share(&series), share(&time));
        Some(StarBytes {
            tables: of_series.len().max(1) + of_time.len().max(1) - 1,
            both: corner.unwrap_or(most),
            measured,
            series,
            time,
        })
    }

    /// Returns the errors of the checks for each unit of the logarithm of rows.
    pub fn errors(&self) -> impl Iterator<Item = f64> {
        let checks = [&self.series.check, &self.time.check].into_iter().flatten();
        checks.map(|(held_out, ln_rows)| held_out.error() / ln_rows)
    }

    /// Returns the bytes of all copies, with the error by distance that all designs of the run have.
    pub fn at(&self, to: Factors, copies: u32, error: Option<f64>) -> StorageForecast {
        let (one, other) = (self.series.along(to.series), self.time.along(to.time));
        let relative = joint::relative(one, other, self.both);
        let bytes = self.measured * relative * f64::from(copies);
        let is_fitted = [(&self.series, to.series), (&self.time, to.time)]
            .iter()
            .all(|(line, times)| line.line.is_some() || *times == 1.0);
        let spread = match error {
            _ if to.is_measured() => Some(0.0),
            Some(error) if is_fitted => Some(error * to.distance()),
            _ => None,
        };
        StorageForecast {
            bytes,
            trials: Vec::new(),
            purchase: None,
            interval: spread.map(|spread| {
                let factor = (COVERED * spread).exp();
                (bytes / factor, bytes * factor)
            }),
            spread,
            is_beyond: self.series.is_beyond(to.series) || self.time.is_beyond(to.time),
            scales: self.tables,
            held_out: self.held_out(error.unwrap_or(0.0)),
            curve: None,
        }
    }

    /// Returns the worse of both checks, with the interval that it would have had.
    fn held_out(&self, error: f64) -> Option<HeldOut> {
        let checks = [&self.series.check, &self.time.check].into_iter().flatten();
        let worse = checks.max_by(|a, b| a.0.error().total_cmp(&b.0.error()))?;
        let (held_out, ln_rows) = worse;
        let factor = (COVERED * error * ln_rows).exp();
        Some(HeldOut {
            interval: (held_out.predicted / factor, held_out.predicted * factor),
            ..held_out.clone()
        })
    }
}
