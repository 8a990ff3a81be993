//! Secondary indexes of a table of rows: the setting that asks for them, the statements that create them, and
//! the columns whose values they find.

use bakeoff_servers::cassandra::Release;
use bakeoff_workload::{Column, ColumnType, Table, suggestion};

use crate::EngineError;
use crate::cassandra::names::quoted;
use crate::settings::Settings;

/// The kind of a secondary index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    /// Is stored as components of the table's own SSTables (SAI).
    StorageAttached,
    /// Is stored in a hidden table of each node (2i).
    HiddenTable,
}

/// The secondary indexes of a table, all of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexes {
    pub kind: IndexKind,
    /// Release in whose CQL they are made.
    release: Release,
    /// Columns that have an index each, in the order of the setting.
    pub columns: Vec<String>,
}

impl IndexKind {
    /// Reads a kind as the setting writes it.
    fn read(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "sai" => Some(IndexKind::StorageAttached),
            "2i" => Some(IndexKind::HiddenTable),
            _ => None,
        }
    }

    /// Returns whether CQL restricts several columns by their indexes at once; otherwise it restricts one and
    /// asks for `ALLOW FILTERING` for the others.
    pub fn combines(self) -> bool {
        self == IndexKind::StorageAttached
    }

    /// Returns what stands before the index and behind its column in the statement that creates it. Both are
    /// written out, since a server may have another kind as its default; the one of 4.1 knows a single kind.
    fn words(self, release: Release) -> (&'static str, &'static str) {
        match (self, release) {
            (IndexKind::StorageAttached, _) => {
                ("CREATE CUSTOM INDEX", " USING 'StorageAttachedIndex'")
            }
            (IndexKind::HiddenTable, Release::Five) => {
                ("CREATE INDEX", " USING 'legacy_local_table'")
            }
            (IndexKind::HiddenTable, Release::Four) => ("CREATE INDEX", ""),
        }
    }

    fn describe(self) -> &'static str {
        match self {
            IndexKind::StorageAttached => "storage-attached (SAI)",
            IndexKind::HiddenTable => "in a hidden table (2i)",
        }
    }
}

impl Indexes {
    /// Takes the setting `index` of a design: `index=COLUMN`, `index=COLUMN:2i`, or several columns with `+`
    /// between them.
    ///
    /// # Errors
    /// Fails for a kind or column that does not exist, and for a column that no index can be of use for.
    pub fn take(
        settings: &mut Settings<'_>,
        table: &Table,
        release: Release,
    ) -> Result<Option<Self>, EngineError> {
        let Some(written) = settings.parsed::<String>("index", "a column")? else {
            return Ok(None);
        };
        let failed = |why: String| settings.error(format!("index={written}: {why}"));
        let (names, kind) = match written.rsplit_once(':') {
            None => (written.as_str(), IndexKind::StorageAttached),
            Some((names, word)) => match IndexKind::read(word) {
                Some(kind) => (names, kind),
                None => {
                    return Err(failed(format!(
                        "`{word}` is no kind of index: write sai or 2i, as in index=country:2i"
                    )));
                }
            },
        };
        let columns = columns_outside_key(table, names).map_err(&failed)?;
        let blob = columns.iter().find(|c| c.kind == ColumnType::Blob);
        if let Some(blob) = blob.filter(|_| kind == IndexKind::StorageAttached) {
            return Err(failed(format!(
                "Cassandra has no storage-attached index of a blob: write index={}:2i",
                blob.name
            )));
        }
        let columns = columns.into_iter().map(|column| column.name.clone());
        let columns = columns.collect();
        Ok(Some(Indexes {
            kind,
            release,
            columns,
        }))
    }

    /// Names the indexes of a CQL table; names of indexes are unique in a keyspace.
    pub fn names(&self, table: &str) -> Vec<String> {
        let numbers = 1..=self.columns.len();
        numbers.map(|n| format!("{table}_index_{n}")).collect()
    }

    /// Returns the statements that create the indexes of a CQL table.
    pub fn create_statements(&self, keyspace: &str, table: &str) -> Vec<String> {
        let (create, class) = self.kind.words(self.release);
        let named = self.names(table).into_iter().zip(&self.columns);
        named
            .map(|(name, column)| {
                let column = quoted(column);
                format!("{create} {name} ON {keyspace}.{table} ({column}){class}")
            })
            .collect()
    }

    /// Returns the effective setting for reports.
    pub fn setting(&self) -> (String, String) {
        let columns = self.columns.join(", ");
        let kind = self.kind.describe();
        ("index".to_owned(), format!("of {columns}, {kind}"))
    }
}

/// Looks up the columns that rows are to be found by, written with `+` between them.
///
/// # Errors
/// Says why one is missing, twice there, or of no use.
pub(super) fn columns_outside_key<'t>(
    table: &'t Table,
    names: &str,
) -> Result<Vec<&'t Column>, String> {
    let mut columns: Vec<&Column> = Vec::new();
    for name in names.split('+') {
        let column = column(table, name)?;
        if columns.iter().any(|before| before.name == column.name) {
            return Err(format!("`{name}` is there twice"));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// Looks up a column that rows are to be found by. Names of columns are in lower case, however a workload writes
/// them.
///
/// # Errors
/// Says why there is none, or why it is of no use.
fn column<'t>(table: &'t Table, name: &str) -> Result<&'t Column, String> {
    let Some(column) = table.column(&name.to_lowercase()) else {
        let all = table.columns.iter().map(|column| column.name.as_str());
        let hint = suggestion(name, all);
        return Err(format!("the table has no column `{name}`{hint}"));
    };
    if table.is_key(&column.name) {
        return Err(format!(
            "`{name}` is part of the key: choose a column outside of it"
        ));
    }
    if column.kind.is_floating() {
        // Cassandra and SQL disagree on NaN and on the sign of zero.
        return Err(format!(
            "`{name}` is a {}, and Cassandra is never asked for one that equals a value: choose a column \
             of another type",
            column.kind.name()
        ));
    }
    Ok(column)
}

#[cfg(test)]
mod tests;
