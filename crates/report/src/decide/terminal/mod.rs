//! Renders a decision for the terminal, in no more than 25 lines of 100 columns, and for a file as a whole.

mod fit;
mod waits;

use bakeoff_stats::decide::{Choice, Decision, Doubt, Recommendation};

use super::words;
use crate::text::style::Style;
use fit::{clip, wrap, wrap_list, wrap_sentences};

/// Most lines of the whole text, for any number of designs and questions.
pub const MOST_LINES: usize = 25;
const MOST_COLUMNS: usize = 100;
const FEWEST_COLUMNS: usize = 60;
/// Width of the parts' names, on the left of their lines.
const LABEL: usize = 10;
/// Most lines of the first sentences.
const HEADLINE: usize = 3;
/// Most lines about what is left out.
const LEFT_OUT: usize = 3;
/// Most lines about a race.
const RACE: usize = 3;
/// Lines that the waits have before a race has more than one, and before others have all of theirs: a heading, two
/// questions, and the number of further ones.
const FEWEST_WAITS: usize = 4;
/// Lines of what comes last: what is left out, noise and what is not known have one each.
const FEWEST_LAST: usize = 3;

/// A part of the text with its name.
struct Part {
    label: &'static str,
    lines: Vec<String>,
}

/// Renders a decision, coloured when `color` is set. The text is as wide as `width`, but at least 60 and at
/// most 100 columns.
pub fn render(decision: &Decision, width: usize, color: bool) -> String {
    render_of_race(decision, None, width, color)
}

/// Renders the decision of a race, with what is to be said about that. It is cut, to one line at least, where the
/// other parts need the lines.
pub fn render_of_race(
    decision: &Decision,
    race: Option<String>,
    width: usize,
    color: bool,
) -> String {
    let width = width.clamp(FEWEST_COLUMNS, MOST_COLUMNS);
    let parts = parts(decision, race, width - LABEL);
    let headline = wrap(&words::headline(decision), width, HEADLINE);
    rendered(&headline, &parts, Style { color })
}

/// Renders the decision of a race with all there is to say, however many lines it takes: for a file, which nobody reads
/// on one screen. Nothing is cut; of many changes the first are named.
pub fn render_whole(decision: &Decision, race: Option<String>, width: usize) -> String {
    let width = width.clamp(FEWEST_COLUMNS, MOST_COLUMNS);
    let parts = whole(decision, race, width - LABEL);
    let headline = wrap(&words::headline(decision), width, usize::MAX);
    rendered(&headline, &parts, Style { color: false })
}

fn rendered(headline: &[String], parts: &[Part], style: Style) -> String {
    let mut lines: Vec<String> = headline.iter().map(|line| style.bold(line)).collect();
    for part in parts {
        for (index, line) in part.lines.iter().enumerate() {
            let label = if index == 0 { part.label } else { "" };
            let label = style.bold(&format!("{label:LABEL$}"));
            lines.push(format!("{label}{line}").trim_end().to_owned());
        }
    }
    lines.join("\n") + "\n"
}

/// Makes the parts in their order with all of their lines.
fn whole(decision: &Decision, race: Option<String>, width: usize) -> Vec<Part> {
    const ALL: usize = usize::MAX;
    let is_other = |choice: &&Choice| !choice.is_recommended;
    let others = decision.front.iter().filter(is_other);
    let others = others.flat_map(|choice| wrap(&words::alternative(decision, choice), width, ALL));
    let mut buy = words::buy(decision);
    buy.extend(words::runner_up_to_buy(decision));
    let left_out = wrap_sentences(&words::left_out(decision), width, ALL);
    vec![
        Part::new("Rule", Some(words::rule(decision)), width, ALL),
        Part::new("Certainty", words::certainty(decision), width, ALL),
        Part::list("Buy", &buy, width, ALL),
        Part::new("Against", words::to_baseline(decision), width, ALL),
        Part {
            label: "Wait",
            lines: waits::all(decision),
        },
        Part::list("Give up", &give_up(decision), width, ALL),
        Part {
            label: "Others",
            lines: others.collect(),
        },
        Part::list(
            "Flips to",
            &words::first_changes(changes(decision)),
            width,
            ALL,
        ),
        Part {
            label: "Left out",
            lines: left_out,
        },
        Part::new("Noise", Some(words::floor(decision)), width, ALL),
        Part::new("Unknown", words::not_measured(decision), width, ALL),
        Part::new("Race", race, width, ALL),
    ]
}

