//! Sources of a table's rows, as Arrow record batches.

mod axes;
mod columns;
mod duplicates;
pub(crate) mod file;
mod first_rows;
mod gdelt;
mod pool;
mod rekeyed;
mod scaled;
mod sensor;
mod tsbs;
mod visit;

use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use crate::{Action, Data, Error, Generator, Growth, Keys, Result, RowValues, Table, Workload};

pub use axes::{Part, Survey};
pub(crate) use columns::{KeyDigits, MOST_WORDS_OF_A_PASSAGE};
pub use duplicates::DuplicateKeys;
pub use file::BadRows;
pub use file::folder::files as data_files;
pub use file::ipc_lengths::{IpcLengths, check as check_ipc_lengths};
pub use file::named::{DataFileName, DataFormat, PackedAs};
pub use file::open as open_files;
pub use file::open_text;
pub use file::parquet_pages::check as check_parquet_pages;
pub use file::{milliseconds, milliseconds_in};
pub use first_rows::{FIRST_ROWS, check_first_rows};
pub(crate) use visit::visit_rows;

/// A batch of rows, with the number of its first row in the whole source.
#[derive(Debug, Clone)]
pub struct RowBatch {
    pub first_row: u64,
    pub rows: RecordBatch,
}

/// The first rows of a source, beyond which all others are made of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrownFrom {
    pub rows: u64,
    /// By how many times their rows grow along each axis into all rows.
    pub growth: Growth,
    /// How long all rows are in the column by which they grow in time, up to where the next ones would follow, in
    /// milliseconds or in the units of a whole number; `None` if the first ones have fewer than two times. Rows that are
    /// not as many at each time grow by another factor than their length.
    pub length: Option<i64>,
    /// Their partitions; `None` if later times have further ones.
    pub partitions: Option<GrownPartitions>,
}

/// Partitions of a sample that stay in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrownPartitions {
    pub number: u64,
    /// Rows of the largest one.
    pub largest: u64,
}

pub type RowBatches = Box<dyn Iterator<Item = Result<RowBatch>> + Send>;

/// A source of rows in a fixed order. Reading it twice gives the same rows.
pub trait RowSource: Send + Sync {
    /// Returns the schema, which equals [`Table::schema`].
    fn schema(&self) -> SchemaRef;

    /// Returns the number of rows; `None` for a generator, which never ends, and for a file that
    /// would have to be read.
    fn known_rows(&self) -> Option<u64>;

    /// Returns the number of rows, counted up to `most` if they have to be read; `None` for a
    /// generator that never ends.
    fn count_rows(&self, _most: u64) -> Result<Option<u64>> {
        Ok(self.known_rows())
    }

    /// Reads rows from number `from` on, in batches of at most `batch_rows`, until the source ends,
    /// which generators never do.
    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches>;

    /// Returns whether two rows can have the same key. Generators make unique keys.
    fn may_repeat_keys(&self) -> bool;

    /// Returns whether [`RowSource::read`] starts anywhere at once, without reading the rows
    /// before.
    fn seeks(&self) -> bool {
        true
    }

    /// Returns the distance in number from which on rows are in the order of time: 1 if all are.
    /// `None` means that nothing is known of the order, so that all rows have to be read for the
    /// first and last time.
    fn in_order_of_time_beyond(&self) -> Option<u64> {
        None
    }

    /// Returns the number of series that take turns row by row, always in the same order; `None` if
    /// they do not.
    fn turn(&self) -> Option<u64> {
        None
    }

    /// Returns the sample that its first rows are, if the others continue it.
    fn grown_from(&self) -> Option<GrownFrom> {
        None
    }

    /// Returns the rows of a file that are set aside, if the workload allows any.
    fn bad_rows(&self) -> Option<&BadRows> {
        None
    }

    /// Returns its rows by number, if it makes them from their numbers at once.
    fn values(&self) -> Option<Arc<dyn RowValues>> {
        None
    }
}

/// Largest memory for the rows of a source that has to be read in order.
const POOL_BYTES: usize = 64 << 20;

/// Returns the table that a generator has by default; `None` if the workload has to define it.
pub fn generator_table(generator: &Generator) -> Option<Table> {
    match generator {
        Generator::Gdelt => Some(gdelt::table()),
        Generator::Sensor { .. } => Some(sensor::table()),
        Generator::Devops { measurement, scale } => Some(tsbs::devops_table(*measurement, scale)),
        Generator::Iot { measurement, .. } => Some(tsbs::iot_table(*measurement)),
        Generator::Columns(_) => None,
    }
}

