//! A sweep in the terminal: a heat map of each design, its best setting, the designs next to each other, rates per
//! node, then the verdict.

use bakeoff_stats::sweep::{SweepDesign, SweepHeader, SweepSetting, SweepSummary};

use super::{CellText, by_rate, notes, per_node, shown, verdict};
use crate::compare::to_best;
use crate::per_node::terminal::sections;
use crate::text::layout::{self, NONE, left, right};
use crate::text::style::{Style, wrap};
use crate::text::{self, section};
use crate::units;

/// Characters from few to many rows a second, in five equal steps of a design's highest rate.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];

/// Number of failures that are listed one by one; report.html has all.
const MOST_FAILURES: usize = 12;

/// Lines of at most `width` columns (no fewer than 60), coloured when `color` is set.
pub fn render(summary: &SweepSummary, width: usize, color: bool) -> String {
    let width = width.max(60);
    let style = Style { color };
    let facts = notes::facts(summary);
    let mut parts = vec![text::paragraph(&summary.header.title, &facts, width, style)];
    parts.extend(shown(summary).map(|design| heat_map(summary, design, width, style)));
    parts.extend(designs(summary, width, style));
    let per_node = per_node(summary);
    parts.extend({ per_node.iter() }.flat_map(|shown| sections(shown, width, style)));
    parts.extend(failures(summary, width, style));
    parts.extend(text::notes(&notes::of(summary), width, style));
    parts.push(text::paragraph(
        "Workers",
        verdict::ON_WORKERS,
        width,
        style,
    ));
    let verdict = verdict::paragraph(summary);
    parts.push(text::paragraph("Verdict", &verdict, width, style));
    parts.join("\n\n") + "\n"
}

fn heat_map(summary: &SweepSummary, design: &SweepDesign, width: usize, style: Style) -> String {
    let header = &summary.header;
    let mut table = layout::table(style);
    table.set_header(head(header));
    for (row, cells) in design.cells.iter().enumerate() {
        let mut line = vec![right(units::count(header.batches[row]))];
        line.extend(cells.iter().enumerate().map(|(column, setting)| {
            let is_best = design.best == Some((row, column));
            match setting {
                Some(setting) => shown_cell(design, setting, is_best),
                None => right(NONE),
            }
        }));
        table.add_row(line);
    }
    if !layout::fits(&table, width) {
        layout::set_width(&mut table, width);
    }
    let hint = "rows of a batch down, workers across; rows/s, then p99 of an insert";
    let best = verdict::best(design).map_or_else(
        || "no setting inserted all that it acknowledged".to_owned(),
        |best| format!("★ best: {best}"),
    );
    let best = wrap(&best, width, "", "  ");
    section(&design.info.id, style, &format!("{hint}\n{table}\n{best}"))
}

/// The designs next to each other, each with its best setting; `None` if there is only one.
fn designs(summary: &SweepSummary, width: usize, style: Style) -> Option<String> {
    let designs = by_rate(summary);
    let rates = designs.iter().filter_map(|(_, best)| best.rate.as_ref());
    let mut table = layout::table(style);
    table.set_header([
        left("Design"),
        right("Rows/s"),
        right(to_best::interval_heading(rates)),
        right("× best"),
    ]);
    for (design, best) in &designs {
        let rate = best.rate?;
        let against = summary.comparison.design(&design.info.id);
        table.add_row([
            left(&design.info.id),
            right(units::rate(rate.median)),
            right(units::rate_interval(&rate)),
            right(layout::or_none(against, to_best::in_full)),
        ]);
    }
    if !layout::fits(&table, width) {
        layout::set_width(&mut table, width);
    }
    let legend = wrap(&verdict::on_comparison(summary), width, "", "");
    let title = "Designs, each with its best setting";
    (designs.len() > 1).then(|| section(title, style, &format!("{legend}\n{table}")))
}

fn head(header: &SweepHeader) -> Vec<comfy_table::Cell> {
    let workers = header
        .workers
        .iter()
        .map(|w| right(units::count(u64::from(*w))));
    std::iter::once(left("")).chain(workers).collect()
}

fn shown_cell(design: &SweepDesign, setting: &SweepSetting, is_best: bool) -> comfy_table::Cell {
    let text = CellText::of(setting);
    let star = if is_best { "★ " } else { "" };
    let rate = text
        .rate
        .map(|rate| format!("{star}{} {rate}", shade(design.share(setting))));
    let trouble = text.trouble.as_ref().map(|trouble| format!("✗ {trouble}"));
    let lines: Vec<String> = [rate, text.p99, trouble].into_iter().flatten().collect();
    let shown = right(lines.join("\n"));
    match text.trouble {
        Some(_) => layout::red(shown),
        None => shown,
    }
}

fn shade(share: Option<f64>) -> char {
    let steps = SHADES.len() as f64;
    let step = (share.unwrap_or_default() * steps).floor().min(steps - 1.0);
    SHADES[step.max(0.0) as usize]
}

fn failures(summary: &SweepSummary, width: usize, style: Style) -> Option<String> {
    let failures = notes::failures(summary);
    let mut lines: Vec<String> = { failures.iter().take(MOST_FAILURES) }
        .map(|(place, reason)| text::failure(place, reason, width, style))
        .collect();
    let more = failures.len().saturating_sub(MOST_FAILURES);
    if more > 0 {
        lines.push(format!("  and {more} more: see the report"));
    }
    text::failures(&lines, style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_grow_with_the_rate() {
        let shades: String = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]
            .map(|s| shade(Some(s)))
            .iter()
            .collect();
        assert_eq!(shades, "··░▒▓██");
    }
}
