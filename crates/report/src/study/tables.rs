//! Makes the table of a step's figures, a row for each design.

use bakeoff_stats::drive::{DriveDesign, DriveSummary, OperationFigures, PassFigures};
use bakeoff_stats::study::Measured;
use bakeoff_stats::sweep::{SweepDesign, SweepSetting, SweepSummary};
use bakeoff_stats::{DesignSummary, Estimate, QuerySummary, Summary};

use super::{Cell, Column, Table};
use crate::compare::figure::Figure;
use crate::compare::to_best;
use crate::page::table::NONE;
use crate::{drive, sweep, units};

pub fn of(measured: &Measured) -> Table {
    match measured {
        Measured::Run(summary) => of_run(summary),
        Measured::Load(summary) => of_load(summary),
        Measured::Sweep(summary) => of_sweep(summary),
    }
}

fn of_run(summary: &Summary) -> Table {
    let queries = summary.header.queries.iter();
    let mut head: Vec<Column> = ["Design", "Bytes/row", "Rows/s loaded"]
        .map(Column::of)
        .into();
    head.extend(queries.map(|query| Column::of(&query.name)));
    let row = |design: &DesignSummary| {
        let of = design.info.table_of.as_ref();
        let of = of.map(|of| format!("the table of {of}"));
        let mut row = vec![
            [design.info.id.clone()].into_iter().chain(of).collect(),
            or_none(design.bytes_per_row.map(|bytes| format!("{bytes:.1}"))),
            design.load_rate.as_ref().map_or_else(none, rate),
        ];
        let queries = design.queries.iter();
        row.extend(queries.map(|query| time_of(summary, design, query)));
        row
    };
    let times = summary.designs.iter().flat_map(|design| &design.queries);
    let interval = to_best::interval_heading(times.filter_map(|query| query.time.as_ref()));
    Table {
        caption: format!(
            "Medians. Below each one its {} and, of a time, its multiple of the fastest design's ({}).",
            interval.to_lowercase(),
            to_best::LEGEND
        ),
        head,
        rows: summary.designs.iter().map(row).collect(),
    }
}

fn time_of(summary: &Summary, design: &DesignSummary, query: &QuerySummary) -> Cell {
    match Figure::new(design, query) {
        Figure::Failed(why) => vec![why.to_owned()],
        Figure::NotMeasured => none(),
        Figure::Time { time, query } => {
            let (median, interval) = units::duration_interval(time);
            let factor = to_best::short(summary, design, query);
            [median, interval].into_iter().chain(factor).collect()
        }
    }
}

fn of_load(summary: &DriveSummary) -> Table {
    if summary.header.passes.is_some() {
        return of_passes(summary);
    }
    let mut head: Vec<Column> = ["Design", "Ops/s"].map(Column::of).into();
    for operation in &summary.header.operations {
        let quantiles = ["p50", "p99", "p99.9"].into_iter();
        head.extend(quantiles.map(|of| Column::of(&format!("{} {of}", operation.name))));
    }
    let of_tables = [
        "Read from disk/returned",
        "Compressed to",
        "Compression metadata",
        "Stored",
    ];
    head.extend(of_tables.map(Column::of));
    let rows = summary.designs.iter();
    Table {
        caption: "Over all rounds, without warm-up; p99 is the median of the rounds. Response times count from \
                  when an operation was due; below a rate: its interval over rounds."
            .to_owned(),
        head,
        rows: rows.map(|design| load_row(summary, design)).collect(),
    }
}

fn of_passes(summary: &DriveSummary) -> Table {
    let head = [
        "Design",
        "Pass",
        "Real",
        "User",
        "System",
        "Server CPU",
        "Operations",
        "Failed",
    ];
    let time = |time: Option<Estimate>| match time {
        Some(time) => {
            let (median, interval) = units::duration_interval(&time);
            vec![median, interval]
        }
        None => none(),
    };
    let row = |pass: &PassFigures| {
        let operations = { pass.operations }.map(|n| units::count(n.median.round() as u64));
        vec![
            vec![pass.design.clone()],
            vec![pass.operation.clone()],
            time(pass.real),
            time(pass.user),
            time(pass.system),
            time(pass.server_cpu),
            or_none(operations),
            vec![units::count(pass.failed)],
        ]
    };
    Table {
        caption:
            "Times of whole passes: medians of the rounds in which no operation failed; below each \
                  one its interval. User and system are the CPU time of the client."
                .to_owned(),
        head: head.map(Column::of).into(),
        rows: summary.passes.iter().map(row).collect(),
    }
}

fn load_row(summary: &DriveSummary, design: &DriveDesign) -> Vec<Cell> {
    let mut row = vec![
        vec![design.info.id.clone()],
        design.rate.as_ref().map_or_else(none, rate),
    ];
    let figures = design.figures.as_ref();
    for place in 0..summary.header.operations.len() {
        let operation = figures.and_then(|figures| figures.operations.get(place));
        let p99 = drive::p99_of_rounds(design, place).map(|p99| p99.median);
        row.extend(response_times(operation, p99));
    }
    let footprint = design.footprint.as_ref();
    let read = figures.and_then(|figures| figures.disk_read_per_byte);
    let ratio = footprint.and_then(|footprint| footprint.compression_ratio);
    let metadata = footprint.and_then(|footprint| footprint.compression_metadata_bytes);
    let stored = footprint.and_then(|footprint| footprint.bytes());
    row.extend([
        or_none(read.map(|read| format!("{read:.2}"))),
        or_none(ratio.map(|ratio| format!("{:.1}%", ratio * 100.0))),
        or_none(metadata.map(|bytes| units::bytes(bytes as f64))),
        or_none(stored.map(|bytes| units::bytes(bytes as f64))),
    ]);
    row
}

/// Returns p50, p99, which is that of the rounds, and p99.9 of an operation.
fn response_times(operation: Option<&OperationFigures>, p99: Option<f64>) -> Vec<Cell> {
    let times = operation.and_then(|figures| Some((figures, figures.response.as_ref()?)));
    let Some((figures, response)) = times else {
        return vec![none(), none(), none()];
    };
    let of = |quantile, seconds| or_none(drive::quantile(figures, quantile, seconds));
    vec![
        of(0.5, Some(response.p50)),
        of(0.99, p99),
        of(0.999, Some(response.p999)),
    ]
}

fn of_sweep(summary: &SweepSummary) -> Table {
    let head = [
        "Design",
        "Rows of a batch",
        "Workers",
        "Rows/s",
        "p99 of an insert",
    ];
    let rows = sweep::by_rate(summary).into_iter();
    Table {
        caption: "Each design with its best setting, the one with the most rows a second first."
            .to_owned(),
        head: head.map(Column::of).into(),
        rows: rows
            .map(|(design, setting)| sweep_row(design, setting))
            .collect(),
    }
}

fn sweep_row(design: &SweepDesign, setting: &SweepSetting) -> Vec<Cell> {
    let inserted = setting.cell.inserted.as_ref();
    vec![
        vec![design.info.id.clone()],
        vec![units::count(setting.cell.batch_rows)],
        vec![units::count(u64::from(setting.cell.workers))],
        setting.rate.as_ref().map_or_else(none, rate),
        or_none(
            inserted
                .and_then(|inserted| inserted.p99)
                .map(units::duration),
        ),
    ]
}

/// Writes a rate with its interval.
fn rate(rate: &Estimate) -> Cell {
    vec![units::rate(rate.median), units::rate_interval(rate)]
}

fn or_none(text: Option<String>) -> Cell {
    text.map_or_else(none, |text| vec![text])
}

fn none() -> Cell {
    vec![NONE.to_owned()]
}
