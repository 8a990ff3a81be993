//! The newest row of each partition key, for queries that look at no other.
//!
//! Parts are read from the newest to the oldest. From each, the last rows are taken of the
//! partition keys that have no newer row so far. A part with rows of a single partition key is not
//! read at all if a newer row of that was found already. Where the column of the partition key is a
//! dictionary whose values all have a newer row, nothing else of the part is read, and no row
//! decoded.

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

use super::reader::PartReader;
use crate::key;
use crate::kind::Kind;
use crate::meta::Scalar;
use crate::sql::error::external;
use crate::sql::plan::facts::has_few_values;
use crate::sql::plan::task::Task;
use crate::sql::plan::value::scalar;

/// The number of parts whose keys each DataFusion partition reads at the same time.
const PARTS_AT_ONCE: usize = 8;

/// The number of parts that are read at first. Few, since they may have newer rows than all others.
const FIRST_PARTS: usize = 2;

/// Returns the newest rows of tasks, which come newest first, and maybe some rows that are not.
pub fn stream(
    reader: PartReader,
    tasks: Vec<Arc<Task>>,
) -> impl Stream<Item = Result<RecordBatch>> + Send + 'static {
    let search = Search {
        kinds: key::partition_kinds(reader.definition()),
        reader: Arc::new(reader),
        unread: tasks.into(),
        newest: HashMap::new(),
        has_begun: false,
    };
    let batches = futures::stream::try_unfold(search, |mut search| async move {
        let read = search.read_some().await?;
        Ok::<_, DataFusionError>(read.map(|batches| (batches, search)))
    });
    batches
        .map_ok(|batches| futures::stream::iter(batches.into_iter().map(Ok)))
        .try_flatten()
}

/// The search for newest rows: what was found so far, and what is still to be read.
struct Search {
    reader: Arc<PartReader>,
    /// The kinds of the partition key's columns.
    kinds: Vec<Kind>,
    /// The parts that were not looked at yet, the newest first.
    unread: VecDeque<Arc<Task>>,
    /// The greatest key that was found of each partition key, by the bytes of the partition key.
    newest: HashMap<Vec<u8>, Vec<u8>>,
    has_begun: bool,
}

/// The values of a part's only partition column, and how new its rows may be.
struct Dictionary {
    column: usize,
    /// The kind of the first order key.
    order: Kind,
    /// The greatest value of the first order key in the part.
    newest: i64,
}

/// The rows of a part that are newer than what was found before, as far as they are read.
struct Newer<'a> {
    task: &'a Arc<Task>,
    /// The numbers of the columns that are read.
    columns: Vec<usize>,
    arrays: Vec<ArrayRef>,
    /// The numbers of the rows within the part.
    rows: UInt32Array,
}

impl Search {
    /// Reads the rows of some parts that are newer than what was found before. Returns `None` at
    /// the end.
    async fn read_some(&mut self) -> Result<Option<Vec<RecordBatch>>> {
        let Some(tasks) = self.next_to_read().await? else {
            return Ok(None);
        };
        // The key comes first: it decides which rows are newer, and only their other columns are read.
        let keys = self.reader.definition().key_indexes();
        let projection = self.reader.projection.iter().copied();
        let others: Vec<usize> = projection.filter(|n| !keys.contains(n)).collect();
        let columns = |task: &Task| match task.part.exact() {
            // The keys show which rows are newer, which is mostly few or none.
            Some(_) => keys.clone(),
            // A part of several chunks is merged each time that it is read.
            None => [&keys[..], &others[..]].concat(),
        };
        let read = tasks.iter().map(|task| self.fetch(task, columns(task)));
        let read = try_join_all(read).await?;
        let mut newer = Vec::new();
        // Parts are judged one after another, since the rows of one may supersede those of the next.
        for (task, rows) in tasks.iter().zip(read) {
            let chosen = self.choose(task, keys.len(), &rows)?;
            if !chosen.is_empty() {
                newer.push(Newer {
                    task,
                    columns: columns(task),
                    arrays: take_arrays(rows.columns(), &chosen, None)?,
                    rows: chosen,
                });
            }
        }
        let batches = self.completed(newer, &others).await?;
        let chunks = tasks.iter().map(|task| task.part.chunks.len()).sum();
        self.reader.counters.chunks_read.add(chunks);
        Ok(Some(batches))
    }

