//! The layouts of DuckDB: their settings, files and statements.

use std::path::{Path, PathBuf};

use bakeoff_workload::literal::{self, quoted};
use bakeoff_workload::{ColumnType, DesignId, Table};

use crate::adbc::{Database, Secrets};
use crate::parquet::{Encoding, SORTED_FILE, check_folder};
use crate::settings::Settings;
use crate::{Context, EngineError};

pub const TABLE_SETTINGS: &str = "memory=1024 (MiB)";
pub const PARQUET_SETTINGS: &str = "codec=zstd|snappy, rows=131072, memory=1024 (MiB)";
const DEFAULT_MEMORY_MIB: u64 = 1024;
/// DuckDB cannot load rows with less.
const LEAST_MEMORY_MIB: u64 = 128;
/// Number of rows in a row group, the unit that DuckDB can skip.
pub const ROW_GROUP_ROWS: u64 = 122_880;
/// The function that the driver in DuckDB's library begins with.
pub const ENTRYPOINT: &str = "duckdb_adbc_init";
/// The catalog of the file that rows are copied into in the order of the key.
const SORTED: &str = "sorted";
/// Which slices were loaded, with the number of their rows. It is in a schema of its own, where no table of a
/// workload is.
const SLICES: &str = "bakeoff.slices";

/// How rows are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// In a table of DuckDB.
    Table,
    /// In a Parquet file.
    Parquet(Encoding),
}

/// A layout with its settings, for one table in one run.
#[derive(Debug, Clone)]
pub struct DuckdbLayout {
    pub shape: Shape,
    pub table: Table,
    /// The folder of the design.
    pub dir: PathBuf,
    memory_mib: u64,
    threads: usize,
}

impl DuckdbLayout {
    /// Reads the layout that a design id names.
    ///
    /// # Errors
    /// Fails for a layout, setting or value that does not exist.
    pub fn new(id: &DesignId, table: &Table, context: &Context) -> Result<Self, EngineError> {
        let (mut settings, shape) = match id.layout.as_deref() {
            Some("table") => (Settings::new(id, TABLE_SETTINGS)?, Shape::Table),
            Some("parquet") => {
                let mut settings = Settings::new(id, PARQUET_SETTINGS)?;
                let encoding = Encoding::take(&mut settings)?;
                (settings, Shape::Parquet(encoding))
            }
            other => {
                return Err(EngineError(format!(
                    "design {id}: duckdb has no layout `{}`; there are table and parquet",
                    other.unwrap_or("")
                )));
            }
        };
        let memory = settings.parsed::<u64>("memory", "a number of MiB such as memory=1024")?;
        let memory_mib = memory.unwrap_or(DEFAULT_MEMORY_MIB);
        if memory_mib < LEAST_MEMORY_MIB {
            return Err(settings.error(format!(
                "memory={memory_mib} is too little for DuckDB; give it at least {LEAST_MEMORY_MIB} (MiB)"
            )));
        }
        settings.end()?;
        let dir = context.folder_of_design(id);
        if let Shape::Parquet(_) = shape {
            check_folder(id, &dir)?;
        }
        Ok(DuckdbLayout {
            shape,
            table: table.clone(),
            dir,
            memory_mib,
            threads: context.threads.max(1),
        })
    }

