//! The tables: one of designs, one of their operations, one of a search's loads.

use bakeoff_stats::drive::{DriveDesign, DriveSummary, LoadFigures, OperationFigures, ProbeRecord};
use comfy_table::{Cell, Table};

use crate::drive::quantile;
use crate::text::layout::{NONE, fits, left, or_none, red, right, set_width, table};
use crate::text::style::Style;
use crate::units;

/// A column, shown where a row has a value for it and where there is room.
struct Column<T> {
    heading: &'static str,
    content: Content<T>,
    /// Columns of rank 0 are always shown; of the others those of a lower one first.
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

/// As many columns as fit, the most important ones first.
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
            .chain(shown().map(|c| right(c.heading))),
    );
    for (names, row) in rows {
        let cells = shown().map(|c| c.cell(row).unwrap_or_else(|| right(NONE)));
        table.add_row(names.iter().cloned().chain(cells));
    }
    table
}

pub fn designs(summary: &DriveSummary, width: usize, style: Style) -> String {
    let columns: [Column<&DriveDesign>; 11] = [
        column("Highest/s", 0, |d| {
            d.highest_rate.map(|r| units::rate(r.median))
        }),
        column("Ops/s", 0, |d| d.rate.map(|r| units::rate(r.median))),
        column("range", 2, |d| {
            let several = d.rate.filter(|r| r.observations > 1);
            several.map(|r| units::rate_interval(&r))
        }),
        Column {
            heading: "Failed",
            rank: 0,
            content: Content::Cell(|d| Some(failed(figures(d)?.failed(), figures(d)?.successes()))),
        },
        column("Server CPU/op", 0, |d| {
            micros(figures(d)?.server_cpu_micros_per_op)
        }),
        column("Client CPU/op", 3, |d| {
            micros(figures(d)?.client_cpu_micros_per_op)
        }),
        column("Disk read/op", 1, |d| {
            figures(d)?.disk_read_per_op.map(units::bytes)
        }),
        column("Read/returned", 2, |d| {
            figures(d)?.disk_read_per_byte.map(|b| format!("{b:.2}"))
        }),
        column("Disk read/s", 5, |d| {
            figures(d)?.disk_read_per_second.map(units::bytes)
        }),
        column("Stored", 4, |d| {
            let bytes = d.footprint.as_ref()?.bytes()?;
            Some(units::bytes(bytes as f64))
        }),
        column("Ratio", 4, |d| {
            let ratio = d.footprint.as_ref()?.compression_ratio?;
            Some(format!("{:.1}%", ratio * 100.0))
        }),
    ];
    let rows: Vec<(Vec<Cell>, &DriveDesign)> =
        summary.designs.iter().map(|d| (vec![name(d)], d)).collect();
    fitted(&columns, &rows, &["Design"], width, style)
}

fn figures<'a>(design: &&'a DriveDesign) -> Option<&'a LoadFigures> {
    design.figures.as_ref()
}

fn micros(micros: Option<f64>) -> Option<String> {
    micros.map(|m| units::duration(m / 1e6))
}

/// A row of [`operations`].
struct Operation<'a>(&'a OperationFigures);

pub fn operations(summary: &DriveSummary, width: usize, style: Style) -> String {
    let columns: [Column<Operation>; 9] = [
        column("Ops/s", 1, |o| Some(units::rate(o.0.ops_per_second))),
        column("mean", 3, |o| Some(units::duration(o.0.response?.mean))),
        column("p50", 0, |o| Some(units::duration(o.0.response?.p50))),
        column("p90", 4, |o| Some(units::duration(o.0.response?.p90))),
        column("p99", 0, |o| {
            quantile(o.0, 0.99, o.0.response.map(|l| l.p99))
        }),
        column("p99.9", 0, |o| {
            quantile(o.0, 0.999, o.0.response.map(|l| l.p999))
        }),
        column("max", 1, |o| Some(units::duration(o.0.response?.max))),
        column("service p99", 2, |o| {
            quantile(o.0, 0.99, o.0.service.map(|l| l.p99))
        }),
        Column {
            heading: "Failed",
            rank: 2,
            content: Content::Cell(|o| Some(failed(o.0.failed(), o.0.count))),
        },
    ];
    let mut rows = Vec::new();
    for design in &summary.designs {
        let operations = design.figures.iter().flat_map(|f| &f.operations);
        for (place, operation) in operations.enumerate() {
            let design = if place == 0 { name(design) } else { left("") };
            rows.push((vec![design, left(&operation.name)], Operation(operation)));
        }
    }
    fitted(&columns, &rows, &["Design", "Operation"], width, style)
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
            heading: "Objective",
            rank: 0,
            content: Content::Cell(|p| {
                Some(match (p.rate, p.held()) {
                    (None, _) => right("not judged"),
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

fn column<T>(heading: &'static str, rank: u8, text: fn(&T) -> Option<String>) -> Column<T> {
    Column {
        heading,
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
