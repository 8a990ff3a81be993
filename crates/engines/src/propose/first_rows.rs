//! What the first rows of a source say of a table: sizes of values, partitions, and the order in which rows come.

use std::collections::{BTreeMap, HashMap};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow::row::{RowConverter, SortField};
use bakeoff_workload::{ColumnType, Error, Result, RowSource, Table};
use xxhash_rust::xxh3::xxh3_64;

use crate::advice::Rows;
use crate::integers::integers;

/// Most rows of a batch, and most values.
const BATCH_ROWS: usize = 8_192;
const BATCH_VALUES: usize = 1 << 21;
/// Bytes of rows in memory from which on no more are read.
const MOST_BYTES: f64 = (512 << 20) as f64;

/// Reads at most so many rows from the beginning of a source, and fewer where they take more memory than a command
/// should that measures nothing.
pub fn read(source: &dyn RowSource, columns: usize, most: u64) -> Result<Vec<RecordBatch>> {
    read_within(source, columns, most, MOST_BYTES)
}

/// Reads like [`read`], up to so many bytes, by whole batches.
pub fn read_within(
    source: &dyn RowSource,
    columns: usize,
    most: u64,
    most_bytes: f64,
) -> Result<Vec<RecordBatch>> {
    let batch_rows = (BATCH_VALUES / columns.max(1)).clamp(1, BATCH_ROWS);
    let mut rows = Vec::new();
    let mut left = usize::try_from(most).unwrap_or(usize::MAX);
    let mut bytes = 0.0;
    for batch in source.read(0, batch_rows)? {
        let batch = batch?.rows;
        let taken = batch.num_rows().min(left);
        // A null takes a place, and a text where it ends.
        let taken_by = |column: &ArrayRef| bytes_of(column) + 8.0 * column.len() as f64;
        bytes += batch.columns().iter().map(taken_by).sum::<f64>();
        rows.push(batch.slice(0, taken));
        left -= taken;
        if left == 0 || bytes >= most_bytes {
            break;
        }
    }
    Ok(rows)
}

/// Returns the bytes that the values of a row take on average; `None` without rows.
pub fn mean_bytes(batches: &[RecordBatch]) -> Option<f64> {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let of_batch = |batch: &RecordBatch| batch.columns().iter().map(bytes_of).sum::<f64>();
    let bytes: f64 = batches.iter().map(of_batch).sum();
    (rows > 0).then(|| bytes / rows as f64)
}

/// A partition of the rows that were read.
struct Partition {
    rows: u64,
    /// Numbers of its first and last row.
    first: u64,
    last: u64,
    /// Lowest and highest value of the first order column.
    least: i64,
    most: i64,
    /// Hashes of the texts outside the key in its first row.
    texts: Vec<Option<u64>>,
}

/// Says what rows show of a table; `None` if there are none.
///
/// # Errors
/// Fails if keys cannot be compared, which those of a checked table can.
pub fn seen(table: &Table, batches: &[RecordBatch]) -> Result<Option<Rows>> {
    let read: u64 = batches.iter().map(|batch| batch.num_rows() as u64).sum();
    if read == 0 {
        return Ok(None);
    }
    let mut seen = Seen::new(table)?;
    for batch in batches {
        seen.add(batch)?;
    }
    Ok(Some(seen.rows(table, read)))
}

/// Partitions of rows while they are looked at one after the other.
struct Seen {
    keys: RowConverter,
    /// Columns of the partition key, and the first one of the order key if it can be divided.
    key_columns: Vec<usize>,
    order_column: Option<usize>,
    /// Texts outside the key, each with whether it is the same in all rows of a partition so far.
    texts: Vec<(usize, bool)>,
    partitions: HashMap<Vec<u8>, Partition>,
    bytes: Vec<f64>,
    rows: u64,
    in_order: u64,
    previous: Option<i64>,
}

impl Seen {
    fn new(table: &Table) -> Result<Seen> {
        let key_columns: Vec<usize> = { table.partition_key.iter() }
            .filter_map(|name| table.column_index(name))
            .collect();
        let fields = { key_columns.iter() }
            .map(|index| SortField::new(table.columns[*index].kind.arrow()))
            .collect();
        let is_divided = |index: &usize| {
            let kind = table.columns[*index].kind;
            matches!(
                kind,
                ColumnType::Timestamp | ColumnType::Bigint | ColumnType::Int
            )
        };
        let order = table.order_key.first();
        let order = order.and_then(|name| table.column_index(name));
        let is_text = |index: &usize| {
            let column = &table.columns[*index];
            column.kind == ColumnType::Text && !table.is_key(&column.name)
        };
        Ok(Seen {
            keys: RowConverter::new(fields).map_err(|error| unexpected(&error))?,
            key_columns,
            order_column: order.filter(is_divided),
            texts: { (0..table.columns.len()).filter(is_text) }
                .map(|index| (index, true))
                .collect(),
            partitions: HashMap::new(),
            bytes: vec![0.0; table.columns.len()],
            rows: 0,
            in_order: 0,
            previous: None,
        })
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        for (bytes, column) in self.bytes.iter_mut().zip(batch.columns()) {
            *bytes += bytes_of(column);
        }
        let key: Vec<ArrayRef> = { self.key_columns.iter() }
            .map(|index| batch.column(*index).clone())
            .collect();
        let keys = self.keys.convert_columns(&key);
        let keys = keys.map_err(|error| unexpected(&error))?;
        let order = self.order_column.map(|index| integers(batch.column(index)));
        let texts: Vec<&ArrayRef> = { self.texts.iter() }
            .map(|(index, _)| batch.column(*index))
            .collect();
        for row in 0..batch.num_rows() {
            let value = order.as_ref().and_then(|values| values.get(row).copied());
            let is_later = match (self.previous, value) {
                (Some(previous), Some(value)) => value >= previous,
                _ => true,
            };
            self.in_order += u64::from(is_later);
            self.previous = value;
            let value = value.unwrap_or_default();
            let number = self.rows;
            let hash = |text: &&ArrayRef| {
                let texts = text.as_string::<i32>();
                texts
                    .is_valid(row)
                    .then(|| xxh3_64(texts.value(row).as_bytes()))
            };
            let key = keys.row(row);
            let key: &[u8] = key.as_ref();
            match self.partitions.get_mut(key) {
                Some(partition) => {
                    partition.rows += 1;
                    partition.last = number;
                    partition.least = partition.least.min(value);
                    partition.most = partition.most.max(value);
                    let first = partition.texts.iter().zip(&texts);
                    for ((_, is_same), (first, text)) in self.texts.iter_mut().zip(first) {
                        *is_same = *is_same && hash(text) == *first;
                    }
                }
                None => {
                    let partition = Partition {
                        rows: 1,
                        first: number,
                        last: number,
                        least: value,
                        most: value,
                        texts: texts.iter().map(hash).collect(),
                    };
                    self.partitions.insert(key.to_vec(), partition);
                }
            }
            self.rows += 1;
        }
        Ok(())
    }

