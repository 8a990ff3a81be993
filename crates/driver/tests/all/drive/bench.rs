//! Drives of fake designs into a folder of their own, and what was recorded.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arrow::datatypes::{DataType, Field, Schema};
use async_trait::async_trait;
use bakeoff_driver::drive::{
    Done, DriveCandidates, DriveSettings, Driving, LiveView, Plan, RecordError, Second, Stop,
    Target, Worker, drive_designs,
};
use bakeoff_driver::{Candidates, Design, DesignError, Silent};
use bakeoff_stats::drive::{
    DriveHeader, DriveLog, DriveRecord, DriveRun, OperationInfo, TrialStart,
};
use bakeoff_stats::{DesignInfo, EngineInfo, Machine, ServerSample};
use tempfile::TempDir;

use super::fake::{Fake, MILLISECOND, plan};
use super::same_sensor::SameSensor;
use crate::compare::fake::{Call, Fake as Table};
use crate::compare::fake_rows::Rows;

/// After this long it is no longer slowness.
const PATIENCE: Duration = Duration::from_secs(120);

/// A design with a table that takes operations.
#[derive(Clone)]
pub struct Driven {
    pub table: Table,
    pub load: Arc<Fake>,
}

impl Driven {
    pub fn new(table: Table, load: Fake) -> Driven {
        Driven {
            table,
            load: Arc::new(load),
        }
    }

    /// A design that takes everything, each operation in a millisecond.
    pub fn well(id: &str) -> Driven {
        Driven::new(Table::new(id), Fake::taking(MILLISECOND))
    }

    /// The same on a server, which has to be warmed up.
    pub fn on_a_server(id: &str) -> Driven {
        Driven::new(Table::new(id).with_server(), Fake::taking(MILLISECOND))
    }
}

#[async_trait]
impl Target for Driven {
    fn info(&self) -> &DesignInfo {
        self.table.info()
    }

    fn design(&self) -> Option<&dyn Design> {
        Some(&self.table)
    }

    async fn prepare(&self) -> Result<(), DesignError> {
        Ok(())
    }

    fn work<'a>(
        &'a self,
        worker: Worker,
    ) -> Pin<Box<dyn Future<Output = Result<(), DesignError>> + 'a>> {
        self.load.work(worker)
    }

    async fn sample(&self) -> ServerSample {
        ServerSample::default()
    }

    async fn execute(&self, statement: &str) -> Result<(), DesignError> {
        self.load.execute(statement).await
    }

    async fn add_node(&self) -> Result<Option<u64>, DesignError> {
        self.load.add_node().await
    }
}

/// Designs on one engine, and on one that is not available.
#[derive(Default)]
pub struct Fakes {
    pub designs: Vec<Driven>,
    /// Ids of those whose engine is not available.
    pub missing: Vec<String>,
    is_started: bool,
    /// The designs that answer questions beside the loads.
    pub beside: Vec<Table>,
    /// Waits and announcements, each with what had been asked of the table before.
    pub shards: Vec<(&'static str, Vec<Call>)>,
}

impl Fakes {
    pub fn new(designs: impl IntoIterator<Item = Driven>) -> Fakes {
        Fakes {
            designs: designs.into_iter().collect(),
            ..Fakes::default()
        }
    }
}

#[async_trait]
impl Candidates for Fakes {
    type Ready = Box<dyn Target>;

    fn ids(&self) -> Vec<String> {
        let ids = self.designs.iter().map(|design| design.table.id());
        ids.map(str::to_owned).collect()
    }

    async fn start_engine(&mut self, design: usize) -> Result<Option<EngineInfo>, DesignError> {
        if self.missing.contains(&self.ids()[design]) {
            return Err(DesignError::new("its engine is not installed"));
        }
        let is_first = !std::mem::replace(&mut self.is_started, true);
        Ok(is_first.then(|| EngineInfo {
            engine: "fake".to_owned(),
            version: "1".to_owned(),
            start_seconds: None,
            settings: Vec::new(),
        }))
    }

