//! Tables of one SQL session: any table of a Cassandra cluster, and columnar tables in Cassandra or in
//! folders.

mod catalogue;
mod connection;
mod cql_words;
mod error;
mod listing;
mod location;
mod names;
mod progress;
mod query;
mod scan;
mod source;
mod whole_numbers;
mod wide_numbers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bakeoff_columnar::sql::ColumnarTable;
use bakeoff_columnar::{Table, sql as columnar};
use bakeoff_workload::Consistency;
use datafusion::catalog::{MemorySchemaProvider, TableProvider};
use datafusion::common::TableReference;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;

pub use bakeoff_columnar::{
    CHUNK_ROWS, Check, Column, Definition, Error as ColumnarError, Ingested, Kind, Part, Profile,
    Selection, Share, Table as Columnar,
};
pub use connection::{Access, ColumnarOptions, Connection};
pub use error::{SqlError, TableError};
pub use location::Location;
#[cfg(feature = "postgres")]
pub(crate) use location::name as written_name;
pub use progress::{ChunkCounts, Progress};
pub use query::Query;
pub use scan::{Scan, ScanRequest, Scanner};
pub use source::{Doubt, JoinedTime, Rows, SaidOfText, Source, SourceColumn};

use crate::whole_sums::WholeSums;
use crate::{cassandra, sql};

/// The only catalog.
const CATALOG: &str = "datafusion";
/// The schema of tables whose names need no keyspace. No keyspace can have this name.
const NO_KEYSPACE: &str = "no keyspace";
/// The schema in which DataFusion lists tables.
const INFORMATION_SCHEMA: &str = "information_schema";

/// The options for reading tables.
#[derive(Debug, Clone)]
pub struct Options {
    /// The consistency of reads in Cassandra. By default it is `LOCAL_ONE`, and `LOCAL_QUORUM` for
    /// columnar tables.
    pub consistency: Option<Consistency>,
    /// The longest that one page of a CQL table may take; `None` for 60 s.
    pub page_time_limit: Option<Duration>,
    /// The number of parts of a table that are read at the same time.
    pub threads: usize,
    /// The memory that the operators of a query may use before they spill, in bytes.
    pub memory_bytes: usize,
    /// The memory for encoded blobs of each columnar table, in bytes.
    pub cache_bytes: u64,
}

/// The names of the columns in a table's key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    pub partition: Vec<String>,
    pub order: Vec<String>,
}

impl Keys {
    /// Returns the names in lower case, as the columns of a [`Source`] have them.
    fn in_lower_case(&self) -> Keys {
        let lower = |names: &[String]| names.iter().map(|name| name.to_lowercase()).collect();
        Keys {
            partition: lower(&self.partition),
            order: lower(&self.order),
        }
    }
}

/// Open tables, and a session that queries them.
pub struct Tables {
    options: Options,
    connection: Arc<Connection>,
    session: SessionContext,
    columnar: Vec<Arc<Table>>,
    /// The locations of the tables whose names need no keyspace, by name.
    names: BTreeMap<String, Location>,
    /// The keyspaces and names of all tables of a cluster that are open.
    with_keyspace: BTreeSet<(String, String)>,
    /// The number of rows read so far that have a time to live, if they are counted.
    expiring_rows: Option<Arc<AtomicU64>>,
}

impl Tables {
    pub fn new(connection: Arc<Connection>, options: Options) -> Result<Self, TableError> {
        let session = sql::session_for_tables(
            options.threads,
            options.memory_bytes,
            (CATALOG, NO_KEYSPACE),
        )?;
        session.add_analyzer_rule(Arc::new(wide_numbers::ExactNumbers));
        session.add_analyzer_rule(Arc::new(WholeSums::Compared));
        Ok(Tables {
            options,
            connection,
            session: columnar::session(&session),
            columnar: Vec::new(),
            names: BTreeMap::new(),
            with_keyspace: BTreeSet::new(),
            expiring_rows: None,
        })
    }

    /// Makes tables of a cluster that are opened from now on count the rows that are read and have a time to live.
    /// Returns the counter.
    fn count_expiring_rows(&mut self) -> Arc<AtomicU64> {
        Arc::clone(self.expiring_rows.get_or_insert_default())
    }

    /// Opens a table and registers it under this name, or under its own.
    ///
    /// # Errors
    /// Fails if there is no such table, if another table has the name, or if the cluster does not answer.
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
        // The same table may be open under another name.
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
            rate_limit: None,
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
                let reading = cassandra::AnyReading {
                    consistency: self.options.consistency,
                    page_time_limit: self.options.page_time_limit,
                    expiring_rows: self.expiring_rows.clone(),
                };
                let table = cassandra::open_table(session, keyspace, table, reading);
                let table = table.await.map_err(TableError::Asked)?;
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
