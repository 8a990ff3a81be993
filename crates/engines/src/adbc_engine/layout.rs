//! The place and the statements of a design on a driver that its user has named.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use bakeoff_workload::literal::quoted;
use bakeoff_workload::{DesignId, Table};
use xxhash_rust::xxh3::xxh3_64;

use crate::adbc::{Database, Dialect, DriverEntry, ENGINE, Phase, Place};
use crate::settings::Settings;
use crate::{Context, EngineError, owner};

pub const SETTINGS: &str = "index=on|off";
/// The table that says which slices were loaded, with the number of their rows.
pub const NOTES: &str = "bakeoff_slices";

/// Reads the settings of a design: whether it has an index on its key.
///
/// # Errors
/// Fails for a design without a driver's name, and for a setting or value that does not exist.
fn has_index(id: &DesignId) -> Result<bool, EngineError> {
    let mut settings = Settings::new(id, SETTINGS)?;
    let index = settings.word("index", &["on", "off"])?;
    if id.layout.is_none() {
        return Err(settings.error(format!(
            "write {ENGINE}/NAME, with the name that a driver has in the file of --adbc"
        )));
    }
    settings.end()?;
    Ok(index == Some("on"))
}

/// A design with its place, for one table in one run.
#[derive(Debug, Clone)]
pub struct AdbcLayout {
    pub entry: DriverEntry,
    pub table: Table,
    /// The folder of the design, whether or not the driver's options name it.
    folder: PathBuf,
    /// The name of its schema, whether or not they name that.
    schema: String,
    index: bool,
}

impl AdbcLayout {
    /// Reads the layout of a design.
    ///
    /// # Errors
    /// Fails for a setting or a driver that does not exist, and for a table with the name of Bakeoff's own.
    pub fn new(id: &DesignId, table: &Table, context: &Context) -> Result<Self, EngineError> {
        let index = has_index(id)?;
        if table.name == NOTES {
            return Err(EngineError(format!(
                "design {id}: the table cannot be called {NOTES}, which is one that Bakeoff makes beside it"
            )));
        }
        let name = id.layout.as_deref().unwrap_or_default();
        Ok(AdbcLayout {
            entry: context.options.adbc.entry(name)?.clone(),
            table: table.clone(),
            folder: context.folder_of_design(id),
            schema: schema_name(id, context),
            index,
        })
    }

