//! A design in memory, which does what a test tells it.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, Int64Array, StringArray};
use arrow::datatypes::Int64Type;
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{
    Answer, Design, DesignError, Instances, NodeCounts, PartitionKey, PlanText, StoredText,
};
use bakeoff_stats::{
    DesignInfo, Footprint, Instance, NotAsked, Role, ServerAccount, ServerSample, Stacks,
    TableStatistics,
};

/// What the driver asked of a design.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    Create,
    Load(u64),
    Settle,
    /// A look at its bytes, which is not kept in the list of calls.
    Look,
    Footprint,
    /// `nth` counts how often this design was asked this query, from 0.
    Answer {
        query: String,
        sql: String,
        nth: usize,
    },
}

impl Call {
    pub fn asks(&self, name: &str, from: usize) -> bool {
        matches!(self, Call::Answer { query, nth, .. } if query == name && *nth >= from)
    }
}

/// How a design takes a call.
#[derive(Clone, Copy)]
pub enum Act {
    Well,
    Wrong,
    Fail,
    Die,
    Hang,
    Panic,
    Take(Duration),
    /// Ends once its server was sampled again.
    AwaitSample,
}

/// How a design takes the question for a plan.
#[derive(Clone, Copy)]
pub enum Plan {
    /// It tells none.
    None,
    Tells(&'static str),
    Fails,
    Panics,
}

type Script = Arc<dyn Fn(&Call) -> Act + Send + Sync>;

/// Clones share their rows, as a process and its engine do.
#[derive(Clone)]
pub struct Fake {
    info: DesignInfo,
    script: Script,
    keeps_duplicates: bool,
    survives: bool,
    row_bytes: u64,
    nodes: u32,
    partitions: Option<PartitionKey>,
    statistics: Option<TableStatistics>,
    plan: Plan,
    stored: Plan,
    profile: Plan,
    /// Whether its server tells what it counts, as it would a plan.
    account: Plan,
    /// Whether it has a server that tells figures.
    is_served: bool,
    table: Arc<Mutex<Table>>,
    /// Table of another design that has its rows; `None` where they are in its own one.
    rows_of: Option<Arc<Mutex<Table>>>,
}

#[derive(Default)]
pub struct Table {
    pub calls: Vec<Call>,
    pub slices: BTreeMap<u64, RecordBatch>,
    dead: Option<String>,
    asking: usize,
    /// Number of plans that were asked for.
    pub plans_asked: usize,
    /// Number of times that it was asked how its first rows are stored.
    pub stored_asked: usize,
    /// Read repairs of its nodes, if they tell them: two more whenever they are asked.
    pub read_repairs: Option<u64>,
    /// Whether its server records, and the number of its answers when each recording began.
    pub is_recorded: bool,
    pub recordings: Vec<usize>,
    /// Number of times that its server was asked what it counts, and whether that was ever done while it answered.
    pub accounts: u64,
    pub is_asked_meanwhile: bool,
    /// Number of times that its server was sampled.
    pub samples: u64,
    /// Whether that was ever done while it answered a question.
    pub is_disturbed: bool,
    /// Questions that were on their way at the same time.
    pub most_asking: usize,
}

impl Table {
    fn begin_question(&mut self) {
        self.asking += 1;
        self.most_asking = self.most_asking.max(self.asking);
    }
}

impl Fake {
    pub fn new(id: &str) -> Fake {
        Fake::acting(id, |_| Act::Well)
    }

