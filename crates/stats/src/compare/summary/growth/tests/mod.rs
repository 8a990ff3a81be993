mod fits;
mod purchases;
mod refusals;
mod simulated;
mod star;
mod storage;

use crate::compare::summary::{Forecast, TimeForecast};
use crate::compare::testing::*;
use crate::compare::{Grows, Instance, Record, Summary};

/// Rows of the design's own table and of four smaller ones.
pub const ROWS: [u64; 5] = [4_000, 16_000, 64_000, 256_000, 1_024_000];

/// Run with tables of these sizes, the largest last, whose own table is the design's.
pub struct Ladder {
    pub rows: Vec<u64>,
    records: Vec<Record>,
    pub full_rows: u64,
    pub grows: Option<Grows>,
    pub unit_rows: Option<u64>,
}

impl Ladder {
    pub fn of(rows: &[u64]) -> Ladder {
        let (own, smaller) = rows.split_last().unwrap();
        let instances = ["a/x", "a/y"].into_iter().flat_map(|design| {
            let tables = smaller
                .iter()
                .map(move |rows| Instance::smaller(design, *rows));
            tables.chain([Instance::twin(design)])
        });
        let instances = instances.collect();
        Ladder {
            rows: rows.to_vec(),
            records: vec![
                Record::Instances { instances },
                Record::LoadingDone {
                    rows: *own,
                    is_all: false,
                    left: None,
                },
            ],
            full_rows: 8 * own,
            grows: Some(Grows::Rows),
            unit_rows: None,
        }
    }

    pub fn table(&self, design: &str, rows: u64) -> String {
        if self.rows.last() == Some(&rows) {
            design.to_owned()
        } else {
            Instance::smaller(design, rows).id
        }
    }

    pub fn add(&mut self, record: Record) {
        self.records.push(record);
    }

    pub fn answer(
        &mut self,
        table: &str,
        query: &str,
        round: u32,
        seconds: f64,
        read: Option<u64>,
    ) {
        let Record::Timed(timing) = timed(table, query, seconds) else {
            unreachable!()
        };
        self.records.push(Record::Timed(crate::Timing {
            round,
            rows_scanned: read,
            ..timing
        }));
    }

    /// Adds seven rounds of answers to `scan`, that read all rows, by the rows.
    pub fn scans(&mut self, design: &str, seconds: impl Fn(u64, u32) -> f64) {
        for rows in self.rows.clone() {
            for round in 0..7 {
                let table = self.table(design, rows);
                self.answer(&table, "scan", round, seconds(rows, round), Some(rows));
            }
        }
    }

    pub fn summary(&self) -> Summary {
        let mut records = run(self.records.clone());
        let Record::Started(header) = &mut records[0] else {
            unreachable!()
        };
        header.scale.full_rows = self.full_rows;
        header.scale.grows = self.grows;
        for design in &mut header.designs {
            design.unit_rows = self.unit_rows;
        }
        Summary::from_records(&records).unwrap()
    }

    pub fn forecast(&self) -> Forecast {
        self.summary().forecast.unwrap()
    }

    pub fn time(&self, design: &str, query: &str) -> TimeForecast {
        let forecast = self.forecast();
        forecast
            .design(design)
            .unwrap()
            .time(query)
            .unwrap()
            .clone()
    }

    /// Adds a table of this many rows and bytes to the records.
    pub fn store(&mut self, table: &str, rows: u64, bytes: u64) {
        let Record::Loaded(slice) = loaded(table, 0, 1.0) else {
            unreachable!()
        };
        self.records
            .push(Record::Loaded(crate::LoadSlice { rows, ..slice }));
        self.records.push(footprint(table, bytes));
    }
}

pub fn near(value: f64, expected: f64, within: f64) {
    let error = (value / expected - 1.0).abs();
    assert!(error <= within, "{value} instead of {expected}");
}
