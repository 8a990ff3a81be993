//! The engine `adbc`: any database that an ADBC driver leads to. Which library that is, its user says in a file;
//! a workload only names it, and so cannot load one.

mod layout;
mod removal;
mod table;
mod times;
mod types;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_servers::survey::Survey;
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Workload};

use self::layout::{AdbcLayout, SETTINGS};
use self::removal::{DROP_LIMIT, Schemas, drop_all};
use self::table::AdbcTable;
use self::types::AnswerTypes;
use crate::adbc::{About, AdbcOptions, Dialect, Driver, DriverEntry, ENGINE, Phase, Place};
use crate::folder::remove_folder;
use crate::{Context, Engine, EngineError, EngineOptions, Layout, OptionGroup, Running, sql_check};

/// The longest time for loading a library, opening a database and asking the driver for its name.
const START_LIMIT: Duration = Duration::from_secs(60);
/// The schema of a database that is only opened.
const NO_SCHEMA: &str = "bakeoff_none";

pub struct Adbc;

#[async_trait]
impl Engine for Adbc {
    fn name(&self) -> &'static str {
        ENGINE
    }

    fn layouts(&self) -> &'static [Layout] {
        &[Layout {
            name: "adbc/NAME",
            what: "a table of the database that the ADBC driver NAME of --adbc FILE leads to",
            settings: SETTINGS,
        }]
    }

    /// Returns true: drivers run in processes of their own.
    fn has_server(&self) -> bool {
        true
    }

    fn speaks_sql(&self) -> bool {
        true
    }

    fn complaint_of_sql(&self, sql: &str) -> Option<String> {
        sql_check::complaint_without_nesting(sql)
    }

    /// Accepts any driver, since what drivers there are is not known to a workload, and the dialect that no other
    /// engine has.
    fn is_place(&self, name: &str) -> bool {
        name.split('/').next() == Some(ENGINE) || name == Dialect::Sqlite.name()
    }

    fn option_groups(&self, _id: &DesignId) -> &'static [OptionGroup] {
        &[OptionGroup::Drivers]
    }

    fn require(&self, id: &DesignId, options: &mut EngineOptions) {
        options.adbc.wanted.extend(id.layout.clone());
    }

    async fn survey(&self) -> Survey {
        Survey::built_in(
            "any ADBC driver whose library you name in a file: `bakeoff run --adbc FILE`",
        )
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let layout = AdbcLayout::new(id, &workload.table, context)?;
        Ok(self.info_of(id, layout.settings(), layout.statements()))
    }

    fn would_touch(&self, context: &Context) -> Option<String> {
        let adbc = &context.options.adbc;
        let entries = adbc.wanted.iter().filter_map(|name| adbc.entry(name).ok());
        let libraries: Vec<String> = entries
            .map(|entry| entry.library.display().to_string())
            .collect();
        let libraries = libraries.join(" and ");
        (!libraries.is_empty()).then(|| format!("load {libraries} into separate processes"))
    }

    async fn check(&self, context: &Context) -> Result<(), EngineError> {
        context.options.adbc.file()?;
        context.options.adbc.host_program().map(|_| ())
    }

    /// Loads the driver and opens a database that is not the design's.
    async fn check_design(&self, id: &DesignId, context: &Context) -> Result<(), EngineError> {
        let name = id.layout.as_deref().unwrap_or_default();
        let options = &context.options.adbc;
        let tried = ask_about(options.entry(name)?, options).await;
        tried.map(|_| ())
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        let options = &context.options.adbc;
        let began = Instant::now();
        let (mut versions, mut settings) = (Vec::new(), Vec::new());
        let mut is_elsewhere = false;
        for name in &options.wanted {
            // Designs of a driver that cannot be used fail by themselves.
            let Ok(entry) = options.entry(name) else {
                continue;
            };
            is_elsewhere |= entry.names_schema();
            if let Ok(about) = ask_about(entry, options).await {
                versions.push(format!("{name}: {about}"));
                let library = entry.library.display().to_string();
                settings.push((format!("library of {name}"), library));
            }
        }
        if is_elsewhere {
            // Its address may be in an option that is a secret.
            let server = (EngineInfo::SERVER, EngineInfo::ELSEWHERE);
            settings.push((server.0.to_owned(), server.1.to_owned()));
        }
        let started = began.elapsed().as_secs_f64();
        Ok(Box::new(RunningAdbc {
            info: EngineInfo {
                engine: ENGINE.to_owned(),
                version: versions.join("; "),
                // A server was running already; only the processes with its driver were started.
                start_seconds: (!is_elsewhere).then_some(started),
                settings,
            },
            options: options.clone(),
            folder: context.folder_of(ENGINE),
            schemas: Mutex::default(),
        }))
    }
}

