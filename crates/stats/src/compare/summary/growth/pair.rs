//! One query on one design: its fit, the check of the fit, and times at other numbers of rows.

use super::fit::{Fit, Point, Value, times};
use super::refusal::Refusal;
use super::scales::{Scales, Work};
use super::{COVERED, HeldOut, Projected, Projection, Trial};
use crate::compare::ladder::{ForecastNeeds, Ladder};
use crate::compare::{DesignSummary, Grows, Scale};

/// Scales of a fit: two parameters, and as many again that can contradict them.
pub const FEWEST_SCALES: usize = Ladder::FEWEST as usize;
/// Tables of a trial: with fewer, nothing contradicts two parameters.
const FEWEST_OF_A_TRIAL: usize = 3;
/// A factor up and down beyond which an interval says nothing.
pub const WIDEST: f64 = 3.0;

/// A query on a design with everything that its tables show.
pub struct Pair {
    /// The design's own rows.
    rows: u64,
    /// Median of the design's own table.
    pub measured: f64,
    points: Vec<Point>,
    fit: Option<Fit>,
    /// Why there is no fit.
    too_few: Option<Few>,
    work: Work,
    is_scan: bool,
    needs: ForecastNeeds,
    pub check: Option<Check>,
}

/// Reasons for which there is no fit.
#[derive(Clone, Copy)]
enum Few {
    /// The design has a table of one size.
    Tables,
    /// Too few of its tables have figures.
    Figures,
}

/// Prediction of the largest scale from the others.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    pub predicted: f64,
    /// Standard error of the logarithm, by the fit.
    pub error: f64,
    pub measured: f64,
    /// The time at the scale before the largest one, in proportion to the rows.
    pub proportional: f64,
    /// Logarithm of how many times larger the largest scale is than the one before.
    pub ln_rows: f64,
}

/// Errors that a pair has in common with others of its run.
#[derive(Debug, Clone, Copy)]
pub struct Common {
    /// Standard deviation of the logarithm between tables of one design.
    pub tables: f64,
    /// Root of the mean square of the errors of prediction beyond those of fit and tables, for each unit
    /// of the logarithm of rows.
    pub prediction: f64,
}

impl Pair {
    /// Returns the pair, if the design's own table has times.
    pub fn of(
        scales: &Scales<'_>,
        design: &DesignSummary,
        (rows, needs): (u64, ForecastNeeds),
        query: usize,
    ) -> Option<Pair> {
        let measured = design.queries.get(query)?.time?.median;
        let points = scales.points(query);
        let work = scales.work(query);
        let (fit, check) = fitted(&points, &work);
        let few = match fit {
            Some(_) => None,
            None if scales.count() < 2 => Some(Few::Tables),
            None => Some(Few::Figures),
        };
        let rare = points.first().filter(|_| scales.is_rare(query));
        let needs = ForecastNeeds {
            fewest: needs.fewest.max(rare.map_or(0, |point| point.rows as u64)),
            ..needs
        };
        Some(Pair {
            rows,
            measured,
            check: check.map(|check| Check { measured, ..check }),
            is_scan: scales.is_scan(query),
            too_few: few,
            points,
            fit,
            work,
            needs,
        })
    }

    /// Returns the number of tables that were fitted.
    pub fn scales(&self) -> usize {
        self.points.len()
    }

    /// Returns the rows of the smallest table that was fitted.
    pub fn least_rows(&self) -> u64 {
        self.points.first().map_or(self.rows, |p| p.rows as u64)
    }

    /// Returns the most rows that a forecast may be for.
    pub fn most_rows(&self) -> u64 {
        (self.rows as f64 * self.span()) as u64
    }

    fn span(&self) -> f64 {
        self.rows as f64 / self.least_rows().max(1) as f64
    }

    /// Returns the time for a number of rows.
    pub fn at(&self, rows: u64, scale: &Scale, common: &Common) -> Projected {
        if rows == self.rows {
            return Projected::Seconds(Projection::measured(self.measured));
        }
        let refusal = self.too_few(rows);
        let refusal = refusal.or_else(|| self.other_ways(rows, scale));
        let refusal = refusal.or_else(|| self.beyond(rows));
        match (refusal, &self.fit) {
            (Some(refusal), _) => Projected::Refused(refusal),
            (None, Some(fit)) => self.projected(fit, rows, common),
            (None, None) => Projected::Refused(Refusal::OneScale { rows: self.rows }),
        }
    }

