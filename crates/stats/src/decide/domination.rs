//! Designs that another one beats in everything, so that no rule would choose them.
//!
//! A design is dominated if one and the same other design is better by every objective: storage,
//! loading, the time of each question that counts. It is a union of such claims over the other
//! designs, each of which needs all of its objectives to be shown, so the error is shared among pairs
//! and looks, and not among objectives (Berger: Multiparameter hypothesis testing and acceptance
//! sampling, 1982).

mod open;

use super::contest::Contest;
use super::objective::Objective;
use super::ratio::{FEWEST_ROUNDS, deviation, ratios};
use super::{DecisionInput, LimitOf};
use crate::quantile::student;
pub use open::{NearlyDominated, gaps_in};

/// Probability with which any design of a run may be dropped that is not dominated.
const ERROR_OF_ALL: f64 = 0.05;
/// How many times the other's cost a dropped design has at least, where no forecast says what becomes of
/// it at full scale or the error of a figure is not known. It is chosen, not derived.
const MARGIN: f64 = 2.0;
/// Degrees of freedom at which Student's distribution is nearly the normal one.
const MANY: f64 = 1e3;

/// Figures at the scales that were measured.
pub enum Scales<'a> {
    /// At full scale: they are measured there, or forecasts with their errors.
    Full(&'a DecisionInput),
    /// At two numbers of rows below it, the smaller first.
    Below {
        scales: [&'a DecisionInput; 2],
        full_rows: u64,
    },
}

/// A design that another one beats by every objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Dominated {
    pub design: String,
    pub by: String,
    /// Its cost by the rule's objective.
    pub cost: f64,
    pub gaps: Vec<Gap>,
}

/// The cost of a dominated design by one objective, as a multiple of the other's.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    pub objective: Objective,
    /// The estimate at the largest scale that was measured.
    pub times: f64,
    /// Remainder of the gap when everything that was allowed for is taken off: the error, that it closes up
    /// to the full scale, and the margin.
    pub at_least: f64,
}

/// Two designs by one objective at one scale: logarithms of the ratio of costs.
#[derive(Clone, Copy)]
struct Ratio {
    ln: f64,
    low: f64,
    /// Whether both costs are without error, such as counted bytes.
    is_exact: bool,
}

/// A scale with what its figures are compared by.
struct Scale<'a> {
    contest: Contest<'a>,
    /// Probability with which one lower bound may be too high.
    error: f64,
}

impl Dominated {
    /// Finds the dominated designs, where figures are looked at this many times in all. Of several designs
    /// that beat one, the cheapest is named.
    pub fn find(scales: &Scales<'_>, looks: usize) -> Vec<Dominated> {
        let Some(field) = Field::of(scales, looks) else {
            return Vec::new();
        };
        let designs = field.last.contest.remaining();
        designs.filter_map(|design| field.beaten(design)).collect()
    }
}

/// The scales that are looked at, the largest last.
struct Field<'a> {
    before: Option<Scale<'a>>,
    last: Scale<'a>,
    /// How many times as far it is to the full scale as from the scale before, in orders of magnitude.
    reach: f64,
}

