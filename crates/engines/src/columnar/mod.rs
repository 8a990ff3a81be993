//! Columnar tables as designs: the code that tables in a directory and in Cassandra share.

mod inserts;
mod limited;

use std::num::NonZeroI64;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use bakeoff_columnar::{CHUNK_ROWS, Column, Definition, Error, Kind, Profile, Store, Table, sql};
use bakeoff_driver::{Answer, DesignError, PlanText};
use bakeoff_workload::{ColumnType, Table as Described};

use crate::EngineError;
use crate::settings::Settings;
use crate::sql::{Session, message, session};

/// Expands to the settings of all columnar layouts, for `bakeoff list`. It is a macro, since `concat!`, which
/// adds those of one layout, takes no constants.
macro_rules! columnar_settings {
    () => {
        "profile=fast|compact, bucket=1d (or a number), rows=32768, shards=1, cache=0 (MiB), columns=10"
    };
}
pub(crate) use columnar_settings;

/// The shape of a table that a design's id names.
#[derive(Debug, Clone)]
pub struct Shape {
    pub definition: Definition,
    /// The memory for encoded blobs, in bytes.
    pub cache_bytes: u64,
}

impl Shape {
    /// Takes the shape from the settings of a design, which may have others.
    ///
    /// # Errors
    /// Fails for a value that does not exist, and for a table that cannot have such a shape.
    pub fn take(settings: &mut Settings<'_>, table: &Described) -> Result<Self, EngineError> {
        let profile = settings
            .word("profile", &Profile::ALL.map(Profile::name))?
            .and_then(|name| name.parse().ok());
        let bucket = match settings.parsed::<String>("bucket", "a bucket width")? {
            Some(width) => NonZeroI64::new(settings.width(table, "bucket", &width)?.1),
            None => None,
        };
        let chunk_rows = settings
            .parsed("rows", "a number of rows")?
            .unwrap_or(CHUNK_ROWS);
        let shards = settings
            .parsed("shards", "a number of shards")?
            .unwrap_or(1);
        let cache_mib: u32 = settings.parsed("cache", "a number of MiB")?.unwrap_or(0);
        let columns = table.columns.iter().map(|column| Column {
            name: column.name.clone(),
            kind: kind(column.kind),
        });
        let definition = Definition {
            columns: columns.collect(),
            partition_key: table.partition_key.clone(),
            order_key: table.order_key.clone(),
            bucket,
            shards,
            profile: profile.unwrap_or_default(),
            chunk_rows,
        };
        let checked = definition.check();
        checked.map_err(|error| settings.error(error.to_string()))?;
        Ok(Shape {
            definition,
            cache_bytes: u64::from(cache_mib) << 20,
        })
    }

    /// Returns the highest number of rows that are encoded together.
    pub fn chunk_rows(&self) -> u64 {
        u64::from(self.definition.chunk_rows)
    }

    /// Returns the settings in the form that results record.
    pub fn settings(&self) -> Vec<(String, String)> {
        let definition = &self.definition;
        let bucket = definition
            .bucket
            .map_or("none".to_owned(), |width| width.to_string());
        [
            ("profile", definition.profile.to_string()),
            ("maximum rows per chunk", definition.chunk_rows.to_string()),
            ("bucket", bucket),
            ("shards", definition.shards.to_string()),
            ("cache", format!("{} MiB", self.cache_bytes >> 20)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }
}

fn kind(kind: ColumnType) -> Kind {
    match kind {
        ColumnType::Boolean => Kind::Boolean,
        ColumnType::Int => Kind::Int,
        ColumnType::Bigint => Kind::Bigint,
        ColumnType::Float => Kind::Float,
        ColumnType::Double => Kind::Double,
        ColumnType::Text | ColumnType::Uuid => Kind::Text,
        ColumnType::Timestamp => Kind::Timestamp,
        ColumnType::Blob => Kind::Blob,
    }
}

/// A columnar table that is open, and a session that knows it by the workload's name.
pub struct Opened {
    table: Arc<Table>,
    pub(crate) sql: Session,
}

impl Opened {
    pub fn new(
        store: Arc<dyn Store>,
        cache_bytes: u64,
        name: &str,
        threads: usize,
    ) -> Result<Self, DesignError> {
        let table = Table::new(store, cache_bytes);
        let known = || {
            let session = sql::session(&session(threads)?);
            sql::register(&session, name, Arc::clone(&table))?;
            Ok(session)
        };
        let sql = known().map_err(|e| DesignError(message(&e)))?;
        Ok(Opened {
            table,
            sql: sql.into(),
        })
    }

    pub async fn load(&self, rows: &RecordBatch) -> Result<(), DesignError> {
        let mut ingest = self.table.ingest();
        ingest.write(rows).await.map_err(failed)?;
        ingest.finish().await.map_err(failed)?;
        Ok(())
    }

    /// Merges small and overlapping chunks, and removes the replaced ones at once, since there are no
    /// readers meanwhile.
    pub async fn settle(&self) -> Result<String, DesignError> {
        let sealed = self.table.seal(None).await.map_err(failed)?;
        self.table
            .sweep(std::time::Duration::ZERO)
            .await
            .map_err(failed)?;
        Ok(format!(
            "sealed: {} chunks became {}",
            sealed.chunks_retired, sealed.chunks_added
        ))
    }

    pub async fn answer(&self, query: &str) -> Result<Answer, DesignError> {
        let definition = self.table.definition();
        let order_key = definition.order_key.first().map(String::as_str);
        self.sql.answer_by_windows(query, order_key).await
    }

    /// Returns how a query would be answered.
    ///
    /// # Errors
    /// DataFusion's message.
    pub async fn query_plan(&self, query: &str) -> Result<Option<PlanText>, DesignError> {
        let definition = self.table.definition();
        let order_key = definition.order_key.first().map(String::as_str);
        self.sql.query_plan(query, order_key).await
    }
}

pub use inserts::ChunkInserts;
pub use limited::limited;

pub fn failed(error: Error) -> DesignError {
    DesignError(error.to_string())
}
