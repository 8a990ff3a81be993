//! Words what is given up, when to choose another design, and what is left out of the recommendation.

use bakeoff_stats::decide::{
    Choice, Comparison, Decision, Minimise, Objective, Ratio, WhyLeftOut, WhyOut,
};

use super::figures::times;
use super::lead::or_within;
use crate::listing::list;
use crate::units;

/// Most advantages in one reason.
pub const REASONS: usize = 2;
/// Most designs in one list.
const LISTED: usize = 3;

/// Lists where the recommended design is worse than the best one, objectives before questions, the greatest
/// difference first. Differences that the rule ignores are left out.
pub fn give_up(decision: &Decision) -> Vec<String> {
    let Some(recommendation) = &decision.recommendation else {
        return Vec::new();
    };
    let clear = 1.0 + decision.rule.same_within;
    let mut given_up: Vec<&Ratio> = recommendation
        .given_up
        .iter()
        .filter(|ratio| ratio.times > clear && ratio.comparison != Comparison::Itself)
        .collect();
    given_up.sort_by(|a, b| {
        let is_question = |ratio: &Ratio| matches!(ratio.objective, Objective::Question(_));
        let by_kind = is_question(a).cmp(&is_question(b));
        by_kind.then(b.times.total_cmp(&a.times))
    });
    given_up
        .iter()
        .map(|ratio| worse(decision, ratio))
        .collect()
}

/// Says of a design that is nowhere worse than others that nothing is given up, and what of that is not shown.
pub fn nothing_given_up(decision: &Decision) -> String {
    let given_up = { decision.recommendation.iter() }.flat_map(|of| &of.given_up);
    let is_open = |ratio: &&Ratio| {
        let is_question = matches!(ratio.objective, Objective::Question(_));
        !is_question && ratio.comparison == Comparison::NotSettled
    };
    let tables = given_up.filter(is_open);
    let tables = tables.map(|ratio| objective(decision, ratio.objective));
    let questions = { decision.questions.iter() }.filter(|question| question.is_open);
    let open: Vec<&str> = { questions.map(|question| question.name.as_str()) }
        .chain(tables)
        .collect();
    match open.as_slice() {
        [] => "Nothing: it is the best, or the same, in everything.".to_owned(),
        [only] => format!("Nothing that is shown: {only} is not settled."),
        several => format!(
            "Nothing that is shown: {} are not settled.",
            list(several, LISTED)
        ),
    }
}

fn worse(decision: &Decision, ratio: &Ratio) -> String {
    let (times, to) = (times(ratio), &ratio.to);
    let text = match ratio.objective {
        Objective::Time => format!("answers take {times} as long as with {to}"),
        Objective::Storage => format!("{times} the storage of {to}"),
        Objective::Load => format!("loading takes {times} as long as with {to}"),
        Objective::Month => format!("{times} the cost of {to}"),
        Objective::Question(_) => {
            let name = objective(decision, ratio.objective);
            format!("{name} takes {times} as long as with {to}")
        }
    };
    match ratio.comparison {
        Comparison::NotSettled => text + " (not settled)",
        _ => text,
    }
}

/// Compares the recommended design with the one in use today. The text continues the word "Against".
pub fn to_baseline(decision: &Decision) -> Option<String> {
    let baseline = decision.rule.baseline.as_deref()?;
    let recommendation = decision.recommendation.as_ref()?;
    if recommendation.design == baseline {
        let what = match decision.no_forecast {
            Some(_) => standing(decision),
            None => "the recommended design".to_owned(),
        };
        return Some(format!("today's {baseline}: it is {what}."));
    }
    if recommendation.to_baseline.is_empty() {
        return Some(format!(
            "today's {baseline}: it was not measured in this run."
        ));
    }
    let ratios: Vec<String> = recommendation.to_baseline.iter().map(against).collect();
    Some(format!("today's {baseline}: {}.", ratios.join(", ")))
}

/// Words one comparison with the baseline: `answers 4.0× faster`.
fn against(ratio: &Ratio) -> String {
    let is_better = ratio.times < 1.0;
    let (what, better, worse) = match ratio.objective {
        Objective::Storage => ("storage", "smaller", "larger"),
        Objective::Month => ("cost", "lower", "higher"),
        Objective::Load => ("loading", "faster", "slower"),
        Objective::Time | Objective::Question(_) => ("answers", "faster", "slower"),
    };
    if ratio.comparison == Comparison::Same {
        return format!("{what} the same");
    }
    let text = if is_better {
        format!("{what} {} {better}", units::factor(1.0 / ratio.times))
    } else {
        format!("{what} {} {worse}", units::factor(ratio.times))
    };
    match ratio.comparison {
        Comparison::NotSettled => text + " (not settled)",
        _ => text,
    }
}

