//! Opening, creating and dropping tables in a cluster or in folders.

use std::collections::BTreeMap;
use std::sync::Arc;

use bakeoff_columnar::cassandra::{CassandraStore, Options, table_names};
use bakeoff_columnar::{Check, Definition, DirectoryStore, Error, Store, Table};
use bakeoff_workload::{Consistency, suggestion};
use scylla::client::session::Session;
use tokio::sync::OnceCell;

use super::catalogue::{self, RelationKind};
use super::{Location, TableError};
use crate::cassandra::{Cluster, in_driver, quoted};
use crate::columnar::limited;
use crate::rate_limit::RateLimit;

/// A connection to a cluster, which is made when the first of its tables is needed.
#[derive(Default)]
pub struct Connection {
    cluster: Option<Cluster>,
    session: OnceCell<Arc<Session>>,
}

/// The purpose that a columnar table is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    /// Reading and writing, which only one process at a time can do with a table in a folder.
    Write,
}

impl Connection {
    pub fn new(cluster: Option<Cluster>) -> Self {
        Connection {
            cluster,
            session: OnceCell::new(),
        }
    }

    /// Returns the session, which is needed for the table `wanted`.
    ///
    /// # Errors
    /// Fails if no cluster was named, or if it does not answer.
    pub async fn session(&self, wanted: &Location) -> Result<Arc<Session>, TableError> {
        self.session_if_named().await?.ok_or_else(|| {
            TableError::Asked(format!(
                "{wanted} is a table of a Cassandra cluster: name the cluster with --cassandra \
                 HOST[:PORT]"
            ))
        })
    }

    /// Returns the session, or `None` if no cluster was named.
    ///
    /// # Errors
    /// Fails if the cluster does not answer.
    pub async fn session_if_named(&self) -> Result<Option<Arc<Session>>, TableError> {
        let Some(cluster) = &self.cluster else {
            return Ok(None);
        };
        let connect = || async { Ok(Arc::new(cluster.connect().await?)) };
        self.session
            .get_or_try_init(connect)
            .await
            .cloned()
            .map(Some)
    }

    /// Opens a columnar table. Returns `None` if there is none; there may be an ordinary table.
    pub async fn open_columnar(
        &self,
        location: &Location,
        access: Access,
        options: &ColumnarOptions,
    ) -> Result<Option<Arc<Table>>, TableError> {
        let store: Arc<dyn Store> = match location {
            Location::Directory(path) if !DirectoryStore::is_there(path)? => return Ok(None),
            Location::Directory(path) => {
                let opened = match access {
                    Access::Read => DirectoryStore::open_to_read(path),
                    Access::Write => DirectoryStore::open(path),
                };
                Arc::new(opened.map_err(|error| with_remedy(error, location))?)
            }
            Location::Cassandra { keyspace, table } => {
                let session = self.session(location).await?;
                if !has_parts(&session, keyspace, table) {
                    return Ok(None);
                }
                let store = options.store_options();
                let opened = CassandraStore::open(session, keyspace, table, store).await;
                let opened = opened.map_err(|error| with_remedy(error, location))?;
                limited(Arc::new(opened), options.rate_limit.as_ref())
            }
        };
        Ok(Some(Table::new(store, options.cache_bytes)))
    }

    /// Looks at everything that belongs to a columnar table, and repairs what is damaged in a folder if
    /// `repair` says so. Returns `None` if there is no such table.
    ///
    /// # Errors
    /// Fails if another process is writing the table in the folder, or if the cluster does not answer.
    pub async fn check_columnar(
        &self,
        location: &Location,
        repair: bool,
        options: &ColumnarOptions,
    ) -> Result<Option<Check>, TableError> {
        match location {
            Location::Directory(path) => {
                if !DirectoryStore::is_there(path)? && DirectoryStore::remains(path)?.is_empty() {
                    return Ok(None);
                }
                let path = path.clone();
                let work = move || {
                    if repair {
                        DirectoryStore::repair(&path)
                    } else {
                        DirectoryStore::check(&path)
                    }
                };
                let checked = tokio::task::spawn_blocking(work).await;
                let ended = |error| TableError::Failed(format!("cannot check {location}: {error}"));
                Ok(Some(checked.map_err(ended)??))
            }
            Location::Cassandra { keyspace, table } => {
                let session = self.session(location).await?;
                if parts(&session, keyspace, table).is_empty() {
                    return Ok(None);
                }
                let options = options.store_options();
                let check = CassandraStore::check(session, keyspace, table, options).await;
                check
                    .map(Some)
                    .map_err(|error| with_remedy(error, location))
            }
        }
    }

