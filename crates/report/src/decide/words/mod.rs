//! Words the sentences of a decision, which terminal and page share. Names in them come from outside, so
//! callers clean or escape the whole sentence.

mod certainty;
mod changes;
mod designs;
mod figures;
mod lead;

pub use certainty::{certainty, rule};
pub use changes::{MOST_CHANGES, first_changes, flips, flips_and_choices};
pub use designs::{
    REASONS, alternative, choose_if, give_up, left_out, nothing_given_up, runner_up_to_buy,
    standing, to_baseline, to_buy,
};
pub use figures::{bytes, limit, limit_state, percent, rate, seconds, seconds_with_interval};

use bakeoff_stats::decide::{
    Certainty, Decision, DesignStanding, Doubt, FEWEST_ROUNDS, Minimise, Recommendation, Settled,
    Span, WhyOut,
};

use crate::listing::list;
use crate::units;
use lead::or_within;

/// Most limits in the first sentence, beyond which only their number is given.
const LIMITS: usize = 2;

/// First sentence of a run without a choice.
const ONLY_YARDSTICKS: &str = "No design can be recommended: all are yardsticks, which store no rows, or not all \
                               of their columns.";

/// Writes the recommendation, or what to take for now by the measured rows and that there is no forecast for all of
/// them, and whether the run goes on.
pub fn headline(decision: &Decision) -> String {
    let (answer, rest) = answer_and_rest(decision);
    std::iter::once(answer)
        .chain(rest)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the sentences of the headline with the answer, and those behind them: why there is no forecast, with what one
/// takes, and whether the run goes on.
pub fn answer_and_rest(decision: &Decision) -> (String, Option<String>) {
    let (answer, no_forecast) = match &decision.no_forecast {
        _ if has_only_yardsticks(decision) => (ONLY_YARDSTICKS.to_owned(), None),
        Some(reason) if decision.is_unfinished && decision.recommendation.is_none() => {
            (format!("Nothing is recommended yet: {reason}."), None)
        }
        Some(reason) => (
            format!("{}.", at_measured_rows(decision)),
            Some(no_forecast(decision, reason)),
        ),
        None => (recommendation(decision), None),
    };
    let unfinished = decision
        .is_unfinished
        .then(|| "The run is not finished.".to_owned());
    let rest: Vec<String> = no_forecast.into_iter().chain(unfinished).collect();
    (answer, (!rest.is_empty()).then(|| rest.join(" ")))
}

/// Says that nothing is forecast for all rows, and what that takes.
fn no_forecast(decision: &Decision, reason: &str) -> String {
    let rows = units::plural(decision.full_rows, "row", "rows");
    if decision.recommendation.is_none() {
        return format!("For {rows} nothing is recommended yet: {reason}.");
    }
    format!("There is no forecast for {rows} yet: {reason}.")
}

/// Returns whether no design is a choice, whatever its figures.
fn has_only_yardsticks(decision: &Decision) -> bool {
    let mut designs = decision.designs.iter();
    !decision.designs.is_empty() && designs.all(|design| design.out == Some(WhyOut::Yardstick))
}

/// Says which design to take for now, by the rows that were measured. A run that goes on, and one that has no figures
/// for its rule, say only how it stands.
fn at_measured_rows(decision: &Decision) -> String {
    let rows = format!("at {} rows", units::rows(decision.rows));
    let Some(recommendation) = &decision.recommendation else {
        return format!("No design can be recommended {rows}");
    };
    let design = &recommendation.design;
    if recommendation.is_nearest_to_limits {
        return format!("{design} comes nearest to the limits {rows}, and none keeps all of them");
    }
    let is_by_the_rule = !recommendation.doubts.contains(&Doubt::NotByTheRule);
    let may_be_taken = is_by_the_rule && !decision.is_unfinished;
    let limits = limits_in_doubt(decision, recommendation);
    let stands = how_it_stands(decision, recommendation, limits.is_some(), &rows);
    match (may_be_taken, limits) {
        (true, Some(limits)) => {
            format!("Take {design} for now if it keeps {limits}: it is then {stands}")
        }
        (false, Some(limits)) => format!("{design} is, if it keeps {limits}, {stands}"),
        (true, None) => format!("Take {design} for now: it is {stands}"),
        (false, None) => format!("{design} is {stands}"),
    }
}

/// Says how the design stands at the measured rows, as the end of a sentence about it.
fn how_it_stands(
    decision: &Decision,
    recommendation: &Recommendation,
    is_of_limits: bool,
    rows: &str,
) -> String {
    if is_of_limits {
        return format!("best {rows} (not settled)");
    }
    if recommendation.is_only_choice() {
        return format!(
            "the only {} {rows}{}",
            only_what(decision),
            unless_settled(recommendation)
        );
    }
    match (recommendation.certainty, rival(recommendation)) {
        (Certainty::Settled, _) => match or_within(decision, recommendation) {
            Some(within) => format!("best {rows}, or within {within} of it (settled)"),
            None => format!("best {rows} (settled)"),
        },
        (Certainty::Likely, _) => format!("likely best {rows} (not settled)"),
        (Certainty::NotSettled, Some(other)) => format!("ahead of {other} {rows} (not settled)"),
        (Certainty::NotSettled, None) => format!("ahead {rows} (not settled)"),
    }
}

fn recommendation(decision: &Decision) -> String {
    let Some(recommendation) = &decision.recommendation else {
        return "No design can be recommended.".to_owned();
    };
    let design = &recommendation.design;
    if recommendation.is_nearest_to_limits {
        return format!("No design keeps all limits. {design} comes nearest to them.");
    }
    if let Some(limits) = limits_in_doubt(decision, recommendation) {
        return format!("Take {design} if it keeps {limits}. This is not settled.");
    }
    if recommendation.is_only_choice() {
        return format!(
            "Take {design}, the only {}{}.",
            only_what(decision),
            unless_settled(recommendation)
        );
    }
    match (recommendation.certainty, rival(recommendation)) {
        (Certainty::Settled, _) => match or_within(decision, recommendation) {
            Some(within) => {
                format!("Take {design}. That it is best, or within {within} of it, is settled.")
            }
            None => format!("Take {design}. This is settled."),
        },
        (Certainty::Likely, _) => format!("Take {design}. This is likely, not settled."),
        (Certainty::NotSettled, Some(other)) => {
            format!("Not settled between {design} and {other}. {design} is ahead.")
        }
        (Certainty::NotSettled, None) => format!("Take {design}. This is not settled."),
    }
}

/// Names what the only design is that is ranked: others are choices, too, if nothing but figures of them is missing.
fn only_what(decision: &Decision) -> &'static str {
    let is_not_ranked = |design: &DesignStanding| matches!(design.out, Some(WhyOut::NotRanked(_)));
    if decision.designs.iter().any(is_not_ranked) {
        "design that can be ranked"
    } else {
        "choice"
    }
}