/// Says what the design is that was chosen: nothing is recommended yet if that is so far away that nothing is known of it.
pub fn standing(decision: &Decision) -> String {
    if decision.no_forecast.is_none() {
        return "recommended".to_owned();
    }
    let recommendation = decision.recommendation.as_ref();
    let within = recommendation.and_then(|of| or_within(decision, of));
    let within = within.map(|within| format!(", or within {within} of it"));
    format!(
        "best at {} rows{}",
        units::rows(decision.rows),
        within.unwrap_or_default()
    )
}

/// Says when to choose a design of the front instead of the recommended one.
pub fn choose_if(decision: &Decision, choice: &Choice, most: usize) -> String {
    if choice.is_recommended {
        return standing(decision);
    }
    let reasons: Vec<String> = choice
        .advantages
        .iter()
        .take(most)
        .map(|advantage| {
            let times = units::factor(advantage.times);
            let better = match advantage.objective {
                Objective::Storage => format!("storage matters more ({times} smaller)"),
                Objective::Load => format!("loading matters more ({times} faster)"),
                Objective::Month => format!("cost matters more ({times} cheaper)"),
                Objective::Time | Objective::Question(_) => format!(
                    "{} matters more ({times} faster)",
                    objective(decision, advantage.objective)
                ),
            };
            if advantage.is_settled {
                better
            } else {
                better.trim_end_matches(')').to_owned() + ", not settled)"
            }
        })
        .collect();
    format!("choose it if {}", reasons.join(" or "))
}

/// Says when to choose a design of the front instead of the recommended one, and how much storage to buy then.
pub fn alternative(decision: &Decision, choice: &Choice) -> String {
    let reason = choose_if(decision, choice, REASONS);
    let storage = to_buy(decision, &choice.design);
    let storage = storage.map(|storage| format!(", {storage} to buy"));
    format!("{}: {reason}{}", choice.design, storage.unwrap_or_default())
}

/// Writes how much storage to buy for a design, and whether that is a forecast or an estimate: `forecast 2.01 GiB`.
pub fn to_buy(decision: &Decision, design: &str) -> Option<String> {
    let storage = units::bytes(decision.design(design)?.storage?.point);
    Some(if decision.no_forecast.is_some() {
        format!("estimate {storage}")
    } else if decision.full_rows != decision.measured_rows {
        format!("forecast {storage}")
    } else {
        storage
    })
}

/// Says how much storage to buy for the runner-up, if that is none of the designs that are listed with theirs.
pub fn runner_up_to_buy(decision: &Decision) -> Option<String> {
    let other = &decision.recommendation.as_ref()?.runner_up.as_ref()?.design;
    let is_listed = decision.front.iter().any(|choice| choice.design == *other);
    let storage = to_buy(decision, other).filter(|_| !is_listed)?;
    Some(format!("{other}, the runner-up: {storage} to buy"))
}

/// Lists questions and designs that are not part of the decision, each with its reason. Those that the
/// reader may have to fix come first.
pub fn left_out(decision: &Decision) -> Vec<String> {
    let is_at_fault = |why: &WhyLeftOut| matches!(why, WhyLeftOut::FailsEverywhere(_));
    let mut left_out: Vec<String> = lost_everywhere(decision).into_iter().collect();
    left_out.extend(questions_left_out(decision, is_at_fault));
    left_out.extend(not_asked_of_all(decision));
    left_out.extend(designs_left_out(decision));
    let others = |why: &WhyLeftOut| !is_at_fault(why) && *why != WhyLeftOut::NoWeight;
    left_out.extend(questions_left_out(decision, others));
    left_out.extend(without_weight(decision));
    left_out
}

/// Writes a sentence about rows that every design loses.
fn lost_everywhere(decision: &Decision) -> Option<String> {
    let lost = decision.lost_everywhere.as_ref()?;
    let text = rows_lost(lost.rows, lost.keeps_rows_if.as_deref());
    Some(format!("Every design: {text}."))
}

fn rows_lost(rows: u64, cure: Option<&str>) -> String {
    let rows = units::plural(rows, "row", "rows");
    let cure = cure.map(|cure| format!("; {cure}"));
    format!("{rows} lost, since keys repeat{}", cure.unwrap_or_default())
}

