//! A look at the figures between two rounds: which designs may go, and whether enough was measured.

use super::drop::{Kept, dropped};
use super::{ALL_LOOKS, LOOKS, tables};
use crate::compare::{Dropped, InstanceKind, Record, Summary, SummaryError, WhyStopped};
use crate::decide::{Certainty, DecisionInput, Dominated, Scales, is_settled};

/// Rounds after which a decision that rests on forecasts gains nothing by further ones.
const ROUNDS_OF_A_FORECAST: u32 = 12;

/// Conclusion of a look.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    pub dropped: Vec<Dropped>,
    /// Why no further round is needed; `None` where measuring goes on.
    pub stop: Option<WhyStopped>,
}

/// Looks at the records of a race after a round.
///
/// # Errors
/// The records are not those of a run.
pub fn look(records: &[Record]) -> Result<Look, SummaryError> {
    let summary = Summary::from_records(records)?;
    let Some(input) = summary
        .decision_input()
        .filter(|input| input.rounds >= LOOKS[0])
    else {
        return Ok(Look::default());
    };
    if let Some(why) = stop(&summary, &input) {
        return Ok(Look {
            dropped: Vec::new(),
            stop: Some(why),
        });
    }
    let found = dominated(records, &summary, &input)?;
    Ok(Look {
        dropped: dropped(found, &input, &kept(&summary)),
        stop: None,
    })
}

/// Returns why no further round pays, if so.
fn stop(summary: &Summary, input: &DecisionInput) -> Option<WhyStopped> {
    let decision = summary.decision.as_ref()?;
    let recommendation = decision.recommendation.as_ref()?;
    let is_forecast = decision.forecasts_times();
    // The loss says nothing of resamples in which the recommended design breaks a limit.
    let keeps_limits = !recommendation.is_unsure_of_limits();
    match recommendation.expected_loss {
        Some(expected_loss) if expected_loss < input.rule.same_within / 2.0 && keeps_limits => {
            Some(WhyStopped::LittleToGain { expected_loss })
        }
        _ if recommendation.certainty == Certainty::Settled && is_settled(input) => {
            Some(WhyStopped::Settled)
        }
        _ if is_forecast && input.rounds >= ROUNDS_OF_A_FORECAST => {
            Some(WhyStopped::ForecastDecides)
        }
        _ => None,
    }
}

fn dominated(
    records: &[Record],
    summary: &Summary,
    input: &DecisionInput,
) -> Result<Vec<Dominated>, SummaryError> {
    let full_rows = summary.full_rows();
    if input.rows >= full_rows {
        return Ok(Dominated::find(&Scales::Full(input), ALL_LOOKS));
    }
    let Some(rows) = largest_below(summary, input.rows) else {
        return Ok(Vec::new());
    };
    let Some(smaller) = tables::input(records, rows)? else {
        return Ok(Vec::new());
    };
    let scales = Scales::Below {
        scales: [&smaller, input],
        full_rows,
    };
    Ok(Dominated::find(&scales, ALL_LOOKS))
}

/// Returns the rows of the largest tables that have fewer rows than the designs' own: where a budget chose
/// these, a rung may have more.
fn largest_below(summary: &Summary, own: u64) -> Option<u64> {
    let smaller = summary
        .instances
        .iter()
        .filter_map(|further| match further.instance.kind {
            InstanceKind::Smaller { rows } => Some(rows).filter(|rows| *rows < own),
            InstanceKind::Twin | InstanceKind::Part { .. } => None,
        });
    smaller.max()
}

fn kept(summary: &Summary) -> Kept {
    let decide = summary.header.decide.as_ref();
    let baseline = decide.and_then(|decide| decide.rule.baseline.clone());
    let twins = { summary.instances.iter() }
        .filter(|further| further.instance.kind == InstanceKind::Twin)
        .map(|further| further.instance.design.clone());
    let dropped = summary.designs.iter().flat_map(|design| &design.dropped);
    let before = dropped.clone().map(|dropped| dropped.design.clone());
    Kept {
        ids: baseline.into_iter().chain(twins).chain(before).collect(),
        has_control: dropped.clone().any(|dropped| dropped.is_control),
    }
}
