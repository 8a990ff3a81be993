//! Runs fake designs into a folder of their own, and reads what was recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bakeoff_driver::{
    Budget, Design, Designs, FurtherTables, Observer, RIGHT_ANSWERS_WITHIN, RunError, Settings,
    Silent, check_expectations, run,
};
use bakeoff_stats::{
    Header, Journal, Ladder, LoadSlice, Machine, Outcome, QueryInfo, Record, Run, Scale, Step,
    Timing,
};
use bakeoff_workload::{RowSource, Workload};
use tempfile::TempDir;

use super::fake::{Call, Fake, FakeInstances};
use super::fake_rows::{FakeOracle, Rows};

/// No further tables.
pub const NONE: FurtherTables = FurtherTables {
    scales: Some(Ladder::ONE),
    star: false,
    twins: false,
};
pub const QUERIES: [&str; 2] = ["all", "some"];

/// One comparison: change what a test is about, then run it as often as needed.
pub struct Bench {
    pub workload: Workload,
    pub source: Rows,
    pub settings: Settings,
    pub folder: TempDir,
    /// Rows that the query with a WHERE clause selects, as the oracle counts them.
    pub selected: Option<u64>,
    /// Number of columns that a query without a condition reads.
    pub columns: Option<u32>,
    /// Whether the oracle computes no more answers, which a test may set while it runs.
    pub is_oracle_gone: Arc<AtomicBool>,
    /// Observer of its runs.
    pub observer: Box<dyn Observer>,
}

impl Bench {
    /// 30,000 rows, which make three slices, and three rounds after one pass to warm up.
    pub fn new() -> Bench {
        Bench::expecting("")
    }

    /// The same with an expectation for query `all`, as a line of the workload file.
    pub fn expecting(expect: &str) -> Bench {
        let workload = workload(expect);
        let source = Rows {
            schema: workload.table.schema(),
            end: 200_000,
            broken: None,
            sensors: 1,
            repeat_after: None,
        };
        let settings = Settings {
            rows: Some(30_000),
            rounds: Some(3),
            budget: Some(spent()),
            call_limit: Duration::from_secs(60),
            concurrent: None,
            right_answers_within: RIGHT_ANSWERS_WITHIN,
            race: false,
            further: NONE,
            shows_stored: false,
            not_asked: BTreeMap::new(),
            known_unmet: BTreeSet::new(),
            profiles: None,
        };
        Bench {
            workload,
            source,
            settings,
            folder: tempfile::tempdir().unwrap(),
            selected: None,
            columns: None,
            is_oracle_gone: Arc::default(),
            observer: Box::new(Silent),
        }
    }

    /// Runs, or goes on with what is in the folder.
    pub async fn run(&self, fakes: &[Fake]) -> Result<(), RunError> {
        self.run_with(fakes, &mut FakeInstances::default()).await
    }

    /// The same where further tables are made by `instances`.
    pub async fn run_with(
        &self,
        fakes: &[Fake],
        instances: &mut FakeInstances,
    ) -> Result<(), RunError> {
        let mut journal = Journal::create_or_resume(self.folder.path(), "f").unwrap();
        if journal.records().is_empty() {
            journal
                .append(&Record::Started(Box::new(header(fakes))))
                .unwrap();
        }
        let boxed = |fake: &Fake| Arc::new(fake.clone()) as Arc<dyn Design>;
        let started: Vec<_> = fakes.iter().map(boxed).collect();
        let designs = Designs {
            started: &started,
            instances,
        };
        let source = Arc::new(self.source.clone());
        let mut oracle = FakeOracle::default();
        oracle.selected = self.selected;
        oracle.columns = self.columns;
        oracle.is_gone = self.is_oracle_gone.clone();
        run(
            &self.workload,
            source,
            designs,
            &mut oracle,
            &self.settings,
            &mut journal,
            self.observer.as_ref(),
        )
        .await
    }

    /// Checks what is expected, where that many rows are loaded in any case.
    pub async fn check_expectations(&self, certain: u64) -> Result<(), RunError> {
        let source: Arc<dyn RowSource> = Arc::new(self.source.clone());
        check_expectations(&self.workload, &source, certain, &mut FakeOracle::default()).await
    }

    /// Runs until a design hangs in this call, and is killed there.
    pub async fn kill_in(&self, fakes: &[Fake], call: impl Fn(&Call) -> bool) {
        let hangs = async {
            while !fakes.iter().any(|fake| fake.calls().iter().any(&call)) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            ended = self.run(fakes) => panic!("not killed: {ended:?}"),
            () = hangs => {}
        }
    }

    /// Runs to the end, and says what was recorded.
    pub async fn complete(&self, fakes: &[Fake]) -> Records {
        self.run(fakes).await.unwrap();
        self.records()
    }

    pub fn records(&self) -> Records {
        records(self.folder.path())
    }
}

/// A budget that ends loading after the first slice, and warming up after the first pass.
pub fn spent() -> Budget {
    Budget::new(Instant::now(), Duration::ZERO)
}

pub fn records(folder: &Path) -> Records {
    Records(Run::open(folder).unwrap().records().to_vec())
}

/// What a run recorded.
pub struct Records(pub Vec<Record>);

