//! The file that names ADBC drivers for designs `adbc/NAME`: the library of each, how its database is opened, and
//! which SQL it gets.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bakeoff_servers::is_library;
use bakeoff_workload::{DesignId, Workload, nearest};
use serde::Deserialize;

use super::option_value::{OptionValue, Place, Written, read};
use super::protocol::Database;
use super::secrets::Secrets;
use crate::EngineError;
use crate::dialect::SqlDialect;

/// The name of the engine whose designs name drivers.
pub const ENGINE: &str = "adbc";
/// Most characters of a driver's name, which is part of names of folders and schemas.
const NAME_CHARACTERS: usize = 40;

/// The drivers that a file names.
#[derive(Debug)]
pub struct DriverFile {
    path: PathBuf,
    entries: BTreeMap<String, DriverEntry>,
}

/// A driver with the options of its databases. Secrets are not in it, but the names of their variables.
#[derive(Debug, Clone)]
pub struct DriverEntry {
    pub name: String,
    /// The absolute path of the library.
    pub library: PathBuf,
    pub entrypoint: Option<String>,
    pub dialect: Dialect,
    options: BTreeMap<String, OptionValue>,
    questions: BTreeMap<String, OptionValue>,
    statements: BTreeMap<String, OptionValue>,
}

/// The SQL that a database understands: which of a workload's texts it is asked, and how its tables are brought
/// to rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// That of the workload's queries themselves.
    #[default]
    Datafusion,
    Duckdb,
    Postgres,
    Sqlite,
}

impl Dialect {
    /// Returns the name under which a workload may have SQL for it.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Datafusion => "datafusion",
            Dialect::Duckdb => "duckdb",
            Dialect::Postgres => "postgres",
            Dialect::Sqlite => "sqlite",
        }
    }

    /// Returns the dialect into which questions are translated, if it is not the one in which they are written.
    pub fn of_sql(self) -> Option<SqlDialect> {
        match self {
            Dialect::Datafusion => None,
            Dialect::Duckdb => Some(SqlDialect::DuckdbAlone),
            Dialect::Postgres => Some(SqlDialect::Postgres),
            Dialect::Sqlite => Some(SqlDialect::Sqlite),
        }
    }

    /// Returns whether it has literals of times, such as `TIMESTAMP '2026-05-01'`.
    pub fn has_times(self) -> bool {
        self != Dialect::Sqlite
    }
}

/// What a database is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Loading,
    Questions,
}

/// A driver as it is written in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    library: PathBuf,
    entrypoint: Option<String>,
    #[serde(default)]
    dialect: Dialect,
    #[serde(default)]
    options: BTreeMap<String, Written>,
    #[serde(default)]
    questions: BTreeMap<String, Written>,
    #[serde(default)]
    statements: BTreeMap<String, Written>,
}

impl DriverFile {
    /// Reads a file. No library is looked at yet.
    ///
    /// # Errors
    /// It cannot be read, or says something that cannot be meant: with what and where.
    pub fn read(path: &Path) -> Result<DriverFile, EngineError> {
        let failed = |doing: &str, error: std::io::Error| {
            EngineError(format!(
                "cannot {doing} the file {} of --adbc: {error}",
                path.display()
            ))
        };
        let text = std::fs::read_to_string(path).map_err(|error| failed("read", error))?;
        let path = std::path::absolute(path).map_err(|error| failed("find", error))?;
        DriverFile::parse(&text, path)
    }

