//! Renders the tables: one of designs, one of their operations, one of a search's loads, one of passes, one of a node
//! that was added.

mod added;
mod beside;
mod partitions;
mod passes;

use bakeoff_stats::drive::{DriveDesign, DriveSummary, ProbeRecord};
use comfy_table::{Cell, Table};

use crate::compare::to_best;
use crate::drive::quantile;
use crate::drive::rows::{self, Driven, Operation, P99_OF_ALL, TO_BEST, TO_TODAYS, to_todays};
use crate::text::layout::{NONE, fits, left, or_none, red, right, set_width, table};
use crate::text::style::Style;
use crate::units;
pub use added::added;
pub use beside::{answering, costs, questions};
pub use partitions::partitions;
pub use passes::passes;

/// Column, shown where a row has a value for it and where there is room.
struct Column<T> {
    heading: String,
    content: Content<T>,
    /// Order in which columns are shown while there is room; those of rank 0 always are.
    rank: u8,
}

enum Content<T> {
    Text(fn(&T) -> Option<String>),
    Cell(fn(&T) -> Option<Cell>),
}

impl<T> Column<T> {
    fn cell(&self, row: &T) -> Option<Cell> {
        match self.content {
            Content::Text(text) => text(row).map(right),
            Content::Cell(cell) => cell(row),
        }
    }
}

/// Renders as many columns as fit, the most important ones first.
fn fitted<T>(
    columns: &[Column<T>],
    rows: &[(Vec<Cell>, T)],
    first: &[&str],
    width: usize,
    style: Style,
) -> String {
    let known = |c: &Column<T>| rows.iter().any(|(_, row)| c.cell(row).is_some());
    let mut by_rank: Vec<usize> = (0..columns.len()).filter(|&c| known(&columns[c])).collect();
    by_rank.sort_by_key(|&c| columns[c].rank);
    let mut shown: Vec<usize> = Vec::new();
    for column in by_rank {
        let mut more = shown.clone();
        more.push(column);
        more.sort_unstable();
        if columns[column].rank == 0 || fits(&build(columns, &more, rows, first, style), width) {
            shown = more;
        }
    }
    let mut table = build(columns, &shown, rows, first, style);
    if !fits(&table, width) {
        set_width(&mut table, width);
    }
    table.trim_fmt()
}

fn build<T>(
    columns: &[Column<T>],
    shown: &[usize],
    rows: &[(Vec<Cell>, T)],
    first: &[&str],
    style: Style,
) -> Table {
    let shown = || shown.iter().map(|&c| &columns[c]);
    let mut table = table(style);
    table.set_header(
        first
            .iter()
            .map(|h| left(h))
            .chain(shown().map(|c| right(&c.heading))),
    );
    for (names, row) in rows {
        let cells = shown().map(|c| c.cell(row).unwrap_or_else(|| right(NONE)));
        table.add_row(names.iter().cloned().chain(cells));
    }
    table
}

pub fn designs(summary: &DriveSummary, width: usize, style: Style) -> String {
    let rates = summary.designs.iter().filter_map(|d| d.rate.as_ref());
    let columns: [Column<Driven>; 15] = [
        column("Highest/s", 0, |d| {
            d.design.highest_rate.map(|r| units::rate(r.median))
        }),
        column("Ops/s", 0, |d| d.design.rate.map(|r| units::rate(r.median))),
        column(&to_best::interval_heading(rates), 2, |d| {
            let several = d.design.rate.filter(|r| r.observations > 1);
            several.map(|r| units::rate_interval(&r))
        }),
        column("Slowest p99", 0, |d| {
            d.slowest.map(|p99| units::duration(p99.median))
        }),
        column(TO_BEST, 0, |d| d.against.map(to_best::in_short)),
        column(TO_TODAYS, 0, |d| to_todays(d.against)),
        Column {
            heading: "Failed".to_owned(),
            rank: 0,
            content: Content::Cell(|d| {
                Some(failed(d.figures()?.failed(), d.figures()?.successes()))
            }),
        },
        column("Server CPU/op", 0, |d| {
            micros(d.figures()?.server_cpu_micros_per_op)
        }),
        column("Client CPU/op", 3, |d| {
            micros(d.figures()?.client_cpu_micros_per_op)
        }),
        column("Disk read/op", 1, |d| {
            d.figures()?.disk_read_per_op.map(units::bytes)
        }),
        column("Read/returned", 2, |d| {
            d.figures()?.disk_read_per_byte.map(units::hundredths)
        }),
        column("Row cache hits", 1, |d| {
            let share = d.figures()?.row_cache_hits?;
            Some(format!("{:.1}%", share * 100.0))
        }),
        column("Disk read/s", 5, |d| {
            d.figures()?.disk_read_per_second.map(units::bytes)
        }),
        column("Stored", 4, |d| {
            let bytes = d.design.footprint.as_ref()?.bytes()?;
            Some(units::bytes(bytes as f64))
        }),
        column("Ratio", 4, |d| {
            let ratio = d.design.footprint.as_ref()?.compression_ratio?;
            Some(format!("{:.1}%", ratio * 100.0))
        }),
    ];
    let rows = rows::designs(summary).into_iter();
    let rows: Vec<(Vec<Cell>, Driven)> = rows.map(|d| (vec![name(d.design)], d)).collect();
    fitted(&columns, &rows, &["Design"], width, style)
}

