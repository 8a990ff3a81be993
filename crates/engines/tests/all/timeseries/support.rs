//! A workload in small, and its answers beside expected ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type, TimestampMillisecondType};
use arrow::record_batch::RecordBatch;
use bakeoff_driver::Oracle;
use bakeoff_engines::{SqlOracle, check_queries};
use bakeoff_workload::{DuplicateKeys, RowSource, Workload, source};

pub const MINUTE: i64 = 60_000;
pub const TEN_MINUTES: i64 = 10 * MINUTE;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Number(f64),
    Text(String),
    Time(i64),
}

impl Cell {
    pub fn text(&self) -> &str {
        match self {
            Cell::Text(text) => text,
            other => panic!("{other:?} is no text"),
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Cell::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn time(&self) -> i64 {
        match self {
            Cell::Time(time) => *time,
            other => panic!("{other:?} is no time"),
        }
    }

    pub fn is_nearly(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Number(a), Cell::Number(b)) => (a - b).abs() <= 1e-9 * a.abs().max(1.0),
            _ => self == other,
        }
    }
}

pub type Row = Vec<Cell>;

fn cell(column: &dyn Array, row: usize) -> Cell {
    if column.is_null(row) {
        return Cell::Null;
    }
    match column.data_type() {
        DataType::Utf8 => Cell::Text(column.as_string::<i32>().value(row).to_owned()),
        DataType::Float64 => Cell::Number(column.as_primitive::<Float64Type>().value(row)),
        DataType::Int64 => Cell::Number(column.as_primitive::<Int64Type>().value(row) as f64),
        _ => Cell::Time(column.as_primitive::<TimestampMillisecondType>().value(row)),
    }
}

fn cells(batch: &RecordBatch) -> Vec<Row> {
    let row = |row| {
        batch
            .columns()
            .iter()
            .map(|column| cell(column, row))
            .collect()
    };
    (0..batch.num_rows()).map(row).collect()
}

/// A workload in small, and its rows.
pub struct Small {
    pub workload: Workload,
    source: Arc<dyn RowSource>,
    oracle: SqlOracle,
    pub rows: Vec<Row>,
}

impl Small {
    pub async fn new(name: &str, settings: &[&str]) -> Small {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
        let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
        let workload = Workload::read_with(&folder.join(name), &settings).unwrap();
        check_queries(&workload).await.unwrap();
        let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
        let batches = source.read(0, 8192).unwrap();
        let rows = batches
            .flat_map(|batch| cells(&batch.unwrap().rows))
            .collect();
        let mut oracle = SqlOracle::new(source.clone(), workload.table.clone(), 2);
        let all = workload.scale.default_rows;
        oracle
            .prepare(all, Arc::new(DuplicateKeys::none()))
            .await
            .unwrap();
        Small {
            workload,
            source,
            oracle,
            rows,
        }
    }

    /// Asks a query with the parameters of some rounds, and compares with what `expected` makes of
    /// them. No two answers are empty.
    pub async fn answers(&self, name: &str, expected: impl Fn(&Asked<'_>) -> Vec<Row>) {
        let query = self
            .workload
            .queries
            .iter()
            .find(|q| q.name == name)
            .unwrap();
        let mut rows = 0;
        for round in 0..3 {
            let all = self.workload.scale.default_rows;
            let drawn = self
                .workload
                .draw(query, round, all, &*self.source)
                .unwrap();
            let answer = self
                .oracle
                .answer(&query.bind("memory", &drawn), true)
                .await
                .unwrap();
            let came: Vec<Row> = answer.batches.iter().flat_map(cells).collect();
            let expected = expected(&Asked {
                small: self,
                drawn: drawn.into_iter().collect(),
            });
            assert_eq!(came.len(), expected.len(), "{name}, round {round}");
            for (came, expected) in came.iter().zip(&expected) {
                let alike = came.len() == expected.len()
                    && came.iter().zip(expected).all(|(a, b)| a.is_nearly(b));
                assert!(
                    alike,
                    "{name}, round {round}: {came:?} instead of {expected:?}"
                );
            }
            rows += came.len();
        }
        assert!(rows > 0, "{name} answers nothing");
    }

    pub fn place(&self, column: &str) -> usize {
        self.workload.table.column_index(column).unwrap()
    }
}

/// A query's parameters.
pub struct Asked<'a> {
    pub small: &'a Small,
    drawn: BTreeMap<String, String>,
}

impl Asked<'_> {
    pub fn time(&self, parameter: &str) -> i64 {
        let text = self.drawn[parameter].strip_prefix("TIMESTAMP '").unwrap();
        let time = arrow::compute::kernels::cast_utils::string_to_timestamp_nanos(
            text.trim_end_matches('\''),
        );
        time.unwrap() / 1_000_000
    }

    pub fn list(&self, parameter: &str) -> BTreeSet<&str> {
        let list = self.drawn[parameter].split(", ");
        list.map(|literal| literal.trim_matches('\'')).collect()
    }

    /// The rows of these sources (all, if the query asks for none) in the window.
    pub fn rows(&self, parameter: &str, column: &str) -> impl Iterator<Item = &Row> {
        let place = self.small.place(column);
        let (begin, end) = (self.time("window.begin"), self.time("window.end"));
        let wanted = self
            .drawn
            .contains_key(parameter)
            .then(|| self.list(parameter));
        self.small.rows.iter().filter(move |row| {
            let within = (begin..end).contains(&row[0].time());
            let is_wanted = |wanted: &BTreeSet<&str>| {
                row[place] != Cell::Null && wanted.contains(row[place].text())
            };
            within && wanted.as_ref().is_none_or(is_wanted)
        })
    }
}

pub fn floor(time: i64, period: i64) -> i64 {
    time.div_euclid(period) * period
}