/// Returns the number of rows that a generator makes; `None` if it never ends.
pub(crate) fn rows_in_all(generator: &Generator, seed: u64) -> Option<u64> {
    match generator {
        Generator::Devops { scale, .. } => tsbs::Devops::rows_in_all(scale),
        Generator::Iot { measurement, scale } => tsbs::Iot::rows_in_all(seed, *measurement, scale),
        Generator::Gdelt | Generator::Sensor { .. } | Generator::Columns(_) => None,
    }
}

/// Remark for the user if [`keys_repeat`].
pub const ONLY_KEYS_ARE_COMPARED: &str = "several rows have the same key, and it is not known whose values are there: of what is read only \
     keys are compared, neither values nor whether all rows came";

/// Returns the first `rows` rows of `source`, which is the workload's, by number, and those that
/// can be inserted. A source other than a generator of columns is read into memory.
///
/// # Errors
/// The source cannot be read or has no rows, or has fewer than `rows` whose values are known.
pub fn row_values(
    workload: &Workload,
    source: Arc<dyn RowSource>,
    rows: u64,
) -> Result<Arc<dyn RowValues>> {
    if let Some(values) = source.values() {
        check_keys(workload, &*values, rows)?;
        return Ok(values);
    }
    let held = held_rows(workload, &*source, rows)?;
    match held.rows() {
        Some(known) if known < rows => Err(Error::Usage(format!(
            "{rows} rows cannot be loaded: operations draw their rows from memory, which holds {known} \
             (all that there are, or {} MiB); ask for --rows {known} or fewer",
            POOL_BYTES >> 20
        ))),
        _ => Ok(held),
    }
}

/// Returns the first `rows` rows of `source`, which is the workload's, by number, or fewer where they have to be held in
/// memory and do not fit.
///
/// # Errors
/// The source cannot be read or has no rows.
pub fn held_rows(
    workload: &Workload,
    source: &dyn RowSource,
    rows: u64,
) -> Result<Arc<dyn RowValues>> {
    match source.values() {
        Some(values) => Ok(values),
        None => {
            let pool = pool::RowPool::read(source, &workload.table, rows, POOL_BYTES)?;
            Ok(Arc::new(pool))
        }
    }
}

/// Checks that all rows have unique keys, unless the mix only asks queries.
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

/// Returns whether rows of a load may have the same key, so that only keys can be compared.
///
/// `rows` are loaded, by `shards` at the same time.
pub fn keys_repeat(workload: &Workload, values: &dyn RowValues, rows: u64, shards: u32) -> bool {
    let mut operations = workload.mix.iter().flat_map(|mix| &mix.operations);
    let rows = if operations.any(|o| o.keys == Keys::New) {
        u64::MAX
    } else {
        rows
    };
    // Statements as written may be executed in another order.
    values.keys_repeat(rows, shards == 1 && !workload.is_written_in_cql())
}

/// Opens the source of a workload. `data` replaces the files that the workload names, or its
/// generator; it is read and continued as the workload says of its own files.
///
/// # Errors
/// The data file is missing, cannot be read or does not fit the table, or the workload needs one
/// and `data` is `None`.
pub fn open(workload: &Workload, data: Option<PathBuf>) -> Result<Box<dyn RowSource>> {
    match (data, &workload.data) {
        (Some(path), _) => open_data(workload, &[path]),
        (None, Data::Files(paths)) => open_data(workload, paths),
        (None, Data::Generator(generator)) => open_generator(workload, generator),
        (None, Data::FileFromCommandLine) => Err(Error::Usage(format!(
            "workload {} needs a data file: name it with --data PATH",
            workload.name
        ))),
    }
}

/// Opens files as those of a workload, which says how they are read and continued.
///
/// # Errors
/// Those of [`open_files`]; [`Error::Usage`] if they cannot be continued.
pub fn open_data(workload: &Workload, paths: &[PathBuf]) -> Result<Box<dyn RowSource>> {
    let file = open_files(paths, &workload.table, &workload.text_form)?;
    Ok(match &workload.scale_sample {
        Some(scaled) => {
            let (table, seed) = (&workload.table, workload.seed);
            Box::new(scaled::Scaled::new(file, table, seed, scaled)?)
        }
        None => file,
    })
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
