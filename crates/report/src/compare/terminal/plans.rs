//! Plans of queries: what `bakeoff report --plans` prints.

use bakeoff_stats::{Planned, Summary};

use crate::compare::plans::{HINT, TITLE, by_query, headline, lines};
use crate::text::style::Style;
use crate::text::{paragraph, with_lines};

/// Renders the plans of each query on each design. Only plans have lines of more than `width` columns, which are no
/// fewer than 60.
pub fn render_plans(summary: &Summary, width: usize, color: bool) -> String {
    let (width, style) = (width.max(60), Style { color });
    let queries = by_query(summary);
    if queries.is_empty() {
        let none = "This run recorded no plans: it ended before, is one of an earlier version, or its designs tell \
             none.";
        return paragraph(TITLE, none, width, style) + "\n";
    }
    let mut parts = vec![paragraph(TITLE, HINT, width, style)];
    for (query, plans) in queries {
        parts.push(style.bold(query));
        parts.extend(plans.into_iter().map(|planned| plan(planned, width)));
    }
    parts.join("\n\n") + "\n"
}

fn plan(planned: &Planned, width: usize) -> String {
    let whose = format!("{}: {}", planned.design, headline(planned));
    with_lines(&whose, &lines(planned), width)
}
