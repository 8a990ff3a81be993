//! Proposals as text: what the rules know, the designs with their reasons, and what is known to go wrong.

use bakeoff_stats::propose::{BadPractice, Proposal, Proposals};

use super::calibration::estimated;
use super::{behind_in_words, headline, same_in_words};
use crate::text::style::wrap;
use crate::units::plural;

/// Blanks in front of a reason, and of its further lines.
const INDENT: &str = "    ";
const FURTHER: &str = "      ";

/// Renders proposals for a terminal of this width, with the statements that make the tables if they are wanted.
pub fn render(proposals: &Proposals, with_ddl: bool, width: usize) -> String {
    let mut parts = vec![headline(proposals)];
    let facts = proposals.facts.iter();
    let facts: Vec<String> = facts.map(|fact| wrap(fact, width, "  ", INDENT)).collect();
    parts.push(format!("What the rules know\n{}", facts.join("\n")));
    if !proposals.designs.is_empty() {
        let designs = proposals.designs.iter();
        let designs: Vec<String> = designs.map(|d| proposal(d, with_ddl, width)).collect();
        parts.push(format!("Worth measuring\n{}", designs.join("\n")));
    }
    if !proposals.bad_practices.is_empty() {
        let bad = proposals.bad_practices.iter();
        let bad: Vec<String> = bad.map(|bad| bad_practice(bad, width)).collect();
        parts.push(format!(
            "Known to go wrong, and not proposed\n{}",
            bad.join("\n")
        ));
    }
    let mut notes = Vec::new();
    if !proposals.beyond.is_empty() {
        let number = proposals.beyond.len() as u64;
        let others = plural(number, "further design", "further designs");
        let named = proposals.beyond.join(", ");
        notes.push(wrap(
            &format!("Left out, since there are so many: {others}, {named}"),
            width,
            "",
            "  ",
        ));
    }
    for behind in behind_in_words(proposals) {
        let note = format!("Far behind: {behind}");
        notes.push(wrap(&note, width, "", "  "));
    }
    for same in same_in_words(proposals) {
        let note = format!("Not measured apart: {same}");
        notes.push(wrap(&note, width, "", "  "));
    }
    for (why, designs) in proposals.misfits_by_reason() {
        let note = format!("Not possible here: {}: {why}", designs.join(", "));
        notes.push(wrap(&note, width, "", "  "));
    }
    if !notes.is_empty() {
        parts.push(notes.join("\n"));
    }
    parts.join("\n\n")
}

fn proposal(proposal: &Proposal, with_ddl: bool, width: usize) -> String {
    let mut lines = vec![format!("  {}", proposal.design)];
    for reason in &proposal.reasons {
        let line = format!("{}: {}; by: {}", reason.rule, reason.says, reason.source);
        lines.push(wrap(&line, width, INDENT, FURTHER));
    }
    if let Some(estimated) = estimated(proposal) {
        lines.push(wrap(&estimated, width, INDENT, FURTHER));
    }
    if let Some(why) = &proposal.not_here {
        lines.push(wrap(&format!("not here: {why}"), width, INDENT, FURTHER));
    }
    if with_ddl {
        // Not broken into lines, so that they can be copied.
        lines.extend(
            proposal
                .ddl
                .iter()
                .map(|statement| format!("{INDENT}{statement}")),
        );
    }
    lines.join("\n")
}

fn bad_practice(bad: &BadPractice, width: usize) -> String {
    let line = format!(
        "{}: {}; instead: {}; by: {}",
        bad.rule, bad.why, bad.instead, bad.source
    );
    format!("  {}\n{}", bad.what, wrap(&line, width, INDENT, FURTHER))
}
