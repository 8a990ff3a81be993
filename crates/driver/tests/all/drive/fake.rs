//! A target whose operations do what a test says, and a load on it.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bakeoff_driver::drive::{
    Call, Done, DriveError, DriveObserver, Driven, Failure, Plan, Schedule, Second, Session, Shard,
    Stop, Target, Worker, drive, drive_here,
};
use bakeoff_driver::{Design, DesignError};
use bakeoff_stats::{DesignInfo, FailureKind, Role, ServerSample, Tally};
use bakeoff_workload::{Action, Keys, Mix, Operation};
use futures::future::LocalBoxFuture;

use crate::compare::fake::Fake as Table;

pub type Sending = LocalBoxFuture<'static, Result<Done, Failure>>;
type Behaviour = dyn Fn(Call) -> Sending + Send + Sync;
type Check = dyn Fn(&Call) -> Option<Failure> + Send + Sync;
type Connect = dyn Fn(usize) -> Result<(), DesignError> + Send + Sync;
type AddNode = dyn Fn() -> Result<Option<u64>, DesignError> + Send + Sync;
type Execute = dyn Fn(&str) -> Result<(), DesignError> + Send + Sync;

pub struct Fake {
    info: DesignInfo,
    behave: Box<Behaviour>,
    check: Box<Check>,
    /// Called with how many workers connected before.
    connect: Box<Connect>,
    execute: Box<Execute>,
    /// Tells what becomes of a node that is added; `None` if it never comes to an end.
    add_node: Option<Box<AddNode>>,
    /// How long a look at the server takes.
    pub sampling: Duration,
    /// The table of the design; `None` if nothing is stored.
    pub table: Option<Table>,
    connected: AtomicUsize,
    /// Calls in the order in which they were sent, each attempt on its own.
    pub sent: Mutex<Vec<Call>>,
    pub statements: Mutex<Vec<String>>,
}

impl Fake {
    pub fn new(behave: impl Fn(Call) -> Sending + Send + Sync + 'static) -> Fake {
        Fake {
            info: DesignInfo {
                id: "fake".to_owned(),
                engine: "fake".to_owned(),
                role: Role::Store,
                server: false,
                settings: Vec::new(),
                statements: Vec::new(),
                unit_rows: None,
                not_asked: Vec::new(),
                stored_by: None,
                table_of: None,
            },
            behave: Box::new(behave),
            check: Box::new(|_| None),
            connect: Box::new(|_| Ok(())),
            execute: Box::new(|_| Ok(())),
            add_node: None,
            sampling: Duration::ZERO,
            table: None,
            connected: AtomicUsize::new(0),
            sent: Mutex::new(Vec::new()),
            statements: Mutex::new(Vec::new()),
        }
    }

    /// Every operation takes so long and succeeds.
    pub fn taking(time: Duration) -> Fake {
        Fake::new(move |_| {
            Box::pin(async move {
                tokio::time::sleep(time).await;
                Ok(Done::default())
            })
        })
    }

    /// Every operation fails at once.
    pub fn failing(kind: FailureKind) -> Fake {
        Fake::new(move |call| {
            let failure = Failure::new(kind, format!("operation {}", call.number));
            Box::pin(async move { Err(failure) })
        })
    }

    pub fn checking(
        mut self,
        check: impl Fn(&Call) -> Option<Failure> + Send + Sync + 'static,
    ) -> Fake {
        self.check = Box::new(check);
        self
    }

    pub fn connecting(
        mut self,
        connect: impl Fn(usize) -> Result<(), DesignError> + Send + Sync + 'static,
    ) -> Fake {
        self.connect = Box::new(connect);
        self
    }

    pub fn adding(
        mut self,
        add_node: impl Fn() -> Result<Option<u64>, DesignError> + Send + Sync + 'static,
    ) -> Fake {
        self.add_node = Some(Box::new(add_node));
        self
    }

    pub fn executing(
        mut self,
        execute: impl Fn(&str) -> Result<(), DesignError> + Send + Sync + 'static,
    ) -> Fake {
        self.execute = Box::new(execute);
        self
    }
}

struct FakeSession<'a>(&'a Fake);

impl Session for FakeSession<'_> {
    type Request = Call;
    type Reply = Done;

    fn request(&self, call: &Call) -> Call {
        *call
    }

    async fn send(&self, request: &Call) -> Result<Done, Failure> {
        self.0.sent.lock().unwrap().push(*request);
        (self.0.behave)(*request).await
    }

    fn check(&self, request: &Call, reply: Done) -> Result<Done, Failure> {
        match (self.0.check)(request) {
            Some(failure) => Err(failure),
            None => Ok(reply),
        }
    }
}