fn micros(micros: Option<f64>) -> Option<String> {
    micros.map(|m| units::duration(m / 1e6))
}

pub fn operations(summary: &DriveSummary, width: usize, style: Style) -> String {
    let columns: [Column<Operation>; 13] = [
        column("Ops/s", 2, |o| Some(units::rate(o.figures.ops_per_second))),
        column("mean", 4, |o| {
            Some(units::duration(o.figures.response?.mean))
        }),
        column("p50", 0, |o| Some(units::duration(o.figures.response?.p50))),
        column(TO_BEST, 2, |o| o.p50.map(to_best::in_short)),
        column("p90", 5, |o| Some(units::duration(o.figures.response?.p90))),
        column("p99", 0, Operation::p99_time),
        column(TO_BEST, 1, |o| o.p99.map(to_best::in_short)),
        column(TO_TODAYS, 3, |o| to_todays(o.p99)),
        column(P99_OF_ALL, 6, Operation::p99_of_all),
        column("p99.9", 0, |o| {
            quantile(o.figures, 0.999, o.figures.response.map(|l| l.p999))
        }),
        column("max", 2, |o| Some(units::duration(o.figures.response?.max))),
        column("service p99", 3, Operation::service_p99),
        Column {
            heading: "Failed".to_owned(),
            rank: 3,
            content: Content::Cell(|o| Some(failed(o.figures.failed(), o.figures.count))),
        },
    ];
    let rows = rows::operations(summary).into_iter();
    let rows: Vec<(Vec<Cell>, Operation)> = rows.map(|o| (names(&o), o)).collect();
    fitted(&columns, &rows, &["Design", "Operation"], width, style)
}

/// Returns the operation's name, after that of its design where it is the design's first one.
fn names(operation: &Operation) -> Vec<Cell> {
    let design = match operation.place {
        0 => name(operation.design),
        _ => left(""),
    };
    vec![design, left(&operation.figures.name)]
}

pub fn probes(summary: &DriveSummary, width: usize, style: Style) -> String {
    let columns: [Column<&ProbeRecord>; 4] = [
        column("Asked/s", 0, |p| {
            Some(
                p.rate
                    .map_or_else(|| "as fast as it goes".to_owned(), units::rate),
            )
        }),
        column("Reached/s", 1, |p| Some(units::rate(p.rate_reached))),
        column("Measured", 1, |p| {
            let values = p.measured.iter();
            let values = values.map(|(_, v)| or_none(*v, |ns| units::duration(ns / 1e9)));
            Some(values.collect::<Vec<_>>().join(", "))
        }),
        Column {
            heading: "Objective".to_owned(),
            rank: 0,
            content: Content::Cell(|p| {
                Some(match (p.rate, p.held()) {
                    (None, _) => right("not judged"),
                    _ if p.undecided => right("too few"),
                    (Some(_), true) => right("held"),
                    (Some(_), false) => red(right("missed")),
                })
            }),
        },
    ];
    let mut rows = Vec::new();
    for design in &summary.designs {
        for (place, probe) in design.probes.iter().enumerate() {
            let design = if place == 0 { name(design) } else { left("") };
            rows.push((vec![design], probe));
        }
    }
    fitted(&columns, &rows, &["Design"], width, style)
}

fn column<T>(heading: &str, rank: u8, text: fn(&T) -> Option<String>) -> Column<T> {
    Column {
        heading: heading.to_owned(),
        content: Content::Text(text),
        rank,
    }
}

fn failed(failed: u64, succeeded: u64) -> Cell {
    if failed == 0 {
        return right("0");
    }
    let share = units::share(failed, failed + succeeded);
    red(right(format!("{} ({share})", units::count(failed))))
}

fn name(design: &DriveDesign) -> Cell {
    let cell = Cell::new(&design.info.id);
    if design.failures.is_empty() {
        cell
    } else {
        red(cell)
    }
}
