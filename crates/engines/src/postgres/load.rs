//! Loading a slice of rows by binary COPY, over several connections.
//!
//! A slice is cut into parts. Each part is one transaction, which also records that the part is
//! loaded, so that a slice that is loaded again after a crash misses no row and has none twice.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{ArrayRef, AsArray, BinaryArray};
use arrow::datatypes::{DataType, Field, Schema as ArrowSchema};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use bakeoff_driver::DesignError;
use bakeoff_workload::{ColumnType, Table, uuids};
use bytes::{Bytes, BytesMut};
use futures::SinkExt;
use pgpq::ArrowToPostgresBinaryEncoder;
use tokio::task::JoinSet;
use tokio_postgres::Client;
use uuid::Uuid;

use super::connect::{PostgresServer, reason};
use super::layout::{TableLayout, qualified};
use super::schema::{PARTS_TABLE, Schema, execute, failed};
use crate::EngineError;
use crate::rate_limit::{Pace, RateLimit};

/// The number of rows in one COPY, which is one transaction.
pub const PART_ROWS: usize = 10_000;

/// Loads the table of one design.
pub struct Loader {
    server: PostgresServer,
    settings: String,
    schema: Schema,
    layout: TableLayout,
    connections: usize,
    rate_limit: Option<Arc<RateLimit>>,
    /// The connections that are not in use.
    idle: Mutex<Vec<Client>>,
    /// The numbers of the ranges that have rows.
    ranges: Mutex<BTreeSet<i64>>,
}

impl Loader {
    pub fn new(
        server: PostgresServer,
        settings: String,
        schema: Schema,
        layout: TableLayout,
        connections: usize,
        rate_limit: Option<Arc<RateLimit>>,
    ) -> Arc<Loader> {
        Arc::new(Loader {
            server,
            settings,
            schema,
            layout,
            connections: connections.max(1),
            rate_limit,
            idle: Mutex::default(),
            ranges: Mutex::default(),
        })
    }

    /// Loads the parts of a slice that are not loaded yet, and returns when all are committed.
    pub async fn load(self: &Arc<Self>, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        let client = self.connection().await?;
        self.make_partitions(&client, rows).await?;
        let loaded = self.loaded_parts(&client, slice as i64).await?;
        self.idle().push(client);
        let slice = Arc::new(Slice {
            number: slice as i64,
            rows: rows.clone(),
            loaded,
            next: AtomicUsize::default(),
        });
        let mut workers = JoinSet::new();
        for _ in 0..self.connections.min(slice.parts()) {
            workers.spawn(Arc::clone(self).work(Arc::clone(&slice)));
        }
        while let Some(ended) = workers.join_next().await {
            // After an error, dropping the set ends the others.
            ended.map_err(|e| DesignError(format!("loading stopped early: {e}")))??;
        }
        Ok(())
    }

    /// Returns the table whose rows are loaded.
    pub fn table(&self) -> &Table {
        &self.layout.table
    }

    /// Closes all idle connections.
    pub fn disconnect(&self) {
        self.idle().clear();
    }

    async fn work(self: Arc<Self>, slice: Arc<Slice>) -> Result<(), DesignError> {
        let mut client = self.connection().await?;
        while let Some((part, rows)) = slice.take() {
            let pace = Pace::within(self.rate_limit.as_ref());
            pace.wait(rows.num_rows()).await;
            self.load_part(&mut client, slice.number, part as i64, &rows)
                .await?;
        }
        self.idle().push(client);
        Ok(())
    }

