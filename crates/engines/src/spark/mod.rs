//! The engine `spark`: Spark SQL over a Parquet file, in a process of its own.

mod answer;
mod file;
mod question;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_servers::spark::{Spark as Process, SparkOptions};
use bakeoff_servers::survey::{self, Survey};
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Workload};

use crate::parquet::files::{self, ROW_GROUP_ROWS};
use crate::{Context, Engine, EngineError, Layout, Running};
use file::{SparkFile, Storage};

const ENGINE: &str = "spark";
/// The folder of the process's own files, among those of the designs.
const PROCESS: &str = "process";

pub struct Spark;

#[async_trait]
impl Engine for Spark {
    fn name(&self) -> &'static str {
        ENGINE
    }

    fn layouts(&self) -> &'static [Layout] {
        &[Layout {
            name: "spark/parquet",
            what: "one Parquet file sorted by key, read by Spark SQL",
            settings: file::SETTINGS,
        }]
    }

    fn has_server(&self) -> bool {
        true
    }

    fn takes_inserts(&self, _id: &DesignId) -> bool {
        false
    }

    fn speaks_sql(&self) -> bool {
        true
    }

    fn complaint_of_sql(&self, sql: &str) -> Option<String> {
        question::in_spark(sql).err()
    }

    async fn survey(&self) -> Survey {
        survey::spark().await
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let storage = storage(id)?;
        let dir = context.folder_of_design(id);
        let mut statements = files::statements(&workload.table, &dir);
        statements.extend(storage.statements(&workload.table.name, &dir));
        Ok(DesignInfo {
            unit_rows: Some(ROW_GROUP_ROWS as u64),
            ..self.info_of(id, storage.settings(), statements)
        })
    }

    fn would_touch(&self, _context: &Context) -> Option<String> {
        Some("start a Spark on loopback with its files in it".to_owned())
    }

    async fn check(&self, context: &Context) -> Result<(), EngineError> {
        Ok(Process::check(&options(context)).await?)
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        let process = Process::start(options(context)).await?;
        Ok(Box::new(RunningSpark {
            folder: context.folder_of(ENGINE),
            process: Arc::new(process),
        }))
    }
}

fn options(context: &Context) -> SparkOptions {
    let folder = context.folder_of(ENGINE).join(PROCESS);
    SparkOptions::new(folder, context.threads)
}

fn storage(id: &DesignId) -> Result<Storage, EngineError> {
    match id.layout.as_deref() {
        Some("parquet") => Storage::new(id),
        other => Err(EngineError(format!(
            "design {id}: spark has no layout `{}`; there is parquet",
            other.unwrap_or("")
        ))),
    }
}

struct RunningSpark {
    /// The folder with the files of all Spark designs of the run.
    folder: PathBuf,
    process: Arc<Process>,
}

#[async_trait]
impl Running for RunningSpark {
    fn info(&self) -> EngineInfo {
        EngineInfo {
            engine: ENGINE.to_owned(),
            version: format!("Spark {}", self.process.version()),
            start_seconds: Some(self.process.start_seconds()),
            settings: self.process.settings(),
        }
    }

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        let info = Spark.describe(id, workload, context)?;
        let dir = context.folder_of_design(id);
        Ok(Box::new(SparkFile::new(
            Arc::clone(&self.process),
            info,
            dir,
            workload.table.clone(),
            storage(id)?,
            context.threads,
        )))
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        let RunningSpark { folder, process } = *self;
        let own_files = process.dir().to_owned();
        // With other owners the process ends when the last of them is dropped.
        let Some(process) = Arc::into_inner(process) else {
            return Ok(());
        };
        process.stop().await?;
        remove(if keep { &own_files } else { &folder })
    }
}

fn remove(folder: &Path) -> Result<(), EngineError> {
    match std::fs::remove_dir_all(folder) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(EngineError(format!(
            "removing {} failed: {e}",
            folder.display()
        ))),
        _ => Ok(()),
    }
}
