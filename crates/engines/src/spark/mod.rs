//! The engine `spark`: Spark SQL over a Parquet file or a table of Cassandra, in a process of its own or on a cluster
//! of the user's.

mod answer;
mod options;
mod over_cassandra;
mod question;
mod shared_files;
mod storage;
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_servers::cassandra::ServerOptions;
use bakeoff_servers::spark::{Source, Spark as Process, SparkOptions as ProcessOptions};
use bakeoff_servers::survey::{self, Survey};
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Workload};
use tokio::sync::OnceCell;

use crate::cassandra::RunningCassandra;
use crate::dialect::SqlDialect;
use crate::folder::remove_folder;
use crate::parquet::{Encoding, FileLayout, ParquetTable, SORTED_FILE, check_folder};
use crate::{Context, Engine, EngineError, Layout, OptionGroup, Running};
pub use options::SparkOptions;
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

    fn option_groups(&self, id: &DesignId) -> &'static [OptionGroup] {
        match Storage::new(id).map(|storage| storage.place) {
            Ok(Place::Cassandra) => &[OptionGroup::Spark, OptionGroup::Cassandra],
            Ok(Place::Parquet(_)) => &[OptionGroup::Spark, OptionGroup::SparkFiles],
            Err(_) => &[OptionGroup::Spark],
        }
    }

    fn table_id(&self, id: &DesignId) -> Option<DesignId> {
        let storage = Storage::new(id).ok()?;
        // Spark finds cached rows by its plan in all of its sessions: they would answer for a design without a cache.
        if storage.place != Place::Cassandra || storage.cache {
            return None;
        }
        let mut table = id.clone();
        let of_reading = ["cache", "consistency"];
        table
            .settings
            .retain(|name, _| !of_reading.contains(&name.as_str()));
        Some(table)
    }

    fn speaks_sql(&self) -> bool {
        true
    }

    fn dialect(&self) -> Option<SqlDialect> {
        Some(SqlDialect::Spark)
    }

    fn complaint_of_sql(&self, sql: &str) -> Option<String> {
        question::in_spark(sql).err()
    }

    async fn survey(&self) -> Survey {
        survey::spark().await
    }

    async fn survey_design(&self, id: &DesignId) -> Survey {
        let mut needed = self.survey().await;
        if Storage::new(id).is_ok_and(|storage| storage.place == Place::Cassandra) {
            needed.needs.extend(survey::cassandra().await.needs);
        }
        needed
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let storage = Storage::new(id)?;
        match storage.place {
            Place::Parquet(encoding) => {
                self.describe_file(id, encoding, storage, workload, context)
            }
            Place::Cassandra => over_cassandra::describe(id, storage, workload, context),
        }
    }

    fn would_touch(&self, context: &Context) -> Option<String> {
        let elsewhere = context.options.spark.cluster.as_ref();
        let spark = match elsewhere {
            None => "start a Spark on loopback with its files in it".to_owned(),
            Some(cluster) => {
                let files = shared_files::context(context).folder_of(ENGINE);
                let files = files.display();
                format!("ask the Spark at {cluster}, with files for its workers in {files}")
            }
        };
        Some(match &context.options.cassandra.cluster {
            None if elsewhere.is_some() => spark,
            None => format!("{spark}, and a Cassandra for spark/cassandra"),
            Some(cluster) => format!(
                "{spark}, and with spark/cassandra to the Cassandra at {}",
                cluster.address
            ),
        })
    }

    async fn check(&self, context: &Context) -> Result<(), EngineError> {
        shared_files::check(context)?;
        Ok(Process::check(&options(context)).await?)
    }

    async fn check_design(&self, id: &DesignId, context: &Context) -> Result<(), EngineError> {
        match Storage::new(id)?.place {
            Place::Parquet(_) => Ok(()),
            Place::Cassandra => over_cassandra::check(id, context).await,
        }
    }

    fn own_cassandra(&self, id: &DesignId, context: &Context) -> Option<(ServerOptions, u8)> {
        match Storage::new(id).ok()?.place {
            Place::Parquet(_) => None,
            Place::Cassandra => over_cassandra::own_cassandra(context),
        }
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        let process = Process::start(options(context)).await?;
        Ok(Box::new(RunningSpark {
            folder: context.folder_of(ENGINE),
            files: shared_files::context(context).folder_of(ENGINE),
            process: Arc::new(process),
            seen: OnceCell::new(),
            cassandra: OnceCell::new(),
        }))
    }
}

impl Spark {
    fn describe_file(
        &self,
        id: &DesignId,
        encoding: Encoding,
        storage: Storage,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let dir = shared_files::context(context).folder_of_design(id);
        check_folder(id, &dir)?;
        let file = dir.join(SORTED_FILE).display().to_string();
        let table = &workload.table;
        let mut statements = FileLayout::of_one_file(encoding).statements(table, &dir);
        statements.extend(storage.statements(&table.name, "parquet", &[("path", &file)]));
        let mut settings = encoding.settings();
        settings.push(storage.cached());
        Ok(DesignInfo {
            unit_rows: Some(u64::from(encoding.rows)),
            ..self.info_of(id, settings, statements)
        })
    }
}

fn options(context: &Context) -> ProcessOptions {
    let folder = context.folder_of(ENGINE).join(PROCESS);
    ProcessOptions {
        cluster: context.options.spark.cluster.clone(),
        ..ProcessOptions::new(folder, context.threads)
    }
}

struct RunningSpark {
    /// The folder with the process's files.
    folder: PathBuf,
    /// The folder with the files of all Spark designs of the run, which may be the same.
    files: PathBuf,
    process: Arc<Process>,
    /// Whether the workers of a cluster see the files, checked for the first design that has some.
    seen: OnceCell<()>,
    /// The Cassandra of all designs over one, started for the first of them.
    cassandra: OnceCell<RunningCassandra>,
}

#[async_trait]
impl Running for RunningSpark {
    fn info(&self) -> EngineInfo {
        let ours = self.process.cluster().is_none();
        EngineInfo {
            engine: ENGINE.to_owned(),
            version: format!("Spark {}", self.process.version()),
            start_seconds: ours.then(|| self.process.start_seconds()),
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
            Place::Parquet(encoding) => {
                let files = shared_files::context(context);
                let (dir, table) = (files.folder_of_design(id), workload.table.clone());
                let file = ParquetTable::new(
                    info.clone(),
                    dir,
                    table,
                    FileLayout::of_one_file(encoding),
                    context.threads,
                );
                let path = file.sorted_path();
                let source = match self.process.cluster() {
                    None => Source::parquet(path),
                    Some(_) => {
                        let seeing = || shared_files::check_seen(&self.process, &self.files);
                        self.seen.get_or_try_init(seeing).await?;
                        Source::shared_parquet(path)
                    }
                };
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
            files,
            process,
            cassandra,
            ..
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
        if keep {
            return remove(&own_files);
        }
        remove(&folder)?;
        if files != folder {
            // With the folder of the run around it.
            remove(files.parent().unwrap_or(&files))?;
        }
        Ok(())
    }
}

fn remove(folder: &Path) -> Result<(), EngineError> {
    remove_folder(folder).map_err(EngineError)
}
