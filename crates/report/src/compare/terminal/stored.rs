//! First rows as they are stored: what `bakeoff report --stored` prints.

use bakeoff_stats::{Stored, Summary};

use crate::compare::stored::{HINT, TITLE, by_design, headline, lines};
use crate::text::style::Style;
use crate::text::{paragraph, with_lines};

/// Renders the first rows of each design. Only they have lines of more than `width` columns, which are no fewer than
/// 60.
pub fn render_stored(summary: &Summary, width: usize, color: bool) -> String {
    let (width, style) = (width.max(60), Style { color });
    let designs = by_design(summary);
    if designs.is_empty() {
        let none = "This run recorded none: repeat it in another folder with --show-stored, with a design of rows in a \
             Cassandra that Bakeoff starts.";
        return paragraph(TITLE, none, width, style) + "\n";
    }
    let mut parts = vec![paragraph(TITLE, HINT, width, style)];
    parts.extend(designs.into_iter().map(|stored| rows(stored, width)));
    parts.join("\n\n") + "\n"
}

fn rows(stored: &Stored, width: usize) -> String {
    let whose = format!("{}, {}", stored.design, headline(stored));
    with_lines(&whose, &lines(stored), width)
}