    async fn load_part(
        &self,
        client: &mut Client,
        slice: i64,
        part: i64,
        rows: &RecordBatch,
    ) -> Result<(), DesignError> {
        let bytes = encoded(rows, &self.layout.table)
            .map_err(|e| DesignError(format!("rows cannot be sent to PostgreSQL: {e}")))?;
        let copy = async {
            let transaction = client.transaction().await?;
            let statement = self.layout.copy_statement(&self.schema.name);
            let sink = transaction.copy_in::<_, Bytes>(&statement).await?;
            let mut sink = std::pin::pin!(sink);
            sink.send(bytes).await?;
            let copied = sink.finish().await?;
            let note = note_statement(&self.schema.name, &slice.to_string(), &part.to_string());
            transaction.batch_execute(&note).await?;
            transaction.commit().await?;
            Ok(copied)
        };
        let copied = copy.await.map_err(|e: tokio_postgres::Error| {
            DesignError(format!("COPY into PostgreSQL failed: {}", reason(&e)))
        })?;
        if copied == rows.num_rows() as u64 {
            Ok(())
        } else {
            Err(DesignError(format!(
                "PostgreSQL accepted {copied} of {} rows",
                rows.num_rows()
            )))
        }
    }

    /// Creates the partitions that rows need and that do not exist, if the design has partitions.
    pub async fn make_partitions(
        &self,
        client: &Client,
        rows: &RecordBatch,
    ) -> Result<(), EngineError> {
        let Some(ranges) = self.layout.ranges() else {
            return Ok(());
        };
        let numbers = ranges.numbers(rows).map_err(EngineError)?;
        ranges
            .check(self.count_with(&numbers))
            .map_err(EngineError)?;
        // TimescaleDB creates its chunks itself.
        if self.layout.is_hypertable() {
            return Ok(());
        }
        let (schema, table) = (&self.schema.name, &self.layout.table.name);
        let statements: Vec<String> = numbers
            .into_iter()
            .map(|number| ranges.partition_statement(schema, table, number))
            .collect();
        execute(client, &statements.join("; ")).await
    }

    /// Returns the numbers of the ranges that rows are in, if partitions have to be created for them.
    pub fn ranges_of(&self, rows: &RecordBatch) -> Result<BTreeSet<i64>, DesignError> {
        match self.layout.ranges() {
            Some(ranges) if !self.layout.is_hypertable() => {
                ranges.numbers(rows).map_err(DesignError)
            }
            _ => Ok(BTreeSet::new()),
        }
    }

    /// Adds ranges, and returns how many there are now.
    fn count_with(&self, numbers: &BTreeSet<i64>) -> usize {
        let mut all = self.ranges.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(numbers);
        all.len()
    }

    async fn loaded_parts(
        &self,
        client: &Client,
        slice: i64,
    ) -> Result<HashSet<usize>, EngineError> {
        let sql = format!(
            "SELECT part FROM {} WHERE slice = $1",
            qualified(&self.schema.name, PARTS_TABLE)
        );
        let rows = client
            .query(&sql, &[&slice])
            .await
            .map_err(|e| failed(&sql, &e))?;
        Ok(rows
            .iter()
            .map(|row| row.get::<_, i64>(0) as usize)
            .collect())
    }

