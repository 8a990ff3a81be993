//! Renders the tables: one of storage and loading, one or several of queries.

use bakeoff_stats::{DesignSummary, Estimate, QuerySummary, Summary};
use comfy_table::{Attribute, Cell, Table};

use crate::compare::figure::{self, Figure};
use crate::compare::{growth, to_best};
use crate::text::layout::{NONE, fits, left, or_none, red, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Renders storage and loading, and what the column at full scale is; the intervals of the loading rates are left out
/// if they do not fit.
pub fn storage(summary: &Summary, width: usize, style: Style) -> String {
    let mut table = storage_table(summary, style, true);
    if !fits(&table, width) {
        table = storage_table(summary, style, false);
        set_width(&mut table, width);
    }
    let legend = wrap(&legend_of_full_scale(summary), width, "", "");
    format!("{}\n{legend}", table.trim_fmt())
}

/// Heads the column of the bytes at full scale.
fn full_scale(summary: &Summary) -> String {
    format!(
        "{} ×{}",
        units::rate(summary.full_rows() as f64),
        summary.header.scale.replication
    )
}

fn legend_of_full_scale(summary: &Summary) -> String {
    let copies = u64::from(summary.header.scale.replication);
    let is_missing = |design: &DesignSummary| growth::storage_to_buy(summary, design).is_none();
    let missing = if summary.designs.iter().any(is_missing) {
        format!("; {NONE}: not known, or not a choice")
    } else {
        String::new()
    };
    format!(
        "{}: bytes at rest of {} of so many rows, as `replication` in [scale] of the workload says{missing}",
        full_scale(summary),
        units::plural(copies, "copy", "copies"),
    )
}

fn storage_table(summary: &Summary, style: Style, with_interval: bool) -> Table {
    let full_scale = full_scale(summary);
    let mut table = table(style);
    let rates = summary.designs.iter().filter_map(|d| d.load_rate.as_ref());
    let interval = with_interval.then(|| right(to_best::interval_heading(rates)));
    let figures = ["Bytes/row", "× best", &full_scale, "Loaded/s"].map(right);
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
            to_best::bytes_ratio(design).unwrap_or_else(|| NONE.to_owned()),
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

/// Renders one table of all queries if it fits, else a ranking for each query.
pub fn queries(summary: &Summary, width: usize, style: Style) -> String {
    let matrix = matrix(summary, style);
    if fits(&matrix, width) {
        let legend = format!(
            "median and × best (? is not settled); below: {} and rows scanned",
            to_best::interval_heading(times(summary)),
        );
        return format!("{legend}\n{}", matrix.trim_fmt());
    }
    let mut tables = rankings(summary, width, style);
    let shown = tables.iter_mut().map(|table| {
        set_width(table, width);
        table.trim_fmt()
    });
    // Rankings of many designs take several screens, so that what explains their marks comes first.
    let legend = has_open_ratio(summary).then(|| {
        let open = to_best::what_is_open(summary.rounds, &summary.comparison);
        wrap(&format!("?: {open}"), width, "", "")
    });
    let parts = legend.into_iter().chain(shown);
    parts.collect::<Vec<_>>().join("\n\n")
}

/// Returns whether a ratio is shown with a question mark.
fn has_open_ratio(summary: &Summary) -> bool {
    let is_open = |design: &DesignSummary, query: &QuerySummary| {
        let ratio = to_best::short(summary, design, query);
        ratio.is_some_and(|ratio| ratio.ends_with('?'))
    };
    let mut designs = summary.designs.iter();
    designs.any(|design| design.queries.iter().any(|query| is_open(design, query)))
}

/// Makes a ranking for each query. All have the same columns: as many as fit in all of them.
fn rankings(summary: &Summary, width: usize, style: Style) -> Vec<Table> {
    let mut tables = Vec::new();
    for columns in WIDEST_FIRST {
        tables = summary
            .header
            .queries
            .iter()
            .map(|query| ranking(summary, &query.name, columns, style))
            .collect();
        if tables.iter().all(|table| fits(table, width)) {
            break;
        }
    }
    tables
}

fn matrix(summary: &Summary, style: Style) -> Table {
    let mut table = table(style);
    let queries = summary.header.queries.iter().map(|q| right(&q.name));
    table.set_header(std::iter::once(left("Design")).chain(queries));
    for design in &summary.designs {
        let cells = design
            .queries
            .iter()
            .map(|query| matrix_cell(summary, design, query));
        table.add_row(std::iter::once(name(design)).chain(cells));
    }
    table
}

fn matrix_cell(summary: &Summary, design: &DesignSummary, query: &QuerySummary) -> Cell {
    match Figure::new(design, query) {
        Figure::Failed(why) => red(right(why)),
        Figure::NotMeasured => right(NONE),
        Figure::Time { time, query } => {
            let (median, interval) = units::duration_interval(time);
            let factor = to_best::short(summary, design, query);
            let factor = factor.map_or_else(String::new, |factor| format!(" {factor}"));
            let scanned = query.rows_scanned_per_second;
            let scanned = scanned.map_or_else(String::new, |r| format!(" {}/s", units::rate(r)));
            right(format!(
                "{median}{factor}\n{interval}{scanned}{}",
                bad_rounds(query)
            ))
        }
    }
}

/// The columns of a ranking that are left out if they do not fit.
#[derive(Clone, Copy)]
struct Columns {
    scanned: bool,
    ratio_intervals: bool,
}

const EVERYTHING: Columns = Columns {
    scanned: true,
    ratio_intervals: true,
};
const WIDEST_FIRST: [Columns; 3] = [
    EVERYTHING,
    Columns {
        scanned: false,
        ..EVERYTHING
    },
    Columns {
        ratio_intervals: false,
        ..EVERYTHING
    },
];

fn ranking(summary: &Summary, query: &str, columns: Columns, style: Style) -> Table {
    let mut table = table(style);
    let interval = to_best::interval_heading(times_of(summary, query));
    let figures = ["Median", &interval, "× best"].map(right);
    table.set_header(
        std::iter::once(Cell::new(query).add_attribute(Attribute::Bold))
            .chain(figures)
            .chain(columns.scanned.then(|| right("Scanned/s"))),
    );
    for (design, query) in figure::ranking(&summary.designs, query) {
        let cells = match Figure::new(design, query) {
            Figure::Failed(why) => vec![red(right(why))],
            Figure::NotMeasured => vec![right(NONE)],
            Figure::Time { time, query } => ranked(summary, design, query, time, columns),
        };
        table.add_row(std::iter::once(name(design)).chain(cells));
    }
    table
}

fn ranked(
    summary: &Summary,
    design: &DesignSummary,
    query: &QuerySummary,
    time: &Estimate,
    columns: Columns,
) -> Vec<Cell> {
    let (median, interval) = units::duration_interval(time);
    let ratio = if columns.ratio_intervals {
        to_best::with_interval(summary, design, query)
    } else {
        to_best::short(summary, design, query)
    };
    let scanned = || right(or_none(query.rows_scanned_per_second, units::rate));
    [median + &bad_rounds(query), interval]
        .into_iter()
        .chain([ratio.unwrap_or_else(|| NONE.to_owned())])
        .map(right)
        .chain(columns.scanned.then(scanned))
        .collect()
}

fn times(summary: &Summary) -> impl Iterator<Item = &Estimate> {
    let queries = summary.designs.iter().flat_map(|d| &d.queries);
    queries.filter_map(|q| q.time.as_ref())
}

fn times_of<'a>(summary: &'a Summary, query: &'a str) -> impl Iterator<Item = &'a Estimate> {
    let queries = summary.designs.iter().filter_map(move |d| d.query(query));
    queries.filter_map(|q| q.time.as_ref())
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
