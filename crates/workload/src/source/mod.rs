//! Row sources: where the rows of a table come from, as Arrow record batches.

mod duplicates;
mod file;
mod gdelt;
mod rekeyed;
mod sensor;
mod visit;

use std::path::PathBuf;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use crate::{Data, Error, Generator, Result, Table, Workload};

pub use duplicates::DuplicateKeys;
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

    /// Rows from number `from` on, in batches of at most `batch_rows`. Ends with the source; a
    /// generator goes on for ever.
    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches>;

    /// Whether two rows can have the same key. Generators make unique keys.
    fn may_repeat_keys(&self) -> bool;

    /// Whether [`RowSource::read`] starts anywhere at once, without reading what comes before.
    fn seeks(&self) -> bool {
        true
    }
}

/// Columns and key that a generator has when the workload file does not say.
pub fn generator_table(generator: &Generator) -> Table {
    match generator {
        Generator::Gdelt => gdelt::table(),
        Generator::Sensor { .. } => sensor::table(),
    }
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
        (None, Data::Generator(generator)) => Ok(open_generator(workload, generator)),
        (None, Data::FileFromCommandLine) => Err(Error::Usage(format!(
            "workload {} reads its rows from a file of yours: name it with --data PATH",
            workload.name
        ))),
    }
}

fn open_generator(workload: &Workload, generator: &Generator) -> Box<dyn RowSource> {
    let source: Box<dyn RowSource> = match generator {
        Generator::Gdelt => Box::new(gdelt::Gdelt::new(workload.seed)),
        Generator::Sensor { sensors } => Box::new(sensor::Sensor::new(workload.seed, *sensors)),
    };
    let own = generator_table(generator);
    match own.key().eq(workload.table.key()) {
        true => source,
        false => Box::new(rekeyed::Rekeyed::new(source, &own, &workload.table)),
    }
}
