//! The keyspace of a run, and the marker that protects the keyspaces of others.
//!
//! Bakeoff creates, writes and drops nothing in an existing keyspace unless that carries the marker
//! of the same run or the marker of a shared keyspace. The one exception is an empty keyspace with the
//! random name of the same run, which was killed before it had put the marker there: CQL cannot make both
//! at once.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use scylla::client::session::Session;

use super::relations::{MARKER_TABLE, Relation, contents, query_names, query_texts, relations};
use crate::cassandra::names::text;
use crate::owner::marker;
use crate::{Context, EngineError};

/// Value in the marker of a shared keyspace, instead of the name of a run.
pub const SHARED: &str = "shared by several processes";
/// What the name of a run's keyspace begins with.
pub const NAME_START: &str = "bakeoff_";
/// Number of copies up to which the keyspaces of a run are known by their names.
const COPIES_KNOWN: u32 = 1_000;
/// Time limit for another process to put the marker into a shared keyspace after creating it.
const MARKER_WAIT: Duration = Duration::from_secs(10);
/// Interval at which the marker is looked for.
const POLL: Duration = Duration::from_millis(200);
/// CQL's limit on the length of a keyspace name, in characters.
const NAME_LENGTH: usize = 48;

/// A keyspace that Bakeoff creates tables in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyspace {
    pub name: String,
    pub owner: Owner,
    /// Whether the name is known to this run alone.
    pub has_random_name: bool,
    /// Number of copies of each row in every datacenter.
    pub copies: u32,
    /// The run whose tables are dropped from a keyspace that stays; `None` if they stay, too, or if the keyspace is
    /// dropped.
    pub tables_of: Option<String>,
}

/// The processes that may use a keyspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// Restricts it to the run with this marker.
    Run(String),
    /// Allows every process that names it.
    Shared,
}

impl Keyspace {
    /// Returns the shared keyspace that the options name, or else the run's own.
    ///
    /// # Errors
    /// Fails for a name that CQL would not accept unquoted.
    pub fn new(workload: &str, context: &Context) -> Result<Self, EngineError> {
        let options = &context.options.cassandra;
        let copies = options.replication.copies();
        let Some(name) = &options.keyspace else {
            let marker = marker(context);
            return Ok(Keyspace {
                name: name(workload, &marker),
                owner: Owner::Run(marker),
                has_random_name: context.token.is_some(),
                copies,
                tables_of: None,
            });
        };
        if !is_valid_name(name) {
            return Err(EngineError(format!(
                "`{name}` is not a valid keyspace name: use up to {NAME_LENGTH} of a-z, 0-9 and _, \
                 starting with a letter"
            )));
        }
        Ok(Keyspace {
            name: name.clone(),
            owner: Owner::Shared,
            has_random_name: false,
            copies,
            tables_of: options.owns_tables.then(|| marker(context)),
        })
    }

    /// Returns a keyspace that is there already and that nothing is made in, to drop it or tables in it.
    pub fn found(name: &str, owner: Owner) -> Self {
        Keyspace {
            name: name.to_owned(),
            owner,
            has_random_name: false,
            copies: 1,
            tables_of: None,
        }
    }

    /// Returns the keyspace of the same run for tables with so many copies, which is another one unless the run has as
    /// many.
    pub fn with_copies(self, workload: &str, copies: u32) -> Self {
        if copies == self.copies {
            return self;
        }
        let name = name(workload, &with_copies(&self.owner.name(), copies));
        Keyspace {
            name,
            copies,
            ..self
        }
    }

    /// Returns the statements that create the keyspace and its marker.
    pub fn statements(&self) -> [String; 3] {
        let keyspace = &self.name;
        [
            format!(
                "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = \
                 {{'class': 'NetworkTopologyStrategy', 'replication_factor': {}}}",
                self.copies
            ),
            format!(
                "CREATE TABLE IF NOT EXISTS {keyspace}.{MARKER_TABLE} (run text PRIMARY KEY, value text) WITH comment = \
                 'This keyspace was made by Bakeoff and may be dropped when its run is not going on'"
            ),
            format!(
                "INSERT INTO {keyspace}.{MARKER_TABLE} (run) VALUES ({})",
                text(&self.owner.name())
            ),
        ]
    }

    /// Creates the keyspace, or checks that the existing one belongs to this run or is shared.
    pub async fn claim(&self, session: &Session) -> Result<(), EngineError> {
        if exists(session, &self.name).await? {
            self.check_owner(session).await
        } else {
            self.make(session).await
        }
    }

