//! Sweeps of fake designs into a folder of their own, and what was recorded.

use std::sync::Arc;
use std::time::Duration;

use arrow::datatypes::{DataType, Field, Schema};
use bakeoff_driver::drive::Shard;
use bakeoff_driver::sweep::{Grid, Setting, SweepPlan, Sweeping, sweep};
use bakeoff_driver::{Design, Observer, Silent};
use bakeoff_stats::sweep::{Cell, SweepHeader, SweepLog, SweepRecord, SweepRun};
use bakeoff_stats::{JournalError, Machine};
use tempfile::TempDir;

use super::fake::Fakes;
use crate::compare::fake_rows::Rows;

pub struct Bench {
    pub plan: SweepPlan,
    pub folder: TempDir,
}

impl Bench {
    /// Two batch sizes with two numbers of workers, each for 10 ms.
    pub fn new() -> Bench {
        let field = |name, kind| Field::new(name, kind, true);
        let schema = Schema::new(vec![
            field("sensor", DataType::Int32),
            field("time", DataType::Int64),
            field("value", DataType::Float64),
        ]);
        let source = Rows {
            schema: Arc::new(schema),
            end: u64::MAX >> 1,
            broken: None,
            sensors: 1,
            repeat_after: None,
        };
        let length = Duration::from_millis(10);
        Bench {
            plan: SweepPlan {
                sweeping: Sweeping {
                    source: Arc::new(source),
                    shard: Shard::WHOLE,
                    table: "t".to_owned(),
                    warm_up: length / 10,
                    length,
                    time_out: Duration::from_secs(120),
                },
                grid: Grid::new(&[1, 10], &[1, 4]),
                rounds: 1,
                seed: 5,
                over_any: Vec::new(),
                over_partition: true,
                reads_bytes: false,
            },
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn log(&self, fakes: &Fakes) -> Result<SweepLog, JournalError> {
        SweepLog::create(self.folder.path(), &self.header(fakes))
    }

    pub async fn sweep(&self, fakes: &mut Fakes) -> Result<(), JournalError> {
        self.sweep_watched(fakes, &Silent).await
    }

    pub async fn sweep_watched(
        &self,
        fakes: &mut Fakes,
        observer: &dyn Observer,
    ) -> Result<(), JournalError> {
        let mut log = self.log(fakes)?;
        sweep(fakes, &self.plan, &mut log, observer).await
    }

    /// Sweeps to the end, and returns what was recorded.
    pub async fn complete(&self, fakes: &mut Fakes) -> Records {
        self.sweep(fakes).await.unwrap();
        self.records()
    }

    pub fn records(&self) -> Records {
        Records(
            SweepRun::open(self.folder.path())
                .unwrap()
                .records()
                .to_vec(),
        )
    }

    fn header(&self, fakes: &Fakes) -> SweepHeader {
        let grid = &self.plan.grid;
        SweepHeader {
            bakeoff_version: "0.1.0".to_owned(),
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            command: "bakeoff sweep fakes.toml".to_owned(),
            workload: "fakes".to_owned(),
            title: "Fakes".to_owned(),
            workload_text: String::new(),
            data: "numbers".to_owned(),
            seed: self.plan.seed,
            rows: None,
            designs: { fakes.designs.iter().map(Design::info) }
                .chain(&self.plan.over_any)
                .cloned()
                .collect(),
            machine: Machine {
                os: "linux".to_owned(),
                cpu: "test".to_owned(),
                cores: 1,
                memory_bytes: 1 << 30,
                model: None,
            },
            threads: 1,
            batches: grid.batches.iter().copied().map(u64::from).collect(),
            workers: grid.workers.clone(),
            seconds: self.plan.sweeping.length.as_secs_f64(),
            rounds: self.plan.rounds,
            warm_up_seconds: self.plan.sweeping.warm_up.as_secs_f64(),
            time_out_seconds: self.plan.sweeping.time_out.as_secs_f64(),
            shared: None,
        }
    }
}

/// What a sweep recorded.
pub struct Records(pub Vec<SweepRecord>);

impl Records {
    pub fn cells(&self) -> Vec<&Cell> {
        let cells = self.0.iter().filter_map(|record| match record {
            SweepRecord::Cell(cell) => Some(cell),
            _ => None,
        });
        cells.collect()
    }

    /// Design and setting of each cell, in their order.
    pub fn measured(&self) -> Vec<(&str, Setting)> {
        let measured = |cell: &'_ Cell| Setting {
            batch_rows: cell.batch_rows,
            workers: cell.workers,
        };
        let cells = self.cells().into_iter();
        cells
            .map(|cell| (cell.design.as_str(), measured(cell)))
            .collect()
    }

    pub fn failures(&self) -> Vec<(&str, &str)> {
        let failures = self.0.iter().filter_map(|record| match record {
            SweepRecord::Failed { design, reason } => Some((design.as_str(), reason.as_str())),
            _ => None,
        });
        failures.collect()
    }

    pub fn warnings(&self) -> Vec<&str> {
        let warnings = self.0.iter().filter_map(|record| match record {
            SweepRecord::Warning { message } => Some(message.as_str()),
            _ => None,
        });
        warnings.collect()
    }
}
