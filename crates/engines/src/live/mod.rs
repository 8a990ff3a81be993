//! Tables of running servers as the beginning of a workload: what they are, and a sample of their rows.
//!
//! Reading sends nothing but `SELECT`, within limits on rows and bytes, and no faster than a rate limit allows. Rows
//! that others write or delete meanwhile may be in the sample or not.

mod columns;
mod held;

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use arrow::compute::{
    and, concat_batches, filter_record_batch, is_not_null, sort_to_indices, take_record_batch,
};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::RateLimit;
use crate::tables::TableError;
pub(crate) use columns::{Described, Fate, Plan, hold_days_as_times};
pub(crate) use held::{Holding, Stored};

/// What a table has beyond its design if only some of its order keys have their greatest value first.
pub(crate) const MIXED_ORDER: &str = "clustering columns in different orders";

/// The bytes of rows that are read at most of a table, as its server sends them.
pub(crate) const MOST_BYTES: usize = 256 << 20;

/// How much of a table is read, and how fast.
#[derive(Debug, Clone)]
pub struct SampleRequest {
    /// The number of rows that are enough.
    pub rows: u64,
    /// The limit on the rows that are read each second.
    pub rate_limit: Option<Arc<RateLimit>>,
}

/// A table of a server, with a sample of its rows.
#[derive(Debug)]
pub struct LiveTable {
    /// Its name without keyspace or schema.
    pub name: String,
    /// Its whole name and its server, for people.
    pub place: String,
    /// Its key; `None` if it has none.
    pub key: Option<LiveKey>,
    /// What becomes of the columns of the sample, by their names in lower case.
    pub columns: BTreeMap<String, String>,
    /// The columns that the sample does not have, with the reasons.
    pub left_out: Vec<String>,
    /// What the table is and how the sample was taken, sentence by sentence.
    pub about: Vec<String>,
    /// The number of all its rows, and how that is known.
    pub rows: Option<(u64, String)>,
    /// The id of a design that is like the table.
    pub design: Option<String>,
    /// What the user should know before anything else.
    pub notes: Vec<String>,
    /// The rows of the sample, of which there is at least one.
    pub sample: Vec<RecordBatch>,
}

/// The key of a table, by the names of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveKey {
    /// The columns whose rows belong together.
    pub partition: Vec<String>,
    /// The columns by which rows are ordered there.
    pub order: Vec<String>,
}

impl LiveTable {
    /// Returns the number of rows in the sample.
    pub fn sampled_rows(&self) -> u64 {
        self.sample.iter().map(|rows| rows.num_rows() as u64).sum()
    }

    /// Writes the sample as a Parquet file.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write_sample(&self, to: impl Write + Send) -> Result<(), TableError> {
        write_rows(&self.sample, to)
            .map_err(|error| TableError::Failed(format!("the sample cannot be written: {error}")))
    }
}

/// Writes rows as a Parquet file.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_rows(rows: &[RecordBatch], to: impl Write + Send) -> Result<(), ParquetError> {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut writer = ArrowWriter::try_new(to, first.schema(), Some(properties))?;
    for rows in rows {
        writer.write(rows)?;
    }
    writer.close()?;
    Ok(())
}

/// The rows of a sample in the types of workloads.
#[derive(Debug)]
pub(crate) struct Sampled {
    pub rows: Vec<RecordBatch>,
    /// What becomes of each column, by its name in lower case.
    pub words: BTreeMap<String, String>,
    /// The number of rows that were left out, since they lack a value of the key.
    #[cfg_attr(not(feature = "postgres"), allow(dead_code))]
    pub without_key: usize,
}

/// Turns rows that were read of a table into those of a sample: in types that workloads have, with their whole key, and
/// by the time that orders them, if one does.
///
/// # Errors
/// There are none.
pub(crate) fn sampled(
    table: &str,
    columns: &[Stored],
    rows: &[RecordBatch],
    key: Option<&LiveKey>,
) -> Result<Sampled, TableError> {
    let failed = |error: ArrowError| {
        TableError::Failed(format!("the rows of {table} cannot be kept: {error}"))
    };
    let (rows, words) = held::held(columns, rows).map_err(failed)?;
    let keyed = rows.iter().map(|rows| with_key(rows, key));
    let keyed: Vec<RecordBatch> = keyed.collect::<Result<_, _>>().map_err(failed)?;
    let count = |rows: &[RecordBatch]| rows.iter().map(RecordBatch::num_rows).sum::<usize>();
    let without_key = count(&rows) - count(&keyed);
    if count(&keyed) == 0 {
        return Err(TableError::Asked(format!(
            "{table} is empty, and a workload needs rows: write some to it, or make a file of rows like those that it \
             will have"
        )));
    }
    let time = key.and_then(|key| held::time_of(columns, key));
    let rows = match time {
        Some(time) => vec![in_order_of(&keyed, time).map_err(failed)?],
        None => keyed,
    };
    Ok(Sampled {
        rows,
        words,
        without_key,
    })
}

/// Returns the rows that have a value in each column of the key.
pub(crate) fn with_key(
    rows: &RecordBatch,
    key: Option<&LiveKey>,
) -> Result<RecordBatch, ArrowError> {
    let names = key
        .iter()
        .flat_map(|key| key.partition.iter().chain(&key.order));
    let mut kept = None;
    for column in names.filter_map(|name| rows.column_by_name(name)) {
        let has_value = is_not_null(column)?;
        kept = Some(match kept {
            Some(kept) => and(&kept, &has_value)?,
            None => has_value,
        });
    }
    match kept {
        Some(kept) => filter_record_batch(rows, &kept),
        None => Ok(rows.clone()),
    }
}

/// Returns rows in the order of a column of this name, as they are usually written.
fn in_order_of(rows: &[RecordBatch], name: &str) -> Result<RecordBatch, ArrowError> {
    let Some(first) = rows.first() else {
        return Err(ArrowError::InvalidArgumentError("no rows".to_owned()));
    };
    let all = concat_batches(&first.schema(), rows)?;
    match all.column_by_name(name) {
        Some(column) => {
            let places = sort_to_indices(column, None, None)?;
            take_record_batch(&all, &places)
        }
        None => Ok(all),
    }
}

/// Returns seconds as a setting of a design has them, such as `7d`, `12h` or `90s`.
pub(crate) fn duration(seconds: u64) -> String {
    match seconds {
        0 => "0s".to_owned(),
        seconds if seconds.is_multiple_of(86_400) => format!("{}d", seconds / 86_400),
        seconds if seconds.is_multiple_of(3_600) => format!("{}h", seconds / 3_600),
        seconds if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

#[cfg(test)]
mod tests;