    /// Returns whether there is a columnar table, or a part of one whose creation or drop was
    /// interrupted.
    ///
    /// # Errors
    /// Fails if the cluster does not answer.
    pub async fn is_columnar(&self, location: &Location) -> Result<bool, TableError> {
        let is_whole = match location {
            Location::Directory(path) => DirectoryStore::is_there(path)?,
            Location::Cassandra { keyspace, table } => {
                has_parts(self.session(location).await?.as_ref(), keyspace, table)
            }
        };
        Ok(is_whole || !self.remains(location).await?.is_empty())
    }

    /// Returns the error of a table that is not columnar, with a hint at what was probably meant.
    ///
    /// # Errors
    /// Fails if the cluster does not answer.
    pub async fn not_columnar(&self, location: &Location) -> Result<TableError, TableError> {
        let asked =
            |why: &str| TableError::Asked(format!("{location} is not a columnar table{why}"));
        let Location::Cassandra { keyspace, table } = location else {
            return Ok(asked("; `bakeoff ingest` makes one"));
        };
        let session = self.session(location).await?;
        let keyspaces = catalogue::keyspaces(&session);
        if !keyspaces.contains(keyspace) {
            let hint = suggestion(keyspace, keyspaces.iter().map(String::as_str));
            return Ok(asked(&format!("; there is no keyspace `{keyspace}`{hint}")));
        }
        let relations = catalogue::relations(&session, keyspace);
        if relations.iter().any(|r| r.name == *table) {
            return Ok(asked(&format!(
                ", but an ordinary one; `bakeoff ingest --from {location}` copies it into one"
            )));
        }
        let columnar = relations
            .iter()
            .filter(|r| r.kind == RelationKind::Columnar);
        let hint = suggestion(table, columnar.map(|r| r.name.as_str()));
        Ok(if hint.is_empty() {
            asked("; `bakeoff ingest` makes one")
        } else {
            asked(&hint)
        })
    }

    /// Returns the names of the parts of a columnar table whose creation or drop was interrupted, or
    /// nothing if there is a complete table or none.
    pub async fn remains(&self, location: &Location) -> Result<Vec<String>, TableError> {
        match location {
            Location::Directory(path) => Ok(DirectoryStore::remains(path)?),
            Location::Cassandra { keyspace, table } => {
                let session = self.session(location).await?;
                let there = parts(&session, keyspace, table);
                let is_whole = there.len() == table_names(table).len();
                Ok(if is_whole { Vec::new() } else { there })
            }
        }
    }

    /// Removes a columnar table with all its rows, or the parts of one whose creation or drop was
    /// interrupted, and returns whether there was anything. Tables and files of others are left alone.
    ///
    /// # Errors
    /// Fails if the folder has other files, or if tables with these names belong to others: then nothing
    /// is removed. Fails, too, if another process is writing the table in the folder.
    pub async fn drop_columnar(&self, location: &Location) -> Result<bool, TableError> {
        match location {
            Location::Directory(path) => Ok(DirectoryStore::drop_table(path)?),
            Location::Cassandra { keyspace, table } => {
                let session = self.session(location).await?;
                Ok(CassandraStore::drop_table(session, keyspace, table).await?)
            }
        }
    }

    /// Creates the keyspace of a table unless it exists, with this many copies of each row in every
    /// datacenter.
    ///
    /// # Errors
    /// Fails for a table in a folder, and if the cluster refuses.
    pub async fn create_keyspace(
        &self,
        location: &Location,
        copies: u16,
    ) -> Result<(), TableError> {
        let Location::Cassandra { keyspace, .. } = location else {
            return Err(TableError::Asked(format!(
                "{location} is a folder, which has no keyspace"
            )));
        };
        let session = self.session(location).await?;
        check_nodes(&session, keyspace, copies)?;
        let cql = format!(
            "CREATE KEYSPACE IF NOT EXISTS {} WITH replication = {{'class': \
             'NetworkTopologyStrategy', 'replication_factor': {copies}}}",
            quoted(keyspace)
        );
        let made = session.query_unpaged(cql, ()).await;
        made.map_err(|error| {
            TableError::Failed(format!("cannot create the keyspace `{keyspace}`: {error}"))
        })?;
        let refreshed = session.refresh_metadata().await;
        refreshed.map_err(|error| TableError::Failed(format!("cannot list the keyspaces: {error}")))
    }