/// Says of the only choice that it is not settled, if so: others may be better that could not be ranked, or it may break a
/// limit.
fn unless_settled(recommendation: &Recommendation) -> &'static str {
    match recommendation.certainty {
        Certainty::Settled => "",
        Certainty::Likely | Certainty::NotSettled => " (not settled)",
    }
}

/// Lists the limits that the design may or may not keep, if it is not settled for nothing but these: then they are the
/// doubt, rather than another design.
fn limits_in_doubt(decision: &Decision, recommendation: &Recommendation) -> Option<String> {
    let states = decision.rule.limits.iter().zip(&recommendation.limits);
    let limits: Vec<&str> = states
        .filter(|(_, state)| state.is_unsure())
        .map(|(limit, _)| limit.text.as_str())
        .collect();
    let is_of_figures = |doubt: &Doubt| match doubt {
        Doubt::NotByTheRule
        | Doubt::FewRounds(_)
        | Doubt::ErrorNotKnown
        | Doubt::NoTwins
        | Doubt::ForecastsMissed
        | Doubt::LimitsOfOthers(_) => true,
        Doubt::NotRanked(_)
        | Doubt::DroppedInVain(_)
        | Doubt::LimitsNotKnown(_)
        | Doubt::Troubles(_) => false,
    };
    let is_open = recommendation.certainty == Certainty::NotSettled && !limits.is_empty();
    let is_of_limits = is_open && !recommendation.doubts.iter().any(is_of_figures);
    is_of_limits.then(|| list(&limits, LIMITS))
}

pub fn rival(recommendation: &Recommendation) -> Option<&str> {
    recommendation
        .runner_up
        .as_ref()
        .map(|other| other.design.as_str())
}

