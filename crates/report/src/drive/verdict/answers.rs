//! Answers the question that a load was for by the figures of the best design.

use bakeoff_stats::drive::{DriveDesign, DriveSummary};

use super::figures::{but, objective, of_few};
use super::ranked::ranked;
use super::searched;
use crate::answer::Answer;
use crate::drive::{Kind, notes, slowest_p99, too_many_failed};
use crate::units;

/// Returns the question that the load was for, and its answer.
pub fn answers(summary: &DriveSummary) -> Vec<Answer> {
    let kind = Kind::of(summary);
    let ranking = ranked(summary, kind);
    let Some((best, figure)) = ranking.first() else {
        return Vec::new();
    };
    let but = but(summary, kind, best);
    let rate = |rate: f64| format!("{} ops/s", units::rate(rate));
    let mut answers = match kind {
        Kind::Search => vec![Answer {
            question: format!("Highest rate within {}", objective(summary)),
            figure: rate(figure.median),
            basis: format!("{}; {}", best.info.id, searched::interval(best, figure)),
        }],
        Kind::ClosedLoop => vec![Answer {
            question: format!("Throughput with {} in flight", summary.header.in_flight),
            figure: rate(figure.median),
            basis: format!("{}{but}", best.info.id),
        }],
        Kind::Rate | Kind::Varying => Vec::new(),
    };
    match kind {
        Kind::Search => answers.extend(within_objective(best)),
        _ => answers.extend(response_times(summary, best, kind)),
    }
    answers
}

/// Returns what each limit of the objective measured at the rate that was found, the highest of the
/// searches.
fn within_objective(design: &DriveDesign) -> Vec<Answer> {
    let found = |trial: u32| design.trials.contains(&trial);
    let probes = design.probes.iter().filter(|p| found(p.trial));
    let measured = probes.flat_map(|p| &p.measured);
    let mut highest: Vec<(&str, f64)> = Vec::new();
    for (limit, value) in measured {
        let Some(nanoseconds) = *value else { continue };
        match highest
            .iter_mut()
            .find(|(known, _)| *known == limit.as_str())
        {
            Some((_, most)) => *most = most.max(nanoseconds),
            None => highest.push((limit.as_str(), nanoseconds)),
        }
    }
    let answer = |(limit, nanoseconds): &(&str, f64)| Answer {
        question: format!("Measured for {limit}, at that rate"),
        figure: units::duration(nanoseconds / 1e9),
        basis: design.info.id.clone(),
    };
    highest.iter().map(answer).collect()
}

/// Returns the p99 of the operation that has the highest; none where many operations failed.
fn response_times(summary: &DriveSummary, design: &DriveDesign, kind: Kind) -> Option<Answer> {
    if too_many_failed(design) {
        return None;
    }
    let (operation, p99) = slowest_p99(summary, design)?;
    let name = &summary.header.operations[operation].name;
    let at = match kind {
        Kind::Search => "at that rate".to_owned(),
        Kind::ClosedLoop => "as fast as it goes".to_owned(),
        Kind::Rate | Kind::Varying => format!("at {}", notes::schedule(&summary.header)),
    };
    let rounds = if p99.observations > 1 {
        ", median of the rounds"
    } else {
        ""
    };
    Some(Answer {
        question: format!("Response time of 99% of the operations, {at}{rounds}"),
        figure: units::duration(p99.median),
        basis: format!(
            "{name} with {}{}{}",
            design.info.id,
            of_few(design, operation),
            but(summary, kind, design)
        ),
    })
}
