//! Renders the small tables: the designs to choose from, and how long each question takes.

use bakeoff_stats::decide::{AnswerClass, Choice, Decision, DesignStanding, LimitState, Span};

use crate::decide::questions::{self, Wait, slowest};
use crate::decide::words;
use crate::markup::{Escaped, design_id};
use crate::page::cards::Cards;
use crate::page::table::or_none;
use crate::units;

/// Questions that the table shows before it folds the others away.
const WAITS: usize = 6;

/// Renders the front: at most four designs, each with the reason to choose it.
pub fn choices(decision: &Decision) -> String {
    if decision.front.is_empty() {
        return String::new();
    }
    let has_month = decision.designs.iter().any(|design| design.month.is_some());
    let mut head = vec![
        ("Design".to_owned(), ""),
        ("Storage to buy".to_owned(), "number"),
        ("Slowest question".to_owned(), "number"),
        ("Rows/s loaded".to_owned(), "number"),
    ];
    if has_month {
        head.push(("A month".to_owned(), "number"));
    }
    head.push(("Choose it if".to_owned(), ""));
    let choices = decision.front.iter();
    let rows = choices.filter_map(|choice| choice_row(decision, choice, has_month));
    let table = Cards {
        caption: "Designs that no other beats in everything, with 90% intervals.",
        head,
        rows: rows.collect(),
    };
    let more = match decision.front_not_shown {
        0 => String::new(),
        n => format!(
            "<p class=\"hint-text\">{} that no other beats in everything: see the map \
             below.</p>\n",
            units::plural(n as u64, "more design", "more designs")
        ),
    };
    format!("<h3>The choice</h3>\n{}{more}", table.html())
}

fn choice_row(decision: &Decision, choice: &Choice, has_month: bool) -> Option<Vec<String>> {
    let design: &DesignStanding = decision.design(&choice.design)?;
    let name = design_id(&design.id);
    let slow = slowest(decision, &design.cells).map(|(question, span)| {
        let under = format!("<small>{}</small>", Escaped(question));
        span_cell(span, units::duration) + &under
    });
    let mut row = vec![
        if choice.is_recommended {
            format!("<strong>{name}</strong>")
        } else {
            name
        },
        or_none(design.storage, |span| span_cell(span, units::bytes)),
        or_none(slow, |cell| cell),
        or_none(design.load, |span| span_cell(span, units::rate)),
    ];
    if has_month {
        let currency = decision.price.as_ref().map_or("", |price| &price.currency);
        let least = if design.is_month_least { "≥ " } else { "" };
        let amount = |amount: f64| {
            let amount = units::amount(amount);
            format!("{least}{amount} {}", Escaped(currency))
        };
        row.push(or_none(design.month, |span| span_cell(span, amount)));
    }
    let reason = words::choose_if(decision, choice, words::REASONS);
    let reason = reason.strip_prefix("choose it if ").unwrap_or(&reason);
    row.push(Escaped(reason).to_string());
    Some(row)
}

fn span_cell(span: Span, show: impl Fn(f64) -> String) -> String {
    let point = show(span.point);
    match span.interval.map(|(low, high)| (show(low), show(high))) {
        Some((low, high)) if low != high => format!("{point}<small>{low} – {high}</small>"),
        _ => point,
    }
}

/// Renders how long each question takes with the recommended design.
pub fn waits(decision: &Decision) -> String {
    let Some(design) = decision.recommended() else {
        return String::new();
    };
    let all = questions::waits(decision);
    if all.is_empty() {
        return String::new();
    }
    let has_limits = all.iter().any(|wait| wait.limit.is_some());
    let (shown, more) = all.split_at(all.len().min(WAITS));
    let more = match more.len() {
        0 => String::new(),
        n => format!(
            "<details><summary>{} more questions</summary>\n{}</details>\n",
            units::count(n as u64),
            waits_table(decision, more, has_limits).html()
        ),
    };
    format!(
        "<h3>How long {} takes</h3>\n{}{more}",
        design_id(&design.id),
        waits_table(decision, shown, has_limits).html()
    )
}

/// Makes the table of these waits, with a column for limits if any question has one.
fn waits_table(decision: &Decision, waits: &[Wait<'_>], has_limits: bool) -> Cards {
    let rows_at_scale = units::rows(decision.rows);
    let mut head = vec![
        ("Question".to_owned(), ""),
        (format!("At {rows_at_scale} rows, 90%"), "number"),
    ];
    if has_limits {
        head.push(("Limit".to_owned(), ""));
    }
    head.push(("Rests on".to_owned(), ""));
    if decision.forecasts_times() {
        head.insert(1, ("Measured".to_owned(), "number"));
    }
    Cards {
        caption: "",
        head,
        rows: waits_rows(decision, waits, has_limits),
    }
}

fn waits_rows(decision: &Decision, waits: &[Wait<'_>], has_limits: bool) -> Vec<Vec<String>> {
    let row = |wait: &Wait<'_>| {
        let basis = match wait.class {
            AnswerClass::ByKey | AnswerClass::Scan => wait.basis,
            AnswerClass::FromMetadata => "metadata, no row read",
            AnswerClass::AlwaysEmpty => "always empty",
        };
        let mut row = vec![
            Escaped(wait.name).to_string(),
            span_cell(wait.seconds, units::duration),
        ];
        if has_limits {
            row.push(or_none(wait.limit, |state| {
                limit_cell(state, wait.quantile)
            }));
        }
        row.push(Escaped(basis).to_string());
        if decision.forecasts_times() {
            row.insert(1, or_none(wait.measured, units::duration));
        }
        row
    };
    waits.iter().map(row).collect()
}

fn limit_cell(state: LimitState, quantile: Option<(f64, f64)>) -> String {
    let text = words::limit(state, quantile);
    if state.is_broken() {
        format!("<span class=\"failed\">{text}</span>")
    } else {
        text
    }
}
