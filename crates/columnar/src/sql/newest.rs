//! The newest row of each partition key, for queries that look at no other.
//!
//! Parts are read from the newest to the oldest. Of each, the last rows of partition keys are read
//! that have no newer row so far. A part with rows of one partition key is not read at all if a
//! newer row was found already. Where the column of the partition key is a dictionary whose values all
//! have a newer row, nothing else is read of a part, and no row decoded.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::{partition, take_arrays};
use arrow::datatypes::Schema;
use datafusion::common::ScalarValue;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use futures::future::try_join_all;
use futures::{Stream, TryStreamExt};

use super::codes::ROWS_OF_A_VALUE;
use super::reader::{Reader, external};
use super::task::Task;
use super::value::scalar;
use crate::definition::{Definition, Kind};
use crate::key;
use crate::meta::Scalar;

/// Parts of which the keys are read at once by each DataFusion partition.
const PARTS_AT_ONCE: usize = 8;
/// Parts that are read first: they may have newer rows than all others.
const FIRST_PARTS: usize = 2;

/// Tasks for as many readers at most: all of a partition key for the same one, newest first.
pub fn dealt(
    definition: &Definition,
    tasks: Vec<Arc<Task>>,
    readers: usize,
) -> Vec<Vec<Arc<Task>>> {
    let readers = readers.min(definition.shards as usize).max(1);
    let mut newest_first = tasks;
    // What is not known may be the newest.
    newest_first.sort_by_key(|task| Reverse(task.newest(definition).unwrap_or(i64::MAX)));
    let mut dealt = vec![Vec::new(); readers];
    for task in newest_first {
        dealt[task.part.place.shard as usize % readers].push(task);
    }
    dealt
}

/// Newest rows, and maybe some that are not.
pub fn stream(
    reader: Reader,
    tasks: Vec<Arc<Task>>,
) -> impl Stream<Item = Result<RecordBatch>> + Send + 'static {
    let newest = Newest {
        kinds: key::partition_kinds(reader.definition()),
        reader: Arc::new(reader),
        left: tasks.into(),
        keys: HashMap::new(),
        has_begun: false,
    };
    let batches = futures::stream::try_unfold(newest, |mut newest| async move {
        let read = newest.read_some().await?;
        Ok::<_, DataFusionError>(read.map(|batches| (batches, newest)))
    });
    batches
        .map_ok(|batches| futures::stream::iter(batches.into_iter().map(Ok)))
        .try_flatten()
}

/// What was found so far, and what there is to read.
struct Newest {
    reader: Arc<Reader>,
    /// Of the partition key's columns.
    kinds: Vec<Kind>,
    /// Newest first.
    left: VecDeque<Arc<Task>>,
    /// The greatest key of each partition key, by its bytes.
    keys: HashMap<Vec<u8>, Vec<u8>>,
    has_begun: bool,
}

impl Newest {
    /// The rows of some parts that are newer than what was found before; none at the end.
    async fn read_some(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let tasks = loop {
            let next = self.next_tasks();
            if next.is_empty() {
                return Ok(None);
            }
            let tasks = self.not_outdone(next).await?;
            if !tasks.is_empty() {
                break tasks;
            }
        };
        let keys = self.reader.definition().key_indexes();
        let others = self.reader.projection.iter().filter(|n| !keys.contains(n));
        let others: Vec<usize> = others.copied().collect();
        let columns = |task: &Task| match task.part.exact() {
            Some(_) => keys.clone(),
            // Parts of several chunks are merged each time that they are read.
            None => [&keys[..], &others[..]].concat(),
        };
        let read = tasks.iter().map(|task| self.fetch(task, columns(task)));
        let mut newer = Vec::new();
        for (task, rows) in tasks.iter().zip(try_join_all(read).await?) {
            let chosen = self.choose(task, keys.len(), &rows)?;
            if !chosen.is_empty() {
                let arrays = take_arrays(rows.columns(), &chosen, None)?;
                newer.push((task, columns(task), arrays, chosen));
            }
        }
        let rest = newer.iter().map(|(task, read, ..)| {
            let left = others.iter().filter(|n| !read.contains(n));
            self.fetch(task, left.copied().collect())
        });
        let rest = try_join_all(rest).await?;
        let mut batches = Vec::new();
        for ((_, mut columns, mut arrays, chosen), rest) in newer.into_iter().zip(rest) {
            arrays.extend(take_arrays(rest.columns(), &chosen, None)?);
            if rest.num_columns() > 0 {
                columns.extend(&others);
            }
            batches.push(self.reader.arranged(&arrays, &columns, chosen.len())?);
        }
        let chunks = tasks.iter().map(|task| task.part.chunks.len()).sum();
        self.reader.counters.chunks_read.add(chunks);
        Ok(Some(batches))
    }

