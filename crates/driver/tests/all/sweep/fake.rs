//! Designs that take inserts, and an engine that starts them.

use std::sync::{Arc, Mutex};

use arrow::array::Int64Array;
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::drive::Failure;
use bakeoff_driver::sweep::{Inserter, Inserts};
use bakeoff_driver::{Answer, Candidates, Design, DesignError};
use bakeoff_stats::{DesignInfo, EngineInfo, FailureKind, Footprint, ServerSample};

use crate::compare::fake::Fake as Table;

/// What goes wrong with a design.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    Nothing,
    /// Its engine is not available.
    Missing,
    /// Its table takes no inserts from several workers.
    NoInserts,
    /// Its engine dies when this table is made, counted from 1.
    DiesWithTable(u32),
    /// Only that many workers can connect.
    FewWorkers(u32),
    /// No insert ever ends in this table, counted from 1.
    HangsInTable(u32),
}

#[derive(Default)]
struct State {
    /// Tables that were made so far.
    tables: u32,
    /// Tables whose batches held rows of any partitions.
    tables_over_any: u32,
    /// Rows and connections of the table.
    rows: u64,
    workers: u32,
    is_dead: bool,
    inserting: bool,
}

/// Clones share their table.
#[derive(Clone)]
pub struct Fake {
    info: DesignInfo,
    fault: Fault,
    /// Whether it has a server that tells figures.
    is_served: bool,
    /// Whether its table can be brought to rest, and takes ten bytes a row.
    has_bytes: bool,
    state: Arc<Mutex<State>>,
}

impl Fake {
    pub fn new(id: &str, fault: Fault) -> Fake {
        Fake {
            info: Table::new(id).info().clone(),
            fault,
            is_served: false,
            has_bytes: false,
            state: Arc::default(),
        }
    }

    /// A design whose server tells figures.
    pub fn with_samples(mut self) -> Fake {
        self.is_served = true;
        self
    }

    /// A design whose table can be brought to rest, and takes ten bytes a row.
    pub fn with_bytes(mut self) -> Fake {
        self.has_bytes = true;
        self
    }

    pub fn id(&self) -> &str {
        &self.info.id
    }

    /// How often its table was made.
    pub fn tables(&self) -> u32 {
        self.state.lock().unwrap().tables
    }

    /// How often its table was made for batches of rows of any partitions.
    pub fn tables_over_any(&self) -> u32 {
        self.state.lock().unwrap().tables_over_any
    }

    /// Whether a worker waits for an insert that never ends.
    pub fn hangs(&self) -> bool {
        self.state.lock().unwrap().inserting
    }
}

#[async_trait]
impl Design for Fake {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        true
    }

    async fn create(&self) -> Result<(), DesignError> {
        let mut state = self.state.lock().unwrap();
        if state.is_dead {
            return Err(DesignError::new("connection lost"));
        }
        *state = State {
            tables: state.tables + 1,
            tables_over_any: state.tables_over_any,
            is_dead: self.fault == Fault::DiesWithTable(state.tables + 1),
            ..State::default()
        };
        Ok(())
    }

    async fn survives(&self) -> bool {
        false
    }

    async fn load(&self, _: u64, _: &RecordBatch) -> Result<(), DesignError> {
        Err(DesignError::new("a sweep loads nothing"))
    }

    async fn settle(&self) -> Result<String, DesignError> {
        if self.has_bytes {
            return Ok("at rest".to_owned());
        }
        Err(DesignError::new("a sweep settles nothing"))
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        if !self.has_bytes {
            return Err(DesignError::new("a sweep measures no storage"));
        }
        Ok(Footprint {
            design: String::new(),
            engine_bytes: Some(10 * self.state.lock().unwrap().rows),
            file_bytes: None,
            compression_ratio: None,
            compression_metadata_bytes: None,
            statistics: None,
            files: None,
            note: None,
        })
    }

    async fn answer(&self, _: &str) -> Result<Answer, DesignError> {
        let rows = Int64Array::from(vec![self.state.lock().unwrap().rows as i64]);
        let batch = RecordBatch::try_from_iter([("counted", Arc::new(rows) as _)]);
        Ok(Answer {
            batches: vec![batch.unwrap()],
            rows_scanned: None,
            ..Answer::default()
        })
    }

    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        let takes_inserts = self.fault != Fault::NoInserts;
        Ok(takes_inserts.then(|| Arc::new(self.clone()) as Arc<dyn Inserts>))
    }

    /// The same, counted apart.
    async fn inserts_over_any(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        self.state.lock().unwrap().tables_over_any += 1;
        self.inserts().await
    }

    async fn server_sample(&self) -> Option<ServerSample> {
        let rows = self.state.lock().unwrap().rows;
        self.is_served.then(|| ServerSample {
            coordinator_writes: Some(rows),
            ..ServerSample::default()
        })
    }

    fn dead(&self) -> Option<String> {
        let is_dead = self.state.lock().unwrap().is_dead;
        is_dead.then(|| "its engine is gone".to_owned())
    }
}

#[async_trait]
impl Inserts for Fake {
    async fn connect(&self) -> Result<Box<dyn Inserter>, Failure> {
        let mut state = self.state.lock().unwrap();
        state.workers += 1;
        match self.fault {
            Fault::FewWorkers(most) if state.workers > most => {
                Err(Failure::new(FailureKind::Connection, "too many clients"))
            }
            _ => Ok(Box::new(self.clone())),
        }
    }
}

#[async_trait]
impl Inserter for Fake {
    async fn insert(&mut self, rows: &RecordBatch) -> Result<(), Failure> {
        let hangs = {
            let mut state = self.state.lock().unwrap();
            state.inserting = self.fault == Fault::HangsInTable(state.tables);
            if !state.inserting {
                state.rows += rows.num_rows() as u64;
            }
            state.inserting
        };
        if hangs {
            std::future::pending::<()>().await;
        }
        tokio::task::yield_now().await;
        Ok(())
    }
}

/// Designs on one engine.
pub struct Fakes {
    pub designs: Vec<Fake>,
    is_started: bool,
}

impl Fakes {
    pub fn new(designs: impl IntoIterator<Item = Fake>) -> Fakes {
        Fakes {
            designs: designs.into_iter().collect(),
            is_started: false,
        }
    }
}

#[async_trait]
impl Candidates for Fakes {
    type Ready = Box<dyn Design>;

    fn ids(&self) -> Vec<String> {
        let ids = self.designs.iter().map(Fake::id);
        ids.map(str::to_owned).collect()
    }

    async fn start_engine(&mut self, design: usize) -> Result<Option<EngineInfo>, DesignError> {
        if self.designs[design].fault == Fault::Missing {
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

    async fn make(&mut self, design: usize) -> Result<Box<dyn Design>, DesignError> {
        Ok(Box::new(self.designs[design].clone()))
    }
}
