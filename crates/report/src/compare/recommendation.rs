//! Says what to take after a comparison: the design, what to buy, how fast it is, and how it is made and filled.

use bakeoff_stats::Summary;
use bakeoff_stats::decide::Decision;

use super::{advice, figure, notes, rules, verdict};
use crate::decide::words;
use crate::text::style::{Style, wrap};
use crate::{text, units};

pub use super::advice::{LongerBudget, is_of_decide};

/// Indentation of statements and commands.
const INDENT: &str = "  ";
/// Most notes that stand below the answer.
const MOST_NOTES: usize = 5;

/// How the recommended design is made and filled outside of a run, as its engine says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HowTo {
    /// What the design is, in a few words.
    pub what: Option<String>,
    /// Statements that make its tables, without semicolons; none if filling makes them.
    pub tables: Vec<String>,
    /// Lines that fill them.
    pub filling: Vec<String>,
    /// Why there are no such lines, if there are none.
    pub why_not: Option<String>,
}

/// What is said of the operations that the recommended design was driven with, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operations {
    /// Sentence that the design does not take them; `None` if it does.
    pub not_taken: Option<String>,
    /// What it and others do of them.
    pub paragraph: String,
    pub caveats: Caveats,
}

/// What limits how far the answer can be trusted: failures, and notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caveats {
    /// Where something failed, each with the reason.
    pub failures: Vec<(String, String)>,
    pub notes: Vec<String>,
    /// The number of further notes, which the report has.
    pub others: usize,
}

impl Caveats {
    fn of(summary: &Summary) -> Caveats {
        let failures = summary.failures();
        let failures = failures
            .map(|(table, failure)| (figure::place(table, failure), failure.reason.clone()));
        let (notes, others) = notes::of_trust(summary);
        Caveats {
            failures: failures.collect(),
            notes,
            others,
        }
    }

    /// Returns these with further ones behind them.
    fn and(mut self, further: &Caveats) -> Caveats {
        self.failures.extend(further.failures.iter().cloned());
        self.notes.extend(further.notes.iter().cloned());
        self.others += further.others;
        self
    }

    /// Renders all failures and the first notes, with the number of those that the report has besides.
    pub(crate) fn sections(&self, width: usize) -> Vec<String> {
        let style = Style { color: false };
        let failures = self.failures.iter();
        let failures = failures.map(|(place, reason)| text::failure(place, reason, width, style));
        let failures: Vec<String> = failures.collect();
        let (shown, more) = self.notes.split_at(self.notes.len().min(MOST_NOTES));
        let mut notes = shown.to_vec();
        let more = (more.len() + self.others) as u64;
        if more > 0 {
            let more = units::plural(more, "more note is", "more notes are");
            notes.push(format!("{more} in the report"));
        }
        let failures = text::failures(&failures, style);
        let notes = text::notes(&notes, width, style);
        failures.into_iter().chain(notes).collect()
    }
}

/// Renders what a comparison leads to, in lines of at most `width` columns except for statements and commands. The
/// first sentences answer: which design, how much storage to buy, and how long the slowest question takes. `longer` is
/// the budget that is advised where there is no forecast.
pub fn render(summary: &Summary, longer: LongerBudget, how_to: &HowTo, width: usize) -> String {
    render_beside(summary, longer, None, how_to, width)
}

/// Returns what was rendered, with a paragraph behind the answer that says what this rests on.
pub fn with_basis(rendered: &str, basis: &str, width: usize) -> String {
    let basis = wrap(basis, width, "", INDENT);
    match rendered.split_once("\n\n") {
        Some((answer, rest)) => format!("{answer}\n\n{basis}\n\n{rest}"),
        None => format!("{rendered}\n\n{basis}"),
    }
}

/// Renders the same with a paragraph about the operations that the design was driven with, too. If it does not take
/// them, the first sentence says so.
pub fn render_with_operations(
    summary: &Summary,
    longer: LongerBudget,
    operations: &Operations,
    how_to: &HowTo,
    width: usize,
) -> String {
    render_beside(summary, longer, Some(operations), how_to, width)
}

fn render_beside(
    summary: &Summary,
    longer: LongerBudget,
    operations: Option<&Operations>,
    how_to: &HowTo,
    width: usize,
) -> String {
    let mut answer = answer(summary, longer);
    if let Some(not_taken) = operations.and_then(|operations| operations.not_taken.as_ref()) {
        answer = format!("{not_taken} By the questions alone: {answer}");
    }
    let mut parts = vec![wrap(&answer, width, "", "")];
    let caveats = operations.map(|operations| &operations.caveats);
    let caveats = caveats.into_iter().fold(Caveats::of(summary), Caveats::and);
    let Some(decision) = &summary.decision else {
        parts.extend(caveats.sections(width));
        return parts.join("\n\n");
    };
    let paragraph = operations.map(|operations| wrap(&operations.paragraph, width, "", INDENT));
    parts.extend(paragraph);
    parts.extend(about(summary, decision, how_to, width));
    parts.extend(caveats.sections(width));
    if decision.recommendation.is_some() {
        parts.extend(statements(&how_to.tables));
        parts.push(filling(how_to, width));
    }
    parts.join("\n\n")
}