    /// Returns the place of the design.
    pub fn place(&self) -> Place<'_> {
        Place {
            folder: &self.folder,
            schema: &self.schema,
        }
    }

    /// Returns the database that is opened for a phase.
    ///
    /// # Errors
    /// The variable of an option is not set, or the folder cannot be part of a value.
    pub fn database(&self, phase: Phase) -> Result<Database, EngineError> {
        self.entry.database(&self.place(), phase)
    }

    /// Returns the folder that the driver stores in, if its options name it.
    pub fn folder(&self) -> Option<&Path> {
        self.entry.names_folder().then_some(self.folder.as_path())
    }

    /// Returns the schema that the tables are in, if the options name it.
    pub fn schema(&self) -> Option<&str> {
        self.entry.names_schema().then_some(self.schema.as_str())
    }

    /// Returns a table's name as statements have it.
    pub fn qualified(&self, table: &str) -> String {
        match self.schema() {
            Some(schema) => format!("{}.{}", quoted(schema), quoted(table)),
            None => quoted(table),
        }
    }

    /// Returns the statements that make an empty schema, whatever an earlier attempt has left in it.
    pub fn schema_statements(&self) -> Vec<String> {
        let Some(schema) = self.schema() else {
            return Vec::new();
        };
        let mut statements = vec![format!("CREATE SCHEMA IF NOT EXISTS {}", quoted(schema))];
        statements.extend(self.drop_tables());
        statements
    }

    /// Returns the statements that remove the schema with its tables, and nothing that others have put there.
    pub fn drop_statements(&self) -> Vec<String> {
        let Some(schema) = self.schema() else {
            return Vec::new();
        };
        let mut statements = self.drop_tables().to_vec();
        statements.push(format!("DROP SCHEMA IF EXISTS {}", quoted(schema)));
        statements
    }

    fn drop_tables(&self) -> [String; 2] {
        let tables = [self.table.name.as_str(), NOTES];
        tables.map(|table| format!("DROP TABLE IF EXISTS {}", self.qualified(table)))
    }

    /// Returns the query for the number of notes about a slice.
    pub fn count_slice(&self, slice: u64) -> String {
        format!(
            "SELECT count(*) AS n FROM {} WHERE \"slice\" = {slice}",
            self.qualified(NOTES)
        )
    }

    /// Returns the query for the number of rows that should be there, and of those that are.
    pub fn count_rows(&self) -> String {
        format!(
            "SELECT (SELECT coalesce(sum(\"row_count\"), 0) FROM {}) AS loaded, (SELECT count(*) FROM {}) AS there",
            self.qualified(NOTES),
            self.qualified(&self.table.name)
        )
    }

    /// Returns the statements that bring a loaded table to rest.
    pub fn settle_statements(&self) -> Vec<String> {
        let table = self.qualified(&self.table.name);
        let mut statements = Vec::new();
        if self.index {
            let key: Vec<String> = self.table.key().map(quoted).collect();
            statements.push(format!(
                "CREATE INDEX IF NOT EXISTS bakeoff_key ON {table} ({})",
                key.join(", ")
            ));
        }
        match self.entry.dialect {
            Dialect::Datafusion => {}
            Dialect::Duckdb => statements.push("CHECKPOINT".to_owned()),
            Dialect::Postgres => statements.push(format!("VACUUM (ANALYZE) {table}")),
            Dialect::Sqlite => statements.push("ANALYZE".to_owned()),
        }
        statements
    }

    /// Returns the settings for reports.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = self.entry.settings();
        let index = if self.index { "on its key" } else { "none" };
        settings.push(("index".to_owned(), index.to_owned()));
        settings
    }

    /// Returns the statements of the design, and what is done beside them.
    pub fn statements(&self) -> Vec<String> {
        let mut statements = vec![format!("load {}", self.entry.library.display())];
        let folder = self
            .folder()
            .map(|folder| format!("store in {}", folder.display()));
        statements.extend(folder);
        statements.extend(self.schema_statements());
        let fields = self.table.schema();
        let columns = fields.fields().iter();
        let columns = columns.map(|field| format!("{} {}", field.name(), field.data_type()));
        statements.push(format!(
            "ADBC bulk ingest that creates {}, whose types are the driver's for {}",
            quoted(&self.table.name),
            columns.collect::<Vec<_>>().join(", ")
        ));
        statements.push(format!(
            "ADBC bulk ingest of each slice, and of a note about it into {}, in a transaction where the driver \
             has any",
            quoted(NOTES)
        ));
        statements.extend(self.settle_statements());
        statements
    }
}

/// Returns the name of a design's schema, which nobody else has made, as nobody can guess it.
fn schema_name(id: &DesignId, context: &Context) -> String {
    let name = id.layout.as_deref().unwrap_or_default();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(plain).collect();
    let hash = xxh3_64(format!("{} {id}", owner::marker(context)).as_bytes());
    format!("bakeoff_{name}_{hash:016x}")
}

/// Returns the columns of the table of notes.
pub fn notes_schema() -> Schema {
    let number = |name: &str| Field::new(name, DataType::Int64, true);
    Schema::new(vec![number("slice"), number("row_count")])
}

/// Returns the note about a slice.
///
/// # Errors
/// Arrow makes no batch of it.
pub fn note(slice: u64, rows: usize) -> Result<RecordBatch, ArrowError> {
    let number = |number: Option<i64>| -> ArrayRef { Arc::new(Int64Array::from(vec![number])) };
    let columns = vec![
        number(i64::try_from(slice).ok()),
        number(i64::try_from(rows).ok()),
    ];
    RecordBatch::try_new(Arc::new(notes_schema()), columns)
}

#[cfg(test)]
mod tests;
