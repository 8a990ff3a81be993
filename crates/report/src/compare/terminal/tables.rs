//! The tables: one of storage and loading, one or several of queries.

use bakeoff_stats::{DesignSummary, QuerySummary, Summary};
use comfy_table::{Attribute, Cell, Table};

use crate::compare::figure::{self, Figure};
use crate::compare::growth;
use crate::text::layout::{NONE, fits, left, or_none, red, right, set_width, table};
use crate::text::style::Style;
use crate::units;

/// The intervals of the loading rates are left out where they do not fit.
pub fn storage(summary: &Summary, width: usize, style: Style) -> String {
    let complete = storage_table(summary, style, true);
    if fits(&complete, width) {
        return complete.trim_fmt();
    }
    let mut short = storage_table(summary, style, false);
    set_width(&mut short, width);
    short.trim_fmt()
}

fn storage_table(summary: &Summary, style: Style, with_interval: bool) -> Table {
    let scale = &summary.header.scale;
    let full_scale = format!(
        "{} ×{}",
        units::rate(scale.full_rows as f64),
        scale.replication
    );
    let mut table = table(style);
    let interval = with_interval.then(|| right("95% interval"));
    let figures = ["Bytes/row", "Smaller", &full_scale, "Loaded/s"].map(right);
    table.set_header(
        std::iter::once(left("Design"))
            .chain(figures)
            .chain(interval),
    );
    for design in &summary.designs {
        let storage = growth::storage_to_buy(summary, design);
        let rate = design.load_rate.as_ref();
        let figures = [
            or_none(design.bytes_per_row, |b| format!("{b:.1}")),
            or_none(design.times_smaller, units::factor),
            or_none(storage, |s| units::bytes(s.bytes)),
            or_none(rate, |r| units::rate(r.median)),
        ];
        let interval = with_interval.then(|| right(or_none(rate, units::rate_interval)));
        table.add_row(
            std::iter::once(name(design))
                .chain(figures.map(right))
                .chain(interval),
        );
    }
    table
}

/// One table of all queries where it fits, else a ranking for each query.
pub fn queries(summary: &Summary, width: usize, style: Style) -> String {
    let matrix = matrix(summary, style);
    if fits(&matrix, width) {
        let legend =
            "median and times faster than the slowest; below: 95% interval and rows scanned";
        return format!("{legend}\n{}", matrix.trim_fmt());
    }
    let rankings: Vec<String> = summary
        .header
        .queries
        .iter()
        .map(|q| ranking(summary, &q.name, width, style))
        .collect();
    rankings.join("\n\n")
}

fn matrix(summary: &Summary, style: Style) -> Table {
    let mut table = table(style);
    let queries = summary.header.queries.iter().map(|q| right(&q.name));
    table.set_header(std::iter::once(left("Design")).chain(queries));
    for design in &summary.designs {
        let cells = design
            .queries
            .iter()
            .map(|query| matrix_cell(design, query));
        table.add_row(std::iter::once(name(design)).chain(cells));
    }
    table
}

fn matrix_cell(design: &DesignSummary, query: &QuerySummary) -> Cell {
    match figure::of(design, query) {
        Figure::Failed(why) => red(right(why)),
        Figure::NotMeasured => right(NONE),
        Figure::Time { time, query } => {
            let (median, interval) = units::duration_interval(time);
            let factor = or_none(query.times_faster, units::factor);
            let scanned = query.rows_scanned_per_second;
            let scanned = scanned.map_or_else(String::new, |r| format!(" {}/s", units::rate(r)));
            right(format!(
                "{median} {factor}\n{interval}{scanned}{}",
                bad_rounds(query)
            ))
        }
    }
}

fn ranking(summary: &Summary, query: &str, width: usize, style: Style) -> String {
    let mut table = table(style);
    set_width(&mut table, width);
    table.set_header([
        Cell::new(query).add_attribute(Attribute::Bold),
        right("Median"),
        right("95% interval"),
        right("Faster"),
        right("Scanned/s"),
    ]);
    for (design, query) in figure::ranking(&summary.designs, query) {
        let cells = match figure::of(design, query) {
            Figure::Failed(why) => [red(right(why)), right(""), right(""), right("")],
            Figure::NotMeasured => [right(NONE), right(""), right(""), right("")],
            Figure::Time { time, query } => {
                let (median, interval) = units::duration_interval(time);
                [
                    right(median + &bad_rounds(query)),
                    right(interval),
                    right(or_none(query.times_faster, units::factor)),
                    right(or_none(query.rows_scanned_per_second, units::rate)),
                ]
            }
        };
        table.add_row(std::iter::once(name(design)).chain(cells));
    }
    table.trim_fmt()
}

fn bad_rounds(query: &QuerySummary) -> String {
    match query.bad_rounds {
        0 => String::new(),
        n => format!("\n{n} rounds failed"),
    }
}

fn name(design: &DesignSummary) -> Cell {
    let cell = Cell::new(&design.info.id);
    if design.is_right() { cell } else { red(cell) }
}