    pub async fn connection(&self) -> Result<Client, EngineError> {
        let idle = self.idle().pop().filter(|client| !client.is_closed());
        match idle {
            Some(client) => Ok(client),
            None => self.server.connect(&self.settings).await,
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Client>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the statement that creates the table of loaded parts.
pub fn create_parts_statement(schema: &str) -> String {
    format!(
        "CREATE TABLE {} (slice bigint, part bigint, PRIMARY KEY (slice, part))",
        qualified(schema, PARTS_TABLE)
    )
}

/// Returns the statement that records a part as loaded.
pub fn note_statement(schema: &str, slice: &str, part: &str) -> String {
    format!(
        "INSERT INTO {} VALUES ({slice}, {part})",
        qualified(schema, PARTS_TABLE)
    )
}

/// The rows of a slice, handed out part by part.
struct Slice {
    number: i64,
    rows: RecordBatch,
    /// The numbers of the parts that an earlier attempt has loaded.
    loaded: HashSet<usize>,
    next: AtomicUsize,
}

impl Slice {
    fn parts(&self) -> usize {
        self.rows.num_rows().div_ceil(PART_ROWS)
    }

    /// Returns the next part that is not loaded yet, with its rows.
    fn take(&self) -> Option<(usize, RecordBatch)> {
        loop {
            let part = self.next.fetch_add(1, Ordering::Relaxed);
            if part >= self.parts() {
                return None;
            }
            if !self.loaded.contains(&part) {
                let begin = part * PART_ROWS;
                let length = PART_ROWS.min(self.rows.num_rows() - begin);
                return Some((part, self.rows.slice(begin, length)));
            }
        }
    }
}

/// Encodes rows of a table in the format of binary COPY.
///
/// # Errors
/// A column has a type that cannot be encoded, or too long a value.
pub fn encoded(rows: &RecordBatch, table: &Table) -> Result<Bytes, String> {
    let rows = with_bytes_of_uuids(rows, table).map_err(|error| error.to_string())?;
    encoded_as_they_are(&rows).map_err(|error| error.to_string())
}

fn encoded_as_they_are(rows: &RecordBatch) -> Result<Bytes, pgpq::error::ErrorKind> {
    let mut encoder = ArrowToPostgresBinaryEncoder::try_new(&rows.schema())?;
    let mut bytes = BytesMut::new();
    encoder.write_header(&mut bytes)?;
    encoder.write_batch(rows, &mut bytes)?;
    encoder.write_footer(&mut bytes)?;
    Ok(bytes.freeze())
}

/// Returns rows with the 16 bytes of each UUID in place of its text, which are also those that COPY has.
fn with_bytes_of_uuids(rows: &RecordBatch, table: &Table) -> Result<RecordBatch, ArrowError> {
    let (mut fields, mut columns): (Vec<Field>, Vec<ArrayRef>) = (Vec::new(), Vec::new());
    for (field, array) in rows.schema().fields().iter().zip(rows.columns()) {
        let column = table.column(field.name());
        if column.is_none_or(|column| column.kind != ColumnType::Uuid) {
            fields.push(field.as_ref().clone());
            columns.push(Arc::clone(array));
            continue;
        }
        let texts = array.as_string::<i32>().iter();
        let uuids = texts.map(|text| text.and_then(uuids::parsed).map(Uuid::into_bytes));
        fields.push(Field::new(
            field.name(),
            DataType::Binary,
            field.is_nullable(),
        ));
        columns.push(Arc::new(uuids.collect::<BinaryArray>()));
    }
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), columns)
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int64Array, StringArray};
    use bakeoff_workload::Column;

    use super::*;

    #[test]
    fn uuids_are_copied_as_their_bytes() {
        let table = Table {
            name: "t".to_owned(),
            columns: vec![Column {
                name: "id".to_owned(),
                kind: ColumnType::Uuid,
            }],
            partition_key: vec!["id".to_owned()],
            order_key: Vec::new(),
        };
        let uuid = uuids::numbered(1);
        let texts = Arc::new(StringArray::from(vec![uuid.to_string()]));
        let rows = RecordBatch::try_from_iter([("id", texts as _)]).unwrap();
        let bytes = encoded(&rows, &table).unwrap();
        let value = [&[0, 0, 0, 16][..], uuid.as_bytes()].concat();
        assert!(bytes.windows(20).any(|window| window == value), "{bytes:?}");
    }

    #[test]
    fn each_part_that_is_not_there_is_taken_once() {
        let rows = 2 * PART_ROWS as i64 + 5;
        let values = Arc::new(Int64Array::from_iter_values(0..rows));
        let slice = Slice {
            number: 0,
            rows: RecordBatch::try_from_iter([("n", values as _)]).unwrap(),
            loaded: HashSet::from([1]),
            next: AtomicUsize::default(),
        };
        let taken: Vec<(usize, usize)> = std::iter::from_fn(|| slice.take())
            .map(|(part, rows)| (part, rows.num_rows()))
            .collect();
        assert_eq!(taken, [(0, PART_ROWS), (2, 5)]);
    }
}
