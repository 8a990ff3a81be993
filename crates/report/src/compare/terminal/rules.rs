//! Whether the rules that proposed designs held on these data: what `bakeoff report --rules` prints.

use bakeoff_stats::Summary;

use crate::compare::rules::{Finding, HINT, TITLE, findings};
use crate::text::paragraph;
use crate::text::style::{Style, wrap};

/// Renders what a run shows of the rules, in lines of at most `width` columns, which are no fewer than 60.
pub fn render_rules(summary: &Summary, width: usize, color: bool) -> String {
    let (width, style) = (width.max(60), Style { color });
    let found = findings(summary);
    if found.is_empty() {
        let none = "The workload of this run has no rules beside its designs, or none of them can be compared: bakeoff \
             propose WORKLOAD --out FILE writes one that has.";
        return paragraph(TITLE, none, width, style) + "\n";
    }
    let mut parts = vec![paragraph(TITLE, HINT, width, style)];
    for Finding { title, designs } in found {
        let lines = designs.iter().map(|line| wrap(line, width, "  ", "    "));
        let lines: Vec<String> = lines.collect();
        parts.push(format!("{}\n{}", style.bold(title), lines.join("\n")));
    }
    parts.join("\n\n") + "\n"
}
