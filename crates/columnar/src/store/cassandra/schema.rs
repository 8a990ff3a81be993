//! Creating, finding and dropping the CQL tables that a columnar table consists of.
//!
//! Each of them carries a comment that says which columnar table it belongs to. CQL tables with the
//! same names and without that comment are left alone. Every columnar table has its own catalogue
//! instead of one for the keyspace, so that creating, dropping, restoring or granting one table
//! touches no other.

use std::fmt::Debug;

use super::client::{Client, as_rows, each_row};
use super::ddl::{FORMAT, ROW, comment, drop_statement, entry_statement, mark_statement};
use super::names::{Names, Part};
use super::retry::server;
use crate::checked;
use crate::definition::Definition;
use crate::{Error, Result};

const READING: &str = "reading the definition";

/// The CQL tables that exist under the names of a columnar table.
#[derive(Debug, Default)]
pub(super) struct Found {
    ours: Vec<Part>,
    foreign: Vec<Part>,
}

impl Found {
    pub(super) async fn look(client: &Client) -> Result<Self> {
        let task = client.task_of_all("looking for tables", Part::Catalogue);
        let tables = "SELECT table_name, comment FROM system_schema.tables WHERE keyspace_name = ?";
        let answer = client
            .once(&task, tables, (&client.names.keyspace,))
            .await?;
        let comment = comment(&client.names);
        let mut found = Found::default();
        each_row(
            &task,
            &as_rows(&task, answer)?,
            |row: (&str, Option<&str>)| {
                let named = |part: &Part| client.names.bare(*part) == row.0;
                if let Some(part) = Part::ALL.into_iter().find(named) {
                    if row.1 == Some(comment.as_str()) {
                        found.ours.push(part)
                    } else {
                        found.foreign.push(part)
                    }
                }
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// Refuses CQL tables that do not belong to this columnar table.
    ///
    /// # Errors
    /// Fails if there is such a table with a name that the columnar table needs.
    pub(super) fn refuse_foreign(&self, names: &Names) -> Result<()> {
        let [first, ..] = self.foreign[..] else {
            return Ok(());
        };
        Err(Error::Invalid(format!(
            "table {} is there already and is not part of a columnar table `{}`; nothing was \
             touched: choose another name or keyspace",
            names.shown(first),
            names.table
        )))
    }

    /// Refuses the remains of an earlier table.
    ///
    /// # Errors
    /// Fails if there is old data that a new table would show.
    pub(super) fn refuse_remains(&self, names: &Names) -> Result<()> {
        if self.ours.is_empty() || self.has(Part::Catalogue) {
            return Ok(());
        }
        Err(Error::InTheWay(format!(
            "there are remains of a columnar table {} without its definition; drop it first",
            names.whole()
        )))
    }

    pub(super) fn is_any(&self) -> bool {
        !self.ours.is_empty()
    }

    pub(super) fn has(&self, part: Part) -> bool {
        self.ours.contains(&part)
    }

    pub(super) fn is_complete(&self) -> bool {
        Part::ALL.iter().all(|part| self.has(*part))
    }
}

/// The entry of the catalogue.
pub(super) struct Entry {
    pub(super) definition: Definition,
    /// Whether a drop of the table has begun.
    pub(super) dropping: bool,
}

/// The entry of the catalogue with its definition as text.
pub(super) struct Text {
    pub(super) definition: String,
    dropping: bool,
}

/// Reads the entry of the catalogue with its definition as text, if there is one.
///
/// # Errors
/// Fails if it is of a newer format.
pub(super) async fn read_text(client: &Client) -> Result<Option<Text>> {
    let task = client.task_of_all(READING, Part::Catalogue);
    let cql = format!(
        "SELECT format, definition, dropping FROM {} WHERE id = ?",
        client.names.cql(Part::Catalogue)
    );
    let rows = as_rows(&task, client.once(&task, &cql, (ROW,)).await?)?;
    let entries = each_row(
        &task,
        &rows,
        |row: (Option<i32>, Option<String>, Option<bool>)| {
            let format = row.0.unwrap_or_default();
            if format > FORMAT {
                return Err(Error::Version {
                    what: format!("table {}", client.names.whole()),
                    found: format.unsigned_abs(),
                    known: FORMAT.unsigned_abs(),
                });
            }
            Ok(Text {
                definition: row.1.unwrap_or_default(),
                dropping: row.2.unwrap_or(false),
            })
        },
    )?;
    Ok(entries.into_iter().next())
}

/// Reads the entry of the catalogue, if there is one.
pub(super) async fn read_entry(client: &Client) -> Result<Option<Entry>> {
    let task = client.task_of_all(READING, Part::Catalogue);
    let Some(text) = read_text(client).await? else {
        return Ok(None);
    };
    let definition = checked::read(&text.definition)
        .map_err(|error| server(&task, format!("it is damaged: {error}")))?;
    definition.check()?;
    Ok(Some(Entry {
        definition,
        dropping: text.dropping,
    }))
}

/// Writes the definition unless there is one. Of several processes at the same time, the first one
/// decides.
pub(super) async fn write_entry(client: &Client, definition: &Definition) -> Result<()> {
    let task = client.task_of_all("writing the definition", Part::Catalogue);
    let json = checked::write(definition)
        .map_err(|error| Error::Invalid(format!("the definition cannot be written: {error}")))?;
    let cql = entry_statement(&client.names);
    client.once(&task, &cql, (json,)).await.map(drop)
}

/// Drops all CQL tables that exist, the catalogue last, so that an interrupted drop can be repeated.
pub(super) async fn drop_all(client: &Client, found: &Found) -> Result<()> {
    if found.has(Part::Catalogue) {
        let task = client.task_of_all("marking the table as dropped", Part::Catalogue);
        let cql = mark_statement(&client.names);
        client.once(&task, &cql, ()).await?;
        crate::failpoint::hit("cassandra.drop_table.marked");
    }
    for part in Part::ALL.into_iter().rev() {
        if found.has(part) {
            let task = client.task_of_all("dropping a table", part);
            let cql = drop_statement(&client.names, part);
            client.once(&task, &cql, ()).await?;
            crate::failpoint::hit("cassandra.drop_table.part");
        }
    }
    Ok(())
}

/// Returns in words how a definition differs from that of the existing table, if it does.
pub(super) fn difference(there: &Definition, wanted: &Definition) -> Option<String> {
    let (t, w) = (there, wanted);
    let parts: [(&str, &dyn Debug, &dyn Debug); 7] = [
        ("list of columns", &t.columns, &w.columns),
        ("partition key", &t.partition_key, &w.partition_key),
        ("order key", &t.order_key, &w.order_key),
        ("width of a bucket", &t.bucket, &w.bucket),
        ("number of shards", &t.shards, &w.shards),
        ("profile", &t.profile, &w.profile),
        ("number of rows of a chunk", &t.chunk_rows, &w.chunk_rows),
    ];
    let texts =
        parts.map(|(what, there, wanted)| (what, format!("{there:?}"), format!("{wanted:?}")));
    let different = texts.iter().find(|(_, there, wanted)| there != wanted);
    different.map(|(what, there, wanted)| format!("its {what} is {there}, not {wanted}"))
}
