//! Decides statements by measured figures.

use super::samples::{self, Rounds, Samples};
use super::{Claim, Comparison, Finding, Judged, StepResult, Value};
use crate::Estimate;
use crate::rounds::method::{FEWEST_ROUNDS, Method, TableNoise};
use crate::rounds::paired::Paired;

/// The figures that a statement is decided by.
enum Found {
    /// Values by round, and those that they are divided by.
    Rounds(Rounds, Option<Rounds>),
    /// A value without rounds.
    Plain(Value),
}

/// Decides all statements of a study. The intervals of those that rest on rounds hold at once with a
/// probability of 95% (Bonferroni).
pub fn all(claims: &[Claim], steps: &[StepResult]) -> Vec<Judged> {
    let found: Vec<Result<Found, String>> = claims.iter().map(|claim| find(claim, steps)).collect();
    let known = || found.iter().flatten();
    let comparisons: usize = known().map(Found::comparisons).sum();
    let pairs: Vec<Paired> = known().filter_map(Found::pairs).collect();
    let method = Method::new(comparisons, &pairs);
    let both = claims.iter().zip(&found);
    both.map(|(claim, found)| judged(claim, found, &method))
        .collect()
}

impl Found {
    /// Returns the pairs of each round, if there are rounds.
    fn pairs(&self) -> Option<Paired> {
        match self {
            Found::Rounds(of, Some(to)) => Some(Paired::new(&of.values, &to.values)),
            Found::Rounds(of, None) => Some(Paired::of_one(&of.values)),
            Found::Plain(_) => None,
        }
    }

    /// Returns how many comparisons the interval is corrected for.
    fn comparisons(&self) -> usize {
        match self {
            Found::Rounds(of, to) => {
                let other = to.as_ref().map_or(1, |to| to.chosen_from);
                of.chosen_from.max(other)
            }
            Found::Plain(_) => 0,
        }
    }

    /// Returns the noise of tables. Two queries of one design are asked of one table, whose noise may
    /// differ between them: the larger one counts.
    fn noise(&self) -> Option<TableNoise> {
        let Found::Rounds(of, to) = self else {
            return None;
        };
        let noises = of
            .noise
            .into_iter()
            .chain(to.as_ref().and_then(|to| to.noise));
        noises.max_by(|a, b| a.variance.total_cmp(&b.variance))
    }

    fn value(&self, method: &Method) -> Option<Value> {
        if let Found::Plain(value) = self {
            return Some(*value);
        }
        let pairs = self.pairs()?;
        let interval = method.interval(&pairs, self.noise())?;
        Some(Value {
            value: interval.centre.exp(),
            interval: interval.bounds(),
            observations: u32::try_from(pairs.rounds()).unwrap_or(u32::MAX),
        })
    }
}

fn judged(claim: &Claim, found: &Result<Found, String>, method: &Method) -> Judged {
    let value = match found {
        Ok(found) => found.value(method),
        Err(reason) => {
            return Judged {
                finding: Finding::NotMeasured(reason.clone()),
                value: None,
            };
        }
    };
    let finding = match (&claim.comparison, &value) {
        (Some(comparison), Some(value)) => decide(comparison, value),
        _ => Finding::NotMeasured("the figures have no round in common".to_owned()),
    };
    Judged { finding, value }
}

/// Decides a statement by a value and its interval.
fn decide(comparison: &Comparison, value: &Value) -> Finding {
    let (least, most) = (
        comparison.at_least.unwrap_or(0.0),
        comparison.at_most.unwrap_or(f64::INFINITY),
    );
    let Some((low, high)) = value.interval else {
        return Finding::NotSettled(format!(
            "{} of at least {FEWEST_ROUNDS} rounds",
            value.observations
        ));
    };
    if low >= least && high <= most {
        Finding::Holds
    } else if high < least || low > most {
        Finding::DoesNotHold
    } else {
        Finding::NotSettled("the interval reaches beyond the bound".to_owned())
    }
}

/// Finds the figures of a statement in what its step measured.
///
/// # Errors
/// Says in words why they are not there.
fn find(claim: &Claim, steps: &[StepResult]) -> Result<Found, String> {
    let Some(comparison) = &claim.comparison else {
        return Err("nothing here measures it".to_owned());
    };
    let step = steps.iter().find(|step| step.name == comparison.step);
    let measured = step.and_then(|step| step.measured.as_ref());
    let Some(measured) = measured else {
        return Err(format!("the step {} has no figures", comparison.step));
    };
    let of = samples::of(measured, &comparison.of)?;
    let Some(to) = &comparison.to else {
        return Ok(match of {
            Samples::Rounds(of) => Found::Rounds(of, None),
            of => Found::Plain(plain(&of)),
        });
    };
    Ok(match (of, samples::of(measured, to)?) {
        (Samples::Rounds(of), Samples::Rounds(to)) => Found::Rounds(of, Some(to)),
        (of, to) => Found::Plain(quotient(&plain(&of), &plain(&to))),
    })
}

/// Returns a figure with its own interval.
fn plain(samples: &Samples) -> Value {
    match samples {
        Samples::Count(count) => Value {
            value: *count,
            interval: Some((*count, *count)),
            observations: 0,
        },
        Samples::Estimate(estimate) => of_estimate(estimate),
        Samples::Rounds(rounds) => {
            let values: Vec<f64> = rounds.values.iter().map(|(_, value)| *value).collect();
            let estimate = Estimate::from_samples(&values);
            estimate.as_ref().map_or(NOTHING, of_estimate)
        }
    }
}

/// A figure without a value, which decides nothing.
const NOTHING: Value = Value {
    value: f64::NAN,
    interval: None,
    observations: 0,
};

fn of_estimate(estimate: &Estimate) -> Value {
    let is_enough = estimate.observations as usize >= FEWEST_ROUNDS;
    Value {
        value: estimate.median,
        interval: is_enough.then_some((estimate.low, estimate.high)),
        observations: estimate.observations,
    }
}

/// Divides two values that are not paired: the interval reaches from the least to the greatest ratio that
/// their own intervals allow.
fn quotient(of: &Value, to: &Value) -> Value {
    let interval = of.interval.zip(to.interval);
    let bounds = interval.map(|(of, to)| (of.0 / to.1, of.1 / to.0));
    // What is counted has no observations, and limits nothing.
    let observed = [of.observations, to.observations].into_iter();
    Value {
        value: of.value / to.value,
        interval: bounds.filter(|(low, high)| low.is_finite() && high.is_finite()),
        observations: observed.filter(|number| *number > 0).min().unwrap_or(0),
    }
}
