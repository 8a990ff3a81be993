//! Notes that processes leave for each other in the marker table of a shared keyspace: the workload
//! that made a table, the start of several processes whose tables are ready, and what such processes say to each
//! other.

use std::time::{Duration, Instant};

use bakeoff_workload::Workload;
use scylla::client::session::Session;

use super::keyspace::{Keyspace, Owner, execute};
use super::relations::{MARKER_TABLE, Relation, contents, marks, own_relations, query_texts};
use crate::EngineError;
use crate::cassandra::names::text;

/// Interval at which the note of a start is looked for.
const POLL: Duration = Duration::from_millis(500);
/// Lifetime of the note of a start, which is longer than any process waits.
const START_KEPT_SECONDS: u32 = 24 * 3600;
/// What the name of a note of a table begins with, before that of the table.
const TABLE_NOTE: &str = "table ";
/// Maximum number of tables and types that an error names.
const NAMES_SHOWN: usize = 5;

/// Identifies a workload by its title and a hash of its table.
pub fn maker(workload: &Workload) -> String {
    let table = format!("{:?}", workload.table);
    let hash = xxhash_rust::xxh3::xxh3_64(table.as_bytes());
    format!("{} ({:08x})", workload.title, hash as u32)
}

impl Keyspace {
    /// Returns the statement that notes the maker of a table, if the keyspace is shared.
    pub fn table_statement(&self, table: &str, maker: &str) -> Option<String> {
        if self.owner != Owner::Shared {
            return None;
        }
        Some(note_statement(&self.name, &table_note(table), maker, ""))
    }

    /// Claims the name of a table in a shared keyspace, which has to precede dropping and
    /// recreating it.
    ///
    /// # Errors
    /// Fails if the name is taken by a table that the same workload did not make.
    pub async fn claim_table(
        &self,
        session: &Session,
        table: &str,
        maker: &str,
    ) -> Result<(), EngineError> {
        let table = [table.to_owned()];
        self.claim_tables(session, &table, maker).await
    }

    /// Claims the names of all tables of a design, as [`Keyspace::claim_table`] does that of one. None is claimed
    /// unless all may be: a note without a table would be taken for the maker of one that somebody makes later.
    pub async fn claim_tables(
        &self,
        session: &Session,
        tables: &[String],
        maker: &str,
    ) -> Result<(), EngineError> {
        let statements: Vec<String> = { tables.iter() }
            .filter_map(|table| self.table_statement(table, maker))
            .collect();
        if statements.is_empty() {
            return Ok(());
        }
        let existing = own_relations(session, &self.name).await?;
        for table in tables {
            if existing.iter().any(|relation| relation.name == *table) {
                let noted = self.read_note(session, &table_note(table)).await?;
                check_maker(&self.name, table, noted.as_deref(), maker)?;
            }
        }
        for statement in &statements {
            execute(session, statement).await?;
        }
        Ok(())
    }

    /// Checks after tables were made in a shared keyspace that no other command has claimed them meanwhile: both would
    /// write into the same ones.
    ///
    /// # Errors
    /// Fails if another one has.
    pub async fn check_claims(
        &self,
        session: &Session,
        tables: &[String],
        maker: &str,
    ) -> Result<(), EngineError> {
        if self.owner != Owner::Shared {
            return Ok(());
        }
        for table in tables {
            let noted = self.read_note(session, &table_note(table)).await?;
            check_claim(&self.name, table, noted.as_deref(), maker)?;
        }
        Ok(())
    }

    /// Drops the tables and views that a run has made in a keyspace that stays, and its notes of them. Nothing else is
    /// touched.
    pub async fn drop_tables(&self, session: &Session) -> Result<(), EngineError> {
        let Some(run) = &self.tables_of else {
            return Ok(());
        };
        let noted = self.tables_noted(session, run).await?;
        let mut ours = own_relations(session, &self.name).await?;
        ours.retain(|relation| noted.contains(&relation.name));
        ours.sort_by_key(views_first);
        for relation in &ours {
            execute(session, &self.drop_of(relation)).await?;
            self.forget_table(session, &relation.name).await?;
        }
        // Notes of tables that were not made, or that somebody has dropped.
        let is_dropped = |name: &String| ours.iter().any(|relation| relation.name == *name);
        for name in noted.iter().filter(|name| !is_dropped(name)) {
            self.forget_table(session, name).await?;
        }
        Ok(())
    }

    /// Returns the statements by which a run drops these tables and views of its own from a keyspace that stays; none
    /// for any other keyspace.
    pub fn drops_of_tables(&self, relations: &[Relation]) -> Vec<String> {
        if self.tables_of.is_none() {
            return Vec::new();
        }
        let mut relations: Vec<&Relation> = relations.iter().collect();
        relations.sort_by_key(|relation| views_first(relation));
        let drops = relations.into_iter();
        drops.map(|relation| self.drop_of(relation)).collect()
    }

    fn drop_of(&self, relation: &Relation) -> String {
        format!(
            "DROP {} IF EXISTS {}.{}",
            relation.kind(),
            self.name,
            relation.name
        )
    }

    async fn forget_table(&self, session: &Session, table: &str) -> Result<(), EngineError> {
        let note = text(&table_note(table));
        let forget = format!(
            "DELETE FROM {}.{MARKER_TABLE} WHERE run = {note}",
            self.name
        );
        execute(session, &forget).await
    }

    /// Returns the names of the tables and views that a maker has noted as its own, whether they exist or not.
    async fn tables_noted(
        &self,
        session: &Session,
        maker: &str,
    ) -> Result<Vec<String>, EngineError> {
        let notes = marks(session, &self.name).await?.into_iter();
        let ours = notes.filter(|(_, value)| value.as_deref() == Some(maker));
        Ok(ours
            .filter_map(|(note, _)| Some(noted_table(&note)?.to_owned()))
            .collect())
    }