#[async_trait]
impl Target for Fake {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn design(&self) -> Option<&dyn Design> {
        let table = self.table.as_ref()?;
        Some(table)
    }

    async fn prepare(&self) -> Result<(), DesignError> {
        Ok(())
    }

    fn work<'a>(
        &'a self,
        worker: Worker,
    ) -> Pin<Box<dyn Future<Output = Result<(), DesignError>> + 'a>> {
        Box::pin(async move {
            (self.connect)(self.connected.fetch_add(1, Ordering::Relaxed))?;
            worker.run(&FakeSession(self)).await;
            Ok(())
        })
    }

    async fn sample(&self) -> ServerSample {
        tokio::time::sleep(self.sampling).await;
        ServerSample {
            cpu_seconds: Some(1.0),
            ..ServerSample::default()
        }
    }

    async fn execute(&self, statement: &str) -> Result<(), DesignError> {
        self.statements.lock().unwrap().push(statement.to_owned());
        (self.execute)(statement)
    }

    async fn add_node(&self) -> Result<Option<u64>, DesignError> {
        match &self.add_node {
            Some(add_node) => add_node(),
            None => std::future::pending().await,
        }
    }
}

/// Waits until something has happened.
pub async fn until(happened: impl Fn() -> bool) {
    while !happened() {
        tokio::time::sleep(MILLISECOND).await;
    }
}

/// Keeps all seconds.
#[derive(Default)]
pub struct Seconds {
    pub started: Option<SystemTime>,
    pub all: Vec<Second>,
}

impl DriveObserver for Seconds {
    fn started(&mut self, at: SystemTime) {
        self.started = Some(at);
    }

    fn second(&mut self, second: Second) {
        assert_eq!(second.second as usize, self.all.len(), "in order");
        self.all.push(second);
    }
}

impl Seconds {
    /// All operations of all seconds.
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        for tally in self.all.iter().flat_map(|second| &second.operations) {
            total += tally;
        }
        total
    }

    pub fn successes(&self) -> Vec<u64> {
        let successes = |second: &Second| second.operations.iter().map(Tally::successes).sum();
        self.all.iter().map(successes).collect()
    }

    pub fn queued(&self) -> u64 {
        self.all.iter().map(|second| second.queued).sum()
    }
}

pub struct Outcome {
    pub driven: Driven,
    pub seconds: Seconds,
    pub fake: Arc<Fake>,
}

impl Outcome {
    pub fn sent(&self) -> Vec<Call> {
        self.fake.sent.lock().unwrap().clone()
    }
}

/// On the test's thread and its clock, which is paused in most tests.
pub async fn run_here(fake: Fake, plan: &Plan) -> Result<Outcome, DriveError> {
    run(fake, plan, &Stop::new(), false).await
}

/// On threads and the real clock.
pub async fn run_on_threads(fake: Fake, plan: &Plan) -> Result<Outcome, DriveError> {
    run(fake, plan, &Stop::new(), true).await
}

pub async fn run(
    fake: Fake,
    plan: &Plan,
    stop: &Stop,
    threads: bool,
) -> Result<Outcome, DriveError> {
    let fake = Arc::new(fake);
    let mut seconds = Seconds::default();
    let driven = if threads {
        drive(fake.clone(), plan, stop, &mut seconds).await?
    } else {
        drive_here(fake.clone(), plan, stop, &mut seconds).await?
    };
    Ok(Outcome {
        driven,
        seconds,
        fake,
    })
}

pub fn read(weight: f64, keys: Keys) -> Operation {
    Operation {
        name: "read".to_owned(),
        weight,
        action: Action::ReadRow,
        keys,
        consistency: None,
        ttl_seconds: None,
        batch: 1,
    }
}

/// One thread, up to 1024 in flight, on 1000 rows, for so many seconds.
pub fn plan(schedule: &str, seconds: u64) -> Plan {
    let schedule = match schedule {
        "closed" => Schedule::ClosedLoop,
        rate => Schedule::parse(rate).unwrap(),
    };
    Plan {
        mix: Arc::new(mix(vec![read(1.0, Keys::Uniform)])),
        seed: 5,
        ordinal: 0,
        rows: 1000,
        new_rows: Vec::new(),
        shard: Shard::WHOLE,
        threads: 1,
        in_flight: 1024,
        schedule,
        duration: Duration::from_secs(seconds),
        drain_limit: Duration::from_secs(10),
        retries: 0,
        start_at: None,
    }
}

pub fn mix(operations: Vec<Operation>) -> Mix {
    Mix {
        operations,
        schema: Vec::new(),
        populate: Vec::new(),
        background: Vec::new(),
    }
}

pub const MILLISECOND: Duration = Duration::from_millis(1);
pub const MS: u64 = 1_000_000;
