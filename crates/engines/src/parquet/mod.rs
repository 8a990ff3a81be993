//! The engine `parquet`: one file sorted by key, queried through DataFusion.

mod files;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_servers::survey::Survey;
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Table, Workload};

use crate::settings::Settings;
use crate::{Context, Engine, EngineError, Layout, Running};
pub use files::{Codec, ParquetTable, ROW_GROUP_ROWS, SORTED_FILE};

const SETTINGS: &str = "codec=zstd|snappy";

pub struct ParquetFiles;

#[async_trait]
impl Engine for ParquetFiles {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn layouts(&self) -> &'static [Layout] {
        &[Layout {
            name: "parquet",
            what: "one Parquet file sorted by key, read by DataFusion",
            settings: SETTINGS,
        }]
    }

    fn takes_inserts(&self, _id: &DesignId) -> bool {
        false
    }

    async fn survey(&self) -> Survey {
        Survey::built_in(format!("DataFusion {}", datafusion::DATAFUSION_VERSION))
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let codec = codec(id)?;
        let statements = statements(&context.folder_of_design(id), &workload.table);
        Ok(DesignInfo {
            unit_rows: Some(ROW_GROUP_ROWS as u64),
            ..self.info_of(id, codec.settings(), statements)
        })
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        Ok(Box::new(RunningParquet {
            folder: context.folder_of("parquet"),
        }))
    }
}

/// Returns what is done to the files in the folder of a design.
pub fn statements(dir: &Path, table: &Table) -> Vec<String> {
    let (key, dir) = (table.key().collect::<Vec<_>>(), dir.display());
    vec![
        format!("write {dir}/slice-*.parquet while loading"),
        format!(
            "sort them by ({}) into {dir}/{SORTED_FILE} and remove them",
            key.join(", ")
        ),
    ]
}

struct RunningParquet {
    /// The folder with the files of all Parquet designs of the run.
    folder: PathBuf,
}

#[async_trait]
impl Running for RunningParquet {
    fn info(&self) -> EngineInfo {
        EngineInfo {
            engine: "parquet".to_owned(),
            version: format!("DataFusion {}", datafusion::DATAFUSION_VERSION),
            start_seconds: None,
            settings: Vec::new(),
        }
    }

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        let info = ParquetFiles.describe(id, workload, context)?;
        let dir = context.folder_of_design(id);
        let table = workload.table.clone();
        Ok(Box::new(ParquetTable::new(
            info,
            dir,
            table,
            codec(id)?,
            context.threads,
        )))
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        if keep {
            return Ok(());
        }
        match std::fs::remove_dir_all(&self.folder) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                let folder = self.folder.display();
                Err(EngineError(format!("removing {folder} failed: {e}")))
            }
            _ => Ok(()),
        }
    }
}

fn codec(id: &DesignId) -> Result<Codec, EngineError> {
    let mut settings = Settings::new(id, SETTINGS)?;
    if let Some(layout) = &id.layout {
        return Err(settings.error(format!("parquet has no layout `{layout}`")));
    }
    let codec = match settings.word("codec", &["zstd", "snappy"])? {
        Some("snappy") => Codec::Snappy,
        _ => Codec::Zstd,
    };
    settings.end()?;
    Ok(codec)
}
