//! Row sources: where the rows of a table come from, as Arrow record batches.

mod columns;
mod duplicates;
mod file;
mod first_rows;
mod gdelt;
mod pool;
mod rekeyed;
mod sensor;
mod tsbs;
mod visit;

use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use crate::{Action, Data, Error, Generator, Keys, Result, RowValues, Table, Workload};

pub(crate) use columns::MOST_WORDS_OF_A_PASSAGE;
pub use duplicates::DuplicateKeys;
pub(crate) use file::milliseconds;
pub use file::open as open_file;
pub use first_rows::{FIRST_ROWS, check_first_rows};
pub(crate) use visit::visit_rows;

/// Rows as they come: the batch, and the number of its first row in the whole source.
#[derive(Debug, Clone)]
pub struct RowBatch {
    pub first_row: u64,
    pub rows: RecordBatch,
}

pub type RowBatches = Box<dyn Iterator<Item = Result<RowBatch>> + Send>;

/// A stream of rows in a fixed order. Reading it twice gives the same rows.
pub trait RowSource: Send + Sync {
    /// Equals [`Table::schema`].
    fn schema(&self) -> SchemaRef;

    /// How many rows there are; `None` for a generator, which never ends, and for a file that
    /// has to be read to know.
    fn known_rows(&self) -> Option<u64>;

    /// How many rows there are, counted up to `most` where they have to be read to know; `None` for
    /// a generator that never ends.
    fn count_rows(&self, _most: u64) -> Result<Option<u64>> {
        Ok(self.known_rows())
    }

    /// Rows from number `from` on, in batches of at most `batch_rows`. Ends with the source; a
    /// generator goes on for ever.
    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches>;

    /// Whether two rows can have the same key. Generators make unique keys.
    fn may_repeat_keys(&self) -> bool;

    /// Whether [`RowSource::read`] starts anywhere at once, without reading what comes before.
    fn seeks(&self) -> bool {
        true
    }

    /// How far apart in number rows have to be to be in the order of time: 1 where all are. `None`
    /// if nothing is known of the order, so that all have to be read to know first and last times.
    fn in_order_of_time_beyond(&self) -> Option<u64> {
        None
    }

    /// Its rows one by one, if it makes them from their numbers at once.
    fn values(&self) -> Option<Arc<dyn RowValues>> {
        None
    }
}

/// Memory for the rows of a source that has to be read in order.
const POOL_BYTES: usize = 64 << 20;

/// Columns and key that a generator has when the workload file does not say; `None` if it has
/// none of its own.
pub fn generator_table(generator: &Generator) -> Option<Table> {
    match generator {
        Generator::Gdelt => Some(gdelt::table()),
        Generator::Sensor { .. } => Some(sensor::table()),
        Generator::Devops { measurement, scale } => Some(tsbs::devops_table(*measurement, scale)),
        Generator::Iot { measurement, .. } => Some(tsbs::iot_table(*measurement)),
        Generator::Columns(_) => None,
    }
}

/// Rows that a generator makes in all; `None` if it goes on for ever.
pub(crate) fn rows_in_all(generator: &Generator, seed: u64) -> Result<Option<u64>> {
    Ok(match generator {
        Generator::Devops { measurement, scale } => {
            tsbs::Devops::new(seed, *measurement, *scale)?.known_rows()
        }
        Generator::Iot { measurement, scale } => {
            tsbs::Iot::new(seed, *measurement, *scale).known_rows()
        }
        Generator::Gdelt | Generator::Sensor { .. } | Generator::Columns(_) => None,
    })
}

/// The remark for a user where [`keys_repeat`].
pub const ONLY_KEYS_ARE_COMPARED: &str = "several rows have the same key, and it is not known whose values are there: of what is read only \
     keys are compared, neither values nor whether all rows came";

