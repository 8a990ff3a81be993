//! The layout `duckdb/parquet`: the file of the design `parquet`, which DuckDB reads through a view.

use std::path::{Path, PathBuf};

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError, PlanText};
use bakeoff_stats::{DesignInfo, Footprint, Needs};

use super::layout::DuckdbLayout;
use super::{ask, query_plan, remove_if_there};
use crate::EngineError;
use crate::adbc::{AdbcOptions, Database, Driver};
use crate::parquet::{Encoding, FileLayout, ParquetTable};

/// Returns the statements of the layout, and what is done beside them.
pub fn statements(layout: &DuckdbLayout, encoding: Encoding) -> Vec<String> {
    let file = FileLayout::of_one_file(encoding);
    let mut statements = file.statements(&layout.table, &layout.dir);
    statements.push(format!("in {}:", layout.view_file().display()));
    statements.extend(layout.view_statements());
    statements.push("before questions:".to_owned());
    statements.extend(layout.question_settings());
    statements
}

pub struct ParquetView {
    file: ParquetTable,
    layout: DuckdbLayout,
    /// The database in which the view is made.
    view: Database,
    view_file: PathBuf,
    options: AdbcOptions,
    asked: Driver,
}

impl ParquetView {
    pub fn new(
        info: DesignInfo,
        layout: DuckdbLayout,
        encoding: Encoding,
        library: &Path,
        options: &AdbcOptions,
    ) -> Result<Self, EngineError> {
        let (dir, table) = (layout.dir.clone(), layout.table.clone());
        let view_file = layout.view_file();
        Ok(ParquetView {
            // It only writes, which takes no threads.
            file: ParquetTable::new(info, dir, table, FileLayout::of_one_file(encoding), 1),
            view: layout.writable(library, &view_file),
            view_file,
            options: options.clone(),
            asked: Driver::new(options, layout.asked(library))?,
            layout,
        })
    }

    /// Makes the view, which needs the Parquet file.
    async fn make_view(&self) -> Result<(), DesignError> {
        self.asked.close();
        remove_if_there(&self.view_file)?;
        remove_if_there(&self.view_file.with_extension("duckdb.wal"))?;
        let maker = Driver::new(&self.options, self.view.clone())?;
        maker.execute(&self.layout.view_statements()).await
    }
}

#[async_trait]
impl Design for ParquetView {
    fn info(&self) -> &DesignInfo {
        self.file.info()
    }

    fn keeps_duplicates(&self) -> bool {
        self.file.keeps_duplicates()
    }

    async fn create(&self) -> Result<(), DesignError> {
        self.asked.close();
        self.file.create().await
    }

    async fn survives(&self) -> bool {
        self.file.survives().await
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.file.load(slice, rows).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let settled = self.file.settle().await?;
        self.make_view().await?;
        Ok(settled)
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        self.file.footprint().await
    }

    fn needs(&self) -> Needs {
        self.file.needs()
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        ask(&self.asked, sql).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        query_plan(&self.asked, sql).await
    }

    fn server_cpu_seconds(&self) -> Option<f64> {
        Some(self.asked.cpu_seconds())
    }

    fn dead(&self) -> Option<String> {
        self.asked.dead()
    }
}
