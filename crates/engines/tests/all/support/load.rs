//! Loads on a real Cassandra: a workload with a mix, its table filled, and what a load came to.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bakeoff_driver::drive::{
    DriveObserver, Driven, Plan, Schedule, Second, Shard, Stop, Target, drive,
};
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::cassandra::login_at;
use bakeoff_engines::{CassandraOptions, Cluster, Context, EngineOptions, Running, TargetOptions};
use bakeoff_stats::{FailureKind, Tally};
use bakeoff_workload::{Consistency, DesignId, RowSource, RowValues, Version, Workload, source};
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;

/// A mix that reads and inserts single rows, as many of each.
pub const READS_AND_WRITES: &str = r#"
[mix]
[[mix.operations]]
action = "read-row"
weight = 50
[[mix.operations]]
action = "insert"
keys = "uniform"
weight = 50
"#;

/// A workload of 20 sensors with 100 times each, and columns of every type.
pub const READINGS: &str = r#"
title = "Readings of a test"
seed = 7
[table]
name = "readings"
columns = { sensor = "text", time = "timestamp", flag = "boolean", level = "int", total = "bigint", value = "double", note = "text", seen = "timestamp", raw = "blob", ratio = "float", owner = "uuid", day = "date" }
partition_key = ["sensor"]
order_key = ["time"]
[data]
generator = "columns"
[data.columns]
sensor = { sequence = { cycle = 20 }, prefix = "s" }
time = { sequence = { start = "2024-01-01T00:00:00Z", step = "10s", every = 20 } }
flag = { choice = [true, false] }
level = { uniform = [-100, 100] }
total = { zipf = { items = 1000, exponent = 0.99 } }
value = { normal = { mean = 100, deviation = 5 } }
note = { characters = [0, 50] }
seen = { sequence = { start = "1969-12-31T00:00:00Z", step = "1ms" } }
raw = { bytes = { length = [0, 100], compressibility = 0.5 } }
ratio = { uniform = [0, 1] }
owner = { zipf = { items = 100, exponent = 0.99 } }
day = { sequence = { start = "1969-12-25", step = "1d", cycle = 30 } }
[scale]
rows = 2000
"#;

/// Reads of all rows, one after the other.
pub const ROW_BY_ROW: &str = r#"
[mix]
[[mix.operations]]
action = "read-row"
keys = "sequential"
weight = 100
"#;

/// Reads of all rows by their partitions, and by parts of them.
pub const PARTITIONS: &str = r#"
[mix]
[[mix.operations]]
action = "read-partition"
keys = "sequential"
weight = 50
[[mix.operations]]
action = "read-range"
rows = 100
keys = "sequential"
weight = 50
"#;

pub const IN_FLIGHT: u32 = 32;
/// How long a load lasts: the first of these that is enough.
const LONGER_AND_LONGER: [Duration; 3] = [
    Duration::from_millis(400),
    Duration::from_secs(3),
    Duration::from_secs(60),
];
/// Operations of each kind, and of all together, that show what a load is to show.
const ENOUGH: (u64, u64) = (5, 150);

/// A workload of which only the mix differs.
pub fn workload(head: &str, mix: &str) -> Workload {
    Workload::parse(&format!("{head}\n{mix}"), Path::new("load.toml")).unwrap()
}

/// The options for a cluster that runs, and a keyspace in it that several processes share.
pub fn on_cluster(address: &str, keyspace: Option<&str>) -> EngineOptions {
    EngineOptions {
        cassandra: CassandraOptions {
            cluster: Some(Cluster {
                address: address.to_owned(),
                ..Cluster::default()
            }),
            keyspace: keyspace.map(str::to_owned),
            ..CassandraOptions::default()
        },
        ..EngineOptions::default()
    }
}

/// Connects to a server that a test has started.
pub async fn session_at(address: &str) -> Session {
    let login = login_at(&Home::from_env().unwrap(), address.parse().unwrap()).unwrap();
    let builder = SessionBuilder::new().known_node(address);
    let builder = builder.user(login.user(), login.password());
    builder.build().await.unwrap()
}

