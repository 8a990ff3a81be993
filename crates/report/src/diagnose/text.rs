//! A diagnosis as text: what to do now, soon and sometime, each with its evidence, and what could not be checked.

use bakeoff_stats::diagnose::{Check, Diagnosis, Finding, NotChecked, Observed, Unit, Urgency};

use super::{command, headline};
use crate::text::style::wrap;
use crate::units;

/// Most figures of a finding that are shown; JSON has all.
const SHOWN: usize = 6;
/// Most tables that are named in a line.
const TABLES_NAMED: usize = 3;
/// Blanks as wide as the label of a finding with those before and behind it.
const INDENT: &str = "              ";

/// Renders a diagnosis for a terminal of this width.
pub fn render(diagnosis: &Diagnosis, tables_left_out: usize, width: usize) -> String {
    let mut parts = vec![headline(diagnosis)];
    for (urgency, title) in [
        (Urgency::Now, "Now"),
        (Urgency::Soon, "Soon"),
        (Urgency::Sometime, "Sometime"),
    ] {
        let findings = diagnosis.findings(urgency);
        let shown: Vec<String> = findings
            .map(|(check, f)| finding(check, f, width))
            .collect();
        if !shown.is_empty() {
            parts.push(format!("{title}\n{}", shown.join("\n")));
        }
    }
    let not_checked = grouped(diagnosis);
    if !not_checked.is_empty() {
        let lines: Vec<String> = not_checked.iter().map(|g| g.in_words(width)).collect();
        parts.push(format!("Could not be checked\n{}", lines.join("\n")));
    }
    let mut notes = Vec::new();
    let has_command = |(check, finding): (&Check, &Finding)| command(check, finding).is_some();
    let all = [Urgency::Now, Urgency::Soon, Urgency::Sometime];
    let proposes = all.map(|urgency| diagnosis.findings(urgency).any(has_command));
    if proposes.contains(&true) {
        let text = "mine.toml describes your table: change what `bakeoff show readings > \
                    mine.toml` writes. The commands measure on a Cassandra that they start.";
        notes.push(wrap(text, width, "", ""));
    }
    if tables_left_out > 0 {
        let tables = units::plural(
            tables_left_out as u64,
            "smaller table was",
            "smaller tables were",
        );
        notes.push(format!(
            "{tables} not looked at: name them instead of --cluster"
        ));
    }
    if !notes.is_empty() {
        parts.push(notes.join("\n"));
    }
    parts.join("\n\n")
}

fn finding(check: &Check, finding: &Finding, width: usize) -> String {
    let mut lines = vec![wrap(
        &format!("{}: {} ({})", check.about, finding.says, check.rule),
        width,
        "  ",
        "    ",
    )];
    let mut labelled = |label: &str, text: &str| {
        lines.push(wrap(text, width, &format!("    {label:<10}"), INDENT));
    };
    for (place, seen) in finding.evidence.iter().take(SHOWN).enumerate() {
        let label = if place == 0 { "seen" } else { "" };
        labelled(label, &observed(seen));
    }
    if finding.evidence.len() > SHOWN {
        let others = finding.evidence.len() - SHOWN;
        labelled("", &format!("and {others} more figures, which --json has"));
    }
    let threshold = format!("{}; by: {}", finding.threshold, finding.source);
    labelled("threshold", &threshold);
    labelled("means", &finding.meaning);
    if !finding.designs.is_empty() {
        let designs = finding.designs.join(", ");
        labelled("designs", &format!("that would show it: {designs}"));
    }
    if let Some(command) = command(check, finding) {
        // Not broken into lines, so that it can be copied.
        lines.push(format!("    {:<10}{command}", "measure"));
    }
    lines.join("\n")
}

fn observed(seen: &Observed) -> String {
    let value = match seen.unit {
        Unit::Bytes => units::bytes(seen.value),
        Unit::Microseconds => units::duration(seen.value / 1e6),
        Unit::Share => format!("{:.1}%", seen.value * 100.0),
        Unit::Count => units::count(seen.value.round().max(0.0) as u64),
        Unit::Fact => String::new(),
    };
    let figure = &seen.figure;
    let said = match seen.unit {
        Unit::Share => format!("{value} {figure}"),
        Unit::Fact => figure.clone(),
        _ => format!("{figure}: {value}"),
    };
    match &seen.node {
        Some(node) => format!("{node}  {said}"),
        None => said,
    }
}

/// Checks that could not be made for one reason: each of these rules, on each of these tables.
struct Group<'a> {
    not: &'a NotChecked,
    rules: Vec<&'a str>,
    about: Vec<&'a str>,
}

impl Group<'_> {
    fn in_words(&self, width: usize) -> String {
        let about = match self.about.len() {
            number if number > TABLES_NAMED => units::plural(number as u64, "table", "tables"),
            _ => self.about.join(", "),
        };
        let brings = match self.not.brings {
            Some(option) => format!("; what brings it: {option}"),
            None => String::new(),
        };
        let rules = self.rules.join(", ");
        let line = format!("{rules} of {about}: {}{brings}", self.not.reason);
        wrap(&line, width, "  ", "    ")
    }
}

/// Puts checks that were not made for the same reason together.
fn grouped(diagnosis: &Diagnosis) -> Vec<Group<'_>> {
    let mut of_tables: Vec<Group<'_>> = Vec::new();
    for (check, not) in diagnosis.not_checked() {
        let about = check.about.as_str();
        let mut groups = of_tables.iter_mut();
        match groups.find(|group| group.not == not && group.about == [about]) {
            Some(group) => group.rules.push(check.rule),
            None => of_tables.push(Group {
                not,
                rules: vec![check.rule],
                about: vec![about],
            }),
        }
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    for of_table in of_tables {
        let alike = |group: &Group<'_>| group.not == of_table.not && group.rules == of_table.rules;
        match groups.iter().position(alike) {
            Some(place) => groups[place].about.extend(of_table.about),
            None => groups.push(of_table),
        }
    }
    groups
}
