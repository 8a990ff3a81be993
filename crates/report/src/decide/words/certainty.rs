//! Words the rule, and how certain the recommendation is by it.

use bakeoff_stats::decide::{
    Certainty, Decision, Doubt, ForecastsHeld, LimitState, Minimise, Recommendation,
};

use super::lead::is_lead_of_twins;
use super::{limit_state, percent};
use crate::listing::list;
use crate::units;

/// Most names in one list, beyond which only their number is given.
const LISTED: usize = 3;
/// Multiple below which a difference is shown in percent.
const FEW_TIMES: f64 = 1.2;

/// Describes the rule by which the design was chosen.
pub fn rule(decision: &Decision) -> String {
    let rule = &decision.rule;
    let mut parts = vec![objective(decision)];
    if !rule.limits.is_empty() {
        let limits: Vec<&str> = rule
            .limits
            .iter()
            .map(|limit| limit.text.as_str())
            .collect();
        parts.push(format!("limits: {}", list(&limits, LISTED)));
    }
    if rule.same_within > 0.0 {
        parts.push(format!(
            "differences up to {} are ignored",
            percent(rule.same_within)
        ));
    }
    let source = if rule.is_stated {
        ""
    } else {
        " This is the default; [decide] in the workload states another rule."
    };
    let fallback = fallback(decision).unwrap_or_default();
    format!("{fallback}{}.{source}", parts.join("; "))
}

/// Says why the stated objective does not decide, if so; another sentence follows.
fn fallback(decision: &Decision) -> Option<String> {
    Some(match (decision.fallback?.wanted, &decision.no_month) {
        (Minimise::Month, Some(why)) => {
            format!("The cost of a month is not known for any design ({why}). ")
        }
        (Minimise::Month, None) => {
            "No prices were given, so the cost of a month cannot decide. ".to_owned()
        }
        _ => "The figures for the stated objective are not known. ".to_owned(),
    })
}

fn objective(decision: &Decision) -> String {
    match decision.minimised() {
        Minimise::Month => "The lowest cost per month".to_owned(),
        Minimise::Storage => "The least storage".to_owned(),
        Minimise::Load => "The fastest loading".to_owned(),
        Minimise::Time => format!("The shortest answers{}", weights(decision)),
    }
}

fn weights(decision: &Decision) -> String {
    let mut counted: Vec<_> = decision
        .questions
        .iter()
        .filter(|q| q.share > 0.0)
        .collect();
    if !decision.rule.has_weights || counted.len() < 2 {
        return match counted.len() {
            0 if decision.is_unfinished => String::new(),
            0 => ", but no question counts".to_owned(),
            1 => format!(", by {} alone", counted[0].name),
            n => format!(", all {} questions alike", units::count(n as u64)),
        };
    }
    counted.sort_by(|a, b| b.share.total_cmp(&a.share));
    let shares: Vec<String> = counted
        .iter()
        .map(|question| format!("{} {}", question.name, percent(question.share)))
        .collect();
    let shares: Vec<&str> = shares.iter().map(String::as_str).collect();
    format!(", by weight: {}", list(&shares, LISTED))
}

/// Says how certain the recommendation is, and why it is not more certain.
pub fn certainty(decision: &Decision) -> Option<String> {
    let recommendation = decision.recommendation.as_ref()?;
    let mut sentences = vec![confidence(decision, recommendation)];
    sentences.extend(decision.forecasts.as_ref().map(held));
    if recommendation.doubts.contains(&Doubt::ForecastsMissed) {
        sentences.push(doubt(&Doubt::ForecastsMissed));
    }
    sentences.extend(limits(decision, recommendation));
    // Lines are few, and what failed is not to be cut off.
    let others = recommendation
        .doubts
        .iter()
        .filter(|doubt| **doubt != Doubt::ForecastsMissed);
    let (troubles, doubts): (Vec<&Doubt>, Vec<&Doubt>) =
        others.partition(|doubt| matches!(doubt, Doubt::Troubles(_) | Doubt::DroppedInVain(_)));
    sentences.extend(troubles.into_iter().map(doubt));
    sentences.extend(runner_up(decision, recommendation));
    sentences.extend(same(decision, recommendation));
    sentences.extend(doubts.into_iter().map(doubt));
    sentences.extend(more(decision, recommendation));
    Some(sentences.join(" "))
}

fn confidence(decision: &Decision, recommendation: &Recommendation) -> String {
    let within = match decision.rule.same_within {
        same if same > 0.0 => format!(", or within {} of it,", percent(same)),
        _ => String::new(),
    };
    let what = if recommendation.is_nearest_to_limits {
        "nearest to the limits"
    } else {
        "the best"
    };
    let design = &recommendation.design;
    let who = match decision.no_forecast {
        Some(_) => format!("At {} rows {design}", units::rows(decision.rows)),
        None => design.clone(),
    };
    if recommendation.is_only_choice() && !recommendation.is_nearest_to_limits {
        return format!(
            "{who} is the only design that can be ranked: nothing is compared with it."
        );
    }
    match (recommendation.confidence, recommendation.resamples) {
        (None, _) => format!("{who} is {what} by the estimates."),
        (Some(_), 1) => format!("{who} is {what}{within} by exact figures."),
        (Some(share), resamples) => format!(
            "{who} is {what}{within} in {} of {} resamples; expected loss {}.",
            rounded_down(share),
            units::count(resamples as u64),
            percent(recommendation.expected_loss.unwrap_or(0.0)),
        ),
    }
}

/// Says how often the run's own forecasts held.
fn held(forecasts: &ForecastsHeld) -> String {
    let share = forecasts.held as f64 / forecasts.checked.max(1) as f64;
    format!(
        "{} of {} within the run lay in their 90% interval.",
        percent(share),
        units::plural(forecasts.checked as u64, "forecast", "forecasts")
    )
}

