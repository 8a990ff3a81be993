//! The layout `duckdb/table`: slices go into one file, and are copied into another one in the order of the key.

use std::fs::{self, File};
use std::path::Path;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError, PlanText};
use bakeoff_stats::{DesignInfo, Footprint, Needs};

use super::layout::DuckdbLayout;
use super::{ask, query_plan, remove_if_there};
use crate::EngineError;
use crate::adbc::{AdbcOptions, Driver, first_numbers};
use crate::folder::{self, remove_folder};

/// Rows that are sent to DuckDB at a time.
const PART_ROWS: usize = 65_536;
/// Multiple of its bytes that a table needs while it is sorted.
const SORTING: f64 = 2.0;

/// Returns the statements of the layout, and what is done beside them.
pub fn statements(layout: &DuckdbLayout) -> Vec<String> {
    let mut statements = vec![format!("in {}:", layout.loading_file().display())];
    statements.extend(layout.create_statements());
    statements.push("BEGIN TRANSACTION; ADBC bulk ingest".to_owned());
    statements.push(format!(
        "{}; COMMIT",
        DuckdbLayout::note_slice("SLICE", "ROWS")
    ));
    statements.extend(layout.sort_statements());
    statements.push(format!(
        "move it to {}, from which questions read:",
        layout.sorted_file().display()
    ));
    statements.extend(layout.question_settings());
    statements
}

pub struct DuckdbTable {
    info: DesignInfo,
    layout: DuckdbLayout,
    loader: Driver,
    asked: Driver,
}

impl DuckdbTable {
    pub fn new(
        info: DesignInfo,
        layout: DuckdbLayout,
        library: &Path,
        options: &AdbcOptions,
    ) -> Result<Self, EngineError> {
        let loading = layout.writable(library, &layout.loading_file());
        Ok(DuckdbTable {
            info,
            loader: Driver::new(options, loading)?,
            asked: Driver::new(options, layout.asked(library))?,
            layout,
        })
    }

    fn failed(&self, doing: &str, path: &Path, error: impl std::fmt::Display) -> DesignError {
        DesignError(format!("{doing} {} failed: {error}", path.display()))
    }

    /// Returns whether a slice is there already.
    async fn has_slice(&self, slice: u64) -> Result<bool, DesignError> {
        let sql = DuckdbLayout::count_slice(&slice.to_string());
        let answer = self.loader.ask(&sql).await?;
        match first_numbers(&answer).as_deref() {
            Some([slices]) => Ok(*slices > 0),
            _ => Err(DesignError::new(
                "DuckDB did not say which slices are loaded",
            )),
        }
    }

    /// Loads a slice with its note, in the transaction that has begun.
    async fn add(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        for first in (0..rows.num_rows()).step_by(PART_ROWS) {
            let part = rows.slice(first, PART_ROWS.min(rows.num_rows() - first));
            self.loader.ingest(&self.layout.table.name, &part).await?;
        }
        let count = rows.num_rows().to_string();
        let note = DuckdbLayout::note_slice(&slice.to_string(), &count);
        self.loader.execute(&[note, "COMMIT".to_owned()]).await
    }

    /// Checks that every row is there: the driver reports rows as ingested that a constraint refuses.
    async fn check_rows(&self) -> Result<(), DesignError> {
        let answer = self.loader.ask(&self.layout.count_rows()).await?;
        match first_numbers(&answer).as_deref() {
            Some([loaded, there]) if loaded == there => Ok(()),
            Some([loaded, there]) => Err(DesignError(format!(
                "DuckDB has {there} rows of {loaded} that were loaded"
            ))),
            _ => Err(DesignError::new("DuckDB did not say how many rows it has")),
        }
    }

    /// Copies all rows in the order of the key.
    async fn sort(&self) -> Result<(), DesignError> {
        let unfinished = self.layout.unfinished_file();
        remove_if_there(&unfinished)?;
        remove_if_there(&unfinished.with_extension("unfinished.wal"))?;
        self.check_rows().await?;
        self.loader.execute(&self.layout.sort_statements()).await?;
        self.loader.close();
        File::open(&unfinished)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&unfinished, self.layout.sorted_file()))
            .map_err(|e| self.failed("finishing", &unfinished, e))
    }
}

#[async_trait]
impl Design for DuckdbTable {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    /// Returns true, since no index is unique.
    fn keeps_duplicates(&self) -> bool {
        true
    }

    async fn create(&self) -> Result<(), DesignError> {
        self.loader.close();
        self.asked.close();
        let dir = &self.layout.dir;
        remove_folder(dir).map_err(DesignError)?;
        fs::create_dir_all(dir).map_err(|e| self.failed("making", dir, e))?;
        self.loader.execute(&self.layout.create_statements()).await
    }

    async fn survives(&self) -> bool {
        self.layout.sorted_file().is_file() || self.layout.loading_file().is_file()
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        if self.has_slice(slice).await? {
            return Ok(());
        }
        self.loader
            .execute(&["BEGIN TRANSACTION".to_owned()])
            .await?;
        let added = self.add(slice, rows).await;
        if added.is_err() {
            // The error that led here says more than that this fails, too.
            self.loader.execute(&["ROLLBACK".to_owned()]).await.ok();
        }
        added
    }

    async fn settle(&self) -> Result<String, DesignError> {
        if !self.layout.sorted_file().exists() {
            self.sort().await?;
        }
        self.loader.close();
        let loading = self.layout.loading_file();
        remove_if_there(&loading)?;
        remove_if_there(&loading.with_extension("duckdb.wal"))?;
        remove_folder(&self.layout.spill_dir()).map_err(DesignError)?;
        Ok("copied in the order of the key into one file, CHECKPOINT".to_owned())
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        folder::footprint(&self.info.id, &self.layout.dir)
    }

    fn needs(&self) -> Needs {
        Needs {
            times: Some(SORTING),
            why: Some(
                "the rows are copied before those in order of arrival are removed".to_owned(),
            ),
            ..Needs::default()
        }
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        ask(&self.asked, sql).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        query_plan(&self.asked, sql).await
    }

    fn server_cpu_seconds(&self) -> Option<f64> {
        Some(self.loader.cpu_seconds() + self.asked.cpu_seconds())
    }

    fn dead(&self) -> Option<String> {
        self.loader.dead().or_else(|| self.asked.dead())
    }
}
