//! A table on a driver that its user has named: rows go in by ADBC's bulk ingest, and questions are asked of
//! another process with the same driver.

use std::fs;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError};
use bakeoff_stats::{DesignInfo, Footprint};

use super::layout::{AdbcLayout, NOTES, note, notes_schema};
use super::times::written_for;
use super::types::AnswerTypes;
use crate::adbc::{AdbcOptions, Dialect, Driver, Phase, Step, first_numbers, first_text};
use crate::bytes::folder_size;
use crate::folder::remove_folder;
use crate::rate_limit::{Pace, RateLimit};
use crate::{EngineError, sql_check};

/// Rows that are sent to a driver at a time.
const PART_ROWS: usize = 65_536;
/// The question for the schema that a PostgreSQL makes tables in.
const CURRENT_SCHEMA: &str = "SELECT current_schema()::text AS current";

pub struct AdbcTable {
    info: DesignInfo,
    layout: AdbcLayout,
    types: AnswerTypes,
    loader: Driver,
    asked: Driver,
    /// The limit on the rows that are written to a server.
    rate_limit: Option<Arc<RateLimit>>,
}

impl AdbcTable {
    /// Makes the design without starting anything.
    ///
    /// # Errors
    /// The variable of an option is not set, or the program that loads drivers is not known.
    pub fn new(
        info: DesignInfo,
        layout: AdbcLayout,
        types: AnswerTypes,
        options: &AdbcOptions,
        rate_limit: Option<Arc<RateLimit>>,
    ) -> Result<Self, EngineError> {
        Ok(AdbcTable {
            info,
            types,
            loader: Driver::new(options, layout.database(Phase::Loading)?)?,
            asked: Driver::new(options, layout.database(Phase::Questions)?)?,
            rate_limit,
            layout,
        })
    }

    /// Names the driver in an error.
    fn of_driver(&self, error: DesignError) -> DesignError {
        DesignError(format!("{}: {error}", self.layout.entry.name))
    }

    fn remake_folder(&self) -> Result<(), DesignError> {
        let Some(folder) = self.layout.folder() else {
            return Ok(());
        };
        remove_folder(folder).map_err(DesignError)?;
        let made = fs::create_dir_all(folder);
        made.map_err(|error| DesignError(format!("making {} failed: {error}", folder.display())))
    }

    /// Makes both tables by bulk ingest, which fails for tables that are there: only what is the design's own
    /// was removed before.
    async fn make_tables(&self) -> Result<(), DesignError> {
        let made = self.loader.create(NOTES, &notes_schema()).await;
        made.map_err(|error| self.no_table(NOTES, &error))?;
        self.check_schema().await?;
        let table = &self.layout.table;
        let made = self.loader.create(&table.name, &table.schema()).await;
        made.map_err(|error| self.no_table(&table.name, &error))
    }

    fn no_table(&self, table: &str, error: &DesignError) -> DesignError {
        DesignError(format!(
            "{} has not made the table {table} by ADBC's bulk ingest, which is the only way in which Bakeoff loads \
             rows through a driver: {error}",
            self.layout.entry.name
        ))
    }

    /// Checks that tables are made in the design's schema, and removes the one that was made elsewhere.
    async fn check_schema(&self) -> Result<(), DesignError> {
        let Some(schema) = self.layout.schema() else {
            return Ok(());
        };
        let is_there = self.loader.ask(&self.layout.count_slice(0)).await;
        let Err(error) = is_there else {
            return Ok(());
        };
        let drop = format!("DROP TABLE {NOTES}");
        // The error that led here says more than that this fails, too.
        self.loader.execute(&[drop]).await.ok();
        Err(self.leads_elsewhere(schema, &error.0))
    }

    fn leads_elsewhere(&self, schema: &str, why: &str) -> DesignError {
        DesignError(format!(
            "the options of [{}] do not make ${{schema}}, here {schema}, the schema that tables are made in: {why}",
            self.layout.entry.name
        ))
    }

    /// Asks a PostgreSQL which schema it makes tables in, before any is made: a table of that name may be there
    /// and somebody else's.
    async fn check_current_schema(&self) -> Result<(), DesignError> {
        let Some(schema) = self.layout.schema() else {
            return Ok(());
        };
        if self.layout.entry.dialect != Dialect::Postgres {
            return Ok(());
        }
        let answer = self.loader.ask(CURRENT_SCHEMA).await;
        let answer = answer.map_err(|error| self.of_driver(error))?;
        match first_text(&answer) {
            Some(current) if current == schema => Ok(()),
            Some(current) => Err(self.leads_elsewhere(schema, &format!("that one is {current}"))),
            None => Err(self.leads_elsewhere(schema, "there is none")),
        }
    }