/// Lists the designs that are left out, those with the same reason in one sentence.
fn designs_left_out(decision: &Decision) -> Vec<String> {
    let mut by_reason: Vec<(String, Vec<&str>)> = Vec::new();
    for design in &decision.designs {
        let Some(reason) = design.out.as_ref().and_then(|out| why(decision, out)) else {
            continue;
        };
        match by_reason.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, designs)) => designs.push(&design.id),
            None => by_reason.push((reason, vec![&design.id])),
        }
    }
    let designs = by_reason.into_iter();
    designs
        .map(|(reason, ids)| format!("{}: {reason}.", list(&ids, LISTED)))
        .collect()
}

/// Says which questions some designs were not asked, and by which others times are ranked therefore.
fn not_asked_of_all(decision: &Decision) -> Option<String> {
    let questions = decision.questions.iter();
    let of_some: Vec<String> = questions
        .filter_map(|question| match &question.left_out {
            Some(WhyLeftOut::NotAskedOfAll(of)) => Some(format!(
                "{} is asked of {} of {} designs",
                question.name,
                units::count(of.asked as u64),
                units::count(of.all as u64)
            )),
            _ => None,
        })
        .collect();
    let of_some: Vec<&str> = of_some.iter().map(String::as_str).collect();
    let counted = { decision.questions.iter() }.filter(|question| question.share > 0.0);
    let counted: Vec<&str> = counted.map(|question| question.name.as_str()).collect();
    let is_ranked = decision.recommendation.is_some() && decision.minimised() == Minimise::Time;
    let ranked = if is_ranked && !counted.is_empty() {
        format!("Ranked by {} alone: ", list(&counted, LISTED))
    } else {
        String::new()
    };
    (!of_some.is_empty()).then(|| format!("{ranked}{}.", list(&of_some, LISTED)))
}

fn without_weight(decision: &Decision) -> Option<String> {
    let questions = decision.questions.iter();
    let names: Vec<&str> = questions
        .filter(|question| question.left_out == Some(WhyLeftOut::NoWeight))
        .map(|question| question.name.as_str())
        .collect();
    (!names.is_empty()).then(|| format!("Without a weight: {}.", list(&names, LISTED)))
}

/// Says why a design is left out; `None` for a yardstick, which cannot be chosen anyway.
fn why(decision: &Decision, out: &WhyOut) -> Option<String> {
    Some(match out {
        WhyOut::Yardstick => return None,
        WhyOut::Failed(reason) => format!("failed ({reason})"),
        WhyOut::Dropped(why) => format!("dropped by the race ({why})"),
        WhyOut::FailedQuestion { question, reason } => {
            let name = &decision.questions[*question].name;
            format!("no right answer to {name} ({reason})")
        }
        WhyOut::RowsLost {
            rows,
            keeps_rows_if,
        } => rows_lost(*rows, keeps_rows_if.as_deref()),
        WhyOut::NotRanked(reason) => format!("not ranked ({reason})"),
    })
}

fn questions_left_out(decision: &Decision, wanted: impl Fn(&WhyLeftOut) -> bool) -> Vec<String> {
    let questions = decision.questions.iter().filter_map(|question| {
        let name = &question.name;
        Some(
            match question.left_out.as_ref().filter(|why| wanted(why))? {
                WhyLeftOut::FailsEverywhere(reason) => {
                    format!(
                        "{name} decides nothing: every design that can be recommended fails at it ({reason})."
                    )
                }
                WhyLeftOut::FromMetadata(designs) => {
                    let designs = match designs.as_slice() {
                        [only] => format!("{only} answers"),
                        several => format!("{} designs answer", units::count(several.len() as u64)),
                    };
                    format!("{name} wins nothing: {designs} it from metadata and read no row.")
                }
                WhyLeftOut::AlwaysEmpty => {
                    format!("{name} wins nothing: its answers are always empty.")
                }
                WhyLeftOut::Unknown(reason) => format!("{name} has no forecast ({reason})."),
                WhyLeftOut::NotAskedOfAll(_) | WhyLeftOut::NoWeight => return None,
            },
        )
    });
    questions.collect()
}

pub fn objective(decision: &Decision, objective: Objective) -> &str {
    match objective {
        Objective::Time => "the mean of all answers",
        Objective::Storage => "storage",
        Objective::Load => "loading",
        Objective::Month => "cost",
        Objective::Question(question) => &decision.questions[question].name,
    }
}
