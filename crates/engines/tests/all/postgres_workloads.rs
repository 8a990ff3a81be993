//! The shipped workloads with texts of their own for PostgreSQL and TimescaleDB, in small: every
//! query of every layout answers as the oracle does.
//!
//! Without PostgreSQL or TimescaleDB this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::Path;
use std::sync::Arc;

use crate::support::{Started, THREADS, has_timescale};
use bakeoff_driver::{Comparison, Design, Expected, Oracle, compare};
use bakeoff_engines::SqlOracle;
use bakeoff_workload::{DesignId, DuplicateKeys, RowSource, Workload, source};

const DESIGNS: [&str; 4] = [
    "timescale/hypertable?chunk=12h",
    "postgres/plain",
    "postgres/brin",
    "postgres/partitioned?width=1d",
];
const ROUNDS: u64 = 2;
/// May have no rows in so few rounds: trucks of one fleet that stood still for ten minutes.
const MAY_BE_EMPTY: &str = "stationary_trucks";

/// A workload in small, and what is asked of every design.
struct Small {
    workload: Workload,
    source: Arc<dyn RowSource>,
    questions: Vec<Question>,
}

/// A query with the parameters of a round, and the right answer.
struct Question {
    query: usize,
    round: u64,
    drawn: Vec<(String, String)>,
    right: Expected,
}

impl Small {
    async fn new(name: &str, settings: &[&str]) -> Small {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        let workload = Workload::read_with(&folder.join(name), &settings).unwrap();
        let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
        let mut oracle = SqlOracle::new(source.clone(), workload.table.clone(), THREADS);
        let rows = workload.scale.default_rows;
        oracle
            .prepare(rows, Arc::new(DuplicateKeys::none()))
            .await
            .unwrap();
        let mut questions = Vec::new();
        for (number, query) in workload.queries.iter().enumerate() {
            for round in 0..ROUNDS {
                let drawn = workload.draw(query, round, rows, &*source).unwrap();
                let right = oracle.answer(&query.bind("", &drawn), true).await.unwrap();
                questions.push(Question {
                    query: number,
                    round,
                    drawn,
                    right,
                });
            }
        }
        Small {
            workload,
            source,
            questions,
        }
    }

    async fn load(&self, design: &dyn Design) {
        design.create().await.unwrap();
        let batches = self.source.read(0, 50_000).unwrap();
        for (slice, batch) in (0..).zip(batches) {
            design.load(slice, &batch.unwrap().rows).await.unwrap();
        }
        design.settle().await.unwrap();
    }

    /// What is wrong with the answers of a design, or that a query gave no rows, which proves little.
    async fn ask(&self, id: &DesignId, design: &dyn Design) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut rows = vec![0; self.workload.queries.len()];
        for question in &self.questions {
            let query = &self.workload.queries[question.query];
            let sql = query.bind(&id.to_string(), &question.drawn);
            let trouble = match design.answer(&sql).await {
                Ok(answer) => match compare(&question.right, &answer.batches) {
                    Comparison::Same { rows: same, .. } => {
                        rows[question.query] += same;
                        continue;
                    }
                    Comparison::Different(difference) => difference,
                },
                Err(error) => error.to_string(),
            };
            let (name, round) = (&query.name, question.round);
            wrong.push(format!("{id}, {name}, round {round}: {trouble}"));
        }
        for (query, rows) in self.workload.queries.iter().zip(rows) {
            if rows == 0 && query.name != MAY_BE_EMPTY {
                wrong.push(format!("{id}, {}: no rows in any round", query.name));
            }
        }
        wrong
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_text_for_postgresql_is_right() {
    if !has_timescale() {
        return;
    }
    // After three days some tanks are nearly empty.
    let smalls = [
        Small::new("timeseries.toml", &["hosts=40", "interval=1m"]).await,
        Small::new("timeseries_readings.toml", &["trucks=8"]).await,
        Small::new("timeseries_diagnostics.toml", &["trucks=8", "days=3"]).await,
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for engine in ["timescale", "postgres"] {
        let started = Started::new(engine, folder.path().join(engine)).await;
        for small in &smalls {
            for id in DESIGNS.iter().filter(|id| id.starts_with(engine)) {
                let id: DesignId = id.parse().unwrap();
                let (workload, context) = (&small.workload, &started.context);
                let design = started
                    .running
                    .design(&id, workload, context)
                    .await
                    .unwrap();
                small.load(design.as_ref()).await;
                wrong.extend(small.ask(&id, design.as_ref()).await);
            }
        }
        started.running.finish(false).await.unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