    /// The next parts that may have newer rows. Of two with rows of one and the same partition key
    /// only, the older one waits for what the other one says.
    fn next_tasks(&mut self) -> Vec<Arc<Task>> {
        let mut tasks: Vec<Arc<Task>> = Vec::new();
        let most = if self.has_begun {
            PARTS_AT_ONCE
        } else {
            FIRST_PARTS
        };
        self.has_begun = true;
        while tasks.len() < most {
            let Some(task) = self.left.pop_front() else {
                break;
            };
            let only = self.only_partition(&task);
            if only.is_some_and(|only| self.is_outdone(only, &task)) {
                let chunks = task.part.chunks.len();
                self.reader.counters.chunks_passed_over.add(chunks);
                continue;
            }
            if only.is_some() && tasks.iter().any(|other| self.only_partition(other) == only) {
                self.left.push_front(task);
                break;
            }
            tasks.push(task);
        }
        tasks
    }

    /// Those of the parts that may have a newer row of some partition key.
    async fn not_outdone(&self, tasks: Vec<Arc<Task>>) -> Result<Vec<Arc<Task>>> {
        let outdone = try_join_all(tasks.iter().map(|task| self.all_outdone(task))).await?;
        let (mut left, mut chunks) = (Vec::new(), 0);
        for (task, outdone) in tasks.into_iter().zip(outdone) {
            if outdone {
                chunks += task.part.chunks.len()
            } else {
                left.push(task)
            }
        }
        self.reader.counters.chunks_passed_over.add(chunks);
        Ok(left)
    }