impl<'a> Field<'a> {
    /// Returns `None` where the second scale has no more rows than the first one, since then nothing shows
    /// whether a gap grows.
    fn of(scales: &Scales<'a>, looks: usize) -> Option<Field<'a>> {
        match scales {
            Scales::Full(input) => Some(Field {
                before: None,
                last: Scale::of(input, looks),
                reach: 0.0,
            }),
            Scales::Below { scales, full_rows } => {
                let [before, last] = scales.map(|input| Scale::of(input, looks));
                let ln = |rows: u64| (rows.max(1) as f64).ln();
                let step = ln(last.rows()) - ln(before.rows());
                let reach = ((ln(*full_rows) - ln(last.rows())) / step).max(0.0);
                (step > 0.0).then_some(Field {
                    before: Some(before),
                    last,
                    reach,
                })
            }
        }
    }

    /// Compares a design with each of the others, the cheapest first.
    fn beaten(&self, design: usize) -> Option<Dominated> {
        let contest = &self.last.contest;
        let rule = contest.objective?;
        let cost = contest.point(rule, design)?;
        let mut others: Vec<(usize, f64)> = { contest.remaining() }
            .filter(|other| *other != design)
            .filter_map(|other| Some((other, contest.point(rule, other)?)))
            .collect();
        others.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut found = others.into_iter().filter_map(|(other, _)| {
            let gaps = self.gaps(design, other)?;
            Some((other, gaps))
        });
        let (by, gaps) = found.next()?;
        let id = |design: usize| contest.input.designs[design].id.clone();
        Some(Dominated {
            design: id(design),
            by: id(by),
            cost,
            gaps,
        })
    }

    /// Returns the gaps by all objectives, if the design is worse by every one of them.
    fn gaps(&self, design: usize, other: usize) -> Option<Vec<Gap>> {
        let objectives = self.last.contest.objectives();
        let is_compared = !objectives.is_empty() && self.limits_are_compared(&objectives);
        let mut gaps = is_compared.then(|| Vec::with_capacity(objectives.len()))?;
        for objective in objectives {
            let (gap, is_shown) = self.compare(objective, design, other)?;
            if !is_shown {
                return None;
            }
            gaps.push(gap);
        }
        Some(gaps)
    }

    /// Returns the gap by an objective, and whether it shows that the design is worse. Returns `None` if it is
    /// not known.
    fn compare(&self, objective: Objective, design: usize, other: usize) -> Option<(Gap, bool)> {
        let (times, at_least) = self.gap(objective, design, other)?;
        let gap = Gap {
            objective,
            times: times.exp(),
            at_least: at_least.exp(),
        };
        Some((gap, at_least > self.least(objective)))
    }

    /// Whether every limit is one of an objective, so that a design that is worse by all of them breaks
    /// what the other one breaks. Of quantiles nothing is shown.
    fn limits_are_compared(&self, objectives: &[Objective]) -> bool {
        let limits = &self.last.contest.input.rule.limits;
        limits.iter().all(|limit| match limit.of {
            LimitOf::Storage => objectives.contains(&Objective::Storage),
            LimitOf::Load => objectives.contains(&Objective::Load),
            LimitOf::Question { index, quantile } => {
                quantile.is_none() && objectives.contains(&Objective::Question(index))
            }
        })
    }

    /// Returns the logarithm of the ratio at the largest scale, and the least that it is at full scale. A
    /// gap that closes is taken to go on closing; one that grows is taken to stay. Loading is compared by the
    /// rows between the scales alone, too, since at few rows the fixed part of settling is most of it.
    fn gap(&self, objective: Objective, design: usize, other: usize) -> Option<(f64, f64)> {
        let last = self.last.ratio(objective, design, other)?;
        let Some(before) = &self.before else {
            return Some((last.ln, last.low));
        };
        let before = before.ratio(objective, design, other)?;
        let closing = (last.ln - before.ln).min(0.0);
        let at_full_scale = last.ln + self.reach * closing;
        if last.is_exact {
            return Some((last.ln, at_full_scale));
        }
        let margin = at_full_scale - MARGIN.ln();
        let at_least = margin.min(last.low);
        // Where it loads faster, the rows between the scales prove nothing.
        if objective != Objective::Load || last.ln <= 0.0 {
            return Some((last.ln, at_least));
        }
        let own = self.seconds_a_further_row(design, 0.25);
        let best = self.seconds_a_further_row(other, 0.5);
        let Some((own, best)) = own.zip(best) else {
            return Some((last.ln, at_least));
        };
        let further = (own / best).ln() - MARGIN.ln();
        Some((last.ln, further.max(at_least)))
    }

    /// Returns what each row costs in loading that the larger scale has more than the one before. Returns
    /// `None` if these rows took less than this share of the time, since that is little more than the error
    /// of two measured times.
    fn seconds_a_further_row(&self, design: usize, least_share: f64) -> Option<f64> {
        let of = |scale: &Scale<'_>| {
            let rows = scale.rows() as f64;
            let seconds = rows * scale.contest.point(Objective::Load, design)?;
            Some((rows, seconds))
        };
        let (fewer, before) = of(self.before.as_ref()?)?;
        let (more, last) = of(&self.last)?;
        let seconds = last - before;
        (seconds >= least_share * last).then(|| seconds / (more - fewer))
    }

    /// The gap by the rule's objective exceeds what the rule calls the same.
    fn least(&self, objective: Objective) -> f64 {
        let contest = &self.last.contest;
        if Some(objective) == contest.objective {
            contest.input.rule.same_within.ln_1p()
        } else {
            0.0
        }
    }
}

impl<'a> Scale<'a> {
    fn of(input: &'a DecisionInput, looks: usize) -> Scale<'a> {
        let contest = Contest::new(input);
        let designs = contest.remaining().count();
        let pairs = (designs * designs.saturating_sub(1)).max(1);
        Scale {
            contest,
            error: ERROR_OF_ALL / (pairs * looks.max(1)) as f64,
        }
    }

    fn rows(&self) -> u64 {
        self.contest.input.rows
    }

    /// Compares two designs. Returns `None` if a cost of them is not known.
    fn ratio(&self, objective: Objective, design: usize, other: usize) -> Option<Ratio> {
        let own = self.contest.costs(objective, design)?;
        let best = self.contest.costs(objective, other)?;
        let ln = (own.point / best.point).ln();
        let is_known = own.is_error_known && best.is_error_known;
        let is_exact = is_known && own.resamples.is_empty() && best.resamples.is_empty();
        let half = if is_exact {
            0.0
        } else if is_known && objective.is_timed() {
            self.half_of_rounds(&ratios(&own, &best))
        } else if is_known {
            student(2.0 * self.error, MANY) * deviation(&ratios(&own, &best))
        } else if objective.is_timed() {
            f64::INFINITY
        } else {
            MARGIN.ln()
        };
        Some(Ratio {
            ln,
            low: ln - half,
            is_exact,
        })
    }

    /// Returns how far the lower bound is below the estimate. Resamples of few rounds do not reach as far
    /// out as is asked for, so the bound is Student's, with their deviation.
    fn half_of_rounds(&self, samples: &[f64]) -> f64 {
        let rounds = self.contest.input.rounds;
        if rounds < FEWEST_ROUNDS {
            return f64::INFINITY;
        }
        let freedom = f64::from(rounds) - 1.0;
        let deviation = deviation(samples) * (f64::from(rounds) / freedom).sqrt();
        student(2.0 * self.error, freedom) * deviation
    }
}