/// Makes the parts in their order. The waits take the lines that the others leave; what is left out, noise and what is
/// not known give up theirs for the first few of them.
fn parts(decision: &Decision, race: Option<String>, width: usize) -> Vec<Part> {
    let headline = wrap(&words::headline(decision), width + LABEL, HEADLINE).len();
    let before = vec![
        Part::new("Rule", Some(words::rule(decision)), width, 2),
        Part::new("Certainty", words::certainty(decision), width, 3),
        Part::list("Buy", &words::buy(decision), width, 2),
        Part::new("Against", words::to_baseline(decision), width, 1),
    ];
    let mut after = vec![
        Part::list("Give up", &give_up(decision), width, 2),
        others(decision, width),
    ];
    let fewest_waits = waits::lines(decision, width, FEWEST_WAITS).len();
    let fewest = fewest_waits + usize::from(race.is_some());
    // Only where every other part is as long as it may be is there no second line for this one.
    let taken = headline + lines_of(&before) + lines_of(&after);
    let most = MOST_LINES.saturating_sub(taken + fewest + FEWEST_LAST);
    let changes = changes(decision);
    after.push(Part::list("Flips to", &changes, width, most.clamp(1, 2)));
    let taken = headline + lines_of(&before) + lines_of(&after);
    let last = last(decision, width, MOST_LINES.saturating_sub(taken + fewest));
    let left = MOST_LINES.saturating_sub(taken + lines_of(&last));
    let most = RACE.min(left.saturating_sub(fewest_waits));
    let race = Part::new("Race", race, width, most);
    let waits = Part {
        label: "Wait",
        lines: waits::lines(decision, width, left - race.lines.len()),
    };
    { before.into_iter().chain([waits]) }
        .chain(after)
        .chain(last)
        .chain([race])
        .collect()
}

/// Makes what comes after everything about designs in no more than this many lines; each part has one at least.
fn last(decision: &Decision, width: usize, most: usize) -> [Part; 3] {
    // If nothing can be recommended, the reasons are all there is to say.
    let left_out = match decision.recommendation {
        Some(_) => LEFT_OUT,
        None => 5 * LEFT_OUT,
    };
    let lines = |wanted: usize, used: usize, parts_after: usize| {
        wanted.min(most.saturating_sub(used + parts_after)).max(1)
    };
    let left_out = Part {
        label: "Left out",
        lines: wrap_sentences(&words::left_out(decision), width, lines(left_out, 0, 2)),
    };
    let mut used = left_out.lines.len();
    let floor = Some(words::floor(decision));
    let noise = Part::new("Noise", floor, width, lines(2, used, 1));
    used += noise.lines.len();
    let unknown = words::not_measured(decision);
    let unknown = Part::new("Unknown", unknown, width, lines(2, used, 0));
    [left_out, noise, unknown]
}

fn lines_of(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.lines.len()).sum()
}

impl Part {
    fn new(label: &'static str, text: Option<String>, width: usize, most: usize) -> Part {
        let lines = text.map_or_else(Vec::new, |text| wrap(&text, width, most));
        Part { label, lines }
    }

    /// Makes a part of items with semicolons between them.
    fn list(label: &'static str, items: &[String], width: usize, most: usize) -> Part {
        let lines = wrap_list(items, width, most);
        Part { label, lines }
    }
}

fn give_up(decision: &Decision) -> Vec<String> {
    let given_up = words::give_up(decision);
    let is_compared = |recommendation: &Recommendation| {
        !recommendation.is_only_choice() && !recommendation.doubts.contains(&Doubt::NotByTheRule)
    };
    if given_up.is_empty() && decision.recommendation.as_ref().is_some_and(is_compared) {
        return vec![words::nothing_given_up(decision)];
    }
    given_up
}

/// Lists the other designs of the front, each with the reason to choose it and the storage to buy then.
fn others(decision: &Decision, width: usize) -> Part {
    let others = decision
        .front
        .iter()
        .filter(|choice| !choice.is_recommended);
    let lines = others.map(|choice| {
        // The second reason is given only if both fit, and the storage only if it fits behind them.
        let both = choice_line(decision, choice, words::REASONS, width);
        let reasons = if fit::columns(&both) <= width {
            both
        } else {
            clip(&choice_line(decision, choice, 1, width), width)
        };
        let storage = words::to_buy(decision, &choice.design);
        let with_storage = storage.map(|storage| format!("{reasons}, {storage}"));
        let fitting = with_storage.filter(|line| fit::columns(line) <= width);
        fitting.unwrap_or(reasons)
    });
    Part {
        label: "Others",
        lines: lines.collect(),
    }
}

fn choice_line(decision: &Decision, choice: &Choice, reasons: usize, width: usize) -> String {
    let reason = words::choose_if(decision, choice, reasons);
    let room = width.saturating_sub(fit::columns(&reason) + 2);
    let name = fit::shorten(&choice.design, room.max(width / 2));
    format!("{name}: {reason}")
}

fn changes(decision: &Decision) -> Vec<String> {
    if decision.recommendation.is_none() {
        return Vec::new();
    }
    words::flips(decision)
}