    /// Checks that the keyspace may be used if it exists, and creates nothing.
    ///
    /// # Errors
    /// Fails for one that does not carry the marker.
    pub async fn check(&self, session: &Session) -> Result<(), EngineError> {
        if exists(session, &self.name).await? {
            self.check_owner(session).await?;
        }
        Ok(())
    }

    /// Creates the keyspace and its marker, or whichever of them a killed run left missing.
    pub async fn make(&self, session: &Session) -> Result<(), EngineError> {
        for statement in self.statements() {
            execute(session, &statement).await?;
        }
        Ok(())
    }

    /// Returns the statement that drops the keyspace.
    pub fn drop_statement(&self) -> String {
        format!("DROP KEYSPACE {}", self.name)
    }

    /// Drops a run's keyspace with everything that an earlier attempt left in it.
    ///
    /// # Errors
    /// Fails for a shared keyspace that is not empty, since nothing is dropped there.
    pub async fn clear(&self, session: &Session) -> Result<(), EngineError> {
        match self.owner {
            Owner::Run(_) => self.drop(session).await,
            Owner::Shared => self.check_empty(session).await,
        }
    }

    /// Drops the keyspace with all its tables.
    ///
    /// # Errors
    /// Fails if it is shared or belongs to another run.
    pub async fn drop(&self, session: &Session) -> Result<(), EngineError> {
        self.check_not_shared()?;
        if exists(session, &self.name).await? {
            self.check_owner(session).await?;
            execute(session, &self.drop_statement()).await?;
        }
        Ok(())
    }

    /// Refuses to drop a keyspace that other processes use, too.
    fn check_not_shared(&self) -> Result<(), EngineError> {
        match self.owner {
            Owner::Run(_) => Ok(()),
            Owner::Shared => Err(EngineError(format!(
                "keyspace {} is shared by several processes and is not dropped",
                self.name
            ))),
        }
    }