    pub fn acting(id: &str, script: impl Fn(&Call) -> Act + Send + Sync + 'static) -> Fake {
        Fake {
            info: DesignInfo {
                id: id.to_owned(),
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
            script: Arc::new(script),
            keeps_duplicates: true,
            survives: false,
            row_bytes: 20,
            nodes: 1,
            partitions: None,
            statistics: None,
            plan: Plan::None,
            stored: Plan::None,
            profile: Plan::None,
            account: Plan::None,
            is_served: false,
            table: Arc::default(),
            rows_of: None,
        }
    }

    /// Never comes back from such a call.
    pub fn hanging(id: &str, when: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Fake {
        Fake::acting(
            id,
            move |call| if when(call) { Act::Hang } else { Act::Well },
        )
    }

    /// A design whose server tells something of its tables.
    pub fn with_statistics(mut self) -> Fake {
        self.statistics = Some(TableStatistics {
            sstables: Some(1),
            ..TableStatistics::default()
        });
        self
    }

    /// A design that has partitions.
    pub fn with_partitions(mut self, key: PartitionKey) -> Fake {
        self.partitions = Some(key);
        self
    }

    /// A design that is asked for plans.
    pub fn with_plan(mut self, plan: Plan) -> Fake {
        self.plan = plan;
        self
    }

    /// A design that is asked how its first rows are stored, which it takes as a question for a plan.
    pub fn with_stored(mut self, stored: Plan) -> Fake {
        self.stored = stored;
        self
    }

    /// A design whose server is asked what it counts, which it takes as a question for a plan.
    pub fn with_account(mut self, account: Plan) -> Fake {
        self.account = account;
        self
    }

    /// A design whose server tells figures.
    pub fn with_samples(mut self) -> Fake {
        self.is_served = true;
        self
    }

    /// A design that is something else than a store.
    pub fn with_role(mut self, role: Role) -> Fake {
        self.info.role = role;
        self
    }

    /// A design that is not asked a query.
    pub fn without(mut self, query: &str) -> Fake {
        self.info.not_asked.push(NotAsked {
            query: query.to_owned(),
            why: "needs the column price".to_owned(),
        });
        self
    }

    /// A design whose engine has a server.
    pub fn with_server(mut self) -> Fake {
        self.info.server = true;
        self
    }

    /// Takes this many bytes for each row.
    pub fn with_row_bytes(mut self, bytes: u64) -> Fake {
        self.row_bytes = bytes;
        self
    }

    /// A design whose engine runs on this many nodes.
    pub fn with_nodes(mut self, nodes: u32) -> Fake {
        self.nodes = nodes;
        self
    }

    /// Another table that takes its calls in the same way.
    fn like(&self, id: &str) -> Fake {
        let mut other = self.clone();
        other.info.id = id.to_owned();
        other.table = Arc::default();
        other
    }

    /// A design that reads the table of another one.
    pub fn reading(mut self, other: &Fake) -> Fake {
        self.info.table_of = Some(other.id().to_owned());
        self.rows_of = Some(Arc::clone(&other.table));
        self
    }

    /// How its server records what it runs: one sample of the stack that it tells, none of an empty one.
    pub fn with_profile(mut self, profile: Plan) -> Fake {
        self.profile = profile;
        self
    }

    /// Keeps the last row of each key only.
    pub fn upserting(mut self) -> Fake {
        self.keeps_duplicates = false;
        self
    }

    /// Whether its rows are still there when a later process takes it over.
    pub fn surviving(mut self, survives: bool) -> Fake {
        self.survives = survives;
        self
    }

    pub fn id(&self) -> &str {
        &self.info.id
    }

    pub fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap()
    }

    /// Ends its engine between two calls.
    pub fn die(&self) {
        self.table().dead = Some("its engine is gone".to_owned());
    }

    pub fn calls(&self) -> Vec<Call> {
        self.table().calls.clone()
    }

    /// Queries and their SQL, in the order in which they were asked.
    pub fn asked(&self) -> Vec<(String, String)> {
        let asked = |call| match call {
            Call::Answer { query, sql, .. } => Some((query, sql)),
            _ => None,
        };
        self.calls().into_iter().filter_map(asked).collect()
    }

    /// Does as the script says; returns whether an answer is to be right.
    async fn act(&self, call: Call) -> Result<bool, DesignError> {
        let act = (self.script)(&call);
        self.table().calls.push(call);
        match act {
            Act::Well => Ok(true),
            Act::Wrong => Ok(false),
            Act::Fail => Err(DesignError::new("refused")),
            Act::Die => {
                self.die();
                Err(DesignError::new("connection lost"))
            }
            Act::Hang => std::future::pending().await,
            Act::Panic => panic!("a bug in a design"),
            Act::Take(time) => {
                tokio::time::sleep(time).await;
                Ok(true)
            }
            Act::AwaitSample => {
                let before = self.table().samples;
                while self.table().samples == before {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                Ok(true)
            }
        }
    }

    /// Rows in its table, as its answers count them.
    pub fn rows(&self) -> u64 {
        let of_another = self.rows_of.as_ref();
        let table = of_another.map_or_else(|| self.table(), |table| table.lock().unwrap());
        if self.keeps_duplicates {
            return table
                .slices
                .values()
                .map(|rows| rows.num_rows() as u64)
                .sum();
        }
        let times = table
            .slices
            .values()
            .map(|rows| rows.column(1).as_primitive::<Int64Type>());
        times
            .flat_map(|times| times.values())
            .collect::<HashSet<_>>()
            .len() as u64
    }
}

#[async_trait]
impl Design for Fake {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        self.keeps_duplicates
    }

    fn partition_key(&self) -> Option<PartitionKey> {
        self.partitions.clone()
    }

    async fn create(&self) -> Result<(), DesignError> {
        self.act(Call::Create).await?;
        self.table().slices.clear();
        Ok(())
    }

    async fn survives(&self) -> bool {
        self.survives
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.act(Call::Load(slice)).await?;
        let mut table = self.table();
        // Files are replaced as a whole, rows in a store with keys one by one.
        let place = if self.keeps_duplicates {
            slice
        } else {
            table.slices.len() as u64
        };
        table.slices.insert(place, rows.clone());
        Ok(())
    }

    async fn settle(&self) -> Result<String, DesignError> {
        self.act(Call::Settle).await?;
        Ok("nothing to do".to_owned())
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        self.act(Call::Footprint).await?;
        Ok(Footprint {
            design: self.info.id.clone(),
            engine_bytes: None,
            file_bytes: Some(self.rows() * self.row_bytes),
            compression_ratio: None,
            compression_metadata_bytes: None,
            statistics: self.statistics,
            files: None,
            note: None,
        })
    }

    /// Takes twice its bytes at rest until it is settled.
    async fn bytes_now(&self) -> Option<u64> {
        match (self.script)(&Call::Look) {
            Act::Hang => std::future::pending().await,
            Act::Panic => panic!("a bug in a look"),
            _ => {}
        }
        let is_settled = self.calls().contains(&Call::Settle);
        Some(self.rows() * if is_settled { 20 } else { 40 })
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        let query = query_of(sql);
        let nth = self
            .asked()
            .iter()
            .filter(|(asked, _)| *asked == query)
            .count();
        let call = Call::Answer {
            query,
            sql: sql.to_owned(),
            nth,
        };
        self.table().begin_question();
        let right = self.act(call).await;
        self.table().asking -= 1;
        let right = right?;
        let rows = self.rows();
        let batches = vec![answer_to(sql, if right { rows } else { rows + 1 })];
        Ok(Answer {
            batches,
            rows_scanned: Some(rows),
            ..Answer::default()
        })
    }

    async fn query_plan(&self, _: &str) -> Result<Option<PlanText>, DesignError> {
        self.table().plans_asked += 1;
        match self.plan {
            Plan::None => Ok(None),
            Plan::Tells(text) => Ok(Some(PlanText {
                by: "Fake",
                text: text.to_owned(),
            })),
            Plan::Fails => Err(DesignError::new("it has no plans")),
            Plan::Panics => panic!("a bug in a plan"),
        }
    }

    async fn stored_rows(&self) -> Result<Option<StoredText>, DesignError> {
        self.table().stored_asked += 1;
        match self.stored {
            Plan::None => Ok(None),
            Plan::Tells(text) => Ok(Some(StoredText {
                by: "Fake",
                text: text.to_owned(),
            })),
            Plan::Fails => Err(DesignError::new("its rows cannot be read")),
            Plan::Panics => panic!("a bug in a tool"),
        }
    }

    async fn read_repairs(&self) -> Option<NodeCounts> {
        let mut table = self.table();
        let repairs = table.read_repairs?;
        table.read_repairs = Some(repairs + 2);
        Some(NodeCounts::from([("a node".to_owned(), repairs)]))
    }

    async fn begin_profile(&self) -> Result<bool, DesignError> {
        match self.profile {
            Plan::None => Ok(false),
            Plan::Tells(_) => {
                let answers = self.asked().len();
                let mut table = self.table();
                assert!(!table.is_recorded, "a server refuses a second recording");
                table.is_recorded = true;
                table.recordings.push(answers);
                Ok(true)
            }
            Plan::Fails => Err(DesignError::new("its server does not record")),
            Plan::Panics => panic!("a bug in a recording"),
        }
    }

    async fn end_profile(&self) -> Result<Stacks, DesignError> {
        self.table().is_recorded = false;
        let Plan::Tells(stack) = self.profile else {
            return Err(DesignError::new("nothing was recorded"));
        };
        let samples = u64::from(!stack.is_empty());
        Ok(BTreeMap::from([(stack.to_owned(), samples)]).into())
    }

    /// Tells the number of the sample as CPU seconds.
    async fn server_sample(&self) -> Option<ServerSample> {
        let mut table = self.table();
        table.samples += 1;
        table.is_disturbed |= table.asking > 0;
        self.is_served.then(|| ServerSample {
            cpu_seconds: Some(table.samples as f64),
            ..ServerSample::default()
        })
    }

    /// A server that tells figures is one that was started for the run, which has done nothing else.
    fn server_cpu_seconds(&self) -> Option<f64> {
        self.is_served.then_some(0.0)
    }

    /// Tells how often it was asked as the bytes of its log.
    async fn server_account(&self) -> Result<Option<ServerAccount>, DesignError> {
        let log_bytes = {
            let mut table = self.table();
            table.accounts += 1;
            table.is_asked_meanwhile |= table.asking > 0;
            Some(table.accounts)
        };
        match self.account {
            Plan::None => Ok(None),
            Plan::Tells(_) => Ok(Some(ServerAccount {
                log_bytes,
                ..ServerAccount::default()
            })),
            Plan::Fails => Err(DesignError::new("its server does not count")),
            Plan::Panics => panic!("a bug in an account"),
        }
    }

    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn dead(&self) -> Option<String> {
        self.table().dead.clone()
    }
}

/// The queries of these tests select their own name: `SELECT name FROM ...`.
fn query_of(sql: &str) -> String {
    sql.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// What every query gives: how many rows there are, and what was asked, without a comment at its end.
pub fn answer_to(sql: &str, rows: u64) -> RecordBatch {
    let sql = sql.split(" --").next().unwrap_or_default();
    let rows: ArrayRef = Arc::new(Int64Array::from(vec![rows as i64]));
    let sql: ArrayRef = Arc::new(StringArray::from(vec![sql]));
    RecordBatch::try_from_iter([("rows", rows), ("sql", sql)]).unwrap()
}

/// Further tables, by id: those of an earlier process are taken over.
#[derive(Default)]
pub struct FakeInstances {
    pub tables: BTreeMap<String, Fake>,
    /// Designs that can have no further tables.
    pub alone: Vec<String>,
    /// Designs whose further tables take calls as they do.
    pub like: Vec<Fake>,
    /// Whether the engine of all of them is not there.
    pub is_missing: bool,
}

#[async_trait]
impl Instances for FakeInstances {
    fn can_have(&self, design: &str) -> bool {
        !self.alone.iter().any(|alone| alone == design)
    }

    async fn make(&mut self, instance: &Instance) -> Result<Arc<dyn Design>, DesignError> {
        if self.is_missing {
            return Err(DesignError::new("its engine is not there"));
        }
        let id = instance.id.clone();
        let like = self.like.iter().find(|fake| fake.id() == instance.design);
        let new = || like.map_or_else(|| Fake::new(&instance.id), |fake| fake.like(&instance.id));
        let made = self.tables.entry(id).or_insert_with(new).clone();
        let of = like.and_then(|fake| fake.info.table_of.as_ref());
        let of = of.map(|of| instance.like_it(of));
        let of = of.and_then(|of| self.tables.get(&of));
        Ok(Arc::new(match of {
            Some(other) => made.reading(other),
            None => made,
        }))
    }
}