/// A cluster that runs, and the engine connected to it.
pub struct Loads {
    pub running: Box<dyn Running>,
    pub context: Context,
    /// Ours, to look and to meddle.
    pub session: Session,
}

impl Loads {
    pub async fn new(address: &str, run_dir: &Path, keyspace: Option<&str>) -> Loads {
        let context = Context {
            run_dir: run_dir.to_owned(),
            token: None,
            threads: 2,
            keys_repeat: true,
            options: on_cluster(address, keyspace),
        };
        let id: DesignId = "cassandra/wide".parse().unwrap();
        let running = engine(&id).unwrap().start(&context).await.unwrap();
        Loads {
            running,
            context,
            session: session_at(address).await,
        }
    }

    pub async fn target(&self, id: &str, workload: &Workload) -> Loaded {
        self.target_with(id, workload, Duration::from_secs(10), None)
            .await
    }

    pub async fn target_with(
        &self,
        id: &str,
        workload: &Workload,
        request_time_limit: Duration,
        consistency: Option<Consistency>,
    ) -> Loaded {
        let source: Arc<dyn RowSource> = source::open(workload, None).unwrap().into();
        let rows = workload.scale.default_rows;
        let values = source::row_values(workload, source.clone(), rows).unwrap();
        let options = TargetOptions {
            values: values.clone(),
            mix: Arc::new(workload.mix.clone().unwrap()),
            loaded: 0..rows,
            keys_repeat: source::keys_repeat(workload, &*values, rows, 1),
            in_flight_per_worker: IN_FLIGHT as usize,
            request_time_limit,
            consistency,
        };
        let id = id.parse().unwrap();
        let target = self.running.target(&id, workload, &self.context, &options);
        Loaded {
            target: target.await.unwrap().into(),
            workload: workload.clone(),
            source,
            values,
        }
    }

    pub async fn cql(&self, statement: &str) {
        let done = self.session.query_unpaged(statement, ()).await;
        done.unwrap_or_else(|e| panic!("{statement}: {e}"));
    }
}

/// A target, and the rows that belong into it.
pub struct Loaded {
    pub target: Arc<dyn Target>,
    pub workload: Workload,
    pub source: Arc<dyn RowSource>,
    pub values: Arc<dyn RowValues>,
}

impl Loaded {
    pub fn rows(&self) -> u64 {
        self.workload.scale.default_rows
    }

    /// Makes the table with its rows.
    pub async fn fill(&self) {
        let design = self.target.design().unwrap();
        design.create().await.unwrap();
        let rows = self.rows() as usize;
        let batch = self.source.read(0, rows).unwrap().next().unwrap().unwrap();
        assert_eq!(batch.rows.num_rows(), rows);
        design.load(0, &batch.rows).await.unwrap();
    }

    pub fn plan(&self, schedule: Schedule, duration: Duration) -> Plan {
        Plan {
            mix: Arc::new(self.workload.mix.clone().unwrap()),
            seed: self.workload.seed,
            ordinal: 0,
            rows: self.rows(),
            new_rows: Vec::new(),
            shard: Shard { index: 0, of: 1 },
            threads: 1,
            in_flight: IN_FLIGHT,
            schedule,
            duration,
            drain_limit: Duration::from_secs(10),
            retries: 0,
            start_at: None,
        }
    }

    /// Drives the mix as fast as it goes until each operation was performed some times: shortly, and
    /// again for longer where the machine is too slow for that.
    pub async fn drive(&self) -> Came {
        for duration in LONGER_AND_LONGER {
            let came = self.drive_for(duration).await;
            if came.is_enough() {
                return came;
            }
        }
        panic!("too few operations even in {:?}", LONGER_AND_LONGER.last());
    }

    /// Does the same with a new table each time: the new rows of a load come again with the next one, and some tables
    /// would have them twice.
    pub async fn fill_and_drive(&self) -> Came {
        for duration in LONGER_AND_LONGER {
            self.fill().await;
            let came = self.drive_for(duration).await;
            if came.is_enough() {
                return came;
            }
        }
        panic!("too few operations even in {:?}", LONGER_AND_LONGER.last());
    }