    fn projected(&self, fit: &Fit, rows: u64, common: &Common) -> Projected {
        let fitted = fit.at(rows as f64);
        // No forecast of more rows is shorter than what was measured. The fit may be, where that lies above it by
        // chance; it is raised as a whole, so that it says the same of these rows.
        let least = if rows > self.rows { self.measured } else { 0.0 };
        let seconds = fitted.value.max(least);
        let raised = seconds / fitted.value.max(f64::MIN_POSITIVE);
        let distance = (rows as f64 / self.rows as f64).ln().max(0.0);
        let spread = common.spread(fitted.error, distance);
        let factor = (COVERED * spread).exp();
        Projection {
            seconds,
            interval: (seconds / factor, seconds * factor),
            spread,
            curve: Some(times(fit.curve(), raised)),
        }
        .unless_too_wide(factor)
    }

    /// Smaller tables hold the first rows, so that they show one way to grow.
    fn other_ways(&self, rows: u64, scale: &Scale) -> Option<Refusal> {
        let reads_more = matches!(self.work, Work::More(_));
        match scale.grows {
            _ if rows <= self.rows => None,
            None if !self.is_scan => Some(Refusal::SeveralWays),
            Some(Grows::RowsFrom { rows: from }) if self.rows < from && !self.is_scan => {
                Some(Refusal::TooFewRows {
                    rows: self.rows,
                    forecast: rows,
                    load: self.needs.to_load(rows),
                })
            }
            Some(Grows::Along { series, .. }) if series > 1.0 && !(reads_more || self.is_scan) => {
                Some(Refusal::MoreSeries { times: series })
            }
            _ => None,
        }
    }

    fn too_few(&self, forecast: u64) -> Option<Refusal> {
        let few = self.too_few?;
        let rows = self.rows;
        let load = self.needs.to_load(forecast);
        Some(match few {
            _ if load.rows > rows => Refusal::TooFewRows {
                rows,
                forecast,
                load,
            },
            Few::Tables => Refusal::OneScale { rows },
            Few::Figures => Refusal::TooFewScales {
                scales: self.points.len(),
            },
        })
    }

    fn beyond(&self, forecast: u64) -> Option<Refusal> {
        let (rows, from) = (self.rows, self.least_rows());
        if forecast < from {
            let rows = forecast;
            return Some(Refusal::TooNear { rows, from });
        }
        if forecast as f64 / rows as f64 <= self.span() {
            return None;
        }
        let load = self.needs.to_load(forecast);
        Some(if load.rows > rows {
            Refusal::TooFar {
                rows,
                forecast,
                load,
            }
        } else {
            Refusal::TooClose {
                rows,
                forecast,
                ladder: self.needs.widest(rows, forecast),
            }
        })
    }

    /// Returns the check of the fit with the interval that it would have had.
    pub fn held_out(&self, others: &Common) -> Option<HeldOut> {
        self.check.as_ref().map(|check| check.held_out(others))
    }
}

impl Pair {
    /// Returns the prediction of each table from the smaller ones, as far as such a forecast would not be
    /// refused.
    pub fn trials(&self, others: &Common) -> Vec<Trial> {
        let known = FEWEST_OF_A_TRIAL..self.points.len();
        known
            .flat_map(|known| {
                let (known, larger) = self.points.split_at(known);
                let trial = |point: &Point| self.trial(known, point, others);
                larger.iter().filter_map(trial).collect::<Vec<_>>()
            })
            .collect()
    }

