//! The shipped workloads in small, with the right answers to their questions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bakeoff_driver::{Comparison, Design, Expected, Oracle, compare};
use bakeoff_engines::{SqlOracle, translate_queries};
use bakeoff_workload::{DesignId, DuplicateKeys, RowBatch, RowSource, Workload, source};

use super::{Started, THREADS};

const ROUNDS: u64 = 2;
/// May have no rows in so few rounds: trucks of one fleet that stood still for ten minutes.
const MAY_BE_EMPTY: &str = "stationary_trucks";

/// A workload in small, and what is asked of every design.
pub struct Small {
    workload: Workload,
    source: Arc<dyn RowSource>,
    /// The number of its rows, of which a source may have more.
    rows: u64,
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
    /// A shipped workload with these settings of its generator.
    pub async fn new(name: &str, settings: &[&str]) -> Small {
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        let workload = Workload::read_with(&shipped(name), &settings).unwrap();
        Small::of(workload, None).await
    }

    /// A shipped workload with the rows of a file, of which there are so many.
    pub async fn of_file(name: &str, file: PathBuf, rows: u64) -> Small {
        let mut workload = Workload::read(&shipped(name)).unwrap();
        workload.scale.default_rows = rows;
        Small::of(workload, Some(file)).await
    }

    async fn of(workload: Workload, data: Option<PathBuf>) -> Small {
        let source: Arc<dyn RowSource> = source::open(&workload, data).unwrap().into();
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
            rows,
            questions,
        }
    }

    async fn load(&self, design: &dyn Design) {
        design.create().await.unwrap();
        let batches = self.source.read(0, 50_000).unwrap();
        for (slice, batch) in (0..).zip(batches) {
            let RowBatch { first_row, rows } = batch.unwrap();
            let left = self.rows.saturating_sub(first_row);
            let rows = rows.slice(0, rows.num_rows().min(left as usize));
            if rows.num_rows() == 0 {
                break;
            }
            design.load(slice, &rows).await.unwrap();
        }
        design.settle().await.unwrap();
    }

    /// What is wrong with the answers of a design, or that a query gave no rows, which proves little.
    async fn ask(&self, workload: &Workload, id: &DesignId, design: &dyn Design) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut rows = vec![0; workload.queries.len()];
        for question in &self.questions {
            let query = &workload.queries[question.query];
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
        for (query, rows) in workload.queries.iter().zip(rows) {
            if rows == 0 && query.name != MAY_BE_EMPTY {
                wrong.push(format!("{id}, {}: no rows in any round", query.name));
            }
        }
        wrong
    }

    /// Loads a design and says what is wrong with its answers.
    pub async fn wrong_of(&self, started: &Started, id: &str) -> Vec<String> {
        let id: DesignId = id.parse().unwrap();
        let (mut workload, context) = (self.workload.clone(), &started.context);
        translate_queries(&mut workload, std::slice::from_ref(&id), None).unwrap();
        let design = started.running.design(&id, &workload, context);
        let design = design.await.unwrap();
        self.load(design.as_ref()).await;
        self.ask(&workload, &id, design.as_ref()).await
    }
}

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../workloads")
        .join(name)
}

/// The workloads that have texts for single engines.
pub async fn with_own_texts() -> [Small; 3] {
    // After three days some tanks are nearly empty.
    [
        Small::new("timeseries.toml", &["hosts=40", "interval=1m"]).await,
        Small::new("timeseries_readings.toml", &["trucks=8"]).await,
        Small::new("timeseries_diagnostics.toml", &["trucks=8", "days=3"]).await,
    ]
}
