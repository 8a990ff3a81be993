//! The keyspace of a run, and the marker that says it is ours.
//!
//! Nothing is ever created, written or dropped in a keyspace that does not carry the marker of
//! the same run, or the marker of those that several processes share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use scylla::client::session::Session;

use super::relations::{MARKER_TABLE, Relation, relations, texts};
use crate::owner::run_name;
use crate::{Context, EngineError};

/// Stands in the marker of a shared keyspace where a run's name would.
const SHARED: &str = "shared by several processes";
/// How long another process may take to put the marker into a shared keyspace that it makes.
const MARKER_WAIT: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(200);
/// CQL's own limit.
const NAME_LENGTH: usize = 48;

/// A keyspace of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyspace {
    pub name: String,
    pub owner: Owner,
    /// Copies of each row.
    pub copies: u32,
}

/// Who may use a keyspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The runs of this folder on this machine.
    Run(PathBuf),
    /// Every process that names it.
    Shared,
}

impl Keyspace {
    /// The one that is named, or the run's own.
    ///
    /// # Errors
    /// For a name that CQL would not take as it is.
    pub fn of(workload: &str, context: &Context) -> Result<Self, EngineError> {
        let options = &context.options.cassandra;
        let copies = options.replication.copies();
        let Some(name) = &options.keyspace else {
            return Ok(Keyspace {
                name: name(workload, &context.run_dir),
                owner: Owner::Run(context.run_dir.clone()),
                copies,
            });
        };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let letter_first = name.starts_with(|c: char| c.is_ascii_lowercase());
        if !letter_first || !name.chars().all(plain) || name.len() > NAME_LENGTH {
            return Err(EngineError(format!(
                "`{name}` is no name for a keyspace: use up to {NAME_LENGTH} of a-z, 0-9 and _, a \
                 letter first"
            )));
        }
        Ok(Keyspace {
            name: name.clone(),
            owner: Owner::Shared,
            copies,
        })
    }

    /// The statements that make a keyspace ours.
    pub fn statements(&self) -> [String; 3] {
        let keyspace = &self.name;
        [
            format!(
                "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = \
                 {{'class': 'SimpleStrategy', 'replication_factor': {}}}",
                self.copies
            ),
            format!(
                "CREATE TABLE IF NOT EXISTS {keyspace}.{MARKER_TABLE} (run text PRIMARY KEY, value text) WITH comment = \
                 'This keyspace was made by Bakeoff and may be dropped when its run is not going on'"
            ),
            format!(
                "INSERT INTO {keyspace}.{MARKER_TABLE} (run) VALUES ('{}')",
                self.owner.name().replace('\'', "''")
            ),
        ]
    }

    /// Makes the keyspace, or finds the one that this run, or another process that shares it,
    /// made before.
    pub async fn claim(&self, session: &Session) -> Result<(), EngineError> {
        if exists(session, &self.name).await? {
            self.check_owner(session).await
        } else {
            self.make(session).await
        }
    }

    /// Makes the keyspace and its marker, or what of them a killed run did not come to.
    pub async fn make(&self, session: &Session) -> Result<(), EngineError> {
        for statement in self.statements() {
            execute(session, &statement).await?;
        }
        Ok(())
    }

    pub fn drop_statement(&self) -> String {
        format!("DROP KEYSPACE {}", self.name)
    }

    /// Removes what an earlier attempt of the same run left behind: all of the keyspace, or
    /// nothing of one that is shared, which then has to be empty.
    pub async fn clear(&self, session: &Session) -> Result<(), EngineError> {
        match self.owner {
            Owner::Run(_) => self.drop(session).await,
            Owner::Shared => self.check_empty(session).await,
        }
    }