    /// Reads the columns outside of the key that were not read before.
    async fn completed(&self, newer: Vec<Newer<'_>>, others: &[usize]) -> Result<Vec<RecordBatch>> {
        let rest = newer.iter().map(|part| {
            let missing = others.iter().filter(|n| !part.columns.contains(n));
            self.fetch(part.task, missing.copied().collect())
        });
        let rest = try_join_all(rest).await?;
        let mut batches = Vec::new();
        for (mut part, rest) in newer.into_iter().zip(rest) {
            if rest.num_columns() > 0 {
                let arrays = take_arrays(rest.columns(), &part.rows, None)?;
                part.arrays.extend(arrays);
                part.columns.extend(others);
            }
            let rows = part.rows.len();
            batches.push(self.reader.project(&part.arrays, &part.columns, rows)?);
        }
        Ok(batches)
    }

    /// Takes parts until there are some that have to be read. Returns `None` at the end.
    async fn next_to_read(&mut self) -> Result<Option<Vec<Arc<Task>>>> {
        loop {
            let next = self.next_tasks();
            if next.is_empty() {
                return Ok(None);
            }
            let tasks = self.without_superseded(next).await?;
            if !tasks.is_empty() {
                return Ok(Some(tasks));
            }
        }
    }

    /// Takes the next parts that may have newer rows, judging by their first and last keys.
    fn next_tasks(&mut self) -> Vec<Arc<Task>> {
        let mut tasks: Vec<Arc<Task>> = Vec::new();
        // The first parts likely have newer rows than all others, so few are read before the others are
        // judged by them.
        let most = if self.has_begun {
            PARTS_AT_ONCE
        } else {
            FIRST_PARTS
        };
        self.has_begun = true;
        while tasks.len() < most {
            let Some(task) = self.unread.pop_front() else {
                break;
            };
            let only = self.only_partition(&task);
            if only.is_some_and(|only| self.is_superseded(only, &task)) {
                let chunks = task.part.chunks.len();
                self.reader.counters.chunks_passed_over.add(chunks);
                continue;
            }
            // Of two parts with rows of the same partition key only, the newer one is read first: it
            // likely makes reading the older one unnecessary.
            if only.is_some() && tasks.iter().any(|other| self.only_partition(other) == only) {
                self.unread.push_front(task);
                break;
            }
            tasks.push(task);
        }
        tasks
    }

    /// Leaves out the parts that have no newer row of any partition key.
    async fn without_superseded(&self, tasks: Vec<Arc<Task>>) -> Result<Vec<Arc<Task>>> {
        let superseded = try_join_all(tasks.iter().map(|task| self.all_superseded(task))).await?;
        let (mut remaining, mut chunks) = (Vec::new(), 0);
        for (task, superseded) in tasks.into_iter().zip(superseded) {
            if superseded {
                chunks += task.part.chunks.len()
            } else {
                remaining.push(task)
            }
        }
        self.reader.counters.chunks_passed_over.add(chunks);
        Ok(remaining)
    }

