//! Renders a heat map of all designs by all questions, as multiples of the fastest design's time. Every
//! cell has its number, so that the shade alone carries no meaning.

use bakeoff_stats::decide::{AnswerClass, Cell, Decision, DesignStanding, Span, WhyOut};
use bakeoff_stats::{AgainstBest, PairedComparison, QueryComparison};

use super::super::words;
use super::orders::{self, Order};
use crate::compare::to_best;
use crate::markup::{Escaped, design_id};
use crate::page::table::NONE;
use crate::units;

/// Multiple from which on the shade is the strongest.
const STRONGEST_FROM: f64 = 32.0;
/// Strongest shade, in percent, on which text can still be read.
const STRONGEST: f64 = 52.0;

/// Renders the map with the choice of its order; empty if there are no designs.
pub fn map(decision: &Decision, compared: &PairedComparison) -> String {
    let orders = orders::all(decision);
    if decision.designs.is_empty() || decision.questions.is_empty() {
        return String::new();
    }
    let legend = if decision.forecasts_times() {
        to_best::LEGEND.to_owned()
    } else {
        to_best::legend(decision.rounds, compared)
    };
    let hint = format!(
        "<p class=\"hint-text\">Each cell has the multiple of the fastest design's time, and the \
         time below it. {legend}. The darker, the slower. Answers that read no row, or that are always empty, \
         have no multiple. The first column has the multiple of the best design by what orders the map: at first \
         the rule. Choose how much each question weighs to reorder the designs.</p>\n"
    );
    format!(
        "<h3>All designs, all questions</h3>\n{hint}<div class=\"map\">\n{}{}</div>\n",
        choice(&orders),
        table(decision, compared, &orders)
    )
}

/// Renders radio buttons, the first of which is the rule's own order.
fn choice(orders: &[Order]) -> String {
    if orders.len() < 2 {
        return String::new();
    }
    let buttons: String = orders.iter().enumerate().map(button).collect();
    format!(
        "<details class=\"orders\"><summary>Order by</summary>\n<fieldset>\n\
         <legend class=\"hidden\">Order of the designs</legend>\n{buttons}</fieldset></details>\n"
    )
}

fn button((index, order): (usize, &Order)) -> String {
    let checked = if index == 0 { " checked" } else { "" };
    format!(
        "<label><input type=\"radio\" name=\"order\" id=\"order{index}\"{checked}/> {}</label>\n",
        Escaped(&order.label)
    )
}

/// Renders the table. Its roles are written out, since browsers drop them when a style sheet changes how
/// tables are laid out.
fn table(decision: &Decision, compared: &PairedComparison, orders: &[Order]) -> String {
    let questions: String = decision
        .questions
        .iter()
        .map(|question| {
            let mark = match question.left_out {
                Some(_) => "<small>does not count</small>",
                None => "",
            };
            format!(
                "<th role=\"columnheader\" scope=\"col\">{}{mark}</th>",
                Escaped(&question.name)
            )
        })
        .collect();
    let mut designs: Vec<usize> = (0..decision.designs.len()).collect();
    // Without a style sheet, the rows are in the order of the rule.
    designs.sort_by_key(|design| orders.first().map(|order| order.places[*design]));
    let rows: String = { designs.iter() }
        .map(|design| row(decision, compared, orders, *design))
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table role=\"table\" class=\"heat-map\" \
         style=\"--columns:{}\">\n<thead role=\"rowgroup\"><tr role=\"row\">\
         <th role=\"columnheader\" scope=\"col\">Design</th>\
         <th role=\"columnheader\" scope=\"col\">× best, as ordered</th>{questions}</tr></thead>\n\
         <tbody role=\"rowgroup\">\n{rows}</tbody></table></div>\n",
        decision.questions.len() + 1
    )
}

fn row(decision: &Decision, compared: &PairedComparison, orders: &[Order], index: usize) -> String {
    let design = &decision.designs[index];
    let places: String = orders
        .iter()
        .enumerate()
        .map(|(order, ranking)| format!("--o{order}:{};", ranking.places[index]))
        .collect();
    let cells: String = { decision.questions.iter().zip(&design.cells).enumerate() }
        .map(|(number, (question, shown))| {
            let against = compared_here(decision, compared, &question.name);
            cell(
                &question.name,
                shown,
                against.and_then(|query| query.design(&design.id)),
                fastest(decision, number),
            )
        })
        .collect();
    format!(
        "<tr role=\"row\" class=\"{}\" style=\"{places}\"><th role=\"rowheader\" scope=\"row\" \
         class=\"id\">{}{}</th>{}{cells}</tr>\n",
        class(design),
        design_id(&design.id),
        remark(decision, design),
        overall(orders, index)
    )
}

fn class(design: &DesignStanding) -> &'static str {
    if design.is_recommended {
        "chosen"
    } else if design.out.is_some() {
        "out"
    } else {
        "other"
    }
}

