//! The engine `spark`: Spark SQL over a Parquet file or a table of Cassandra, in a process of its own.

mod answer;
mod over_cassandra;
mod question;
mod storage;
mod table;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_servers::spark::{Source, Spark as Process, SparkOptions};
use bakeoff_servers::survey::{self, Survey};
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Workload};
use tokio::sync::OnceCell;

use crate::cassandra::RunningCassandra;
use crate::parquet::{Codec, FileLayout, ParquetTable, ROW_GROUP_ROWS, SORTED_FILE, check_folder};
use crate::{Context, Engine, EngineError, Layout, Running};
use storage::{LAYOUTS, Place, Storage};
use table::{Parts, SparkTable};

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
        &LAYOUTS
    }

    fn has_server(&self) -> bool {
        true
    }

    fn unfit(&self, id: &DesignId, workload: &Workload) -> Option<String> {
        match Storage::new(id).ok()?.place {
            Place::Parquet(_) => None,
            Place::Cassandra => over_cassandra::unfit(id, workload),
        }
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
        let storage = Storage::new(id)?;
        match storage.place {
            Place::Parquet(codec) => self.describe_file(id, codec, storage, workload, context),
            Place::Cassandra => over_cassandra::describe(id, storage, workload, context),
        }
    }

    fn would_touch(&self, context: &Context) -> Option<String> {
        let spark = "start a Spark on loopback with its files in it";
        Some(match &context.options.cassandra.cluster {
            None => format!("{spark}, and a Cassandra for spark/cassandra"),
            Some(cluster) => format!(
                "{spark}, and with spark/cassandra to the Cassandra at {}",
                cluster.address
            ),
        })
    }

    async fn check(&self, context: &Context) -> Result<(), EngineError> {
        Ok(Process::check(&options(context)).await?)
    }

    async fn check_design(&self, id: &DesignId, context: &Context) -> Result<(), EngineError> {
        match Storage::new(id)?.place {
            Place::Parquet(_) => Ok(()),
            Place::Cassandra => over_cassandra::check(id, context).await,
        }
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        let process = Process::start(options(context)).await?;
        Ok(Box::new(RunningSpark {
            folder: context.folder_of(ENGINE),
            process: Arc::new(process),
            cassandra: OnceCell::new(),
        }))
    }
}

impl Spark {
    fn describe_file(
        &self,
        id: &DesignId,
        codec: Codec,
        storage: Storage,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let dir = context.folder_of_design(id);
        check_folder(id, &dir)?;
        let file = dir.join(SORTED_FILE).display().to_string();
        let table = &workload.table;
        let mut statements = FileLayout::of_one_file(codec).statements(table, &dir);
        statements.extend(storage.statements(&table.name, "parquet", &[("path", &file)]));
        let mut settings = codec.settings();
        settings.push(storage.cached());
        Ok(DesignInfo {
            unit_rows: Some(ROW_GROUP_ROWS as u64),
            ..self.info_of(id, settings, statements)
        })
    }
}

fn options(context: &Context) -> SparkOptions {
    let folder = context.folder_of(ENGINE).join(PROCESS);
    SparkOptions::new(folder, context.threads)
}

struct RunningSpark {
    /// The folder with the files of all Spark designs of the run.
    folder: PathBuf,
    process: Arc<Process>,
    /// The Cassandra of all designs over one, started for the first of them.
    cassandra: OnceCell<RunningCassandra>,
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
        let storage = Storage::new(id)?;
        let (stored, source): (Box<dyn Design>, Source) = match storage.place {
            Place::Parquet(codec) => {
                let (dir, table) = (context.folder_of_design(id), workload.table.clone());
                let file = ParquetTable::new(
                    info.clone(),
                    dir,
                    table,
                    FileLayout::of_one_file(codec),
                    context.threads,
                );
                let source = Source::parquet(file.sorted_path());
                (Box::new(file), source)
            }
            Place::Cassandra => {
                let starting = || over_cassandra::start(context);
                let cassandra = self.cassandra.get_or_try_init(starting).await?;
                over_cassandra::stored(cassandra, id, workload, context).await?
            }
        };
        Ok(Box::new(SparkTable::new(Parts {
            process: Arc::clone(&self.process),
            info,
            name: workload.table.name.clone(),
            stored,
            has_server: storage.place == Place::Cassandra,
            source,
            cache: storage.cache,
        })))
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        let RunningSpark {
            folder,
            process,
            cassandra,
        } = *self;
        let rows_are_gone = match cassandra.into_inner() {
            Some(cassandra) => Box::new(cassandra).finish(keep).await,
            None => Ok(()),
        };
        let own_files = process.dir().to_owned();
        // With other owners the process ends when the last of them is dropped.
        let Some(process) = Arc::into_inner(process) else {
            return rows_are_gone;
        };
        process.stop().await?;
        rows_are_gone?;
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