    async fn make(&mut self, design: usize) -> Result<Box<dyn Target>, DesignError> {
        Ok(Box::new(self.designs[design].clone()))
    }
}

#[async_trait]
impl DriveCandidates for Fakes {
    async fn wait_for_table(&mut self, design: usize, _: Duration) -> Result<(), DesignError> {
        let calls = self.designs[design].table.calls();
        self.shards.push(("wait", calls));
        Ok(())
    }

    async fn announce_table(&mut self, design: usize) -> Result<(), DesignError> {
        let calls = self.designs[design].table.calls();
        self.shards.push(("announce", calls));
        Ok(())
    }

    async fn make_beside(
        &mut self,
        place: usize,
    ) -> Result<(Option<EngineInfo>, Box<dyn Design>), DesignError> {
        match self.beside.get(place) {
            Some(table) => Ok((None, Box::new(table.clone()))),
            None => Err(DesignError::new("no design was named")),
        }
    }
}

/// One drive: change what a test is about, then drive.
pub struct Bench {
    pub settings: DriveSettings,
    pub source: Rows,
    pub stop: Stop,
    pub folder: TempDir,
    /// Called when the results of a second are shown.
    pub shown: Box<dyn Fn() + Send + Sync>,
    /// Called between loads.
    pub between: Box<dyn Fn() + Send + Sync>,
}

impl Bench {
    /// 1,000 rows, and loads of 50 ms in a closed loop.
    pub fn new() -> Bench {
        let load = Plan {
            in_flight: 4,
            duration: 50 * MILLISECOND,
            drain_limit: PATIENCE,
            ..plan("closed", 1)
        };
        let field = |name, kind| Field::new(name, kind, true);
        let schema = Schema::new(vec![
            field("sensor", DataType::Int32),
            field("time", DataType::Int64),
            field("value", DataType::Float64),
        ]);
        Bench {
            settings: DriveSettings {
                load,
                rounds: 1,
                search: None,
                passes: None,
                beside: None,
                add_node_after: None,
                warms_up: false,
                fills_tables: true,
                call_limit: PATIENCE,
            },
            source: Rows {
                schema: Arc::new(schema),
                end: 200_000,
                broken: None,
                sensors: 1,
                repeat_after: None,
            },
            stop: Stop::new(),
            folder: tempfile::tempdir().unwrap(),
            shown: Box::new(|| {}),
            between: Box::new(|| {}),
        }
    }

    /// Loads that nothing but a stop ends.
    pub fn endless() -> Bench {
        let mut bench = Bench::new();
        bench.settings.load.duration = 10 * PATIENCE;
        bench
    }

    pub async fn drive(&self, fakes: &mut Fakes) -> Result<(), RecordError> {
        self.drive_into(&mut self.log(fakes), fakes).await
    }

    pub fn log(&self, fakes: &Fakes) -> DriveLog {
        DriveLog::create(self.folder.path(), &self.header(fakes)).unwrap()
    }

    pub async fn drive_into(
        &self,
        log: &mut DriveLog,
        fakes: &mut Fakes,
    ) -> Result<(), RecordError> {
        let driving = Driving {
            settings: &self.settings,
            source: Arc::new(self.source.clone()),
            values: Arc::new(SameSensor),
            log,
            observer: &Silent,
            live: &mut Shown {
                second: self.shown.as_ref(),
                between: self.between.as_ref(),
            },
            stop: &self.stop,
        };
        let driven = tokio::time::timeout(PATIENCE, drive_designs(fakes, driving));
        driven.await.expect("it has not ended")
    }

    /// Drives to the end, and returns what was recorded.
    pub async fn complete(&self, fakes: &mut Fakes) -> Records {
        self.drive(fakes).await.unwrap();
        self.records()
    }

    pub fn records(&self) -> Records {
        Records(
            DriveRun::open(self.folder.path())
                .unwrap()
                .records()
                .to_vec(),
        )
    }