/// Says in a few words what became of the design in the decision.
fn remark(decision: &Decision, design: &DesignStanding) -> String {
    let text = match &design.out {
        None if design.is_recommended => {
            return format!("<small>{}</small>", Escaped(words::standing(decision)));
        }
        None if design.limits.iter().any(|limit| limit.is_broken()) => "breaks a limit",
        None => return String::new(),
        Some(WhyOut::Yardstick) => "yardstick",
        Some(WhyOut::Failed(_)) => "failed",
        Some(WhyOut::Dropped(_)) => "dropped",
        Some(WhyOut::FailedQuestion { question, .. }) => {
            let name = Escaped(&decision.questions[*question].name);
            return format!("<small>does not answer {name}</small>");
        }
        Some(WhyOut::RowsLost { .. }) => "loses rows",
        Some(WhyOut::NotRanked(_)) => "not ranked",
    };
    format!("<small>{text}</small>")
}

/// Renders the multiple by each order; the style sheet shows the chosen one.
fn overall(orders: &[Order], index: usize) -> String {
    let ratios: String = orders
        .iter()
        .enumerate()
        .map(|(order, ranking)| {
            let text = ranking.ratios[index].map_or_else(|| NONE.to_owned(), to_best::ratio);
            format!("<b class=\"by{order}\">{text}</b>")
        })
        .collect();
    format!("<td role=\"cell\" class=\"overall\">{ratios}</td>")
}

/// Returns the comparison within rounds if it is what the map shows: measured times, not forecasts.
fn compared_here<'a>(
    decision: &Decision,
    compared: &'a PairedComparison,
    question: &str,
) -> Option<&'a QueryComparison> {
    let query = compared.query(question);
    query.filter(|_| !decision.forecasts_times())
}

/// Returns the forecast of the fastest design, with which others are compared by their intervals.
fn fastest(decision: &Decision, question: usize) -> Option<Span> {
    let cells = decision
        .designs
        .iter()
        .filter_map(|design| design.cells.get(question));
    let mut times = cells.filter_map(|cell| match cell {
        Cell::Time {
            seconds,
            times_best: Some(times),
            ..
        } if *times == 1.0 => Some(*seconds),
        _ => None,
    });
    times.next().filter(|_| decision.forecasts_times())
}

/// Returns whether the intervals of two forecasts overlap, so that either may be the shorter one.
fn overlap(one: Span, other: Span) -> bool {
    let bounds = |span: Span| span.interval.unwrap_or((span.point, span.point));
    let ((low, high), (least, most)) = (bounds(one), bounds(other));
    low <= most && least <= high
}

/// Renders a cell, compared with the fastest design within rounds, or as a forecast with this one.
fn cell(
    question: &str,
    cell: &Cell,
    against: Option<&AgainstBest>,
    fastest: Option<Span>,
) -> String {
    let (class, shade, number, under) = match cell {
        Cell::Time {
            seconds,
            class,
            times_best,
            ..
        } => {
            let time = units::duration(seconds.point);
            match (times_best, class) {
                (Some(times), _) => {
                    let is_open = fastest.is_some_and(|fastest| overlap(fastest, *seconds));
                    let mark = if is_open && *times != 1.0 { " ?" } else { "" };
                    let alone = || format!("{}{mark}", to_best::ratio(*times));
                    let number = against.map_or_else(alone, to_best::in_short);
                    let times = against.map_or(*times, |against| against.ratio);
                    ("time", shade(times), number, time)
                }
                (None, AnswerClass::FromMetadata) => ("none", 0.0, "metadata".to_owned(), time),
                (None, AnswerClass::AlwaysEmpty) => ("none", 0.0, "empty".to_owned(), time),
                (None, AnswerClass::ByKey | AnswerClass::Scan) => {
                    ("none", 0.0, time, String::new())
                }
            }
        }
        Cell::Failed(_) => ("failed", 0.0, "failed".to_owned(), String::new()),
        Cell::Unknown(_) => ("none", 0.0, "not known".to_owned(), String::new()),
        Cell::NotMeasured => ("none", 0.0, NONE.to_owned(), String::new()),
    };
    // The fastest one has no shade and is bold instead.
    let number = if number.starts_with(to_best::BEST) {
        format!("<b>{number}</b>")
    } else {
        number
    };
    format!(
        "<td role=\"cell\" class=\"{class}\" data-question=\"{}\" style=\"--heat:{shade:.0}%\">\
         {number}<small>{under}</small></td>",
        Escaped(question)
    )
}

/// Returns the shade of a multiple in percent; equal factors are equal steps.
fn shade(times: f64) -> f64 {
    let steps = times.max(1.0).ln() / STRONGEST_FROM.ln();
    STRONGEST * steps.min(1.0)
}
