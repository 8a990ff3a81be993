//! Orders the questions of the recommended design, those that matter most to a reader first.

use bakeoff_stats::decide::{
    AnswerClass, Cell, Decision, DesignStanding, LimitOf, LimitState, Span,
};

/// The time that the recommended design takes for a question.
pub struct Wait<'a> {
    pub name: &'a str,
    pub seconds: Span,
    /// Seconds at the measured scale.
    pub measured: Option<f64>,
    pub class: AnswerClass,
    pub basis: &'a str,
    /// The worst state of its limits; `None` if it has none.
    pub limit: Option<LimitState>,
    /// The quantile that this limit is on, with its seconds; `None` if it is on the median, or if these are not known.
    pub quantile: Option<(f64, f64)>,
}

/// Returns questions with a limit first, then the slowest. Those that the design did not answer are left
/// out.
pub fn waits(decision: &Decision) -> Vec<Wait<'_>> {
    let Some(design) = decision.recommended() else {
        return Vec::new();
    };
    let mut waits: Vec<Wait<'_>> = decision
        .questions
        .iter()
        .zip(&design.cells)
        .enumerate()
        .filter_map(|(index, (question, cell))| match cell {
            Cell::Time {
                seconds,
                measured,
                class,
                basis,
                ..
            } => {
                let limit = limit_of(decision, design, index);
                Some(Wait {
                    name: &question.name,
                    seconds: *seconds,
                    measured: *measured,
                    class: *class,
                    basis,
                    limit: limit.map(|(state, _)| state),
                    quantile: limit.and_then(|(_, quantile)| quantile),
                })
            }
            Cell::Failed(_) | Cell::Unknown(_) | Cell::NotMeasured => None,
        })
        .collect();
    waits.sort_by(|a, b| {
        let has_limit = |wait: &Wait<'_>| wait.limit.is_some();
        let by_limit = has_limit(b).cmp(&has_limit(a));
        by_limit.then(b.seconds.point.total_cmp(&a.seconds.point))
    });
    waits
}

/// Returns the slowest question of a design, among those whose time shows how fast it works.
pub fn slowest<'a>(decision: &'a Decision, cells: &'a [Cell]) -> Option<(&'a str, Span)> {
    let times = decision.questions.iter().zip(cells);
    let shown = times.filter_map(|(question, cell)| match cell {
        Cell::Time { seconds, class, .. } if class.shows_work() => {
            Some((question.name.as_str(), *seconds))
        }
        _ => None,
    });
    shown.max_by(|a, b| a.1.point.total_cmp(&b.1.point))
}

/// Returns the worst state of a question's limits, and the quantile that this limit is on with its seconds.
fn limit_of(
    decision: &Decision,
    design: &DesignStanding,
    question: usize,
) -> Option<(LimitState, Option<(f64, f64)>)> {
    let states = design.limits.iter().zip(&design.quantiles);
    let limits = decision.rule.limits.iter().zip(states);
    let of_question = limits.filter_map(|(limit, (state, seconds))| match limit.of {
        LimitOf::Question { index, quantile } if index == question => {
            Some((*state, quantile.zip(*seconds)))
        }
        _ => None,
    });
    of_question.max_by_key(|(state, _)| badness(state))
}

fn badness(state: &LimitState) -> u8 {
    match state {
        LimitState::Kept => 0,
        LimitState::ProbablyKept => 1,
        LimitState::NotKnown => 2,
        LimitState::ProbablyBroken(_) => 3,
        LimitState::Broken(_) => 4,
    }
}