/// Loads a driver, opens a database in a folder that is removed again, and asks the driver about itself.
async fn ask_about(entry: &DriverEntry, options: &AdbcOptions) -> Result<About, EngineError> {
    let folder = tempfile::tempdir()
        .map_err(|error| EngineError(format!("making a temporary folder failed: {error}")))?;
    let place = Place {
        folder: folder.path(),
        schema: NO_SCHEMA,
    };
    entry.check(&place)?;
    let driver = Driver::new(options, entry.database(&place, Phase::Loading)?)?;
    let told = tokio::time::timeout(START_LIMIT, driver.about()).await;
    driver.close();
    let why = match told {
        Ok(Ok(about)) => return Ok(about),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("it has not opened a database within {START_LIMIT:?}"),
    };
    Err(EngineError(format!(
        "the driver [{}] cannot be used: {why}; its library is {}",
        entry.name,
        entry.library.display()
    )))
}

struct RunningAdbc {
    info: EngineInfo,
    options: AdbcOptions,
    /// The folder with the files of all of its designs.
    folder: PathBuf,
    /// What removes the schemas of designs, by their names.
    schemas: Mutex<Schemas>,
}

impl RunningAdbc {
    /// Remembers what removes the schema of a design.
    fn will_drop(&self, layout: &AdbcLayout) -> Result<(), EngineError> {
        if let Some(schema) = layout.schema() {
            let dropping = (layout.database(Phase::Loading)?, layout.drop_statements());
            let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
            schemas.insert(schema.to_owned(), dropping);
        }
        Ok(())
    }
}

#[async_trait]
impl Running for RunningAdbc {
    fn info(&self) -> EngineInfo {
        self.info.clone()
    }

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        let layout = AdbcLayout::new(id, &workload.table, context)?;
        self.will_drop(&layout)?;
        let info = Adbc.describe(id, workload, context)?;
        let types = AnswerTypes::of(workload, id).await?;
        let rate_limit = context.rate_limit(layout.schema().is_none());
        let options = &context.options.adbc;
        let design = AdbcTable::new(info, layout, types, options, rate_limit)?;
        Ok(Box::new(design))
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        if keep {
            return Ok(());
        }
        let RunningAdbc {
            options,
            folder,
            schemas,
            ..
        } = *self;
        let schemas = schemas.into_inner();
        let schemas = schemas.unwrap_or_else(PoisonError::into_inner);
        let mut troubles = drop_all(&options, schemas, DROP_LIMIT).await;
        troubles.extend(remove_folder(&folder).err());
        if troubles.is_empty() {
            return Ok(());
        }
        Err(EngineError(troubles.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::adbc::DriverFile;

    const FILE: &str = r#"
[files]
library = "libadbc_driver_that_is_not_there.so"
options = { uri = "file:${folder}/table.db" }

[server]
library = "libadbc_driver_that_is_not_there.so"
options = { uri = "postgresql://me@db1/metrics?options=-csearch_path%3D${schema}" }
"#;

    #[tokio::test]
    async fn what_is_in_a_schema_was_running_already_and_may_be_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drivers.toml");
        std::fs::write(&path, FILE).unwrap();
        let mut context = Context::of_test("/runs/a");
        context.options.adbc.drivers = Some(Arc::new(DriverFile::read(&path).unwrap()));
        for (wanted, server) in [
            (&["files"][..], None),
            (&["server"][..], Some(EngineInfo::ELSEWHERE)),
            (&["files", "server"][..], Some(EngineInfo::ELSEWHERE)),
        ] {
            let names = wanted.iter().map(|name| (*name).to_owned());
            context.options.adbc.wanted = names.collect();
            let info = Adbc.start(&context).await.unwrap().info();
            assert_eq!(info.setting(EngineInfo::SERVER), server, "{wanted:?}");
            assert_eq!(info.start_seconds.is_none(), server.is_some());
            assert!(!format!("{info:?}").contains("db1"), "{info:?}");
        }
    }
}
