//! The series as a columnar table.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::AsArray;
use arrow::compute;
use arrow::datatypes::Float64Type;
use bakeoff_columnar::cassandra::{CassandraStore, Options};
use bakeoff_columnar::{Column, Definition, Kind, Scalar, Selection, Table, sql};
use datafusion::prelude::{SessionConfig, SessionContext};
use scylla::client::session::Session;

use crate::Result;
use crate::points::{Points, SENSOR};
use crate::server::KEYSPACE;

const TABLE: &str = "sensor_columnar";

/// The number of the column `value`.
const VALUE: usize = 2;

pub struct Columnar {
    session: Arc<Session>,
    points: Points,
}

impl Columnar {
    pub async fn create(session: &Arc<Session>, points: Points) -> Result<Self> {
        let session = Arc::clone(session);
        let (options, definition) = (Options::default(), definition());
        CassandraStore::create(Arc::clone(&session), KEYSPACE, TABLE, definition, options).await?;
        Ok(Columnar { session, points })
    }

    pub async fn load(&self) -> Result<Duration> {
        let began = Instant::now();
        let table = self.table(0).await?;
        let mut ingest = table.ingest();
        for batch in self.points.batches() {
            ingest.write(&batch?).await?;
        }
        ingest.finish().await?;
        Ok(began.elapsed())
    }

    async fn table(&self, cache_bytes: u64) -> Result<Arc<Table>> {
        let session = Arc::clone(&self.session);
        let store = CassandraStore::open(session, KEYSPACE, TABLE, Options::default()).await?;
        Ok(Table::new(Arc::new(store), cache_bytes))
    }

    /// Returns a reader that gets every blob from Cassandra.
    pub async fn uncached(&self) -> Result<Reader> {
        Reader::new(self.table(0).await?)
    }

    /// Returns a reader that gets every blob from memory once it was read.
    pub async fn cached(&self, cache_bytes: u64) -> Result<Reader> {
        Reader::new(self.table(cache_bytes).await?)
    }
}

fn definition() -> Definition {
    let columns = vec![
        Column::new("sensor_id", Kind::Int),
        Column::new("time", Kind::Bigint),
        Column::new("value", Kind::Double),
    ];
    Definition::new(columns, &["sensor_id"], &["time"])
}

pub struct Reader {
    table: Arc<Table>,
    sql: SessionContext,
}

impl Reader {
    fn new(table: Arc<Table>) -> Result<Self> {
        let threads = std::thread::available_parallelism()?.get();
        let config = SessionConfig::new().with_target_partitions(threads);
        let sql = sql::session(&SessionContext::new_with_config(config));
        sql::register(&sql, "sensor", Arc::clone(&table))?;
        Ok(Reader { table, sql })
    }

    pub async fn average(&self, range: Option<(i64, i64)>) -> Result<f64> {
        let range = match range {
            None => String::new(),
            Some((low, high)) => format!(" AND time >= {low} AND time <= {high}"),
        };
        self.number(&format!(
            "SELECT avg(value) FROM sensor WHERE sensor_id = {SENSOR}{range}"
        ))
        .await
    }

    pub async fn values_by_sql(&self, (low, high): (i64, i64)) -> Result<f64> {
        let sql = format!(
            "SELECT value FROM sensor WHERE sensor_id = {SENSOR} AND time >= {low} AND time <= {high}"
        );
        let batches = self.sql.sql(&sql).await?.collect().await?;
        let sums = batches.iter().filter_map(|rows| sum(rows.column(0)));
        Ok(sums.sum())
    }

    pub async fn values(&self, (low, high): (i64, i64)) -> Result<f64> {
        let selection = Selection {
            partitions: Some(vec![vec![Scalar::Int(i64::from(SENSOR))]]),
            low: Some(low),
            high: Some(high),
        };
        let rows = self.table.rows(&selection, &[VALUE]).await?;
        Ok(rows.iter().filter_map(|rows| sum(rows.column(0))).sum())
    }

    /// Returns the answer of a query with one number.
    pub async fn number(&self, sql: &str) -> Result<f64> {
        let batches = self.sql.sql(sql).await?.collect().await?;
        let number = batches.iter().find_map(|rows| sum(rows.column(0)));
        number.ok_or_else(|| format!("{sql}: no answer").into())
    }
}

fn sum(values: &arrow::array::ArrayRef) -> Option<f64> {
    compute::sum(values.as_primitive_opt::<Float64Type>()?)
}