    /// Returns the settings for reports.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = match self.shape {
            Shape::Table => vec![("rows of a row group".to_owned(), ROW_GROUP_ROWS.to_string())],
            Shape::Parquet(encoding) => encoding.settings(),
        };
        settings.push((
            "memory_limit".to_owned(),
            format!("{} MiB, then it spills", self.memory_mib),
        ));
        settings.push(("threads".to_owned(), self.threads.to_string()));
        settings
    }

    /// Returns the file that rows are loaded into.
    pub fn loading_file(&self) -> PathBuf {
        self.dir.join("loading.duckdb")
    }

    /// Returns the folder for what does not fit into memory while rows are loaded and sorted.
    pub fn spill_dir(&self) -> PathBuf {
        self.dir.join("spill")
    }

    /// Returns the file that rows are copied into, until all are there.
    pub fn unfinished_file(&self) -> PathBuf {
        self.dir.join("table.duckdb.unfinished")
    }

    /// Returns the file with all rows in the order of the key.
    pub fn sorted_file(&self) -> PathBuf {
        self.dir.join("table.duckdb")
    }

    /// Returns the file with the view of a Parquet file. It is next to the design's folder, whose bytes are
    /// those of the table.
    pub fn view_file(&self) -> PathBuf {
        self.dir.with_extension("view.duckdb")
    }

    /// Returns the file that questions are asked of.
    fn asked_file(&self) -> PathBuf {
        match self.shape {
            Shape::Table => self.sorted_file(),
            Shape::Parquet(_) => self.view_file(),
        }
    }

    /// Returns a database that rows are loaded into, or that a view is made in.
    pub fn writable(&self, library: &Path, file: &Path) -> Database {
        self.database(library, file, "READ_WRITE", &self.spill_dir(), Vec::new())
    }

    /// Returns the database that questions are asked of: nothing can be written, no other file read, no
    /// code loaded, and none of that changed.
    pub fn asked(&self, library: &Path) -> Database {
        let file = self.asked_file();
        // Not among the bytes of the table.
        let spill = self.dir.with_extension("spill");
        self.database(
            library,
            &file,
            "READ_ONLY",
            &spill,
            self.question_settings(),
        )
    }

    fn database(
        &self,
        library: &Path,
        file: &Path,
        access: &str,
        spill: &Path,
        setup: Vec<String>,
    ) -> Database {
        let options = [
            ("path", file.display().to_string()),
            ("access_mode", access.to_owned()),
            ("threads", self.threads.to_string()),
            ("memory_limit", format!("{}MiB", self.memory_mib)),
            ("temp_directory", spill.display().to_string()),
            ("autoinstall_known_extensions", "false".to_owned()),
            ("autoload_known_extensions", "false".to_owned()),
        ];
        Database {
            library: library.display().to_string(),
            entrypoint: Some(ENTRYPOINT.to_owned()),
            options: options
                .map(|(name, value)| (name.to_owned(), value))
                .to_vec(),
            setup,
            statement_options: Vec::new(),
            secrets: Secrets::default(),
        }
    }

    /// Returns the statements that prepare a database for questions. The first ones give SQL the meaning
    /// that it has for DataFusion; after the last one no question can change any.
    pub fn question_settings(&self) -> Vec<String> {
        let mut settings = DuckdbLayout::meanings();
        if let Shape::Parquet(_) = self.shape {
            let file = text(&self.parquet_file());
            settings.push(format!("SET GLOBAL allowed_paths = [{file}]"));
        }
        settings.push("SET GLOBAL enable_external_access = false".to_owned());
        settings.push("SET GLOBAL lock_configuration = true".to_owned());
        settings
    }

    /// Returns the statements that give SQL the meaning that it has for DataFusion.
    pub fn meanings() -> Vec<String> {
        vec![
            "SET GLOBAL TimeZone = 'UTC'".to_owned(),
            "SET GLOBAL default_null_order = 'nulls_last_on_asc_first_on_desc'".to_owned(),
            "SET GLOBAL integer_division = true".to_owned(),
        ]
    }

    /// Returns the file that the Parquet layout writes.
    fn parquet_file(&self) -> PathBuf {
        self.dir.join(SORTED_FILE)
    }

    /// Returns the statements that make an empty table.
    pub fn create_statements(&self) -> Vec<String> {
        let columns = self.table.columns.iter();
        let columns = columns.map(|c| format!("{} {}", quoted(&c.name), type_of(c.kind)));
        vec![
            "CREATE SCHEMA bakeoff".to_owned(),
            format!("CREATE TABLE {SLICES} (slice BIGINT, rows BIGINT)"),
            format!(
                "CREATE TABLE main.{} ({})",
                quoted(&self.table.name),
                columns.collect::<Vec<_>>().join(", ")
            ),
        ]
    }

    /// Returns the query for the number of slices with this number.
    pub fn count_slice(slice: &str) -> String {
        format!("SELECT count(*) AS n FROM {SLICES} WHERE slice = {slice}")
    }

    /// Returns the statement that notes a slice, in the transaction that loads it.
    pub fn note_slice(slice: &str, rows: &str) -> String {
        format!("INSERT INTO {SLICES} VALUES ({slice}, {rows})")
    }

    /// Returns the query for the number of rows that should be there, and of those that are.
    pub fn count_rows(&self) -> String {
        format!(
            "SELECT CAST((SELECT coalesce(sum(rows), 0) FROM {SLICES}) AS BIGINT) AS loaded, \
             (SELECT count(*) FROM main.{}) AS there",
            quoted(&self.table.name)
        )
    }

    /// Returns the statements that copy all rows into another file in the order of the key.
    pub fn sort_statements(&self) -> Vec<String> {
        let name = quoted(&self.table.name);
        let key: Vec<String> = self.table.key().map(quoted).collect();
        let columns = self.table.columns.iter().map(|column| {
            let name = quoted(&column.name);
            match column.kind {
                // What a user of DuckDB has, and what its functions return.
                ColumnType::Timestamp => format!("CAST({name} AS TIMESTAMP) AS {name}"),
                ColumnType::Uuid => format!("CAST({name} AS UUID) AS {name}"),
                _ => name,
            }
        });
        vec![
            format!("ATTACH {} AS {SORTED}", text(&self.unfinished_file())),
            format!(
                "CREATE TABLE {SORTED}.main.{name} AS SELECT {} FROM main.{name} ORDER BY {}",
                columns.collect::<Vec<_>>().join(", "),
                key.join(", ")
            ),
            date_bin(&format!("{SORTED}.main.")),
            format!("CHECKPOINT {SORTED}"),
            format!("DETACH {SORTED}"),
        ]
    }

    /// Returns the statements that make the same in a database of a user's, with what is to be known of its rows.
    pub fn own_statements(&self) -> Vec<String> {
        let name = quoted(&self.table.name);
        let made = match self.shape {
            Shape::Table => {
                let columns = self.table.columns.iter().map(|column| {
                    let kind = match column.kind {
                        // As in the file, into which these are cast when rows are sorted.
                        ColumnType::Timestamp => "TIMESTAMP",
                        ColumnType::Uuid => "UUID",
                        kind => type_of(kind),
                    };
                    format!("{} {kind}", quoted(&column.name))
                });
                let key: Vec<String> = self.table.key().map(quoted).collect();
                format!(
                    "-- Filling it makes a file of DuckDB that has it already. In a database of yours its rows have to \
                     be in the order of the key:\n--   INSERT INTO {name} SELECT ... ORDER BY {}\n\
                     CREATE TABLE {name} ({})",
                    key.join(", "),
                    columns.collect::<Vec<_>>().join(", ")
                )
            }
            Shape::Parquet(_) => format!(
                "-- In the folder of the file that filling it makes:\n\
                 CREATE VIEW {name} AS SELECT * FROM read_parquet('{SORTED_FILE}')"
            ),
        };
        vec![made, date_bin("")]
    }

    /// Returns the statements that make the view of the Parquet file.
    pub fn view_statements(&self) -> Vec<String> {
        vec![
            format!(
                "CREATE VIEW main.{} AS SELECT * FROM read_parquet({})",
                quoted(&self.table.name),
                text(&self.parquet_file())
            ),
            date_bin("main."),
            "CHECKPOINT".to_owned(),
        ]
    }
}

/// Returns the statement for a function of DataFusion that DuckDB has under another name.
fn date_bin(schema: &str) -> String {
    format!(
        "CREATE MACRO {schema}date_bin(width, moment) AS \
         time_bucket(width, moment, TIMESTAMP '1970-01-01'), \
         (width, moment, origin) AS time_bucket(width, moment, origin)"
    )
}

/// Returns the type of a column that rows are loaded into. It has to be that of the Arrow column: the driver
/// copies the bytes of any other one, too, and reads beyond them.
fn type_of(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Boolean => "BOOLEAN",
        ColumnType::Int => "INTEGER",
        ColumnType::Bigint => "BIGINT",
        ColumnType::Float => "FLOAT",
        ColumnType::Double => "DOUBLE",
        // One of UUIDs becomes that when rows are sorted.
        ColumnType::Text | ColumnType::Uuid => "VARCHAR",
        ColumnType::Timestamp => "TIMESTAMP_MS",
        ColumnType::Date => "DATE",
        ColumnType::Blob => "BLOB",
    }
}

/// Writes a path as a text of SQL.
fn text(path: &Path) -> String {
    literal::text(&path.display().to_string())
}

#[cfg(test)]
mod tests;