    /// Drops a table or view that a maker has noted as its own in a keyspace that stays, if it is there, and the note.
    ///
    /// # Errors
    /// Fails if it is not noted as that maker's any more.
    pub async fn drop_table_of(
        &self,
        session: &Session,
        table: &str,
        maker: &str,
    ) -> Result<(), EngineError> {
        let noted = self.read_note(session, &table_note(table)).await?;
        if noted.as_deref() != Some(maker) {
            return Err(EngineError(format!(
                "table {table} in keyspace {} is not noted as that of \"{maker}\" any more, so it is left alone",
                self.name
            )));
        }
        let there = own_relations(session, &self.name).await?;
        if let Some(relation) = there.iter().find(|relation| relation.name == table) {
            execute(session, &self.drop_of(relation)).await?;
        }
        self.forget_table(session, table).await
    }

    /// Checks that a keyspace has no tables, views, types or functions, which a workload's own statements
    /// might collide with.
    pub(super) async fn check_empty(&self, session: &Session) -> Result<(), EngineError> {
        let found = contents(session, &self.name).await?;
        if found.is_empty() {
            Ok(())
        } else {
            Err(not_empty(&self.name, &found))
        }
    }

    /// Notes for the other processes of a start that the tables are ready.
    pub async fn announce(&self, session: &Session, start: &str) -> Result<(), EngineError> {
        let kept = format!(" USING TTL {START_KEPT_SECONDS}");
        let statement = note_statement(&self.name, &start_note(start), "tables are made", &kept);
        execute(session, &statement).await
    }

    /// Waits until the first process of a start has made the tables, and makes nothing itself.
    pub async fn wait_for_tables(
        &self,
        session: &Session,
        start: &str,
        patience: Duration,
    ) -> Result<(), EngineError> {
        let deadline = Instant::now() + patience;
        loop {
            let noted = self.read_note(session, &start_note(start)).await;
            if matches!(noted, Ok(Some(_))) {
                return Ok(());
            }
            if Instant::now() > deadline {
                // Reading fails as long as the keyspace or its marker table does not exist.
                let why = noted.err().map(|e| format!(" ({e})")).unwrap_or_default();
                return Err(EngineError(format!(
                    "the tables in keyspace {} are still missing after {} s: shard 1 makes them, \
                     with the same --start-at and without --no-load{why}",
                    self.name,
                    patience.as_secs()
                )));
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Leaves a note for the other processes of a start, which is kept as long as that of the start.
    pub async fn leave_note(
        &self,
        session: &Session,
        name: &str,
        text: &str,
    ) -> Result<(), EngineError> {
        let kept = format!(" USING TTL {START_KEPT_SECONDS}");
        execute(session, &note_statement(&self.name, name, text, &kept)).await
    }

    /// Returns the note under a name; `None` if nobody has left one.
    ///
    /// # Errors
    /// Reading fails as long as the keyspace or its marker table does not exist.
    pub async fn read_note(
        &self,
        session: &Session,
        name: &str,
    ) -> Result<Option<String>, EngineError> {
        let cql = format!(
            "SELECT value FROM {}.{MARKER_TABLE} WHERE run = ?",
            self.name
        );
        Ok(query_texts(session, &cql, name).await?.into_iter().next())
    }
}

/// Returns the place of a relation among those that are dropped: a table cannot be dropped before its views.
fn views_first(relation: &Relation) -> bool {
    !relation.is_view
}

/// Returns the table that the name of a note is about, if it is about one.
pub fn noted_table(note: &str) -> Option<&str> {
    note.strip_prefix(TABLE_NOTE)
}

fn table_note(table: &str) -> String {
    format!("{TABLE_NOTE}{table}")
}

fn start_note(start: &str) -> String {
    format!("start {start}")
}

fn note_statement(keyspace: &str, name: &str, value: &str, using: &str) -> String {
    let [name, value] = [name, value].map(text);
    format!("INSERT INTO {keyspace}.{MARKER_TABLE} (run, value) VALUES ({name}, {value}){using}")
}

fn check_maker(
    keyspace: &str,
    table: &str,
    found: Option<&str>,
    wanted: &str,
) -> Result<(), EngineError> {
    if found == Some(wanted) {
        return Ok(());
    }
    let origin = match found {
        Some(other) => format!("that belongs to \"{other}\", and this is \"{wanted}\""),
        None => "which Bakeoff did not make".to_owned(),
    };
    Err(EngineError(format!(
        "keyspace {keyspace} has a table {table} {origin}; it is not replaced: name another \
         --keyspace, or drop the table yourself"
    )))
}

/// Checks that a table which was just made is still that of its maker. A note that is not found may not have come to
/// the node that was asked.
fn check_claim(
    keyspace: &str,
    table: &str,
    found: Option<&str>,
    wanted: &str,
) -> Result<(), EngineError> {
    let Some(other) = found.filter(|found| *found != wanted) else {
        return Ok(());
    };
    Err(EngineError(format!(
        "another command made the table {table} in keyspace {keyspace} at the same time, and both would write into \
         it: it belongs to \"{other}\" now; wait until that has ended, or name another --keyspace"
    )))
}

fn not_empty(keyspace: &str, found: &[String]) -> EngineError {
    let more = if found.len() > NAMES_SHOWN {
        ", ..."
    } else {
        ""
    };
    let names = found[..found.len().min(NAMES_SHOWN)].join(", ");
    EngineError(format!(
        "keyspace {keyspace} already holds {names}{more}, and nothing is dropped in a shared \
         keyspace: name another --keyspace, or use the existing tables with --no-load if the same \
         workload made them"
    ))
}

#[cfg(test)]
mod tests;