    async fn check_owner(&self, session: &Session) -> Result<(), EngineError> {
        if self.has_lost_its_marker(session).await? {
            return self.make(session).await;
        }
        let began = Instant::now();
        loop {
            let marked = if has_marker_table(session, &self.name).await? {
                Some(self.has_own_marker(session).await?)
            } else {
                None
            };
            if let Some(decided) = self.decide(marked, began.elapsed()) {
                return decided;
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Decides whether an existing keyspace may be used, by whether its marker table has the marker, if there is such a
    /// table. Returns `None` while the process that creates a shared keyspace may not have written the marker yet.
    fn decide(&self, marked: Option<bool>, waited: Duration) -> Option<Result<(), EngineError>> {
        let why = match marked {
            Some(true) => return Some(Ok(())),
            _ if waited < self.owner.marker_wait() => return None,
            Some(false) => "belongs to another run",
            None => "does not carry Bakeoff's marker",
        };
        Some(Err(EngineError(format!(
            "keyspace {} exists and {why}; Bakeoff touches nothing in it: drop it yourself if \
             it is not needed, or choose {}{}",
            self.name,
            self.owner.other_choice(),
            self.how_to_mark()
        ))))
    }

    /// Says how a keyspace that its user made is marked as one in which tables may be made.
    fn how_to_mark(&self) -> String {
        if self.owner != Owner::Shared {
            return String::new();
        }
        let [.., insert] = self.statements();
        format!(
            "; or mark it as one in which tables may be made: CREATE TABLE {}.{MARKER_TABLE} (run text PRIMARY KEY, \
             value text); {insert}",
            self.name
        )
    }

    /// Returns whether this run made the keyspace and was killed before it had marked it.
    async fn has_lost_its_marker(&self, session: &Session) -> Result<bool, EngineError> {
        let is_empty = contents(session, &self.name).await?.is_empty();
        if !self.needs_no_marker(is_empty) {
            return Ok(false);
        }
        Ok(!has_marker_table(session, &self.name).await? || !self.has_any_marker(session).await?)
    }

    /// Returns whether an existing keyspace is this run's even if it has no marker.
    fn needs_no_marker(&self, is_empty: bool) -> bool {
        self.has_random_name && is_empty
    }

    async fn has_any_marker(&self, session: &Session) -> Result<bool, EngineError> {
        let cql = format!("SELECT run FROM {}.{MARKER_TABLE} LIMIT 1", self.name);
        Ok(!query_names(session, &cql).await?.is_empty())
    }

    async fn has_own_marker(&self, session: &Session) -> Result<bool, EngineError> {
        let marker = format!("SELECT run FROM {}.{MARKER_TABLE} WHERE run = ?", self.name);
        let found = query_texts(session, &marker, &self.owner.name()).await?;
        Ok(!found.is_empty())
    }
}

impl Owner {
    /// Returns the value of the marker.
    fn name(&self) -> String {
        match self {
            Owner::Run(marker) => marker.clone(),
            Owner::Shared => SHARED.to_owned(),
        }
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

/// Returns whether CQL accepts a name without quotes and without changing its case.
pub fn is_valid_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_plain)
        && name.len() <= NAME_LENGTH
}

/// Names a run's keyspace after its workload and a hash of its marker. The marker has the run's random token,
/// unless an earlier version began the run, which knew of no tokens. Builds in between took the hash without
/// the token: a run of theirs gets another keyspace when it goes on.
fn name(workload: &str, marker: &str) -> String {
    let workload: String = workload.chars().take(30).collect();
    format!("{NAME_START}{workload}_{}", name_end(marker))
}

/// Returns what ends the name of the keyspace of a run.
fn name_end(marker: &str) -> String {
    let hash = xxhash_rust::xxh3::xxh3_64(marker.as_bytes());
    format!("{:08x}", hash as u32)
}

/// Returns whether a keyspace has a name that the run with this marker gives, whatever the workload is called.
pub fn is_named_by(keyspace: &str, marker: &str) -> bool {
    let Some((_, end)) = keyspace
        .strip_prefix(NAME_START)
        .and_then(|rest| rest.rsplit_once('_'))
    else {
        return false;
    };
    let mut of_copies = (1..=COPIES_KNOWN).map(|copies| with_copies(marker, copies));
    end == name_end(marker) || of_copies.any(|text| end == name_end(&text))
}

/// Returns what the name of a keyspace is made from whose tables have another number of copies.
fn with_copies(marker: &str, copies: u32) -> String {
    format!("{marker} with {copies} copies")
}

async fn exists(session: &Session, keyspace: &str) -> Result<bool, EngineError> {
    let found = query_texts(
        session,
        "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
        keyspace,
    );
    Ok(!found.await?.is_empty())
}

/// Returns the number of copies of each row that a keyspace has in all datacenters together; `None` if there is no such
/// keyspace, or if its replication is not understood.
pub async fn copies_in(session: &Session, keyspace: &str) -> Result<Option<u32>, EngineError> {
    let cql = "SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?";
    let failed = |e: &dyn std::fmt::Display| EngineError(format!("`{cql}` failed: {e}"));
    let found = session.query_unpaged(cql, (keyspace,)).await;
    let rows = found.map_err(|e| failed(&e))?.into_rows_result();
    let rows = rows.map_err(|e| failed(&e))?;
    let row = rows.maybe_first_row::<(HashMap<String, String>,)>();
    let row = row.map_err(|e| failed(&e))?;
    Ok(row.and_then(|(replication,)| copies_of(&replication)))
}

/// Adds up the copies of a replication, as the schema has it: with its class, and a number for each datacenter or for
/// all of them.
fn copies_of(replication: &HashMap<String, String>) -> Option<u32> {
    let numbers = replication.iter().filter(|(name, _)| *name != "class");
    // Of 3/1 copies one is transient.
    let number = |text: &String| text.split('/').next()?.parse::<u32>().ok();
    let numbers: Option<Vec<u32>> = numbers.map(|(_, text)| number(text)).collect();
    let sum = numbers?.into_iter().fold(0, u32::saturating_add);
    (sum > 0).then_some(sum)
}

async fn has_marker_table(session: &Session, keyspace: &str) -> Result<bool, EngineError> {
    let found = relations(session, keyspace).await?;
    Ok(found.iter().any(Relation::is_marker))
}

/// Executes a statement without values and ignores its result. The log of `debug` has the time that it took.
pub async fn execute(session: &Session, cql: &str) -> Result<(), EngineError> {
    let began = Instant::now();
    match session.query_unpaged(cql, ()).await {
        Ok(_) => {
            tracing::debug!("`{cql}` took {:.1?}", began.elapsed());
            Ok(())
        }
        Err(error) => Err(EngineError(format!("`{cql}` failed: {error}"))),
    }
}

#[cfg(test)]
mod tests;