impl Records {
    /// (design, step, query, reason) of every failure.
    pub fn failures(&self) -> Vec<(&str, Step, Option<&str>, &str)> {
        let failures = self.0.iter().filter_map(|record| match record {
            Record::Failed {
                design,
                step,
                query,
                reason,
            } => Some((design.as_str(), *step, query.as_deref(), reason.as_str())),
            _ => None,
        });
        failures.collect()
    }

    pub fn slices(&self, design: &str) -> Vec<&LoadSlice> {
        let slices = self.0.iter().filter_map(|record| match record {
            Record::Loaded(slice) if slice.design == design => Some(slice),
            _ => None,
        });
        slices.collect()
    }

    pub fn timings(&self) -> Vec<&Timing> {
        let timings = self.0.iter().filter_map(|record| match record {
            Record::Timed(timing) => Some(timing),
            _ => None,
        });
        timings.collect()
    }

    /// How often a query was timed on a design, with a right answer.
    pub fn right_times(&self, design: &str, query: &str) -> usize {
        let of = |t: &&&Timing| {
            t.design == design && t.query == query && matches!(t.outcome, Outcome::Right { .. })
        };
        self.timings().iter().filter(of).count()
    }

    /// The outcome of a query outside of timed rounds, as last recorded.
    pub fn answered(&self, design: &str, query: &str) -> Option<&Outcome> {
        self.0.iter().rev().find_map(|record| match record {
            Record::Answered(a) if a.design == design && a.query == query => Some(&a.outcome),
            _ => None,
        })
    }

    pub fn rounds(&self) -> Option<u32> {
        self.0.iter().find_map(|record| match record {
            Record::Rounds { rounds } => Some(*rounds),
            _ => None,
        })
    }

    pub fn loaded_rows(&self) -> Option<u64> {
        self.0.iter().find_map(|record| match record {
            Record::LoadingDone { rows, .. } => Some(*rows),
            _ => None,
        })
    }

    /// Whether the data has no more rows than were loaded.
    pub fn has_all_rows(&self) -> Option<bool> {
        self.0.iter().find_map(|record| match record {
            Record::LoadingDone { is_all, .. } => Some(*is_all),
            _ => None,
        })
    }

    /// Passes of the last warming up.
    pub fn warm_up_passes(&self) -> Option<u32> {
        self.0.iter().rev().find_map(|record| match record {
            Record::WarmedUp { passes, .. } => Some(*passes),
            _ => None,
        })
    }

    /// Every query of these designs was timed once in each round, rightly.
    pub fn assert_complete(&self, designs: &[&str], rounds: u32) {
        let mut timed: Vec<_> = self
            .timings()
            .iter()
            .map(|t| {
                assert!(matches!(t.outcome, Outcome::Right { .. }), "{t:?}");
                (t.design.as_str(), t.query.as_str(), t.round)
            })
            .collect();
        timed.sort_unstable();
        let mut wanted: Vec<_> = designs
            .iter()
            .flat_map(|design| QUERIES.map(|query| (*design, query)))
            .flat_map(|(design, query)| (0..rounds).map(move |round| (design, query, round)))
            .collect();
        wanted.sort_unstable();
        assert_eq!(timed, wanted);
    }
}

fn workload(expect: &str) -> Workload {
    let text = format!(
        "title = 'Fakes'\nseed = 3\n\
         [table]\nname = 'fakes'\npartition_key = ['sensor']\norder_key = ['time']\n\
         [table.columns]\nsensor = 'int'\ntime = 'bigint'\nvalue = 'double'\n\
         [data]\nfile = 'fakes.csv'\n\
         [[queries]]\nname = 'all'\nsql = 'SELECT all FROM fakes'\n{expect}\n\
         [[queries]]\nname = 'some'\nsql = 'SELECT some FROM fakes WHERE time < ${{time}}'\n\
         parameters = {{ time = {{ column = 'time' }} }}\n"
    );
    Workload::parse(&text, Path::new("fakes.toml")).unwrap()
}

fn query_info(name: &str) -> QueryInfo {
    QueryInfo {
        name: name.to_owned(),
        sql: format!("SELECT {name} FROM fakes"),
        engine_sql: std::collections::BTreeMap::new(),
        tolerance: None,
    }
}

fn header(fakes: &[Fake]) -> Header {
    Header {
        bakeoff_version: "0.1.0".to_owned(),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        command: "bakeoff run fakes.toml".to_owned(),
        fingerprint: "f".to_owned(),
        token: None,
        workload: "fakes".to_owned(),
        title: "Fakes".to_owned(),
        workload_text: String::new(),
        data: "numbers".to_owned(),
        seed: 3,
        table: "fakes".to_owned(),
        columns: 3,
        queries: QUERIES.map(query_info).to_vec(),
        designs: fakes.iter().map(|fake| fake.info().clone()).collect(),
        threads: 1,
        budget_seconds: None,
        machine: Machine {
            os: "linux".to_owned(),
            cpu: "test".to_owned(),
            cores: 1,
            memory_bytes: 1 << 30,
            model: None,
        },
        scale: Scale {
            full_rows: 30_000,
            replication: 1,
            users: 1,
            cores: 1,
            questions_per_second: None,
            rows_per_second: None,
            grows: None,
        },
        nodes: None,
        standbys: None,
        published_source: None,
        published: Vec::new(),
        published_notes: Vec::new(),
        decide: None,
        cpu_without_reading: true,
    }
}
