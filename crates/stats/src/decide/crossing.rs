//! The rows at which two fitted curves cross.

use super::contest::Contest;
use super::flip::{Flip, nearest_on_both_sides};
use super::objective::Objective;
use super::{Contender, Curve};

/// Number of steps on the logarithmic axis, in each of which a change of sign is searched.
const STEPS: usize = 400;
/// Number of times that a step is halved, after which it is narrower than three digits of a figure.
const HALVINGS: usize = 40;

/// Returns the first crossings below and above the rows of interest, within the range of the curves.
pub fn rows(contest: &Contest<'_>, recommended: usize, rivals: &[usize]) -> Vec<Flip> {
    let input = contest.input;
    let now = input.rows as f64;
    let range = input
        .known_rows
        .as_ref()
        .map_or((input.measured_rows.min(input.rows), input.rows), |known| {
            (known.from, known.to)
        });
    let (from, to) = (range.0.max(1) as f64, range.1.max(1) as f64);
    if !(from..=to).contains(&now) || from >= to {
        return Vec::new();
    }
    let Some(own) = Fitted::new(contest, recommended) else {
        return Vec::new();
    };
    let roots = rivals.iter().flat_map(|rival| {
        let roots = match Fitted::new(contest, *rival) {
            Some(other) => roots(&own, &other, now, (from, to)),
            None => Vec::new(),
        };
        roots.into_iter().map(move |at| (*rival, at))
    });
    nearest_on_both_sides(now, roots)
        .into_iter()
        .map(|(rival, at)| Flip::Rows {
            now,
            at,
            design: input.designs[rival].id.clone(),
        })
        .collect()
}

/// Logarithm of a design's cost as a function of the number of rows.
struct Fitted {
    /// Shares and curves: one curve for storage, several for the mean of times.
    parts: Vec<(f64, Curve)>,
}

impl Fitted {
    /// Collects the curves of a design. Returns `None` if one is missing, or the objective has none.
    fn new(contest: &Contest<'_>, design: usize) -> Option<Fitted> {
        let contender: &Contender = &contest.input.designs[design];
        let mut parts = Vec::new();
        match contest.objective? {
            Objective::Storage => parts.push((1.0, contender.storage.as_ref()?.curve?)),
            Objective::Time => {
                for (question, share) in contest.shares.iter().enumerate() {
                    if *share > 0.0 {
                        parts.push((*share, contender.seconds(question)?.curve?));
                    }
                }
            }
            _ => return None,
        }
        Some(Fitted { parts })
    }

    fn ln_cost(&self, rows: f64) -> f64 {
        let ln = |curve: &Curve| curve.at(rows).max(f64::MIN_POSITIVE).ln();
        self.parts
            .iter()
            .map(|(share, curve)| share * ln(curve))
            .sum()
    }
}

/// Returns the numbers of rows, on either side of `now`, at which the other design becomes better. Returns
/// none if it is better already.
fn roots(own: &Fitted, other: &Fitted, now: f64, (from, to): (f64, f64)) -> Vec<f64> {
    let advantage = |ln_rows: f64| own.ln_cost(ln_rows.exp()) - other.ln_cost(ln_rows.exp());
    let start = now.ln();
    if advantage(start) >= 0.0 {
        return Vec::new();
    }
    [from.ln(), to.ln()]
        .into_iter()
        .filter_map(|end| first_change(&advantage, start, end))
        .map(f64::exp)
        .collect()
}

/// Returns the first point between `start` and `end` at which the function is not negative, to the precision
/// of [`STEPS`]. It has to be negative at the start.
fn first_change(function: &impl Fn(f64) -> f64, start: f64, end: f64) -> Option<f64> {
    let step = (end - start) / STEPS as f64;
    let first = (1..=STEPS).find(|index| function(start + step * *index as f64) >= 0.0)?;
    let (mut before, mut after) = (
        start + step * (first - 1) as f64,
        start + step * first as f64,
    );
    for _ in 0..HALVINGS {
        let middle = before.midpoint(after);
        if function(middle) >= 0.0 {
            after = middle;
        } else {
            before = middle;
        }
    }
    Some(after)
}
