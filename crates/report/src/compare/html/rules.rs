//! Whether the rules that proposed designs held on these data, as lists.

use bakeoff_stats::Summary;

use crate::compare::rules::{Finding, HINT, TITLE, findings};
use crate::markup::Escaped;
use crate::page::section;

/// Renders the section; it is empty for a run whose workload notes no rules, and for one that has not come to its end.
pub fn of_run(summary: &Summary) -> String {
    if !summary.finished {
        return String::new();
    }
    let found = findings(summary);
    if found.is_empty() {
        return String::new();
    }
    let lists: String = found.iter().map(list).collect();
    let hint = format!("<p class=\"hint-text\">{}</p>\n", Escaped(HINT));
    section(TITLE, &(hint + &lists))
}

fn list(Finding { title, designs }: &Finding) -> String {
    let items = designs
        .iter()
        .map(|design| format!("<li>{}</li>\n", Escaped(design)));
    format!(
        "<h3>{}</h3>\n<ul>\n{}</ul>\n",
        Escaped(title),
        items.collect::<String>()
    )
}