    /// Drives the mix as fast as it goes for so long.
    pub async fn drive_for(&self, duration: Duration) -> Came {
        self.drive_plan(&self.plan(Schedule::ClosedLoop, duration))
            .await
    }

    pub async fn drive_plan(&self, plan: &Plan) -> Came {
        self.target.prepare().await.unwrap();
        let mut seconds = Seconds::default();
        let stop = Stop::new();
        let driven = drive(self.target.clone(), plan, &stop, &mut seconds).await;
        let driven = driven.unwrap();
        assert!(driven.worker_failures.is_empty(), "{driven:?}");
        let names = plan.mix.operations.iter().map(|o| o.name.clone());
        Came {
            names: names.collect(),
            operations: seconds.operations(),
            driven,
        }
    }

    /// A text column of the table's key, as CQL has it.
    pub fn key(&self, column: usize, row: u64) -> String {
        match self.values.value(column, row, Version::First) {
            bakeoff_workload::Value::Text(text) => format!("'{text}'"),
            bakeoff_workload::Value::Timestamp(v) | bakeoff_workload::Value::Bigint(v) => {
                v.to_string()
            }
            bakeoff_workload::Value::Int(v) => v.to_string(),
            other => panic!("{other:?}"),
        }
    }
}

/// The seconds of a load, which may be looked at while it lasts.
#[derive(Clone, Default)]
pub struct Seconds(pub Arc<Mutex<Vec<Second>>>);

impl DriveObserver for Seconds {
    fn second(&mut self, second: Second) {
        self.0.lock().unwrap().push(second);
    }
}

impl Seconds {
    /// All seconds joined.
    pub fn operations(&self) -> Vec<Tally> {
        let mut all: Vec<Tally> = Vec::new();
        for second in self.0.lock().unwrap().iter() {
            all.resize_with(second.operations.len(), Tally::default);
            for (sum, tally) in all.iter_mut().zip(&second.operations) {
                *sum += tally;
            }
        }
        all
    }
}

/// What a load came to.
pub struct Came {
    pub names: Vec<String>,
    pub operations: Vec<Tally>,
    pub driven: Driven,
}

impl Came {
    pub fn of(&self, name: &str) -> &Tally {
        let place = self.names.iter().position(|n| n == name).unwrap();
        &self.operations[place]
    }

    pub fn failed(&self, kind: FailureKind) -> u64 {
        self.operations.iter().map(|t| failures(t, kind)).sum()
    }

    pub fn messages(&self) -> String {
        let messages: Vec<_> = self
            .driven
            .failures
            .iter()
            .map(ToString::to_string)
            .collect();
        messages.join("\n")
    }

    /// Whether each operation was performed often enough, be it without success.
    fn is_enough(&self) -> bool {
        let performed = |tally: &Tally| tally.successes() + tally.failed();
        let (each, all) = ENOUGH;
        let sum: u64 = self.operations.iter().map(performed).sum();
        self.operations.len() == self.names.len()
            && self.operations.iter().all(|tally| performed(tally) >= each)
            && sum >= all
    }

    /// Every operation was performed, and none failed.
    pub fn assert_right(&self, what: &str) {
        for (name, tally) in self.names.iter().zip(&self.operations) {
            assert_eq!(tally.failed(), 0, "{what}, {name}: {}", self.messages());
            assert!(tally.successes() > 0, "{what}, {name}: nothing was done");
        }
    }

    /// Some operations failed in this way, and none in another one.
    pub fn assert_failed_only(&self, kind: FailureKind) {
        let all: u64 = self.operations.iter().map(Tally::failed).sum();
        assert!(all > 0, "nothing failed");
        assert_eq!(self.failed(kind), all, "{}", self.messages());
    }
}

pub fn failures(tally: &Tally, kind: FailureKind) -> u64 {
    let place = FailureKind::ALL.iter().position(|k| *k == kind).unwrap();
    tally.failures[place]
}