    /// Returns whether newer rows were found of all partition keys of a part, as far as the dictionary
    /// of their column shows.
    async fn all_superseded(&self, task: &Arc<Task>) -> Result<bool> {
        let Some(dictionary) = self.dictionary(task) else {
            return Ok(false);
        };
        let (reader, part_task) = (Arc::clone(&self.reader), Arc::clone(task));
        let read = async move { reader.values(&part_task, dictionary.column).await };
        let values = SpawnedTask::spawn(read)
            .join()
            .await
            .map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)))??;
        for row in 0..values.len() {
            let value = ScalarValue::try_from_array(&values, row)?;
            let Some(value) = scalar(self.kinds[0], &value) else {
                return Ok(false);
            };
            let partition =
                key::encode_partition(self.reader.definition(), &[value]).map_err(external)?;
            // No row of the part has a greater key than this: the partition key with the newest time
            // of the whole part, whatever comes after that in the key.
            let mut newest_of_part = partition.to_vec();
            let newest = Scalar::Int(dictionary.newest);
            key::append_scalar(dictionary.order, &newest, &mut newest_of_part).map_err(external)?;
            let last = key::after(&newest_of_part);
            // One key whose newest row is unknown, or older than the part may be, is reason to read it.
            let found = self.newest.get(&partition[..]);
            if found.is_none_or(|found| found[..] < last[..]) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the dictionary of a part if its values may show that no row of it is new, and reading
    /// them costs less than reading the keys.
    fn dictionary(&self, task: &Task) -> Option<Dictionary> {
        let definition = self.reader.definition();
        let [column] = definition.partition_indexes()[..] else {
            return None;
        };
        let is_text = matches!(self.kinds[0], Kind::Text | Kind::Blob);
        // The first and last key have shown already what there is to know of a single partition key.
        let is_judged = self.only_partition(task).is_some();
        // No row is ever found of a value that a filter excludes.
        let filtered = self.reader.source.filter.columns(&task.unproven);
        let has_newest = |key: &[u8]| {
            let partition = self.partition(key);
            partition.is_some_and(|partition| self.newest.contains_key(partition))
        };
        let are_found = has_newest(task.part.first()) && has_newest(task.part.last());
        if !is_text || is_judged || !are_found || filtered.contains(&column) {
            return None;
        }
        let chunk = task.part.exact()?;
        let order = definition.columns[definition.first_order_index()?].kind;
        let newest = task.newest(definition)?;
        has_few_values(chunk, column).then_some(Dictionary {
            column,
            order,
            newest,
        })
    }

    /// Reads columns of a part, given by their numbers, or nothing if there are none.
    async fn fetch(&self, task: &Arc<Task>, columns: Vec<usize>) -> Result<RecordBatch> {
        if columns.is_empty() {
            return Ok(RecordBatch::new_empty(Arc::new(Schema::empty())));
        }
        let (reader, task) = (Arc::clone(&self.reader), Arc::clone(task));
        let fetch = async move { reader.fetch(&task, &columns, task.keys()).await };
        let rows = SpawnedTask::spawn(fetch).join().await;
        rows.map_err(|e| DataFusionError::ExecutionJoin(Box::new(e)))?
    }

    /// Returns the partition key that all rows of a part have, if it is one.
    fn only_partition<'a>(&self, task: &'a Task) -> Option<&'a [u8]> {
        let first = self.partition(task.part.first())?;
        (self.partition(task.part.last())? == first).then_some(first)
    }

    /// Returns whether a newer row was found of the only partition key of a part.
    fn is_superseded(&self, only: &[u8], task: &Task) -> bool {
        let newest = self.newest.get(only);
        newest.is_some_and(|newest| task.part.last() <= &newest[..])
    }

    /// Returns the bytes of the partition key at the front of a key.
    fn partition<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        key.get(..key::partition_len(&self.kinds, key)?)
    }

    /// Returns the numbers of the rows that are the last of their partition key and newer than what
    /// was found before, and remembers them. The first columns of `rows` are those of the key.
    fn choose(&mut self, task: &Task, keys: usize, rows: &RecordBatch) -> Result<UInt32Array> {
        let mut passing = UInt32Array::from_iter_values(0..rows.num_rows() as u32);
        let mut columns = rows.columns()[..keys].to_vec();
        // The newest row that passes the filters counts, so they come first. They look at nothing but
        // the key: other filters keep a query from this way of reading.
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
        // Rows are in key order, so the last row of each run of a partition key is its newest in
        // this part.
        let last = last_rows(&columns[..self.kinds.len()])?;
        let last_keys = take_arrays(&columns, &last, None)?;
        let last_keys =
            key::encode_columns(self.reader.definition(), &last_keys).map_err(external)?;
        let mut chosen = Vec::new();
        for (key, row) in last_keys.iter().zip(last.values()) {
            let Some(partition) = self.partition(key) else {
                continue;
            };
            let found = self.newest.get(partition);
            if found.is_none_or(|newest| &newest[..] < key) {
                self.newest.insert(partition.to_vec(), key.to_vec());
                chosen.push(passing.value(*row as usize));
            }
        }
        Ok(chosen.into())
    }
}

/// Returns the number of the last row of each run of equal values.
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