    /// Creates a columnar table that does not exist yet.
    pub async fn create_columnar(
        &self,
        location: &Location,
        definition: Definition,
        options: &ColumnarOptions,
    ) -> Result<Arc<Table>, TableError> {
        let store: Arc<dyn Store> = match location {
            Location::Directory(path) => {
                let made = DirectoryStore::create(path, definition);
                Arc::new(made.map_err(|error| with_remedy(error, location))?)
            }
            Location::Cassandra { keyspace, table } => {
                let session = self.session(location).await?;
                check_free(&session, keyspace, table)?;
                let store = options.store_options();
                let made =
                    CassandraStore::create(session, keyspace, table, definition, store).await;
                let made = made.map_err(|error| with_remedy(error, location))?;
                limited(Arc::new(made), options.rate_limit.as_ref())
            }
        };
        Ok(Table::new(store, options.cache_bytes))
    }
}

/// The options for reading and writing columnar tables.
#[derive(Debug, Clone, Default)]
pub struct ColumnarOptions {
    /// The consistency of all requests to Cassandra, or `None` for quorums.
    pub consistency: Option<Consistency>,
    /// The memory for encoded blobs, in bytes.
    pub cache_bytes: u64,
    /// The limit on the rows that are written to Cassandra.
    pub rate_limit: Option<Arc<RateLimit>>,
}

impl ColumnarOptions {
    fn store_options(&self) -> Options {
        match self.consistency.map(in_driver) {
            None => Options::default(),
            Some(level) => Options {
                read_consistency: level,
                write_consistency: level,
                blob_consistency: level,
                ..Options::default()
            },
        }
    }
}

/// Converts an error of a columnar table, and adds the command that drops or checks the table if that helps.
fn with_remedy(error: Error, location: &Location) -> TableError {
    match error {
        Error::InTheWay(text) => TableError::Asked(format!(
            "{text}; `bakeoff table drop {location}` removes what is left of it"
        )),
        error @ Error::Torn { .. } => TableError::Failed(format!(
            "{error}; `bakeoff table check {location}` says what is damaged and can be repaired"
        )),
        error => error.into(),
    }
}

/// Checks that every datacenter has a node for each copy of a keyspace that is to be created. Without
/// them nothing could be written to it.
fn check_nodes(session: &Session, keyspace: &str, copies: u16) -> Result<(), TableError> {
    let cluster = session.get_cluster_state();
    if cluster.get_keyspace(keyspace).is_some() {
        return Ok(());
    }
    let mut nodes: BTreeMap<&str, usize> = BTreeMap::new();
    for node in cluster.get_nodes_info() {
        *nodes
            .entry(node.datacenter.as_deref().unwrap_or_default())
            .or_default() += 1;
    }
    match nodes
        .into_iter()
        .find(|(_, nodes)| *nodes < usize::from(copies))
    {
        None => Ok(()),
        Some((datacenter, nodes)) => Err(TableError::Asked(format!(
            "--create-keyspace {copies}: each copy of a row needs a separate node, and datacenter \
             `{datacenter}` has {nodes}; the keyspace `{keyspace}` was not made"
        ))),
    }
}

/// Returns whether all tables exist that a columnar table consists of.
fn has_parts(session: &Session, keyspace: &str, table: &str) -> bool {
    parts(session, keyspace, table).len() == table_names(table).len()
}

/// Returns those tables that have the names of the parts of a columnar table.
fn parts(session: &Session, keyspace: &str, table: &str) -> Vec<String> {
    let cluster = session.get_cluster_state();
    let is_there = |name: &String| {
        cluster
            .get_keyspace(keyspace)
            .is_some_and(|k| k.tables.contains_key(name))
    };
    table_names(table).into_iter().filter(is_there).collect()
}

/// Checks that no ordinary table has the name of a new columnar table, since queries could not
/// distinguish them.
fn check_free(session: &Session, keyspace: &str, table: &str) -> Result<(), TableError> {
    let cluster = session.get_cluster_state();
    let Some(found) = cluster.get_keyspace(keyspace) else {
        return Err(TableError::Asked(format!(
            "there is no keyspace `{keyspace}`: make it with the replication that its rows need, or \
             let --create-keyspace COPIES make it (3 in production, 1 on a single node)"
        )));
    };
    if found.tables.contains_key(table) || found.views.contains_key(table) {
        Err(TableError::Asked(format!(
            "{keyspace}.{table} is an ordinary table: choose another name"
        )))
    } else {
        Ok(())
    }
}

impl From<Error> for TableError {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(text) | Error::InTheWay(text) => TableError::Asked(text),
            error => TableError::Failed(error.to_string()),
        }
    }
}