    /// Returns whether a slice is there already.
    async fn has_slice(&self, slice: u64) -> Result<bool, DesignError> {
        let answer = self.loader.ask(&self.layout.count_slice(slice)).await;
        let answer = answer.map_err(|error| self.of_driver(error))?;
        match first_numbers(&answer).as_deref() {
            Some([notes]) => Ok(*notes > 0),
            _ => Err(self.of_driver(DesignError::new("it did not say which slices are loaded"))),
        }
    }

    async fn add(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        let pace = Pace::within(self.rate_limit.as_ref());
        for first in (0..rows.num_rows()).step_by(PART_ROWS) {
            let part = rows.slice(first, PART_ROWS.min(rows.num_rows() - first));
            pace.wait(part.num_rows()).await;
            self.loader.ingest(&self.layout.table.name, &part).await?;
        }
        let note = note(slice, rows.num_rows()).map_err(|e| DesignError(e.to_string()))?;
        self.loader.ingest(NOTES, &note).await
    }

    /// Returns the number of rows that were loaded, and of those that are there.
    async fn counts(&self) -> Result<(i64, i64), DesignError> {
        let answer = self.loader.ask(&self.layout.count_rows()).await?;
        match first_numbers(&answer).as_deref() {
            Some([loaded, there]) => Ok((*loaded, *there)),
            _ => Err(DesignError::new("it did not say how many rows it has")),
        }
    }

    async fn settled(&self) -> Result<String, DesignError> {
        let (loaded, there) = self.counts().await?;
        if loaded != there {
            return Err(DesignError(format!(
                "it has {there} rows of {loaded} that were loaded"
            )));
        }
        let statements = self.layout.settle_statements();
        self.loader.execute(&statements).await?;
        self.loader.close();
        if statements.is_empty() {
            return Ok("nothing: no statement for that is known".to_owned());
        }
        Ok(statements.join(", "))
    }
}

#[async_trait]
impl Design for AdbcTable {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    /// Returns true, since no index is unique.
    fn keeps_duplicates(&self) -> bool {
        true
    }

    async fn create(&self) -> Result<(), DesignError> {
        self.loader.close();
        self.asked.close();
        self.remake_folder()?;
        let statements = self.layout.schema_statements();
        if !statements.is_empty() {
            let made = self.loader.execute(&statements).await;
            made.map_err(|error| self.of_driver(error))?;
        }
        self.check_current_schema().await?;
        self.make_tables().await
    }

    /// Returns whether all rows are there that were noted. Those of a slice are not, if the driver has no
    /// transactions and the slice was interrupted.
    async fn survives(&self) -> bool {
        if self.layout.folder().is_some_and(|folder| !folder.is_dir()) {
            return false;
        }
        let counts = self.counts().await;
        counts.is_ok_and(|(loaded, there)| loaded == there)
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        if self.has_slice(slice).await? {
            return Ok(());
        }
        // A driver without transactions loads all the same.
        let has_begun = self.loader.transaction(Step::Begin).await.is_ok();
        let mut added = self.add(slice, rows).await;
        if has_begun && added.is_ok() {
            added = self.loader.transaction(Step::Commit).await;
        } else if has_begun {
            // The error that led here says more than that this fails, too.
            self.loader.transaction(Step::Rollback).await.ok();
        }
        added.map_err(|error| self.of_driver(error))
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let settled = self.settled().await;
        settled.map_err(|error| self.of_driver(error))
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let unknown = Footprint {
            design: self.info.id.clone(),
            engine_bytes: None,
            file_bytes: None,
            compression_ratio: None,
            compression_metadata_bytes: None,
            statistics: None,
            files: None,
            note: None,
        };
        let Some(folder) = self.layout.folder() else {
            let name = &self.layout.entry.name;
            let note = format!(
                "not known: no option of [{name}] has ${{folder}} in it, so what its driver stores is not seen"
            );
            return Ok(Footprint {
                note: Some(note),
                ..unknown
            });
        };
        let size = folder_size(folder, &|_| true);
        let (files, bytes) = size.map_err(|error| {
            DesignError(format!(
                "reading sizes in {} failed: {error}",
                folder.display()
            ))
        })?;
        Ok(Footprint {
            file_bytes: Some(bytes),
            files: Some(files),
            ..unknown
        })
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        // Again, since parameters have become part of the text.
        if let Some(complaint) = sql_check::complaint_without_nesting(sql) {
            return Err(DesignError(complaint));
        }
        let conversion = self.types.conversion(sql);
        let sql = written_for(self.layout.entry.dialect, sql);
        let answer = self.asked.ask_converted(&sql, conversion).await;
        answer.map_err(|error| self.of_driver(error))
    }

    /// Returns the CPU time of the processes with the driver, which is all of it only where the database is in
    /// them.
    fn server_cpu_seconds(&self) -> Option<f64> {
        let cpu_seconds = || self.loader.cpu_seconds() + self.asked.cpu_seconds();
        self.layout.schema().is_none().then(cpu_seconds)
    }

    fn dead(&self) -> Option<String> {
        self.loader.dead().or_else(|| self.asked.dead())
    }
}
