//! The files of one Parquet design: slices while loading, and what they are sorted into afterwards.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError, PlanText};
use bakeoff_stats::{DesignInfo, Footprint, Needs};
use bakeoff_workload::Table;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::SortExpr;
use datafusion::prelude::{ParquetReadOptions, col};
use futures::StreamExt;
use parquet::arrow::ArrowWriter;

use super::layout::FileLayout;
use super::sorted::{Sorted, external};
use crate::folder;
use crate::sql::{self, Session};
use crate::value_folders::ValueFolders;

/// Multiple of its bytes that a table needs while its slices are sorted.
const SORTING: f64 = 2.0;

pub struct ParquetTable {
    info: DesignInfo,
    dir: PathBuf,
    table: Table,
    layout: FileLayout,
    threads: usize,
    /// The folders of the rows that this process has loaded, so that too many are noticed at once.
    folders: Mutex<Option<ValueFolders>>,
    session: Mutex<Option<Session>>,
}

impl ParquetTable {
    pub fn new(
        info: DesignInfo,
        dir: PathBuf,
        table: Table,
        layout: FileLayout,
        threads: usize,
    ) -> Self {
        ParquetTable {
            info,
            dir,
            table,
            folders: Mutex::new(layout.folders()),
            layout,
            threads,
            session: Mutex::default(),
        }
    }

    /// Returns the path of the sorted rows, which is a file, or a folder of folders. It is there when the
    /// table has settled.
    pub fn sorted_path(&self) -> PathBuf {
        self.dir.join(self.layout.sorted_name())
    }

    fn order(&self) -> Vec<SortExpr> {
        let columns = self.layout.order(&self.table).into_iter();
        columns.map(|name| col(name).sort(true, false)).collect()
    }

    fn failed(&self, doing: &str, path: &Path, error: impl std::fmt::Display) -> DesignError {
        DesignError(format!("{doing} {} failed: {error}", path.display()))
    }

    /// Sorts all slices into one file or into folders, within the session's memory limit.
    async fn sort(&self) -> Result<(), DesignError> {
        let unfinished = self.sorted_path().with_added_extension("unfinished");
        // Folders that a killed process left would be read as slices.
        remove_unfinished(&unfinished);
        let work = async {
            let session = sql::sorting_session()?;
            let slices = format!("{}/", self.dir.display());
            // Without slices there is no file that has it.
            let schema = self.table.schema();
            let options = ParquetReadOptions::default().schema(&schema);
            let mut rows = session
                .read_parquet(slices, options)
                .await?
                .sort(self.order())?
                .execute_stream()
                .await?;
            let mut sorted = Sorted::create(&unfinished, &self.table, &self.layout)?;
            while let Some(batch) = rows.next().await {
                sorted.write(&batch?)?;
            }
            sorted.finish()
        };
        work.await.map_err(|e| {
            remove_unfinished(&unfinished);
            self.failed("sorting into", &unfinished, sql::message(&e))
        })?;
        fs::rename(&unfinished, self.sorted_path())
            .map_err(|e| self.failed("renaming", &unfinished, e))
    }

    fn remove_slices(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let is_slice = path
                .file_name()
                .is_some_and(|n| n.to_string_lossy().starts_with("slice-"));
            if is_slice {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    async fn open(&self) -> Result<Session, DesignError> {
        if let Some(session) = &*self.session.lock().unwrap_or_else(|e| e.into_inner()) {
            return Ok(session.clone());
        }
        let open = async {
            let session = sql::session(self.threads)?;
            let schema = self.table.schema();
            let options = ParquetReadOptions::default().schema(&schema);
            let path = self.sorted_path().display().to_string();
            let (path, options) = if self.layout.partition.is_some() {
                // Rows of several files in one stream have no order together.
                (format!("{path}/"), options)
            } else {
                (path, options.file_sort_order(vec![self.order()]))
            };
            session
                .register_parquet(&self.table.name, path, options)
                .await?;
            Ok::<Session, DataFusionError>(session.into())
        };
        let session = open.await;
        let session =
            session.map_err(|e| self.failed("opening", &self.sorted_path(), sql::message(&e)))?;
        *self.session.lock().unwrap_or_else(|e| e.into_inner()) = Some(session.clone());
        Ok(session)
    }
}

#[async_trait]
impl Design for ParquetTable {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        true
    }

    async fn create(&self) -> Result<(), DesignError> {
        match fs::remove_dir_all(&self.dir) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                return Err(self.failed("removing", &self.dir, e));
            }
            _ => {}
        }
        *self.folders.lock().unwrap_or_else(|e| e.into_inner()) = self.layout.folders();
        fs::create_dir_all(&self.dir).map_err(|e| self.failed("making", &self.dir, e))
    }

    async fn survives(&self) -> bool {
        self.dir.is_dir()
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        let path = self.dir.join(format!("slice-{slice:06}.parquet"));
        let unfinished = path.with_extension("unfinished");
        let write = || {
            if let Some(folders) = &mut *self.folders.lock().unwrap_or_else(|e| e.into_inner()) {
                folders.extend(rows).map_err(external)?;
            }
            let properties = self
                .layout
                .encoding
                .properties(&self.table)
                .map_err(external)?;
            let file = File::create(&unfinished)?;
            let mut writer =
                ArrowWriter::try_new(file, rows.schema(), Some(properties)).map_err(external)?;
            writer.write(rows).map_err(external)?;
            writer.into_inner().map_err(external)?;
            fs::rename(&unfinished, &path)?;
            Ok::<(), DataFusionError>(())
        };
        tokio::task::block_in_place(write).map_err(|e| {
            remove_unfinished(&unfinished);
            self.failed("writing", &path, sql::message(&e))
        })
    }

    async fn settle(&self) -> Result<String, DesignError> {
        if !self.sorted_path().exists() {
            self.sort().await?;
        }
        self.remove_slices()
            .map_err(|e| self.failed("removing slices from", &self.dir, e))?;
        Ok(self.layout.settled())
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        folder::footprint(&self.info.id, &self.dir)
    }

    fn needs(&self) -> Needs {
        Needs {
            times: Some(SORTING),
            why: Some("sorted files are written before the slices are removed".to_owned()),
            ..Needs::default()
        }
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        self.open().await?.answer(sql).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        self.open().await?.query_plan(sql, None).await
    }
}

/// Removes a failed file or folder, since the run may need its disk space to go on with other designs.
fn remove_unfinished(path: &Path) {
    // If even that fails, the error that led here says more.
    if path.is_dir() {
        fs::remove_dir_all(path).ok();
    } else {
        fs::remove_file(path).ok();
    }
}