    fn header(&self, fakes: &Fakes) -> DriveHeader {
        let load = &self.settings.load;
        let operation = |operation: &bakeoff_workload::Operation| OperationInfo {
            name: operation.name.clone(),
            action: "read a row".to_owned(),
            writes: false,
            weight_percent: 100.0 * operation.weight,
            consistency: String::new(),
            ttl_seconds: None,
        };
        DriveHeader {
            bakeoff_version: "0.1.0".to_owned(),
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            command: "bakeoff drive fakes.toml".to_owned(),
            workload: "fakes".to_owned(),
            title: "Fakes".to_owned(),
            workload_text: String::new(),
            seed: load.seed,
            rows: load.rows,
            operations: load.mix.operations.iter().map(operation).collect(),
            designs: fakes.designs.iter().map(|d| d.info().clone()).collect(),
            machine: Machine {
                os: "linux".to_owned(),
                cpu: "test".to_owned(),
                cores: 1,
                memory_bytes: 1 << 30,
                model: None,
            },
            threads: load.threads,
            shard: (load.shard.index, load.shard.of),
            schedule: load.schedule.to_string(),
            in_flight: load.in_flight,
            retries: 0,
            time_out_seconds: 10.0,
            cluster: None,
            nodes: None,
            keyspace: None,
            objective: None,
            seconds: load.duration.as_secs_f64(),
            passes: None,
            beside: None,
            published: None,
            decide: None,
            parts: Vec::new(),
        }
    }
}

struct Shown<'a> {
    second: &'a (dyn Fn() + Send + Sync),
    between: &'a (dyn Fn() + Send + Sync),
}

impl LiveView for Shown<'_> {
    fn begin(&mut self, _: &str, _: Duration) {}

    fn second(&mut self, _: &Second) {
        (self.second)();
    }

    fn between_loads(&mut self) {
        (self.between)();
    }
}

/// What a drive recorded.
pub struct Records(pub Vec<DriveRecord>);

impl Records {
    /// Design and round of each trial that began, in their order, which is that of their numbers.
    pub fn trials(&self) -> Vec<(String, u32)> {
        let (mut trials, mut last) = (Vec::new(), 0);
        for record in &self.0 {
            if let DriveRecord::TrialStarted(start) = record {
                assert!(start.trial > last, "{} after {last}", start.trial);
                last = start.trial;
                trials.push((start.design.clone(), start.round));
            }
        }
        trials
    }

    pub fn starts(&self) -> Vec<&TrialStart> {
        let starts = self.0.iter().filter_map(|record| match record {
            DriveRecord::TrialStarted(start) => Some(start),
            _ => None,
        });
        starts.collect()
    }

    /// Whether each trial that ended was stopped, in their order.
    pub fn stopped(&self) -> Vec<bool> {
        let ends = self.0.iter().filter_map(|record| match record {
            DriveRecord::TrialEnded(end) => Some(end.stopped),
            _ => None,
        });
        ends.collect()
    }

    pub fn failures(&self) -> Vec<(&str, &str)> {
        let failures = self.0.iter().filter_map(|record| match record {
            DriveRecord::Failed { design, reason } => Some((design.as_str(), reason.as_str())),
            _ => None,
        });
        failures.collect()
    }

    /// Designs whose tables were filled, with their rows.
    pub fn populated(&self) -> Vec<(&str, u64)> {
        let populated = self.0.iter().filter_map(|record| match record {
            DriveRecord::Populated(populated) => Some((populated.design.as_str(), populated.rows)),
            _ => None,
        });
        populated.collect()
    }
}

/// Takes every operation in a millisecond, and calls `then` when it is sent the `nth`.
pub fn calling(nth: usize, then: impl Fn() + Send + Sync + 'static) -> Fake {
    let sent = AtomicUsize::new(0);
    Fake::new(move |_| {
        if sent.fetch_add(1, Ordering::Relaxed) + 1 == nth {
            then();
        }
        Box::pin(async {
            tokio::time::sleep(MILLISECOND).await;
            Ok(Done::default())
        })
    })
}