    fn trial(&self, known: &[Point], larger: &Point, others: &Common) -> Option<Trial> {
        let (first, last) = (known.first()?, known.last()?);
        let times = larger.rows / last.rows;
        if times > last.rows / first.rows {
            return None;
        }
        let value = best(known, &self.work)?.0(known, &self.work).at(larger.rows);
        let predicted = value.value.max(last.ln.exp());
        let factor = (COVERED * others.spread(value.error, times.ln())).exp();
        let is_made = factor <= WIDEST && predicted > 0.0;
        is_made.then(|| Trial {
            from_rows: last.rows as u64,
            rows: larger.rows as u64,
            held_out: HeldOut {
                predicted,
                interval: (predicted / factor, predicted * factor),
                measured: larger.ln.exp(),
                proportional: last.ln.exp() * times,
            },
        })
    }
}

impl Common {
    /// Returns the standard deviation of the logarithm at this distance from the measured rows.
    pub fn spread(&self, fit: f64, distance: f64) -> f64 {
        let far = self.prediction * distance;
        (fit * fit + self.tables * self.tables + far * far).sqrt()
    }
}

impl Check {
    /// Compares a prediction of the largest table with it; `before` is the next smaller one, whose time it is not
    /// shorter than.
    pub fn new(predicted: &Value, before: &Point, largest: &Point) -> Check {
        let times = largest.rows / before.rows;
        Check {
            predicted: predicted.value.max(before.ln.exp()),
            error: predicted.error,
            measured: largest.ln.exp(),
            proportional: before.ln.exp() * times,
            ln_rows: times.ln(),
        }
    }

    /// Returns the check with the interval that it would have had, with the errors of others.
    pub fn held_out(&self, others: &Common) -> HeldOut {
        let factor = (COVERED * others.spread(self.error, self.ln_rows)).exp();
        HeldOut {
            predicted: self.predicted,
            interval: (self.predicted / factor, self.predicted * factor),
            measured: self.measured,
            proportional: self.proportional,
        }
    }

    /// Returns the square of the error beyond what fit and tables account for, for each unit of the
    /// logarithm of rows. It is negative where they account for more than the error.
    pub fn excess(&self, tables: f64) -> f64 {
        let error = super::ln_error(self.predicted, self.measured);
        let known = self.error * self.error + tables * tables;
        (error * error - known) / (self.ln_rows * self.ln_rows)
    }
}

/// Returns the fit, if there are scales enough, and its check.
fn fitted(points: &[Point], work: &Work) -> (Option<Fit>, Option<Check>) {
    let Some((fit, check)) = best(points, work) else {
        return (None, None);
    };
    let has_enough = points.len() >= FEWEST_SCALES;
    let complete = has_enough.then(|| fit(points, work));
    (complete, check.filter(|_| has_enough))
}

/// Returns the way to fit that predicts the largest of these tables best, with that prediction.
fn best(points: &[Point], work: &Work) -> Option<(Method, Option<Check>)> {
    { candidates(work).into_iter() }
        .map(|fit| (fit, check(points, work, fit)))
        .min_by(|a, b| error(a.1).total_cmp(&error(b.1)))
}

pub type Method = fn(&[Point], &Work) -> Fit;

/// Returns the ways to fit, of which the one that predicted best is taken. A query that reads the same
/// rows from every table takes the same time.
pub fn candidates(work: &Work) -> Vec<Method> {
    match work {
        Work::Same => vec![|points, _| Fit::constant(points)],
        Work::Unknown => vec![|points, _| Fit::growing(points)],
        Work::More(_) => vec![|points, _| Fit::growing(points), by_work],
    }
}

fn by_work(points: &[Point], work: &Work) -> Fit {
    match work {
        Work::More(read) => {
            let read = &read[..points.len().min(read.len())];
            Fit::growing_as(points, Fit::growing(read))
        }
        Work::Unknown | Work::Same => Fit::growing(points),
    }
}

fn error(check: Option<Check>) -> f64 {
    check.map_or(f64::INFINITY, |c| super::ln_error(c.predicted, c.measured))
}

/// Predicts the largest scale from the others.
fn check(points: &[Point], work: &Work, fit: Method) -> Option<Check> {
    let (last, others) = points.split_last()?;
    if points.len() < FEWEST_SCALES {
        return None;
    }
    let before = others.last()?;
    let value = fit(others, work).at(last.rows);
    Some(Check::new(&value, before, last))
}
