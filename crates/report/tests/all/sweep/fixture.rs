//! A sweep of two designs with everything that can happen to a setting.

use bakeoff_stats::sweep::{
    Cell, Check, Failures, Inserted, SweepHeader, SweepRecord, SweepSummary,
};
use bakeoff_stats::{DesignInfo, FailureKind, Machine, Role};

pub const TIMESCALE: &str = "timescale/hypertable?chunk=12h";
pub const SERIES: &str = "cassandra/series";

pub fn summary() -> SweepSummary {
    SweepSummary::new(&header(), &records())
}

/// The settings of both designs that nothing happens to, in so many rounds.
pub fn several_rounds(rounds: u32) -> SweepSummary {
    let mut records = Vec::new();
    for round in 1..=rounds {
        let noise = 1.0 + 0.002 * f64::from(round % 3);
        for (workers, share) in [(1, 0.2), (8, 1.0), (64, 0.98), (256, 0.91)] {
            for (design, rate) in [(TIMESCALE, 121_000.0), (SERIES, 9_000.0)] {
                records.push(SweepRecord::Cell(Cell {
                    round,
                    ..cell(design, 10_000, workers, rate * share * noise)
                }));
            }
        }
    }
    let header = SweepHeader { rounds, ..header() };
    SweepSummary::new(&header, &records)
}

pub fn records() -> Vec<SweepRecord> {
    let mut cells = Vec::new();
    for (batch, rate) in [(1, 900.0), (100, 40_000.0), (10_000, 121_000.0)] {
        for (workers, share) in [(1, 0.2), (8, 1.0), (64, 0.97), (256, 0.91)] {
            cells.push(cell(TIMESCALE, batch, workers, rate * share));
        }
    }
    for (batch, rate) in [(100, 9_500.0), (10_000, 9_000.0)] {
        for (workers, share) in [(1, 0.3), (8, 0.8), (64, 1.0)] {
            cells.push(cell(SERIES, batch, workers, rate * share));
        }
    }
    cells.push(short(1, 0.01, true));
    cells.push(short(8, 0.12, false));
    cells.push(cell(SERIES, 1, 64, 700.0));
    cells.push(failing());
    cells.push(wrong());
    cells.push(unmeasured());
    let mut records: Vec<SweepRecord> = cells.into_iter().map(SweepRecord::Cell).collect();
    records.push(SweepRecord::Warning {
        message: "parquet is not swept: it is written as a <whole>".to_owned(),
    });
    records.push(SweepRecord::Finished {
        at: String::new(),
        seconds: 300.0,
        peak_memory_bytes: 1 << 28,
    });
    records
}

/// Rows end, or are made too slowly.
fn short(workers: u32, waited_share: f64, rows_ran_out: bool) -> Cell {
    let mut cell = cell(SERIES, 1, workers, 300.0);
    if let Some(inserted) = &mut cell.inserted {
        (inserted.waited_share, inserted.rows_ran_out) = (waited_share, rows_ran_out);
    }
    cell
}

/// Some inserts fail.
fn failing() -> Cell {
    let mut cell = cell(SERIES, 1, 256, 650.0);
    cell.failures = Failures {
        kinds: vec![(FailureKind::TimedOut, 1_234), (FailureKind::Rejected, 1)],
        rows: 1_235,
        messages: vec!["no acknowledgement within 30s".to_owned()],
    };
    cell
}

/// Rows are missing.
fn wrong() -> Cell {
    let mut cell = cell(SERIES, 100, 256, 99_000.0);
    cell.check = Some(Check::new(100, 9_900_000, 0));
    cell
}

/// Nothing was measured.
fn unmeasured() -> Cell {
    Cell {
        inserted: None,
        check: None,
        reason: Some("not measured: not all of 256 workers could connect: too many".to_owned()),
        ..cell(SERIES, 10_000, 256, 0.0)
    }
}

pub fn cell(design: &str, batch_rows: u64, workers: u32, rate: f64) -> Cell {
    let rows = (rate * 3.0) as u64;
    // By Little's law.
    let mean = f64::from(workers) * batch_rows as f64 / rate;
    Cell {
        design: design.to_owned(),
        batch_rows,
        workers,
        round: 1,
        inserted: Some(Inserted {
            inserts: rows / batch_rows,
            rows,
            seconds: 3.0,
            mean,
            p50: mean * 0.9,
            p99: (rows / batch_rows >= 100).then_some(mean * 1.8),
            max: mean * 3.0,
            waited_share: 0.01,
            rows_ran_out: false,
        }),
        failures: Failures::default(),
        check: Some(Check::new(rows, rows, 0)),
        reason: None,
    }
}

pub fn header() -> SweepHeader {
    let design = |id: &str| DesignInfo {
        id: id.to_owned(),
        engine: id.split('/').next().unwrap_or_default().to_owned(),
        role: Role::Store,
        server: id != "parquet",
        settings: Vec::new(),
        statements: vec!["CREATE TABLE t".to_owned()],
        unit_rows: None,
        not_asked: Vec::new(),
        stored_by: None,
        table_of: None,
    };
    SweepHeader {
        bakeoff_version: "0.1.0".to_owned(),
        started_at: "2026-01-31T12:00:00Z".to_owned(),
        command: "bakeoff sweep w.toml".to_owned(),
        workload: "w".to_owned(),
        title: "CPU metrics <of> hosts".to_owned(),
        workload_text: "title = \"t\"".to_owned(),
        data: "generator devops".to_owned(),
        seed: 1,
        rows: None,
        designs: [TIMESCALE, SERIES, "parquet"].map(design).into(),
        machine: Machine {
            os: "Linux".to_owned(),
            cpu: "a processor".to_owned(),
            cores: 2,
            memory_bytes: 16 << 30,
            model: None,
        },
        threads: 2,
        batches: vec![1, 100, 10_000],
        workers: vec![1, 8, 64, 256],
        seconds: 3.0,
        rounds: 1,
        warm_up_seconds: 1.0,
        time_out_seconds: 30.0,
        shared: None,
    }
}