    fn rows(self, table: &Table, read: u64) -> Rows {
        let rows = read as f64;
        let of_key = table.key().filter_map(|name| table.column_index(name));
        let key_bytes: f64 = of_key.map(|index| self.bytes[index]).sum();
        let mut partitions: Vec<&Partition> = self.partitions.values().collect();
        partitions.sort_by_key(|partition| partition.first);
        let has_order = self.order_column.is_some();
        let largest = partitions.iter().max_by_key(|partition| partition.rows);
        let step = largest.and_then(|p| {
            let distance = p.most.saturating_sub(p.least) as f64;
            (has_order && p.rows > 1).then(|| distance / (p.rows - 1) as f64)
        });
        let least = partitions.iter().map(|partition| partition.least).min();
        let most = partitions.iter().map(|partition| partition.most).max();
        let span = least
            .zip(most)
            .map(|(least, most)| most.saturating_sub(least) as f64);
        // A text of partitions of a row each says nothing.
        let has_several = largest.is_some_and(|partition| partition.rows > 1);
        let tags = { self.texts.iter() }.filter(|(_, is_same)| has_several && *is_same);
        Rows {
            read,
            row_bytes: self.bytes.iter().sum::<f64>() / rows,
            key_bytes: key_bytes / rows,
            partitions: partitions.len() as u64,
            has_all_partitions: take_turns(&partitions, read),
            partitions_end: has_order && each_ends(&partitions),
            largest_partition: largest.map_or(0, |partition| partition.rows),
            step,
            span: span.filter(|_| has_order),
            in_order: self.in_order as f64 / rows,
            begin_in_order: begin_in_order(&partitions),
            distinct: BTreeMap::new(),
            tags: tags
                .map(|(index, _)| table.columns[*index].name.clone())
                .collect(),
            lacking: Vec::new(),
        }
    }
}

/// Returns whether several partitions take turns: the second half of the rows has no new one, and most of them go on
/// in it. Of rows in the order of their partitions only the first ones are there, and a single one may be the first of
/// many.
fn take_turns(partitions: &[&Partition], read: u64) -> bool {
    let middle = read / 2;
    let has_new = partitions.iter().any(|partition| partition.first >= middle);
    let go_on = partitions
        .iter()
        .filter(|partition| partition.last >= middle);
    partitions.len() > 1 && !has_new && 2 * go_on.count() > partitions.len()
}

/// Returns whether there are several partitions, in the order of their first rows, of which each is complete, and has
/// lower values of the order column, before the next one begins.
fn each_ends(partitions: &[&Partition]) -> bool {
    let mut pairs = partitions.windows(2);
    let is_after = |pair: &[&Partition]| match pair {
        [one, next] => one.last < next.first && one.most <= next.least,
        _ => false,
    };
    partitions.len() > 1 && pairs.all(is_after)
}

/// Returns the share of the partitions, in the order of their first rows, that have no lower value of the order column
/// than the one before.
fn begin_in_order(partitions: &[&Partition]) -> f64 {
    let pairs = partitions.windows(2);
    let number = pairs.len();
    let begin_later = pairs.filter(|pair| pair[1].least >= pair[0].least).count();
    if number == 0 {
        1.0
    } else {
        begin_later as f64 / number as f64
    }
}

/// Returns the bytes of the values of a column that are not null.
fn bytes_of(column: &ArrayRef) -> f64 {
    let values = (column.len() - column.null_count()) as f64;
    match column.data_type() {
        DataType::Utf8 => {
            let offsets = column.as_string::<i32>().value_offsets();
            offsets_length(offsets)
        }
        DataType::Binary => offsets_length(column.as_binary::<i32>().value_offsets()),
        DataType::Boolean => values,
        DataType::Int32 | DataType::Float32 => 4.0 * values,
        _ => 8.0 * values,
    }
}

fn offsets_length(offsets: &[i32]) -> f64 {
    match (offsets.first(), offsets.last()) {
        (Some(first), Some(last)) => f64::from(last - first),
        _ => 0.0,
    }
}

fn unexpected(error: &ArrowError) -> Error {
    Error::Usage(format!("cannot compare partition keys: {error}"))
}

#[cfg(test)]
mod tests;