/// Lists what to buy, the storage first.
pub fn buy(decision: &Decision) -> Vec<String> {
    let Some(design) = decision.recommended() else {
        return Vec::new();
    };
    let copies = units::plural(u64::from(decision.copies), "copy", "copies");
    let rows = units::count(decision.full_rows);
    let kept = format!("{copies} of {rows} rows in {}", design.id);
    let basis = if is_in_proportion(decision) {
        " (in proportion to the rows)"
    } else {
        ""
    };
    let mut parts = vec![match design.storage {
        Some(storage) => format!("{}{basis} for {kept}", bytes(storage)),
        None => format!("the storage for {kept} is not known"),
    }];
    if let (Some(month), Some(price)) = (design.month, &decision.price) {
        let least = if design.is_month_least { "≥ " } else { "" };
        let amount = units::amount(month.point);
        parts.push(format!("{least}{amount} {} a month", price.currency));
    }
    parts.extend(design.load.map(|load| format!("loads {}", rate(load))));
    if let (Some(_), Some(settled)) = (design.storage, &design.settled) {
        parts.push(at_rest(settled));
    }
    parts
}

/// Returns whether the storage to buy is in proportion to the rows that were measured: how the bytes grow is not known
/// where one table is all there is, and then they have no interval.
pub fn is_in_proportion(decision: &Decision) -> bool {
    let has_interval = |span: Span| span.interval.is_some_and(|(low, high)| low < high);
    let storage = decision.recommended().and_then(|design| design.storage);
    decision.no_forecast.is_some() && storage.is_some_and(|storage| !has_interval(storage))
}

/// Says in one sentence what to buy.
pub fn buy_sentence(decision: &Decision) -> Option<String> {
    let parts = buy(decision);
    (!parts.is_empty()).then(|| format!("Buy {}.", parts.join("; ")))
}

/// Says what of the storage to buy is at rest, and where the rest of it is from, without the reason for an estimate.
fn at_rest(settled: &Settled) -> String {
    let log = if settled.log_bytes > 0.0 {
        format!(
            ", log of {} a copy, estimated",
            units::bytes(settled.log_bytes)
        )
    } else {
        String::new()
    };
    format!(
        "{} at rest, room {} ({}){log}, {:.0}% full",
        units::bytes(settled.bytes.point),
        units::factor(settled.room),
        settled.room_from.split(':').next().unwrap_or_default(),
        100.0 * settled.fill
    )
}

/// Says how small a difference between two designs this run could show in one question. The mean of several questions,
/// which decides, may show smaller ones.
pub fn floor(decision: &Decision) -> String {
    let twins = match decision.twins {
        Some(twins) => format!("Twins differed by up to {}.", percent(twins)),
        None if (1..FEWEST_ROUNDS).contains(&decision.rounds) => format!(
            "Floor unknown: {} are too few to compare twins, second tables of a design; it takes {FEWEST_ROUNDS}.",
            units::plural(u64::from(decision.rounds), "round", "rounds")
        ),
        None => "Floor unknown: no twin, a second table of a design, was asked.".to_owned(),
    };
    let mut known: Vec<(f64, &str)> = decision
        .questions
        .iter()
        .filter_map(|q| Some((q.smallest_difference?, q.name.as_str())))
        .filter(|(least, _)| least.is_finite())
        .collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let differences = match known.as_slice() {
        [] => return twins,
        [(only, name)] => format!("{} in {name}", percent(*only)),
        [(least, one), .., (most, other)] => {
            let (least, most) = (percent(*least), percent(*most));
            if least == most {
                format!("{least} in each")
            } else {
                format!("{least} in {one} to {most} in {other}")
            }
        }
    };
    let counted = decision.questions.iter().filter(|q| q.share > 0.0);
    let mean = match decision.minimised() {
        Minimise::Time if counted.count() > 1 => "; the choice is by their mean",
        _ => "",
    };
    format!("{twins} Smallest difference that one question shows: {differences}{mean}.")
}

/// Says what the run did not measure.
pub fn not_measured(decision: &Decision) -> Option<String> {
    let mut sentences = Vec::new();
    if let Some(known) = &decision.known_rows
        && let Some(why) = &known.beyond
    {
        sentences.push(format!(
            "Above {} rows nothing is known: {why}.",
            units::rows(known.to)
        ));
    }
    if !decision.not_measured.is_empty() {
        sentences.push(format!(
            "Not measured: {}.",
            decision.not_measured.join(", ")
        ));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}
