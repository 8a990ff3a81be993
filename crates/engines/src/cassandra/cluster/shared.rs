//! Notes that processes leave for each other in the marker table of a shared keyspace: the workload
//! that made a table, the start of several processes whose tables are ready, and what such processes say to each
//! other.

use std::time::{Duration, Instant};

use bakeoff_workload::Workload;
use scylla::client::session::Session;

use super::keyspace::{Keyspace, Owner, execute};
use super::relations::{MARKER_TABLE, contents, own_relations, query_texts};
use crate::EngineError;

/// Interval at which the note of a start is looked for.
const POLL: Duration = Duration::from_millis(500);
/// Lifetime of the note of a start, which is longer than any process waits.
const START_KEPT_SECONDS: u32 = 24 * 3600;
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
        let Some(statement) = self.table_statement(table, maker) else {
            return Ok(());
        };
        let existing = own_relations(session, &self.name).await?;
        if existing.iter().any(|relation| relation.name == table) {
            let noted = self.read_note(session, &table_note(table)).await?;
            check_maker(&self.name, table, noted.as_deref(), maker)?;
        }
        execute(session, &statement).await
    }

    /// Drops the tables and views that a run has made in a keyspace that stays, and its notes of them. Nothing else is
    /// touched.
    pub async fn drop_tables(&self, session: &Session) -> Result<(), EngineError> {
        let Some(run) = &self.tables_of else {
            return Ok(());
        };
        let mut ours = Vec::new();
        for relation in own_relations(session, &self.name).await? {
            let noted = self.read_note(session, &table_note(&relation.name)).await?;
            if noted.as_ref() == Some(run) {
                ours.push(relation);
            }
        }
        // A table cannot be dropped before its views.
        ours.sort_by_key(|relation| !relation.is_view);
        for relation in ours {
            let (keyspace, name) = (&self.name, &relation.name);
            let drop = format!("DROP {} IF EXISTS {keyspace}.{name}", relation.kind());
            execute(session, &drop).await?;
            let note = table_note(name).replace('\'', "''");
            let forget = format!("DELETE FROM {keyspace}.{MARKER_TABLE} WHERE run = '{note}'");
            execute(session, &forget).await?;
        }
        Ok(())
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

fn table_note(table: &str) -> String {
    format!("table {table}")
}

fn start_note(start: &str) -> String {
    format!("start {start}")
}

fn note_statement(keyspace: &str, name: &str, value: &str, using: &str) -> String {
    let [name, value] = [name, value].map(|text| text.replace('\'', "''"));
    format!(
        "INSERT INTO {keyspace}.{MARKER_TABLE} (run, value) VALUES ('{name}', '{value}'){using}"
    )
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
mod tests {
    use std::path::Path;

    use super::*;

    fn workload(title: &str, kind: &str) -> Workload {
        let text = format!(
            "title = \"{title}\"\n[table]\nname = \"t\"\ncolumns = {{ id = \"{kind}\" }}\n\
             partition_key = [\"id\"]\n[data]\nfile = \"rows.csv\"\n\
             [[queries]]\nname = \"all\"\nsql = \"SELECT * FROM t\"\n"
        );
        Workload::parse(&text, Path::new("t.toml")).unwrap()
    }

    #[test]
    fn another_workload_has_another_title_or_another_table() {
        let one = maker(&workload("One", "int"));
        assert_eq!(one, maker(&workload("One", "int")));
        assert_ne!(one, maker(&workload("Two", "int")));
        assert_ne!(one, maker(&workload("One", "text")));
    }

    #[test]
    fn only_a_table_of_the_same_workload_is_replaced() {
        check_maker("ks", "wide", Some("one"), "one").unwrap();
        let other = check_maker("ks", "wide", Some("two"), "one").unwrap_err();
        assert!(other.0.contains("\"two\""), "{other}");
        let unknown = check_maker("ks", "wide", None, "one").unwrap_err();
        assert!(unknown.0.contains("another --keyspace"), "{unknown}");
    }

    #[test]
    fn an_error_names_only_the_first_existing_tables() {
        let names: Vec<String> = ('a'..='g').map(String::from).collect();
        let error = not_empty("ks", &names).0;
        assert!(error.contains("holds a, b, c, d, e, ..., and"), "{error}");
    }

    #[test]
    fn quotes_stay_inside_their_literal() {
        let keyspace = Keyspace {
            name: "ks".to_owned(),
            owner: Owner::Shared,
            has_random_name: false,
            copies: 1,
            tables_of: None,
        };
        let statement = keyspace.table_statement("wide", "it's").unwrap();
        assert!(
            statement.ends_with("('table wide', 'it''s')"),
            "{statement}"
        );
        let owner = Owner::Run("run".to_owned());
        assert_eq!(
            Keyspace { owner, ..keyspace }.table_statement("wide", "x"),
            None
        );
    }
}
