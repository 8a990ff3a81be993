//! Tables anywhere as tables of one SQL session: any table of a Cassandra cluster, and columnar
//! tables in Cassandra or in folders.

mod catalogue;
mod connection;
mod cql_words;
mod error;
mod listing;
mod location;
mod names;
mod progress;
mod query;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bakeoff_columnar::sql::ColumnarTable;
use bakeoff_columnar::{Table, sql as columnar};
use bakeoff_workload::Consistency;
use datafusion::catalog::{MemorySchemaProvider, TableProvider};
use datafusion::common::TableReference;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;

pub use bakeoff_columnar::{
    CHUNK_ROWS, Column, Definition, Error as ColumnarError, Ingested, Kind, Part, Profile,
    Selection, Table as Columnar,
};
pub use connection::{Access, ColumnarOptions, Connection};
pub use error::{SqlError, TableError};
pub use location::Location;
pub use progress::{ChunkCounts, Progress};
pub use query::Query;
pub use source::{Rows, Source, SourceColumn};

use crate::{cassandra, sql};

/// The one catalog, and the schema in which tables have no keyspace before their name: no keyspace
/// can be called so.
const CATALOG: &str = "datafusion";
const NO_KEYSPACE: &str = "no keyspace";
/// The schema in which DataFusion lists its tables.
const INFORMATION_SCHEMA: &str = "information_schema";

/// How tables are read.
#[derive(Debug, Clone)]
pub struct Options {
    /// Of reads in Cassandra: `LOCAL_ONE` unless said, of columnar tables `LOCAL_QUORUM`.
    pub consistency: Option<Consistency>,
    /// Parts of a table that are read at a time.
    pub threads: usize,
    /// Memory that the operators of a query may use before they spill, in bytes.
    pub memory_bytes: usize,
    /// Memory for encoded blobs of each columnar table, in bytes.
    pub cache_bytes: u64,
}

/// The key of a table: names of columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    pub partition: Vec<String>,
    pub order: Vec<String>,
}

impl Keys {
    /// As the columns of a [`Source`] are called.
    fn in_lower_case(&self) -> Keys {
        let lower = |names: &[String]| names.iter().map(|name| name.to_lowercase()).collect();
        Keys {
            partition: lower(&self.partition),
            order: lower(&self.order),
        }
    }
}

/// Tables that are open, and a session that knows them.
pub struct Tables {
    options: Options,
    connection: Arc<Connection>,
    session: SessionContext,
    columnar: Vec<Arc<Table>>,
    /// Where the tables are that need no keyspace before their names.
    names: BTreeMap<String, Location>,
    /// Keyspaces and names of all others.
    with_keyspace: BTreeSet<(String, String)>,
}

impl Tables {
    pub fn new(connection: Arc<Connection>, options: Options) -> Result<Self, TableError> {
        let session = sql::session_for_tables(
            options.threads,
            options.memory_bytes,
            (CATALOG, NO_KEYSPACE),
        )?;
        Ok(Tables {
            options,
            connection,
            session: columnar::session(&session),
            columnar: Vec::new(),
            names: BTreeMap::new(),
            with_keyspace: BTreeSet::new(),
        })
    }

    /// Opens a table and makes it known to queries by this name, or by its own.
    ///
    /// # Errors
    /// A table that is not there, a name that another table has, a cluster that does not answer.
    pub async fn add(
        &mut self,
        name: Option<&str>,
        location: &Location,
    ) -> Result<Keys, TableError> {
        let (table, keys) = self.open(location).await?;
        let own_name = location.table_name();
        let name = name.unwrap_or(&own_name);
        if self.names.contains_key(name) {
            return Err(TableError::Asked(format!(
                "two tables would be called `{name}`; name one of them with --table NAME={location}"
            )));
        }
        self.names.insert(name.to_owned(), location.clone());
        self.register(NO_KEYSPACE, name, table.clone())?;
        if let Location::Cassandra {
            keyspace,
            table: own,
        } = location
        {
            self.add_with_keyspace(keyspace, own, table)?;
        }
        Ok(keys)
    }

    fn add_with_keyspace(
        &mut self,
        keyspace: &str,
        name: &str,
        table: Arc<dyn TableProvider>,
    ) -> Result<(), TableError> {
        let full_name = (keyspace.to_owned(), name.to_owned());
        // It may have another name, too.
        if self.with_keyspace.insert(full_name) {
            self.register(keyspace, name, table)?;
        }
        Ok(())
    }

    fn register(
        &self,
        keyspace: &str,
        name: &str,
        table: Arc<dyn TableProvider>,
    ) -> Result<(), DataFusionError> {
        let schemas = self.session.catalog(CATALOG);
        if let Some(schemas) = schemas.filter(|s| s.schema(keyspace).is_none()) {
            schemas.register_schema(keyspace, Arc::new(MemorySchemaProvider::new()))?;
        }
        let reference = TableReference::partial(keyspace, name);
        self.session.register_table(reference, table).map(drop)
    }

    async fn open(
        &mut self,
        location: &Location,
    ) -> Result<(Arc<dyn TableProvider>, Keys), TableError> {
        let options = ColumnarOptions {
            consistency: self.options.consistency,
            cache_bytes: self.options.cache_bytes,
        };
        let opened = self
            .connection
            .open_columnar(location, Access::Read, &options);
        if let Some(table) = opened.await? {
            self.columnar.push(table.clone());
            let definition = table.definition();
            let keys = Keys {
                partition: definition.partition_key.clone(),
                order: definition.order_key.clone(),
            };
            return Ok((
                Arc::new(ColumnarTable::new(table, location.to_string())),
                keys,
            ));
        }
        match location {
            Location::Cassandra { keyspace, table } => {
                let session = self.connection.session(location).await?;
                let consistency = self.options.consistency;
                let table = cassandra::open_table(session, keyspace, table, consistency)
                    .map_err(TableError::Asked)?;
                let keys = Keys {
                    partition: table.partition_key,
                    order: table.clustering_key,
                };
                Ok((table.provider, keys))
            }
            Location::Directory(path) => Err(TableError::Asked(format!(
                "there is no columnar table in {}",
                path.display()
            ))),
        }
    }
}
