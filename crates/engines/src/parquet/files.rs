//! The files of one Parquet design: slices while loading, one sorted file afterwards.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError};
use bakeoff_stats::{DesignInfo, Footprint, Needs};
use bakeoff_workload::{ColumnType, Table};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::SortExpr;
use datafusion::prelude::{ParquetReadOptions, col};
use futures::StreamExt;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::bytes::folder_size;
use crate::sql::{self, Session};

/// The number of rows in a row group, the unit that statistics can skip.
pub const ROW_GROUP_ROWS: usize = 131_072;
/// The name of the sorted file in the folder of a design.
pub const SORTED_FILE: &str = "table.parquet";
/// Multiple of its bytes that a table needs while its slices are sorted into one file.
const SORTING: f64 = 2.0;
/// The compression level, which is the Zstandard library's default.
const ZSTD_LEVEL: i32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    Zstd,
    Snappy,
}

impl Codec {
    pub fn settings(self) -> Vec<(String, String)> {
        let codec = match self {
            Codec::Zstd => format!("zstd, level {ZSTD_LEVEL}"),
            Codec::Snappy => "snappy".to_owned(),
        };
        vec![
            ("codec".to_owned(), codec),
            ("rows of a row group".to_owned(), ROW_GROUP_ROWS.to_string()),
        ]
    }

    fn properties(self, table: &Table) -> Result<WriterProperties, DesignError> {
        let compression = match self {
            Codec::Snappy => Compression::SNAPPY,
            Codec::Zstd => Compression::ZSTD(
                ZstdLevel::try_new(ZSTD_LEVEL).map_err(|e| DesignError(e.to_string()))?,
            ),
        };
        let mut properties = WriterProperties::builder()
            .set_compression(compression)
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .set_statistics_enabled(EnabledStatistics::Page);
        // Statistics leave NaN out, so a row group that holds one could be skipped by mistake.
        for column in table
            .columns
            .iter()
            .filter(|c| c.kind == ColumnType::Double)
        {
            let path = ColumnPath::from(column.name.as_str());
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
        }
        Ok(properties.build())
    }
}

pub struct ParquetTable {
    info: DesignInfo,
    dir: PathBuf,
    table: Table,
    codec: Codec,
    threads: usize,
    session: Mutex<Option<Session>>,
}

impl ParquetTable {
    pub fn new(info: DesignInfo, dir: PathBuf, table: Table, codec: Codec, threads: usize) -> Self {
        ParquetTable {
            info,
            dir,
            table,
            codec,
            threads,
            session: Mutex::default(),
        }
    }

    fn sorted_file(&self) -> PathBuf {
        self.dir.join(SORTED_FILE)
    }

    fn failed(&self, doing: &str, path: &Path, error: impl std::fmt::Display) -> DesignError {
        DesignError(format!("{doing} {} failed: {error}", path.display()))
    }

    /// Sorts all slices into one file, within the session's memory limit.
    async fn sort(&self) -> Result<(), DesignError> {
        let unfinished = self.dir.join("table.parquet.unfinished");
        let work = async {
            let session = sql::sorting_session()?;
            let slices = format!("{}/", self.dir.display());
            let options = ParquetReadOptions::default();
            let key: Vec<SortExpr> = self.table.key().map(|k| col(k).sort(true, false)).collect();
            let mut rows = session
                .read_parquet(slices, options)
                .await?
                .sort(key)?
                .execute_stream()
                .await?;
            let properties = self.codec.properties(&self.table).map_err(external)?;
            let file = File::create(&unfinished)?;
            let mut writer = ArrowWriter::try_new(file, self.table.schema(), Some(properties))
                .map_err(external)?;
            while let Some(batch) = rows.next().await {
                writer.write(&batch?).map_err(external)?;
            }
            let file = writer.into_inner().map_err(external)?;
            file.sync_all()?;
            Ok::<(), DataFusionError>(())
        };
        work.await.map_err(|e| {
            remove_unfinished(&unfinished);
            self.failed("sorting into", &unfinished, sql::message(&e))
        })?;
        fs::rename(&unfinished, self.sorted_file())
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
            let path = self.sorted_file().display().to_string();
            let key: Vec<SortExpr> = self.table.key().map(|k| col(k).sort(true, false)).collect();
            let options = ParquetReadOptions::default().file_sort_order(vec![key]);
            session
                .register_parquet(&self.table.name, path, options)
                .await?;
            Ok::<Session, DataFusionError>(session.into())
        };
        let session = open.await;
        let session =
            session.map_err(|e| self.failed("opening", &self.sorted_file(), sql::message(&e)))?;
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
        fs::create_dir_all(&self.dir).map_err(|e| self.failed("making", &self.dir, e))
    }

    async fn survives(&self) -> bool {
        self.dir.is_dir()
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        let path = self.dir.join(format!("slice-{slice:06}.parquet"));
        let unfinished = path.with_extension("unfinished");
        let write = || {
            let properties = self.codec.properties(&self.table).map_err(external)?;
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
        if !self.sorted_file().exists() {
            self.sort().await?;
        }
        self.remove_slices()
            .map_err(|e| self.failed("removing slices from", &self.dir, e))?;
        Ok("sorted by key into one file".to_owned())
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let (files, bytes) = folder_size(&self.dir, &|_| true)
            .map_err(|e| self.failed("reading sizes in", &self.dir, e))?;
        Ok(Footprint {
            design: self.info.id.clone(),
            engine_bytes: None,
            file_bytes: Some(bytes),
            compression_ratio: None,
            compression_metadata_bytes: None,
            files: Some(files),
            note: None,
        })
    }

    fn needs(&self) -> Needs {
        Needs {
            times: Some(SORTING),
            why: Some("the file is written before the slices are removed".to_owned()),
            ..Needs::default()
        }
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        self.open().await?.answer(sql).await
    }
}

/// Removes a failed file, since the run may need its disk space to go on with other designs.
fn remove_unfinished(path: &Path) {
    // If even that fails, the error that led here says more.
    fs::remove_file(path).ok();
}

fn external(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DataFusionError {
    DataFusionError::External(error.into())
}
