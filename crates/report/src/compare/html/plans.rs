//! Plans of queries, which fold away by query.

use bakeoff_stats::{Planned, Summary};

use crate::compare::plans::{HINT, TITLE, by_query, headline, lines};
use crate::markup::{Escaped, design_id};
use crate::page::section;
use crate::page::setup::details;

/// Renders the section; it is empty for a run without plans.
pub fn of_run(summary: &Summary) -> String {
    let queries = by_query(summary);
    if queries.is_empty() {
        return String::new();
    }
    let folded = queries.into_iter().map(|(query, plans)| {
        let plans: String = plans.into_iter().map(plan).collect();
        details(query, &plans)
    });
    let hint = format!("<p class=\"hint-text\">{}</p>\n", Escaped(HINT));
    section(TITLE, &(hint + &folded.collect::<String>()))
}

fn plan(planned: &Planned) -> String {
    let lines = lines(planned);
    let text = if lines.is_empty() {
        String::new()
    } else {
        format!("<pre>{}</pre>\n", Escaped(lines))
    };
    format!(
        "<p>{}: {}</p>\n{text}",
        design_id(&planned.design),
        Escaped(headline(planned))
    )
}