    /// Drops the keyspace with all its tables, if it is a run's and ours.
    pub async fn drop(&self, session: &Session) -> Result<(), EngineError> {
        if self.owner == Owner::Shared {
            return Err(EngineError(format!(
                "keyspace {} is shared by several processes, and is not dropped",
                self.name
            )));
        }
        if exists(session, &self.name).await? {
            self.check_owner(session).await?;
            execute(session, &self.drop_statement()).await?;
        }
        Ok(())
    }

    async fn check_owner(&self, session: &Session) -> Result<(), EngineError> {
        let refused = |why: &str| {
            EngineError(format!(
                "keyspace {} exists and {why}; Bakeoff touches nothing in it: drop it yourself if \
                 it is not needed, or choose {}",
                self.name,
                self.owner.other_choice()
            ))
        };
        let deadline = tokio::time::Instant::now() + self.owner.marker_wait();
        loop {
            let marked = if has_marker_table(session, &self.name).await? {
                Some(self.has_own_marker(session).await?)
            } else {
                None
            };
            match marked {
                Some(true) => return Ok(()),
                // Whoever makes a shared keyspace may not have come to its marker yet.
                _ if tokio::time::Instant::now() < deadline => tokio::time::sleep(POLL).await,
                Some(false) => return Err(refused("belongs to another run")),
                None => return Err(refused("does not carry Bakeoff's marker")),
            }
        }
    }

    async fn has_own_marker(&self, session: &Session) -> Result<bool, EngineError> {
        let marker = format!("SELECT run FROM {}.{MARKER_TABLE} WHERE run = ?", self.name);
        let found = texts(session, &marker, &self.owner.name()).await?;
        Ok(!found.is_empty())
    }
}

impl Owner {
    /// What stands in the marker.
    fn name(&self) -> String {
        let Owner::Run(run_dir) = self else {
            return SHARED.to_owned();
        };
        run_name(run_dir)
    }

    fn other_choice(&self) -> &'static str {
        match self {
            Owner::Run(_) => "another --out folder",
            Owner::Shared => "another --keyspace",
        }
    }

    fn marker_wait(&self) -> Duration {
        match self {
            Owner::Run(_) => Duration::ZERO,
            Owner::Shared => MARKER_WAIT,
        }
    }
}

/// Name of a run's keyspace.
fn name(workload: &str, run_dir: &Path) -> String {
    let hash = xxhash_rust::xxh3::xxh3_64(run_name(run_dir).as_bytes());
    let workload: String = workload.chars().take(30).collect();
    format!("bakeoff_{workload}_{:08x}", hash as u32)
}

async fn exists(session: &Session, keyspace: &str) -> Result<bool, EngineError> {
    let found = texts(
        session,
        "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
        keyspace,
    );
    Ok(!found.await?.is_empty())
}

async fn has_marker_table(session: &Session, keyspace: &str) -> Result<bool, EngineError> {
    let found = relations(session, keyspace).await?;
    Ok(found.iter().any(Relation::is_marker))
}

pub async fn execute(session: &Session, cql: &str) -> Result<(), EngineError> {
    let done = session.query_unpaged(cql, ()).await;
    done.map(drop_result)
        .map_err(|e| EngineError(format!("`{cql}` failed: {e}")))
}

fn drop_result<T>(_: T) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_keyspace_and_another_folder_another() {
        let a = name("formats", Path::new("/runs/a"));
        assert_eq!(a, name("formats", Path::new("/runs/a")));
        assert_ne!(a, name("formats", Path::new("/runs/b")));
        assert!(name(&"x".repeat(60), Path::new("/runs/b")).len() <= 48);
    }

    #[test]
    fn a_quote_in_a_folder_name_stays_inside_its_literal() {
        let keyspace = Keyspace {
            name: "ks".to_owned(),
            owner: Owner::Run("/it's".into()),
            copies: 3,
        };
        let [create, .., insert] = keyspace.statements();
        assert!(create.ends_with("'replication_factor': 3}"), "{create}");
        assert!(insert.ends_with("/it''s')"), "{insert}");
    }
}
