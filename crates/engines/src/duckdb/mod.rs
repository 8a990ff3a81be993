//! The engine `duckdb`: DuckDB's own tables, and DuckDB over Parquet files. Its library is loaded at run time,
//! by way of ADBC, into a process for each design.

mod layout;
mod parquet_view;
mod propose;
mod table;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError, PlanText};
use bakeoff_servers::find_duckdb;
use bakeoff_servers::survey::{self, Survey};
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Workload};

use crate::adbc::{AdbcOptions, Database, Driver, Secrets, first_text};
use crate::adoption::{AdoptedRows, Adoption, SchemaFile};
use crate::advice::{Advice, Facts, Finds};
use crate::dialect::SqlDialect;
use crate::explained::{explain, plan_in};
use crate::folder::remove_folder;
use crate::{Context, Engine, EngineError, Layout, Running, sql_check};
use layout::{DuckdbLayout, PARQUET_SETTINGS, ROW_GROUP_ROWS, Shape, TABLE_SETTINGS};
use parquet_view::ParquetView;
use table::DuckdbTable;

/// The longest time for loading the library and asking it for its version.
const START_LIMIT: Duration = Duration::from_secs(60);

/// The file with the statements that make a design.
const SCHEMA_FILE: &str = "schema.sql";

pub struct Duckdb;

#[async_trait]
impl Engine for Duckdb {
    fn name(&self) -> &'static str {
        "duckdb"
    }

    fn layouts(&self) -> &'static [Layout] {
        &[
            Layout {
                name: "duckdb/table",
                what: "a table of DuckDB in a file, in the order of the key",
                settings: TABLE_SETTINGS,
            },
            Layout {
                name: "duckdb/parquet",
                what: "the file of the design parquet, read by DuckDB",
                settings: PARQUET_SETTINGS,
            },
        ]
    }

    fn advise(&self, facts: &Facts) -> Vec<Advice> {
        propose::advise(facts)
    }

    fn finds(&self, _id: &DesignId) -> Option<Finds> {
        Some(propose::finds())
    }

    /// Returns true: it runs in processes of its own.
    fn has_server(&self) -> bool {
        true
    }

    fn speaks_sql(&self) -> bool {
        true
    }

    fn dialect(&self) -> Option<SqlDialect> {
        Some(SqlDialect::Duckdb)
    }

    fn complaint_of_sql(&self, sql: &str) -> Option<String> {
        sql_check::complaint(sql)
    }

    async fn survey(&self) -> Survey {
        survey::duckdb()
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let layout = DuckdbLayout::new(id, &workload.table, context)?;
        let (statements, unit_rows) = match layout.shape {
            Shape::Table => (table::statements(&layout), ROW_GROUP_ROWS),
            Shape::Parquet(encoding) => (
                parquet_view::statements(&layout, encoding),
                u64::from(encoding.rows),
            ),
        };
        Ok(DesignInfo {
            unit_rows: Some(unit_rows),
            ..self.info_of(id, layout.settings(), statements)
        })
    }

    fn would_touch(&self, _context: &Context) -> Option<String> {
        let library = match find_duckdb() {
            Ok(library) => library.path.display().to_string(),
            Err(_) => "DuckDB's library".to_owned(),
        };
        Some(format!("load {library} into separate processes"))
    }

    /// Returns how a run makes it, since a program of DuckDB need not be there, with the statements for a database of
    /// the user's.
    fn adoption(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
        rows: &AdoptedRows<'_>,
    ) -> Result<Adoption, EngineError> {
        let layout = DuckdbLayout::new(id, &workload.table, context)?;
        Ok(Adoption {
            schema: Some(SchemaFile {
                file: SCHEMA_FILE,
                statements: layout.own_statements(),
                apply: None,
            }),
            asked_with: DuckdbLayout::meanings(),
            ..Adoption::of_a_run(id, rows, &layout.dir, &context.run_dir)
        })
    }

    async fn check(&self, context: &Context) -> Result<(), EngineError> {
        find_duckdb()?;
        context.options.adbc.host_program().map(|_| ())
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        let library = find_duckdb()?.path;
        let began = Instant::now();
        let asked = version(&library, &context.options.adbc);
        let version = match tokio::time::timeout(START_LIMIT, asked).await {
            Ok(version) => version.map_err(|error| {
                let library = library.display();
                EngineError(format!(
                    "DuckDB's library {library} cannot be used: {error}; name another one in \
                     BAKEOFF_DUCKDB_LIBRARY"
                ))
            })?,
            Err(_) => {
                let library = library.display();
                return Err(EngineError(format!(
                    "DuckDB's library {library} did not say its version within {START_LIMIT:?}; try \
                     again when the machine has less to do, or name another library in \
                     BAKEOFF_DUCKDB_LIBRARY"
                )));
            }
        };
        Ok(Box::new(RunningDuckdb {
            info: EngineInfo {
                engine: "duckdb".to_owned(),
                version: format!("DuckDB {}", version.trim_start_matches('v')),
                start_seconds: Some(began.elapsed().as_secs_f64()),
                settings: vec![("library".to_owned(), library.display().to_string())],
            },
            library,
            folder: context.folder_of("duckdb"),
        }))
    }
}

