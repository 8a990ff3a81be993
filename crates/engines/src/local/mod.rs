//! The engine `local`: columnar tables in a directory of the run folder.

mod propose;

use std::path::PathBuf;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_columnar::DirectoryStore;
use bakeoff_driver::sweep::Inserts;
use bakeoff_driver::{Answer, Design, DesignError, PlanText};
use bakeoff_servers::survey::Survey;
use bakeoff_stats::{DesignInfo, EngineInfo, Footprint, Needs};
use bakeoff_workload::{DesignId, Workload};
use tokio::sync::RwLock;

use crate::adoption::{AdoptedRows, Adoption, ColumnarPlace};
use crate::advice::{Advice, Facts, Finds};
use crate::columnar::{ChunkInserts, Opened, Shape, columnar_settings, failed};
use crate::folder::{self, remove_folder};
use crate::settings::{COLUMNS, Settings};
use crate::stored_columns::Stored;
use crate::{Context, Engine, EngineError, Layout, NewTable, Running};

/// Settings of the layout, for `bakeoff list`.
const SETTINGS: &str = columnar_settings!();
/// Multiple of its bytes that a table needs while all of its chunks are merged.
const SEALING: f64 = 2.0;

pub struct Local;

#[async_trait]
impl Engine for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn layouts(&self) -> &'static [Layout] {
        &[Layout {
            name: "local/columnar",
            what: "columnar chunks in a folder, without a server; `bakeoff ingest` writes them, `bakeoff sql` reads them",
            settings: SETTINGS,
        }]
    }

    fn to_begin_with(&self, _table: &NewTable) -> Vec<String> {
        vec!["local/columnar".to_owned()]
    }

    fn advise(&self, facts: &Facts) -> Vec<Advice> {
        propose::advise(facts)
    }

    fn finds(&self, id: &DesignId) -> Option<Finds> {
        propose::finds(id)
    }

    fn takes_inserts(&self, id: &DesignId) -> bool {
        // Batches of a sweep are whole rows.
        !id.settings.contains_key(COLUMNS)
    }

    async fn survey(&self) -> Survey {
        Survey::built_in(version())
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let statement = format!(
            "write a columnar table in {}",
            context.folder_of_design(id).display()
        );
        let stored = Stored::of(id, workload)?;
        let shape = shape(id, stored.workload())?;
        Ok(stored.described(DesignInfo {
            unit_rows: Some(shape.chunk_rows()),
            ..self.info_of(id, shape.settings(), vec![statement])
        }))
    }

    fn adoption(
        &self,
        id: &DesignId,
        workload: &Workload,
        _context: &Context,
        _rows: &AdoptedRows<'_>,
    ) -> Result<Adoption, EngineError> {
        let stored = Stored::of(id, workload)?;
        let table = &stored.workload().table;
        let place = ColumnarPlace {
            called_with: "FOLDER",
            table: "\"dir:$1\"",
            shown: "dir:FOLDER",
            made_with: "",
            server: "",
        };
        Ok(Adoption::of_ingest(id, table, &place))
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        Ok(Box::new(RunningLocal {
            folder: context.folder_of("local"),
        }))
    }
}

fn version() -> String {
    format!("columnar tables {}", env!("CARGO_PKG_VERSION"))
}

fn shape(id: &DesignId, workload: &Workload) -> Result<Shape, EngineError> {
    match id.layout.as_deref() {
        Some("columnar") => {
            let mut settings = Settings::new(id, SETTINGS)?;
            let shape = Shape::take(&mut settings, &workload.table)?;
            settings.end()?;
            Ok(shape)
        }
        other => Err(EngineError(format!(
            "design {id}: local has no layout `{}`; there is columnar",
            other.unwrap_or("")
        ))),
    }
}

struct RunningLocal {
    /// The folder with the tables of all local designs of the run.
    folder: PathBuf,
}

#[async_trait]
impl Running for RunningLocal {
    fn info(&self) -> EngineInfo {
        EngineInfo {
            engine: "local".to_owned(),
            version: version(),
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
        let info = Local.describe(id, workload, context)?;
        let stored = Stored::of(id, workload)?;
        let design = LocalColumnar {
            info: info.clone(),
            shape: shape(id, stored.workload())?,
            dir: context.folder_of_design(id),
            name: workload.table.name.clone(),
            threads: context.threads,
            opened: RwLock::default(),
        };
        Ok(stored.over(Box::new(design), info))
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        if keep {
            Ok(())
        } else {
            remove_folder(&self.folder).map_err(EngineError)
        }
    }
}

struct LocalColumnar {
    info: DesignInfo,
    shape: Shape,
    dir: PathBuf,
    name: String,
    threads: usize,
    opened: RwLock<Option<Arc<Opened>>>,
}

impl LocalColumnar {
    async fn opened(&self) -> Result<Arc<Opened>, DesignError> {
        if let Some(opened) = &*self.opened.read().await {
            return Ok(Arc::clone(opened));
        }
        let store = DirectoryStore::open(&self.dir).map_err(failed)?;
        self.keep(store).await
    }

    async fn keep(&self, store: DirectoryStore) -> Result<Arc<Opened>, DesignError> {
        let cache_bytes = self.shape.cache_bytes;
        let opened = Opened::new(Arc::new(store), cache_bytes, &self.name, self.threads)?;
        let opened = Arc::new(opened);
        *self.opened.write().await = Some(Arc::clone(&opened));
        Ok(opened)
    }
}

#[async_trait]
impl Design for LocalColumnar {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        false
    }

    async fn create(&self) -> Result<(), DesignError> {
        *self.opened.write().await = None;
        remove_folder(&self.dir).map_err(DesignError)?;
        let definition = self.shape.definition.clone();
        let store = DirectoryStore::create(&self.dir, definition).map_err(failed)?;
        self.keep(store).await.map(|_| ())
    }

    async fn survives(&self) -> bool {
        self.opened().await.is_ok()
    }

    async fn load(&self, _slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.opened().await?.load(rows).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        self.opened().await?.settle().await
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        folder::footprint(&self.info.id, &self.dir)
    }

    fn needs(&self) -> Needs {
        Needs {
            times: Some(SEALING),
            why: Some("chunks are written before those that they replace are removed".to_owned()),
            ..Needs::default()
        }
    }

    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        Ok(Some(Arc::new(ChunkInserts::new(self.opened().await?))))
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        self.opened().await?.answer(sql).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        self.opened().await?.query_plan(sql).await
    }
}
