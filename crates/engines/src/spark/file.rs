//! A design of Spark over a Parquet file, which is written as that of the engine `parquet`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError};
use bakeoff_servers::spark::{Source, Spark};
use bakeoff_stats::{DesignInfo, Footprint, Needs};
use bakeoff_workload::{DesignId, Table};
use tokio::sync::Mutex;

use super::{answer, question};
use crate::EngineError;
use crate::parquet::files::{Codec, ParquetTable};
use crate::parquet::take_codec;
use crate::settings::Settings;

/// The settings of the layout, for `bakeoff list`.
pub const SETTINGS: &str = "codec=zstd|snappy, cache=true|false";

/// How the rows of a design are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    codec: Codec,
    /// Whether Spark keeps all rows in its memory.
    cache: bool,
}

impl Storage {
    /// Parses the settings of a design id.
    ///
    /// # Errors
    /// Fails for a setting or value that does not exist.
    pub fn new(id: &DesignId) -> Result<Self, EngineError> {
        let mut settings = Settings::new(id, SETTINGS)?;
        let storage = Storage {
            codec: take_codec(&mut settings)?,
            cache: settings.word("cache", &["true", "false"])? == Some("true"),
        };
        settings.end()?;
        Ok(storage)
    }

    /// Returns the settings in force, for the report.
    pub fn settings(self) -> Vec<(String, String)> {
        let cached = if self.cache {
            "all rows, in Spark's memory as far as they fit"
        } else {
            "nothing but what the system caches"
        };
        let mut settings = self.codec.settings();
        settings.push(("cached".to_owned(), cached.to_owned()));
        settings
    }

    /// Returns what Spark is told before it is asked, for a dry run.
    pub fn statements(self, table: &str, dir: &Path) -> Vec<String> {
        let table = question::quoted(table);
        let mut statements = vec![format!(
            "CREATE TEMPORARY VIEW {table} USING parquet OPTIONS (path {})",
            question::literal(&dir.join("table.parquet").display().to_string())
        )];
        if self.cache {
            statements.push(format!("CACHE TABLE {table}"));
        }
        statements
    }
}

/// A design of Spark over a Parquet file.
pub struct SparkFile {
    process: Arc<Spark>,
    /// The file, which Spark only reads.
    files: ParquetTable,
    table: Table,
    storage: Storage,
    /// Whether Spark has the table of this design.
    is_open: Mutex<bool>,
}

impl SparkFile {
    pub fn new(
        process: Arc<Spark>,
        info: DesignInfo,
        dir: PathBuf,
        table: Table,
        storage: Storage,
        threads: usize,
    ) -> Self {
        SparkFile {
            process,
            files: ParquetTable::new(info, dir, table.clone(), storage.codec, threads),
            table,
            storage,
            is_open: Mutex::new(false),
        }
    }

    /// Returns the name of the design's session in Spark.
    fn session(&self) -> &str {
        &self.files.info().id
    }

    /// Lets Spark have the table, unless it has it: after a resumed run's start it does not.
    async fn open(&self) -> Result<(), DesignError> {
        let mut is_open = self.is_open.lock().await;
        if *is_open {
            return Ok(());
        }
        let file = Source::parquet(self.files.sorted_file());
        let opened = self
            .process
            .open(self.session(), &self.table.name, &file, self.storage.cache);
        opened.await.map_err(failed)?;
        *is_open = true;
        Ok(())
    }
}

fn failed(error: bakeoff_servers::Error) -> DesignError {
    DesignError(error.to_string())
}

#[async_trait]
impl Design for SparkFile {
    fn info(&self) -> &DesignInfo {
        self.files.info()
    }

    fn keeps_duplicates(&self) -> bool {
        self.files.keeps_duplicates()
    }

    async fn create(&self) -> Result<(), DesignError> {
        let mut is_open = self.is_open.lock().await;
        if *is_open {
            self.process.close(self.session()).await.map_err(failed)?;
            *is_open = false;
        }
        self.files.create().await
    }

    async fn survives(&self) -> bool {
        self.files.survives().await
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.files.load(slice, rows).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let sorted = self.files.settle().await?;
        let began = Instant::now();
        self.open().await?;
        if !self.storage.cache {
            return Ok(sorted);
        }
        let seconds = began.elapsed().as_secs_f64();
        Ok(format!("{sorted}, then CACHE TABLE in {seconds:.1} s"))
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let note = "without the rows in Spark's memory";
        Ok(Footprint {
            note: self.storage.cache.then(|| note.to_owned()),
            ..self.files.footprint().await?
        })
    }

    fn needs(&self) -> Needs {
        self.files.needs()
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        let sql = question::in_spark(sql).map_err(DesignError)?;
        self.open().await?;
        let stream = self.process.query(self.session(), &sql).await;
        answer::read(stream.map_err(failed)?)
    }

    fn server_cpu_seconds(&self) -> Option<f64> {
        self.process.cpu_seconds().ok()
    }

    fn dead(&self) -> Option<String> {
        self.process.dead()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage(id: &str) -> Result<Storage, String> {
        Storage::new(&id.parse().unwrap()).map_err(|error| error.0)
    }

    #[test]
    fn settings_are_read_and_shown() {
        let plain = storage("spark/parquet").unwrap();
        assert_eq!(plain.codec, Codec::Zstd);
        assert!(!plain.cache);
        let cached = storage("spark/parquet?codec=snappy&cache=true").unwrap();
        assert_eq!(cached.codec, Codec::Snappy);
        let shown = cached.settings();
        assert!(
            shown
                .iter()
                .any(|(name, value)| name == "cached" && value.starts_with("all"))
        );
        assert_eq!(storage("spark/parquet?cache=false").unwrap(), plain);
        let error = storage("spark/parquet?cache=yes").unwrap_err();
        assert!(
            error.contains("cache=yes is not one of true, false"),
            "{error}"
        );
        let error = storage("spark/parquet?cach=true").unwrap_err();
        assert!(error.contains("did you mean `cache`"), "{error}");
    }

    #[test]
    fn a_dry_run_shows_what_spark_is_told() {
        let cached = storage("spark/parquet?cache=true").unwrap();
        assert_eq!(
            cached.statements("readings", Path::new("/runs/it's")),
            [
                "CREATE TEMPORARY VIEW `readings` USING parquet OPTIONS (path \
                 '/runs/it\\'s/table.parquet')",
                "CACHE TABLE `readings`"
            ]
        );
        let plain = storage("spark/parquet").unwrap();
        assert_eq!(plain.statements("readings", Path::new("/runs")).len(), 1);
    }
}