/// The first `rows` rows of `source`, which is the workload's, by number, and those that can be
/// inserted. A source that is no generator of columns is read into memory.
///
/// # Errors
/// If the source cannot be read or has no rows, or if there are fewer than `rows` whose values are
/// known.
pub fn row_values(
    workload: &Workload,
    source: Arc<dyn RowSource>,
    rows: u64,
) -> Result<Arc<dyn RowValues>> {
    if let Some(values) = source.values() {
        check_keys(workload, &*values, rows)?;
        return Ok(values);
    }
    let pool = pool::RowPool::read(&*source, &workload.table, rows, POOL_BYTES)?;
    match pool.rows() {
        Some(known) if known < rows => Err(Error::Usage(format!(
            "{rows} rows cannot be loaded: operations draw their rows from memory, which holds {known} \
             (all that there are, or {} MiB); ask for --rows {known} or fewer",
            POOL_BYTES >> 20
        ))),
        _ => Ok(Arc::new(pool)),
    }
}

/// No more rows than have keys of their own, unless the mix asks queries only.
fn check_keys(workload: &Workload, values: &dyn RowValues, rows: u64) -> Result<()> {
    let is_query = |action: &Action| matches!(action, Action::Query { .. });
    let mut operations = workload.mix.iter().flat_map(|mix| &mix.operations);
    match values.rows() {
        Some(known) if known < rows && !operations.all(|o| is_query(&o.action)) => {
            Err(Error::Usage(format!(
                "{rows} rows cannot be loaded: the keys of {} begin again, or leave their type, \
                 after {known}; ask for --rows {known} or fewer, or let the sequences of the key \
                 go on for longer",
                workload.table.name
            )))
        }
        _ => Ok(()),
    }
}

/// Whether rows of a load may have the same key, so that only keys can be compared.
///
/// `rows` are loaded, by `shards` at the same time.
pub fn keys_repeat(workload: &Workload, values: &dyn RowValues, rows: u64, shards: u32) -> bool {
    let mut operations = workload.mix.iter().flat_map(|mix| &mix.operations);
    let rows = if operations.any(|o| o.keys == Keys::New) {
        u64::MAX
    } else {
        rows
    };
    // Statements as written overtake each other.
    values.keys_repeat(rows, shards == 1 && !workload.is_written_in_cql())
}

/// Opens the source of a workload. `data` replaces the file that the workload names, or its
/// generator.
///
/// # Errors
/// If the data file is missing, cannot be read or does not fit the table, or if the workload
/// needs one and `data` is `None`.
pub fn open(workload: &Workload, data: Option<PathBuf>) -> Result<Box<dyn RowSource>> {
    match (data, &workload.data) {
        (Some(path), _) => file::open(&path, &workload.table),
        (None, Data::File(path)) => file::open(path, &workload.table),
        (None, Data::Generator(generator)) => open_generator(workload, generator),
        (None, Data::FileFromCommandLine) => Err(Error::Usage(format!(
            "workload {} reads its rows from a file of yours: name it with --data PATH",
            workload.name
        ))),
    }
}

fn open_generator(workload: &Workload, generator: &Generator) -> Result<Box<dyn RowSource>> {
    let seed = workload.seed;
    let source: Box<dyn RowSource> = match generator {
        Generator::Gdelt => Box::new(gdelt::Gdelt::new(seed)),
        Generator::Sensor { sensors } => Box::new(sensor::Sensor::new(seed, *sensors)),
        Generator::Devops { measurement, scale } => {
            Box::new(tsbs::Devops::new(seed, *measurement, *scale)?)
        }
        Generator::Iot { measurement, scale } => {
            Box::new(tsbs::Iot::new(seed, *measurement, *scale))
        }
        Generator::Columns(generators) => Box::new(columns::Columns::new(
            seed,
            &workload.table,
            generators,
            workload.is_written_in_cql(),
        )),
    };
    Ok(match generator_table(generator) {
        Some(own) if !own.key().eq(workload.table.key()) => {
            Box::new(rekeyed::Rekeyed::new(source, &own, &workload.table))
        }
        _ => source,
    })
}