    fn parse(text: &str, path: PathBuf) -> Result<DriverFile, EngineError> {
        let shown = path.display().to_string();
        let written: BTreeMap<String, Entry> = toml::from_str(text)
            .map_err(|error| EngineError(format!("{shown}: {}", error.to_string().trim_end())))?;
        if written.is_empty() {
            return Err(EngineError(format!(
                "{shown} names no driver: write a table such as [sqlite] with its library"
            )));
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        let entries = written.into_iter().map(|(name, entry)| {
            let read = entry.read(&name, folder);
            let read = read.map_err(|why| EngineError(format!("{shown}, [{name}]: {why}")))?;
            Ok((name, read))
        });
        Ok(DriverFile {
            entries: entries.collect::<Result<_, EngineError>>()?,
            path,
        })
    }

    /// Returns the driver of this name.
    ///
    /// # Errors
    /// The file has none, with the names that it has.
    pub fn entry(&self, name: &str) -> Result<&DriverEntry, EngineError> {
        self.entries.get(name).ok_or_else(|| {
            let names = self.entries.keys().map(String::as_str);
            let meant = nearest(name, names.clone())
                .map_or(String::new(), |name| format!(" (did you mean `{name}`?)"));
            EngineError(format!(
                "{} names no driver `{name}`{meant}; it has {}",
                self.path.display(),
                names.collect::<Vec<_>>().join(", ")
            ))
        })
    }

    /// Returns the drivers of these designs, as far as there are any.
    fn entries_of(&self, designs: &[DesignId]) -> Vec<&DriverEntry> {
        let of_ours = designs.iter().filter(|id| id.engine == ENGINE);
        let names = of_ours.filter_map(|id| id.layout.as_deref());
        names.filter_map(|name| self.entries.get(name)).collect()
    }

    /// Gives the queries of a workload, where they have none for the drivers of these designs, the SQL for the
    /// engine whose dialect these understand.
    pub fn put_sql_into(&self, workload: &mut Workload, designs: &[DesignId]) {
        for entry in self.entries_of(designs) {
            let layout = format!("{ENGINE}/{}", entry.name);
            for query in &mut workload.queries {
                let has_own =
                    query.engine_sql.contains_key(&layout) || query.engine_sql.contains_key(ENGINE);
                let of_dialect = query.engine_sql.get(entry.dialect.name()).cloned();
                if let Some(sql) = of_dialect.filter(|_| !has_own) {
                    query.engine_sql.insert(layout.clone(), sql);
                }
            }
        }
    }

    /// Returns the name of the first driver of these designs that reaches a server which Bakeoff has not started.
    pub fn server_of(&self, designs: &[DesignId]) -> Option<&String> {
        let mut entries = self.entries_of(designs).into_iter();
        let reaching = entries.find(|entry| entry.names_schema());
        reaching.map(|entry| &entry.name)
    }

    /// Returns all that has to be the same for a run with these designs to go on. No secret is in it.
    pub fn fingerprint(&self, designs: &[DesignId]) -> String {
        let of_entry = |entry: &DriverEntry| {
            let metadata = std::fs::metadata(&entry.library).ok();
            let version = metadata.map(|m| (m.len(), m.modified().ok()));
            format!("{entry:?} {version:?}")
        };
        let entries = self.entries_of(designs).into_iter();
        entries.map(of_entry).collect()
    }
}

impl Entry {
    fn read(self, name: &str, folder: &Path) -> Result<DriverEntry, String> {
        if !is_name(name) {
            return Err(format!(
                "`{name}` cannot be the name of a driver: begin with a letter, and go on with letters, digits, \
                 `_` and `-`, {NAME_CHARACTERS} at most"
            ));
        }
        if self.library.as_os_str().is_empty() {
            return Err("`library` is empty: name the file of the driver".to_owned());
        }
        if self.entrypoint.as_deref() == Some("") {
            return Err("`entrypoint` is empty: leave it out, or name a function".to_owned());
        }
        let of = |table: &str, written| read(written).map_err(|why| format!("{table}: {why}"));
        Ok(DriverEntry {
            name: name.to_owned(),
            library: folder.join(self.library),
            entrypoint: self.entrypoint,
            dialect: self.dialect,
            options: of("options", self.options)?,
            questions: of("questions", self.questions)?,
            statements: of("statements", self.statements)?,
        })
    }
}

fn is_name(name: &str) -> bool {
    name.len() <= NAME_CHARACTERS
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

impl DriverEntry {
    /// Returns whether its databases are in folders of designs.
    pub fn names_folder(&self) -> bool {
        self.options.values().any(OptionValue::names_folder)
    }

    /// Returns whether its tables are in schemas of designs.
    pub fn names_schema(&self) -> bool {
        self.options.values().any(OptionValue::names_schema)
    }

    /// Checks what can be known without loading the library.
    ///
    /// # Errors
    /// There is no library of Linux, a variable is not set, or a design would have no place of its own.
    pub fn check(&self, place: &Place<'_>) -> Result<(), EngineError> {
        let library = self.library.display();
        match is_library(&self.library) {
            Ok(true) => {}
            Ok(false) => {
                return Err(EngineError(format!(
                    "the library {library} of [{}] is no library of Linux: name the driver's .so file",
                    self.name
                )));
            }
            Err(error) => {
                return Err(EngineError(format!(
                    "the library {library} of [{}] cannot be read: {error}",
                    self.name
                )));
            }
        }
        self.check_entrypoint()?;
        self.database(place, Phase::Loading)?;
        self.database(place, Phase::Questions)?;
        if !self.names_folder() && !self.names_schema() {
            return Err(EngineError(format!(
                "no option of [{}] has ${{folder}} or ${{schema}} in it, so its designs would have no place of \
                 their own, and Bakeoff touches no other: write for example uri = \"file:${{folder}}/table.db\"",
                self.name
            )));
        }
        Ok(())
    }

    /// Checks that the library has the name of the function that it is to begin with. Whoever loads it would
    /// take another function instead.
    fn check_entrypoint(&self) -> Result<(), EngineError> {
        let Some(entrypoint) = &self.entrypoint else {
            return Ok(());
        };
        let library = self.library.display();
        let bytes = std::fs::read(&self.library).map_err(|error| {
            EngineError(format!("reading the library {library} failed: {error}"))
        })?;
        let name = [entrypoint.as_bytes(), b"\0"].concat();
        if bytes.windows(name.len()).any(|window| window == name) {
            return Ok(());
        }
        Err(EngineError(format!(
            "the library {library} of [{}] has no function {entrypoint}: leave `entrypoint` out, or write the name \
             that the driver's documentation has",
            self.name
        )))
    }

    /// Returns the database of a design.
    ///
    /// # Errors
    /// The variable of an option is not set, or the folder cannot be part of a value.
    pub fn database(&self, place: &Place<'_>, phase: Phase) -> Result<Database, EngineError> {
        let mut options = self.options.clone();
        if phase == Phase::Questions {
            options.extend(self.questions.clone());
        }
        let values = |options: &BTreeMap<String, OptionValue>| {
            let pairs = options.iter();
            pairs
                .map(|(name, value)| Ok((name.clone(), value.at(place)?)))
                .collect::<Result<Vec<_>, EngineError>>()
                .map_err(|why| EngineError(format!("[{}]: {why}", self.name)))
        };
        Ok(Database {
            library: self.library.display().to_string(),
            entrypoint: self.entrypoint.clone(),
            options: values(&options)?,
            setup: Vec::new(),
            statement_options: values(&self.statements)?,
            secrets: self.secrets(place)?,
        })
    }

    /// Returns what messages of the driver must not repeat.
    fn secrets(&self, place: &Place<'_>) -> Result<Secrets, EngineError> {
        let mut secrets = Secrets::default();
        let tables = [&self.options, &self.questions, &self.statements];
        for value in tables.into_iter().flat_map(BTreeMap::values) {
            if let Some(variable) = value.variable() {
                let value = value.at(place);
                let value = value.map_err(|why| EngineError(format!("[{}]: {why}", self.name)))?;
                secrets.add(variable, &value);
            }
        }
        Ok(secrets)
    }

    /// Returns what a report shows of it.
    pub fn settings(&self) -> Vec<(String, String)> {
        let mut settings = vec![("library".to_owned(), self.library.display().to_string())];
        let entrypoint = self.entrypoint.iter();
        settings.extend(entrypoint.map(|name| ("entrypoint".to_owned(), name.clone())));
        settings.push(("dialect".to_owned(), self.dialect.name().to_owned()));
        for (table, options) in [
            ("option", &self.options),
            ("option of questions", &self.questions),
            ("option of statements", &self.statements),
        ] {
            let options = options.iter();
            settings
                .extend(options.map(|(name, value)| (format!("{table} {name}"), value.shown())));
        }
        settings
    }
}

#[cfg(test)]
mod tests;