    /// Whether newer rows were found of all partition keys that a part has rows of, as far as the
    /// values of their column tell.
    async fn all_outdone(&self, task: &Arc<Task>) -> Result<bool> {
        let Some((column, order, newest)) = self.told_by_values(task) else {
            return Ok(false);
        };
        let (reader, of_part) = (Arc::clone(&self.reader), Arc::clone(task));
        let read = async move { reader.values(&of_part, column).await };
        let values = SpawnedTask::spawn(read).join().await;
        let values = values.map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)))??;
        for row in 0..values.len() {
            let value = ScalarValue::try_from_array(&values, row)?;
            let Some(value) = scalar(self.kinds[0], &value) else {
                return Ok(false);
            };
            let partition = key::encode_partition(self.reader.definition(), &[value]);
            let partition = partition.map_err(external)?;
            let mut newest_of_part = partition.to_vec();
            key::append_scalar(order, &Scalar::Int(newest), &mut newest_of_part)
                .map_err(external)?;
            let last = key::after(&newest_of_part);
            let found = self.keys.get(&partition[..]);
            if found.is_none_or(|found| found[..] < last[..]) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Of a part whose partition keys are fewer than its rows, and may all have been found: their
    /// column, and kind and greatest value of the first order key.
    fn told_by_values(&self, task: &Task) -> Option<(usize, Kind, i64)> {
        let definition = self.reader.definition();
        let [column] = definition.partition_indexes()[..] else {
            return None;
        };
        let is_text = matches!(self.kinds[0], Kind::Text | Kind::Blob);
        let is_judged = self.only_partition(task).is_some();
        // Of values that a filter leaves out no row is ever found.
        let filtered = self.reader.source.filter.columns(&task.unproven);
        let ends = [task.part.first(), task.part.last()].map(|key| self.partition(key));
        let are_found = { ends.iter() }
            .all(|end| end.is_some_and(|partition| self.keys.contains_key(partition)));
        let may_tell = is_text && !is_judged && are_found && !filtered.contains(&column);
        let chunk = task.part.exact().filter(|_| may_tell)?;
        let values = chunk.stats.get(column)?.distinct;
        let may_be = values <= chunk.rows / ROWS_OF_A_VALUE;
        let order = definition.columns[definition.first_order_index()?].kind;
        may_be.then_some((column, order, task.newest(definition)?))
    }

    /// Columns of a part, by number. Nothing is read for none.
    async fn fetch(&self, task: &Arc<Task>, columns: Vec<usize>) -> Result<RecordBatch> {
        if columns.is_empty() {
            return Ok(RecordBatch::new_empty(Arc::new(Schema::empty())));
        }
        let (reader, task) = (Arc::clone(&self.reader), Arc::clone(task));
        let fetch = async move { reader.fetch(&task, &columns, task.keys()).await };
        let rows = SpawnedTask::spawn(fetch).join().await;
        rows.map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)))?
    }

    /// The partition key that all rows of a part have.
    fn only_partition<'a>(&self, task: &'a Task) -> Option<&'a [u8]> {
        let first = self.partition(task.part.first())?;
        (self.partition(task.part.last())? == first).then_some(first)
    }

    /// Whether a newer row was found of the one partition key that a part has rows of.
    fn is_outdone(&self, only: &[u8], task: &Task) -> bool {
        let newest = self.keys.get(only);
        newest.is_some_and(|newest| task.part.last() <= &newest[..])
    }

    /// The bytes of a key's partition key.
    fn partition<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        key.get(..key::partition_len(&self.kinds, key)?)
    }

    /// Numbers of the rows that are the last of their partition key and newer than what was found.
    /// The rows have the columns of the key first.
    fn choose(&mut self, task: &Task, keys: usize, rows: &RecordBatch) -> Result<UInt32Array> {
        let mut passing = UInt32Array::from_iter_values(0..rows.num_rows() as u32);
        let mut columns = rows.columns()[..keys].to_vec();
        if !task.unproven.is_empty() {
            let filter = &self.reader.source.filter;
            let flags = filter.passing(&task.unproven, rows)?;
            let numbers = flags
                .iter()
                .zip(0..)
                .filter(|(flag, _)| *flag == Some(true));
            passing = numbers.map(|(_, number)| number).collect();
            columns = take_arrays(&columns, &passing, None)?;
        }
        let last = last_rows(&columns[..self.kinds.len()])?;
        let last_keys = take_arrays(&columns, &last, None)?;
        let last_keys =
            key::encode_columns(self.reader.definition(), &last_keys).map_err(external)?;
        let mut chosen = Vec::new();
        for (key, row) in last_keys.iter().zip(last.values()) {
            let Some(partition) = self.partition(key) else {
                continue;
            };
            if self
                .keys
                .get(partition)
                .is_none_or(|newest| &newest[..] < key)
            {
                self.keys.insert(partition.to_vec(), key.to_vec());
                chosen.push(passing.value(*row as usize));
            }
        }
        Ok(chosen.into())
    }
}

/// Number of the last row of each run of equal values.
fn last_rows(columns: &[ArrayRef]) -> Result<UInt32Array> {
    let runs = if columns.first().is_none_or(|column| column.is_empty()) {
        Vec::new()
    } else {
        partition(columns)?.ranges()
    };
    Ok(runs
        .into_iter()
        .map(|run| run.end.saturating_sub(1) as u32)
        .collect())
}
