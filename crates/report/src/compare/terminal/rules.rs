//! Whether the rules that proposed designs held on these data: what `bakeoff report --rules` prints.

use bakeoff_stats::Summary;
use bakeoff_stats::propose::{Held, RulesHeld, rules_held};

use crate::text::paragraph;
use crate::text::style::{Style, wrap};
use crate::units::plural;

const TITLE: &str = "Rules that proposed designs";
const HINT: &str = "Each design is compared with the one that differs least from it, by the times of the questions.";

/// Findings in the order in which they are shown, each with its title.
const FINDINGS: [(Held, &str); 6] = [
    (Held::Won, "Won: something is faster, and nothing slower"),
    (Held::Lost, "Lost: something is slower, and nothing faster"),
    (Held::Mixed, "Some questions are faster, and others slower"),
    (Held::Same, "Makes no difference"),
    (Held::NotSettled, "Not settled"),
    (
        Held::NotMeasured,
        "Not measured: a design failed, or a race dropped it",
    ),
];

/// Renders what a run shows of the rules, in lines of at most `width` columns, which are no fewer than 60.
pub fn render_rules(summary: &Summary, width: usize, color: bool) -> String {
    let (width, style) = (width.max(60), Style { color });
    let held = rules_held(summary);
    if held.is_empty() {
        let none = "The workload of this run has no rules beside its designs, or none of them can be compared: bakeoff \
             propose WORKLOAD --out FILE writes one that has.";
        return paragraph(TITLE, none, width, style) + "\n";
    }
    let mut parts = vec![paragraph(TITLE, HINT, width, style)];
    for (finding, title) in FINDINGS {
        let found = held.iter().filter(|rules| rules.held() == finding);
        let lines: Vec<String> = found.map(|rules| in_words(rules, width)).collect();
        if !lines.is_empty() {
            parts.push(format!("{}\n{}", style.bold(title), lines.join("\n")));
        }
    }
    parts.join("\n\n") + "\n"
}

fn in_words(held: &RulesHeld, width: usize) -> String {
    let mut says = Vec::new();
    for (queries, word) in [(&held.faster, "faster"), (&held.slower, "slower")] {
        let named = queries.iter();
        let named: Vec<String> = named
            .map(|(query, ratio)| format!("{query} ({ratio:.2}×)"))
            .collect();
        if !named.is_empty() {
            says.push(format!("{word} in {}", named.join(", ")));
        }
    }
    let questions = |number: u32| plural(u64::from(number), "question", "questions");
    if held.same > 0 {
        says.push(format!("the same in {}", questions(held.same)));
    }
    if held.not_settled > 0 {
        says.push(format!("not settled in {}", questions(held.not_settled)));
    }
    let line = format!(
        "{}: {} against {}{}{}",
        held.rules.join(", "),
        held.design,
        held.against,
        if says.is_empty() { "" } else { ": " },
        says.join("; ")
    );
    wrap(&line, width, "  ", "    ")
}
