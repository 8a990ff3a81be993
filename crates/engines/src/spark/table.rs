//! A design of Spark: rows that another engine's code stores, and a table of Spark that reads them.

use std::sync::Arc;
use std::time::Instant;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError, PlanText};
use bakeoff_servers::spark::{Source, Spark};
use bakeoff_stats::{DesignInfo, Footprint, Needs};
use tokio::sync::Mutex;

use super::answer::Reading;
use super::question;
use crate::explained::{explain, plan_in};

/// The parts of a design.
pub struct Parts {
    pub process: Arc<Spark>,
    pub info: DesignInfo,
    /// The name of the table in questions.
    pub name: String,
    /// What stores the rows, and is never asked.
    pub stored: Box<dyn Design>,
    /// Whether that is a server, whose CPU time counts in addition to Spark's.
    pub has_server: bool,
    /// Where Spark finds the rows when they have settled.
    pub source: Source,
    /// Whether Spark keeps all rows in its memory.
    pub cache: bool,
}

/// A design of Spark.
pub struct SparkTable {
    parts: Parts,
    /// Whether Spark has the table of this design.
    is_open: Mutex<bool>,
}

impl SparkTable {
    pub fn new(parts: Parts) -> Self {
        SparkTable {
            parts,
            is_open: Mutex::new(false),
        }
    }

    /// Returns the name of the design's session in Spark.
    fn session(&self) -> &str {
        &self.parts.info.id
    }

    /// Lets Spark have the table, unless it has it: after a resumed run's start it does not.
    async fn open(&self) -> Result<(), DesignError> {
        let mut is_open = self.is_open.lock().await;
        if *is_open {
            return Ok(());
        }
        let Parts {
            process,
            name,
            source,
            cache,
            ..
        } = &self.parts;
        let opened = process.open(self.session(), name, source, *cache).await;
        opened.map_err(failed)?;
        *is_open = true;
        Ok(())
    }

    /// Asks Spark, in its own SQL.
    async fn ask(&self, sql: &str) -> Result<Answer, DesignError> {
        self.open().await?;
        let answer = self.parts.process.query(self.session(), sql).await;
        let mut answer = answer.map_err(failed)?;
        let mut reading = Reading::default();
        while let Some(part) = answer.next().await.map_err(failed)? {
            reading.add(part)?;
        }
        reading.complete()
    }
}

fn failed(error: bakeoff_servers::Error) -> DesignError {
    DesignError(error.to_string())
}

#[async_trait]
impl Design for SparkTable {
    fn info(&self) -> &DesignInfo {
        &self.parts.info
    }

    fn keeps_duplicates(&self) -> bool {
        self.parts.stored.keeps_duplicates()
    }

    async fn create(&self) -> Result<(), DesignError> {
        let mut is_open = self.is_open.lock().await;
        if *is_open {
            let closed = self.parts.process.close(self.session()).await;
            closed.map_err(failed)?;
            *is_open = false;
        }
        self.parts.stored.create().await
    }

    async fn survives(&self) -> bool {
        self.parts.stored.survives().await
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.parts.stored.load(slice, rows).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let settled = self.parts.stored.settle().await?;
        let began = Instant::now();
        self.open().await?;
        if !self.parts.cache {
            return Ok(settled);
        }
        let seconds = began.elapsed().as_secs_f64();
        Ok(format!("{settled}, then CACHE TABLE in {seconds:.1} s"))
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let stored = self.parts.stored.footprint().await?;
        let without = "without the rows in Spark's memory";
        Ok(Footprint {
            design: self.parts.info.id.clone(),
            note: match stored.note {
                Some(note) if self.parts.cache => Some(format!("{note}; {without}")),
                None if self.parts.cache => Some(without.to_owned()),
                note => note,
            },
            ..stored
        })
    }

    async fn bytes_now(&self) -> Option<u64> {
        self.parts.stored.bytes_now().await
    }

    fn needs(&self) -> Needs {
        self.parts.stored.needs()
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        let sql = question::in_spark(sql).map_err(DesignError)?;
        self.ask(&sql).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        let sql = question::in_spark(sql).map_err(DesignError)?;
        let told = self.ask(&explain(&sql)).await?;
        plan_in(&told, "Spark")
    }

    /// Returns the time of Spark and of the server that stores the rows; `None` if one of them is not known, as that of
    /// a cluster.
    fn server_cpu_seconds(&self) -> Option<f64> {
        let Parts {
            process,
            stored,
            has_server,
            ..
        } = &self.parts;
        if process.cluster().is_some() {
            return None;
        }
        let of_rows = if *has_server {
            stored.server_cpu_seconds()?
        } else {
            0.0
        };
        Some(process.cpu_seconds().ok()? + of_rows)
    }

    fn dead(&self) -> Option<String> {
        let spark = self.parts.process.dead();
        spark.or_else(|| self.parts.stored.dead())
    }
}