/// Writes a share without rounding 99.96% up to all.
fn rounded_down(share: f64) -> String {
    format!("{:.0}%", (share * 100.0).floor())
}

fn runner_up(decision: &Decision, recommendation: &Recommendation) -> Option<String> {
    let other = recommendation.runner_up.as_ref()?;
    if is_lead_of_twins(decision, recommendation) {
        return Some(format!(
            "Runner-up: {}; twins differ by more than these two.",
            other.design
        ));
    }
    let what = match decision.minimised() {
        Minimise::Month => "cost",
        Minimise::Storage => "storage",
        Minimise::Time | Minimise::Load => "time",
    };
    let more = match other.times {
        times if times >= FEW_TIMES => format!("{} the {what}", units::factor(times)),
        times if times >= 1.0 => format!("{} more {what}", percent(times - 1.0)),
        times => format!("{} less {what}", percent(1.0 - times)),
    };
    Some(format!("Runner-up: {}, {more}.", other.design))
}

fn same(decision: &Decision, recommendation: &Recommendation) -> Option<String> {
    let same: Vec<&str> = recommendation.same.iter().map(String::as_str).collect();
    let verb = if same.len() == 1 { "is" } else { "are" };
    (!same.is_empty()).then(|| {
        let within = percent(decision.rule.same_within);
        format!("{} {verb} the same within {within}.", list(&same, 2))
    })
}

fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::NotByTheRule => {
            "The figures that the rule asks for may choose another design.".to_owned()
        }
        Doubt::FewRounds(rounds) => {
            let rounds = units::plural(u64::from(*rounds), "round", "rounds");
            format!("{rounds} cannot show a difference; at least 5 are needed.")
        }
        Doubt::ErrorNotKnown => {
            "Some figures were observed only once, so their error is not known.".to_owned()
        }
        Doubt::NoTwins => {
            "Without twins it is not known how much tables of one design differ.".to_owned()
        }
        Doubt::NotRanked(designs) => {
            let designs: Vec<&str> = designs.iter().map(String::as_str).collect();
            format!(
                "Not ranked, and perhaps better: {}.",
                list(&designs, LISTED)
            )
        }
        Doubt::DroppedInVain(designs) => {
            let (verb, them) = match designs.len() {
                1 => ("was", "it"),
                _ => ("were", "them"),
            };
            let designs: Vec<&str> = designs.iter().map(String::as_str).collect();
            format!(
                "But {} {verb} dropped for a design that failed later: measure {them} again.",
                list(&designs, LISTED)
            )
        }
        Doubt::LimitsNotKnown(limits) => {
            let limits: Vec<&str> = limits.iter().map(String::as_str).collect();
            format!("Not measured for the limits: {}.", list(&limits, LISTED))
        }
        Doubt::LimitsOfOthers(limits) => {
            let limits: Vec<&str> = limits.iter().map(String::as_str).collect();
            format!(
                "Of other designs only is it known what they do to the limits: {}.",
                list(&limits, LISTED)
            )
        }
        Doubt::ForecastsMissed => "These are too few: true intervals are wider.".to_owned(),
        Doubt::Troubles(troubles) => {
            let troubles: Vec<&str> = troubles.iter().map(String::as_str).collect();
            format!("But {}.", list(&troubles, LISTED))
        }
    }
}

/// Lists the limits that are not certainly kept, or says that all are.
fn limits(decision: &Decision, recommendation: &Recommendation) -> Option<String> {
    let limits = &decision.rule.limits;
    let states = limits.iter().zip(&recommendation.limits);
    let open: Vec<String> = states
        .filter(|(_, state)| !matches!(state, LimitState::Kept | LimitState::NotKnown))
        .map(|(limit, state)| format!("{} {}", limit.text, limit_state(*state)))
        .collect();
    let is_kept = |state: &LimitState| *state == LimitState::Kept;
    if !open.is_empty() {
        let open: Vec<&str> = open.iter().map(String::as_str).collect();
        return Some(format!("Limits: {}.", list(&open, LISTED)));
    }
    let all_kept = !limits.is_empty() && recommendation.limits.iter().all(is_kept);
    all_kept.then(|| match limits.len() {
        1 => "It keeps the limit.".to_owned(),
        _ => "It keeps all limits.".to_owned(),
    })
}

/// Says what more measuring would settle, if the error is known and something is undecided. What separates two designs
/// says nothing of a limit. That more rounds would not is said only where nothing else says that they would: the
/// sentence about a race rests on the same computation.
fn more(decision: &Decision, recommendation: &Recommendation) -> Option<String> {
    if recommendation.is_unsure_of_limits() {
        return None;
    }
    let other = &recommendation.runner_up.as_ref()?.design;
    if let Some(more) = &recommendation.more {
        let rounds = units::plural(more.rounds, "more round", "more rounds");
        let seconds = more.seconds.map(|s| format!(" ({})", units::duration(s)));
        let seconds = seconds.unwrap_or_default();
        return Some(format!(
            "About {rounds}{seconds} would separate it from {other}."
        ));
    }
    let is_open = recommendation.certainty == Certainty::NotSettled;
    if !is_open || recommendation.confidence.is_none() || !recommendation.doubts.is_empty() {
        return None;
    }
    Some(match &decision.no_forecast {
        _ if decision.forecasts_times() => {
            "A run with more rows would show more than one with more rounds.".to_owned()
        }
        Some(_) => format!(
            "At these rows more rounds would hardly separate it from {other}; more rows may."
        ),
        None => {
            format!("More rounds would hardly separate it from {other}: choose on other grounds.")
        }
    })
}
