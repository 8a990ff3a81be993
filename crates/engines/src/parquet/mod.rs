//! The engine `parquet`: sorted files, queried through DataFusion.

mod codec;
mod files;
mod layout;
mod propose;
mod sorted;

use std::path::PathBuf;

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_servers::survey::Survey;
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Table, Workload};

use crate::adoption::{AdoptedRows, Adoption};
use crate::advice::{Advice, Facts, Finds};
use crate::folder::remove_folder;
use crate::stored_columns::Stored;
use crate::value_folders::ValueFolders;
use crate::{Context, Engine, EngineError, Layout, NewTable, Running};
#[cfg(test)]
pub use codec::Codec;
pub use codec::Encoding;
pub use files::ParquetTable;
use layout::SETTINGS;
pub use layout::{FileLayout, SORTED_FILE, check_folder};

/// What asks the questions outside of a run.
const ASKED_BY: &str = "Outside of a run, a program that reads Parquet files by SQL can be asked them in its own SQL, \
                        such as DuckDB; `bakeoff sql` does not read these files.";

pub struct ParquetFiles;

#[async_trait]
impl Engine for ParquetFiles {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn layouts(&self) -> &'static [Layout] {
        &[Layout {
            name: "parquet",
            what: "sorted Parquet files, read by DataFusion",
            settings: SETTINGS,
        }]
    }

    fn to_begin_with(&self, _table: &NewTable) -> Vec<String> {
        vec!["parquet".to_owned()]
    }

    fn advise(&self, facts: &Facts) -> Vec<Advice> {
        propose::advise(facts)
    }

    fn finds(&self, id: &DesignId) -> Option<Finds> {
        propose::finds(id)
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
        let stored = Stored::of(id, workload)?;
        let table = &stored.workload().table;
        let layout = FileLayout::new(id, table)?;
        let dir = context.folder_of_design(id);
        check_folder(id, &dir)?;
        let statements = layout.statements(table, &dir);
        Ok(stored.described(DesignInfo {
            unit_rows: Some(u64::from(layout.encoding.rows)),
            ..self.info_of(id, layout.settings(), statements)
        }))
    }

    fn adoption(
        &self,
        id: &DesignId,
        _workload: &Workload,
        context: &Context,
        rows: &AdoptedRows<'_>,
    ) -> Result<Adoption, EngineError> {
        let folder = context.folder_of_design(id);
        Ok(Adoption {
            asked_by: Some(ASKED_BY.to_owned()),
            ..Adoption::of_a_run(id, rows, &folder, &context.run_dir)
        })
    }

    fn value_folders(
        &self,
        id: &DesignId,
        table: &Table,
    ) -> Result<Option<ValueFolders>, EngineError> {
        Ok(FileLayout::new(id, table)?.folders())
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        Ok(Box::new(RunningParquet {
            folder: context.folder_of("parquet"),
        }))
    }
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
        let stored = Stored::of(id, workload)?;
        let dir = context.folder_of_design(id);
        let table = stored.workload().table.clone();
        let layout = FileLayout::new(id, &table)?;
        let files = ParquetTable::new(info.clone(), dir, table, layout, context.threads);
        Ok(stored.over(Box::new(files), info))
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        if keep {
            return Ok(());
        }
        remove_folder(&self.folder).map_err(EngineError)
    }
}
