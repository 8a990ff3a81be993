//! Draws rows per second by batch size and workers. Every cell has its figure, so that the shade alone
//! carries no meaning.

use std::fmt::Write;

use bakeoff_stats::sweep::{SweepDesign, SweepHeader, SweepSetting};

use crate::markup::Escaped;
use crate::sweep::CellText;
use crate::units;

const WIDTH: f64 = 360.0;
/// Width of the column of batch sizes.
const LEFT: f64 = 52.0;
/// Height of the heading and the numbers of workers.
const TOP: f64 = 40.0;
const CELL_HEIGHT: f64 = 50.0;
/// Narrowest cell that has room for its figures.
const CELL_WIDTH: f64 = 60.0;
/// Opacity of the strongest shade on which text can still be read.
const STRONGEST: f64 = 0.55;
const WEAKEST: f64 = 0.05;

/// Draws the map, or returns `None` if nothing was measured.
pub fn heat_map(header: &SweepHeader, design: &SweepDesign) -> Option<String> {
    design.highest_rate()?;
    let columns = header.workers.len() as f64;
    let width = WIDTH.max(LEFT + columns * CELL_WIDTH);
    let cell_width = (width - LEFT - 1.0) / columns;
    let height = TOP + header.batches.len() as f64 * CELL_HEIGHT + 2.0;
    let mut content = axes(header, width, cell_width);
    for (row, cells) in design.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let position = CellBox {
                x: LEFT + column as f64 * cell_width,
                y: TOP + row as f64 * CELL_HEIGHT,
                width: cell_width,
            };
            content += &match cell {
                Some(cell) => position.cell(design, cell),
                None => position.empty(),
            };
        }
    }
    // The outline comes last, so that no neighbour covers it.
    if let Some((row, column)) = design.best {
        let (x, y) = (column as f64 * cell_width, row as f64 * CELL_HEIGHT);
        content += &outline(LEFT + x, TOP + y, cell_width);
    }
    let title = format!(
        "{}: rows a second by batch size and workers",
        design.info.id
    );
    Some(super::svg(
        width,
        height,
        &title,
        &description(design),
        &content,
    ))
}

/// The position and width of a cell in the chart.
struct CellBox {
    x: f64,
    y: f64,
    width: f64,
}

impl CellBox {
    fn cell(&self, design: &SweepDesign, setting: &SweepSetting) -> String {
        let text = CellText::of(setting);
        let mut shapes = match design.share(setting) {
            Some(share) => self.rect("heat", WEAKEST + share * (STRONGEST - WEAKEST)),
            None => self.empty(),
        };
        let lines = [
            text.rate.map(|rate| ("rate", rate)),
            text.p99.map(|p99| ("small", p99)),
            text.trouble.map(|trouble| ("small value failed", trouble)),
        ];
        let lines: Vec<(&str, String)> = lines.into_iter().flatten().collect();
        let middle = self.x + self.width / 2.0;
        // The lines together are centred in the cell.
        let first = self.y + CELL_HEIGHT / 2.0 - 7.0 * (lines.len() as f64 - 1.0) + 4.0;
        for (index, (class, line)) in lines.iter().enumerate() {
            let baseline = first + 14.0 * index as f64;
            // Writing to a string does not fail.
            let _ = write!(
                shapes,
                "<text class=\"{class}\" x=\"{middle:.1}\" y=\"{baseline:.1}\" \
                 text-anchor=\"middle\">{}</text>",
                Escaped(line)
            );
        }
        shapes + "\n"
    }

    fn empty(&self) -> String {
        self.rect("empty", 1.0)
    }

    fn rect(&self, class: &str, opacity: f64) -> String {
        format!(
            "<rect class=\"{class}\" fill-opacity=\"{opacity:.2}\" x=\"{:.1}\" y=\"{:.1}\" \
             width=\"{:.1}\" height=\"{:.1}\"/>",
            self.x + 1.0,
            self.y + 1.0,
            self.width - 2.0,
            CELL_HEIGHT - 2.0
        )
    }
}

fn axes(header: &SweepHeader, width: f64, cell_width: f64) -> String {
    let mut axes = format!(
        "<text class=\"tick\" x=\"{:.1}\" y=\"12\" text-anchor=\"middle\">workers</text>\
         <text class=\"tick\" x=\"0\" y=\"{:.1}\">batch</text>\n",
        (LEFT + width) / 2.0,
        TOP - 8.0
    );
    for (column, workers) in header.workers.iter().enumerate() {
        let middle = LEFT + (column as f64 + 0.5) * cell_width;
        let _ = writeln!(
            axes,
            "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            TOP - 8.0,
            units::count(u64::from(*workers))
        );
    }
    for (row, batch) in header.batches.iter().enumerate() {
        let middle = TOP + (row as f64 + 0.5) * CELL_HEIGHT + 4.0;
        let _ = writeln!(
            axes,
            "<text x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            units::count(*batch)
        );
    }
    axes
}

fn outline(x: f64, y: f64, width: f64) -> String {
    format!(
        "<rect class=\"best\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\n",
        x + 1.0,
        y + 1.0,
        width - 2.0,
        CELL_HEIGHT - 2.0
    )
}

fn description(design: &SweepDesign) -> String {
    let figures = design.measured().map(|setting| {
        let text = CellText::of(setting);
        let parts = [
            text.rate.map(|rate| format!("{rate} rows/s")),
            text.p99.map(|p99| format!("p99 {p99}")),
            text.trouble,
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!(
            "{} × {}: {}.",
            setting.cell.batch_rows,
            setting.cell.workers,
            parts.join(", ")
        )
    });
    figures.collect::<Vec<_>>().join(" ")
}