/// Asks a library for the version of DuckDB in it.
async fn version(library: &Path, options: &AdbcOptions) -> Result<String, DesignError> {
    let database = Database {
        library: library.display().to_string(),
        entrypoint: Some(layout::ENTRYPOINT.to_owned()),
        options: vec![("path".to_owned(), ":memory:".to_owned())],
        setup: Vec::new(),
        statement_options: Vec::new(),
        secrets: Secrets::default(),
    };
    let driver = Driver::new(options, database)?;
    let answer = driver.ask("SELECT version() AS version").await?;
    first_text(&answer).ok_or_else(|| DesignError::new("it returned no version"))
}

struct RunningDuckdb {
    info: EngineInfo,
    library: PathBuf,
    /// The folder with the files of all of its designs.
    folder: PathBuf,
}

#[async_trait]
impl Running for RunningDuckdb {
    fn info(&self) -> EngineInfo {
        self.info.clone()
    }

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        let info = Duckdb.describe(id, workload, context)?;
        let layout = DuckdbLayout::new(id, &workload.table, context)?;
        let options = &context.options.adbc;
        let design: Box<dyn Design> = match layout.shape {
            Shape::Table => Box::new(DuckdbTable::new(info, layout, &self.library, options)?),
            Shape::Parquet(encoding) => Box::new(ParquetView::new(
                info,
                layout,
                encoding,
                &self.library,
                options,
            )?),
        };
        Ok(design)
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        if keep {
            return Ok(());
        }
        remove_folder(&self.folder).map_err(EngineError)
    }
}

/// Removes a file, which may be missing.
fn remove_if_there(path: &Path) -> Result<(), DesignError> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(DesignError(format!(
            "removing {} failed: {e}",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Asks for the plan of a question.
async fn query_plan(driver: &Driver, sql: &str) -> Result<Option<PlanText>, DesignError> {
    if let Some(complaint) = sql_check::complaint(sql) {
        return Err(DesignError(complaint));
    }
    let told = driver.ask(&explain(sql)).await;
    let told = told.map_err(|error| DesignError(format!("DuckDB: {error}")))?;
    plan_in(&told, "DuckDB")
}

/// Asks a question, which may only read. Its parameters have become part of the text.
async fn ask(driver: &Driver, sql: &str) -> Result<Answer, DesignError> {
    match sql_check::complaint(sql) {
        Some(complaint) => Err(DesignError(complaint)),
        None => driver
            .ask(sql)
            .await
            .map_err(|error| DesignError(format!("DuckDB: {error}"))),
    }
}
