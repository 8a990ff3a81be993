//! What processes that share a keyspace leave in its marker table for each other: whose a table
//! is, and that the tables of a start of several processes are made.

use std::time::{Duration, Instant};

use bakeoff_workload::Workload;
use scylla::client::session::Session;

use super::keyspace::{Keyspace, Owner, execute};
use super::relations::{MARKER_TABLE, own_relations, texts};
use crate::EngineError;

const POLL: Duration = Duration::from_millis(500);
/// How long it is kept that the tables of a start are made: longer than any waits.
const START_KEPT_SECONDS: u32 = 24 * 3600;
/// Names of what stands in the way that a message tells.
const NAMES_TOLD: usize = 5;

/// Whose the tables of a workload are: another one has another title or another table.
pub fn maker(workload: &Workload) -> String {
    let table = format!("{:?}", workload.table);
    let hash = xxhash_rust::xxh3::xxh3_64(table.as_bytes());
    format!("{} ({:08x})", workload.title, hash as u32)
}

impl Keyspace {
    /// Says that a table of a shared keyspace is this workload's.
    pub fn table_statement(&self, table: &str, maker: &str) -> Option<String> {
        let note = || note(&self.name, &of_table(table), maker, "");
        (self.owner == Owner::Shared).then(note)
    }

    /// To be called before a table is dropped and made: nothing but an earlier table of the same
    /// workload is in the way of it.
    pub async fn claim_table(
        &self,
        session: &Session,
        table: &str,
        maker: &str,
    ) -> Result<(), EngineError> {
        let Some(statement) = self.table_statement(table, maker) else {
            return Ok(());
        };
        let found = own_relations(session, &self.name).await?;
        if found.iter().any(|relation| relation.name == table) {
            let of_whom = self.noted(session, &of_table(table)).await?;
            check_maker(&self.name, table, of_whom.as_deref(), maker)?;
        }
        execute(session, &statement).await
    }

    /// A shared keyspace in which a workload's own statements can make what they make.
    pub(super) async fn check_empty(&self, session: &Session) -> Result<(), EngineError> {
        let types = "SELECT type_name FROM system_schema.types WHERE keyspace_name = ?";
        let relations = own_relations(session, &self.name).await?;
        let mut found: Vec<String> = relations.into_iter().map(|r| r.name).collect();
        found.extend(texts(session, types, &self.name).await?);
        if found.is_empty() {
            Ok(())
        } else {
            Err(not_empty(&self.name, &found))
        }
    }

    /// Tells the other processes of a start that the tables are made.
    pub async fn announce(&self, session: &Session, start: &str) -> Result<(), EngineError> {
        let kept = format!(" USING TTL {START_KEPT_SECONDS}");
        let statement = note(&self.name, &of_start(start), "tables are made", &kept);
        execute(session, &statement).await
    }

    /// Waits until the first process of a start has made the tables. Nothing is made here: the
    /// keyspace itself may come meanwhile.
    pub async fn wait_for_tables(
        &self,
        session: &Session,
        start: &str,
        patience: Duration,
    ) -> Result<(), EngineError> {
        let deadline = Instant::now() + patience;
        loop {
            let noted = self.noted(session, &of_start(start)).await;
            if matches!(noted, Ok(Some(_))) {
                return Ok(());
            }
            if Instant::now() > deadline {
                // Without its keyspace or its marker table there is nothing to read.
                let why = noted.err().map(|e| format!(" ({e})")).unwrap_or_default();
                return Err(EngineError(format!(
                    "the tables in keyspace {} are not made after {} s: shard 1 makes them, with \
                     the same --start-at and without --no-load{why}",
                    self.name,
                    patience.as_secs()
                )));
            }
            tokio::time::sleep(POLL).await;
        }
    }

    async fn noted(&self, session: &Session, name: &str) -> Result<Option<String>, EngineError> {
        let cql = format!(
            "SELECT value FROM {}.{MARKER_TABLE} WHERE run = ?",
            self.name
        );
        Ok(texts(session, &cql, name).await?.into_iter().next())
    }
}

fn of_table(table: &str) -> String {
    format!("table {table}")
}

fn of_start(start: &str) -> String {
    format!("start {start}")
}

fn note(keyspace: &str, name: &str, value: &str, using: &str) -> String {
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
    let of_whom = match found {
        Some(other) => format!("of the workload \"{other}\", and this is \"{wanted}\""),
        None => "which Bakeoff did not make".to_owned(),
    };
    Err(EngineError(format!(
        "keyspace {keyspace} has a table {table} {of_whom}; it is not replaced: name another \
         --keyspace, or drop the table yourself"
    )))
}

fn not_empty(keyspace: &str, found: &[String]) -> EngineError {
    let more = if found.len() > NAMES_TOLD {
        ", ..."
    } else {
        ""
    };
    let names = found[..found.len().min(NAMES_TOLD)].join(", ");
    EngineError(format!(
        "keyspace {keyspace} already holds {names}{more}, and nothing is dropped in a keyspace \
         that is shared: name another --keyspace, or use what is there with --no-load if the same \
         workload made it"
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
    fn only_the_own_table_is_replaced() {
        check_maker("ks", "wide", Some("one"), "one").unwrap();
        let of_another = check_maker("ks", "wide", Some("two"), "one").unwrap_err();
        assert!(of_another.0.contains("\"two\""), "{of_another}");
        let of_nobody = check_maker("ks", "wide", None, "one").unwrap_err();
        assert!(of_nobody.0.contains("another --keyspace"), "{of_nobody}");
    }

    #[test]
    fn what_is_in_the_way_is_named_in_part() {
        let names: Vec<String> = ('a'..='g').map(String::from).collect();
        let error = not_empty("ks", &names).0;
        assert!(error.contains("holds a, b, c, d, e, ..., and"), "{error}");
    }

    #[test]
    fn quotes_stay_inside_their_literal() {
        let keyspace = Keyspace {
            name: "ks".to_owned(),
            owner: Owner::Shared,
            copies: 1,
        };
        let statement = keyspace.table_statement("wide", "it's").unwrap();
        assert!(
            statement.ends_with("('table wide', 'it''s')"),
            "{statement}"
        );
        let owner = Owner::Run("/run".into());
        assert_eq!(
            Keyspace { owner, ..keyspace }.table_statement("wide", "x"),
            None
        );
    }
}
