//! The newest row of each partition key, for queries that look at no other.
//!
//! Parts are read from the newest to the oldest. Of each, the last rows of partition keys are read
//! that have no newer row so far. A part with rows of one partition key is not read at all if a
//! newer row was found already.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::{partition, take_arrays};
use arrow::datatypes::Schema;
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use futures::future::try_join_all;
use futures::{Stream, TryStreamExt};

use super::reader::{Reader, external};
use super::task::Task;
use crate::definition::{Definition, Kind};
use crate::key;

/// Parts of which the keys are read at once by each DataFusion partition.
const PARTS_AT_ONCE: usize = 8;

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
}

impl Newest {
    /// The rows of some parts that are newer than what was found before; none at the end.
    async fn read_some(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let tasks = self.next_tasks();
        if tasks.is_empty() {
            return Ok(None);
        }
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
        while tasks.len() < PARTS_AT_ONCE {
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
    let runs = match columns.first().is_none_or(|column| column.is_empty()) {
        true => Vec::new(),
        false => partition(columns)?.ranges(),
    };
    Ok(runs
        .into_iter()
        .map(|run| run.end.saturating_sub(1) as u32)
        .collect())
}