/// Returns the recommendation with its two figures. Where there is no forecast, the time is of the measured rows, what
/// there is for all rows is called an estimate, and what a forecast takes comes last.
fn answer(summary: &Summary, longer: LongerBudget) -> String {
    let Some(decision) = &summary.decision else {
        return verdict::paragraph(summary);
    };
    let told = advice::with_budget(summary, decision, Some(longer));
    let storage = verdict::storage_to_buy(decision).map(|buy| buy.figure);
    let time = verdict::time_to_answer(decision).map(|time| time.figure);
    if decision.no_forecast.is_some() {
        let rows = units::rows(decision.rows);
        let time = time.map(|time| format!("At {rows} rows the slowest question takes {time}."));
        let estimates = estimates(summary, decision, storage);
        let (answer, rest) = words::answer_and_rest(&told);
        let sentences = std::iter::once(answer).chain(time).chain(estimates);
        return sentences.chain(rest).collect::<Vec<_>>().join(" ");
    }
    let headline = words::headline(&told);
    let storage = storage.map(|storage| format!("Buy {storage}{}", for_copies(decision)));
    let the = if storage.is_some() { "the" } else { "The" };
    let range = verdict::range_of_slowest(decision).unwrap_or_default();
    let time = time.map(|time| format!("{the} slowest question takes {time}{range}"));
    let figures: Vec<String> = storage.into_iter().chain(time).collect();
    match figures.as_slice() {
        [] => headline,
        figures => format!("{headline} {}.", figures.join("; ")),
    }
}

/// Says what there is for all rows without a forecast of times.
fn estimates(summary: &Summary, decision: &Decision, storage: Option<String>) -> Option<String> {
    let basis = if words::is_in_proportion(decision) {
        ", in proportion to the rows"
    } else {
        ""
    };
    let copies = for_copies(decision);
    let storage = storage.map(|storage| format!("{storage} to buy{copies}{basis}"));
    let time = verdict::time_of_all_rows(summary, decision);
    let time = time.map(|time| format!("{time}, by the speed of a scan of the measured ones"));
    let all: Vec<String> = storage.into_iter().chain(time).collect();
    let rows = units::plural(decision.full_rows, "row", "rows");
    (!all.is_empty()).then(|| format!("Estimates for {rows}: {}.", all.join("; ")))
}

/// Says for how many copies the storage is, if there is more than one.
fn for_copies(decision: &Decision) -> String {
    match decision.copies {
        0 | 1 => String::new(),
        copies => format!(" for {} copies", units::count(u64::from(copies))),
    }
}

/// Returns what the design is, how certain it is, what it costs, what would change it, and what else is to know of the
/// run.
fn about(summary: &Summary, decision: &Decision, how_to: &HowTo, width: usize) -> Option<String> {
    let mut buy = words::buy(decision);
    buy.extend(words::runner_up_to_buy(decision));
    let changes = words::first_changes(words::flips_and_choices(decision));
    let changes = match (decision.recommendation.is_some(), changes.is_empty()) {
        (false, _) => None,
        (true, true) => Some("nothing that was measured.".to_owned()),
        (true, false) => Some(format!("{}.", changes.join("; "))),
    };
    let time = verdict::time_to_answer(decision);
    let estimate = verdict::time_of_all_rows(summary, decision);
    let time = time.map(|time| {
        let basis = verdict::with_estimate(time.basis, estimate);
        format!("{}, {basis}.", time.figure)
    });
    let left_out = words::left_out(decision).join(" ");
    let lines = [
        ("Design: ", in_words(how_to)),
        ("Certainty: ", words::certainty(decision)),
        ("Time: ", time),
        (
            "Costs: ",
            (!buy.is_empty()).then(|| format!("{}.", buy.join("; "))),
        ),
        ("What would change it: ", changes),
        ("Left out: ", Some(left_out).filter(|text| !text.is_empty())),
        (
            "Rules: ",
            rules::in_short(summary).map(|rules| format!("{rules}.")),
        ),
        ("Rows: ", summary.full_rows_in_words()),
        (
            "Budget: ",
            notes::over_budget(summary).map(|note| format!("{note}.")),
        ),
    ];
    let lines = lines.into_iter().filter_map(|(label, text)| {
        let text = text?;
        Some(wrap(&format!("{label}{text}"), width, "", INDENT))
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Says what the design is, if that is known.
pub(crate) fn in_words(how_to: &HowTo) -> Option<String> {
    how_to.what.as_ref().map(|what| format!("{what}."))
}

/// Returns the statements that make tables, if there are some.
pub(crate) fn statements(tables: &[String]) -> Option<String> {
    let lines = tables
        .iter()
        .map(|statement| format!("\n{INDENT}{statement};"));
    (!tables.is_empty()).then(|| format!("Its tables:{}", lines.collect::<String>()))
}

/// Returns how the tables are filled, or why nothing here fills them.
pub(crate) fn filling(how_to: &HowTo, width: usize) -> String {
    match &how_to.why_not {
        Some(why) => wrap(&format!("To fill them: {why}."), width, "", INDENT),
        None => {
            let lines = how_to
                .filling
                .iter()
                .map(|line| format!("\n{INDENT}{line}"));
            format!("To fill them:{}", lines.collect::<String>())
        }
    }
}
