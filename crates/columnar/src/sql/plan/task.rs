//! Tasks: the parts that a scan reads, their order, and how they are divided among DataFusion's
//! partitions.

use std::cmp::Reverse;
use std::sync::Arc;

use datafusion::common::ScalarValue;

use super::filter::Filter;
use super::value::scalar;
use super::wanted::Wanted;
use crate::definition::Definition;
use crate::key;
use crate::meta::{ChunkMeta, Scalar};
use crate::share::share_of;
use crate::store::{FreshRow, KeyRange};
use crate::table::Part;

/// The cost of looking at a part in addition to its bytes, expressed in bytes.
const PART_BYTES: u64 = 4_096;
/// The cost of a fresh row, expressed in bytes.
const FRESH_ROW_BYTES: u64 = 64;

/// A part that a scan reads.
#[derive(Debug)]
pub struct Task {
    pub part: Part,
    /// The numbers of the filters that some of its rows may not pass.
    pub unproven: Vec<usize>,
    /// The least key that is wanted of it, if not all keys are.
    first: Option<Vec<u8>>,
    /// The greatest key that is wanted of it, if not all keys are.
    last: Option<Vec<u8>>,
}

impl Task {
    pub fn new(definition: &Definition, filter: &Filter, wanted: &Wanted, part: Part) -> Task {
        let keys = wanted.keys_in(&part);
        let (first, last) = (
            keys.first.map(<[u8]>::to_vec),
            keys.last.map(<[u8]>::to_vec),
        );
        let unproven = filter.unproven(definition, &part);
        Task {
            part,
            unproven,
            first,
            last,
        }
    }

    /// Returns the range of keys that the query wants of the part.
    pub fn keys(&self) -> KeyRange<'_> {
        KeyRange {
            first: self.first.as_deref(),
            last: self.last.as_deref(),
        }
    }

    /// Returns the chunk whose statistics are those of exactly the rows that the query wants.
    pub fn answered_by(&self) -> Option<&Arc<ChunkMeta>> {
        self.part.exact().filter(|_| self.unproven.is_empty())
    }

    /// Returns a number of rows that the task surely yields.
    fn sure_rows(&self) -> u64 {
        self.answered_by()
            .map_or(0, |chunk| u64::from(chunk.live_rows()))
    }

    /// Returns the cost of reading these columns and those that the filters look at, in bytes.
    pub fn cost(&self, columns: &[usize], filter: &Filter) -> u64 {
        let mut columns = columns.to_vec();
        columns.extend(filter.columns(&self.unproven));
        columns.sort_unstable();
        columns.dedup();
        let fresh = self.part.fresh.len() as u64 * FRESH_ROW_BYTES;
        PART_BYTES + self.part.bytes(&columns) + fresh
    }

    fn first_wanted(&self) -> &[u8] {
        let first = self.part.first();
        self.first
            .as_deref()
            .map_or(first, |wanted| wanted.max(first))
    }

    fn last_wanted(&self) -> &[u8] {
        let last = self.part.last();
        self.last.as_deref().map_or(last, |wanted| wanted.min(last))
    }

    /// Returns the greatest value of the first order key, if it is known.
    pub fn newest(&self, definition: &Definition) -> Option<i64> {
        if self.part.fresh.is_empty() {
            self.order_bounds(definition).map(|(_, newest)| newest)
        } else {
            None
        }
    }

    /// Returns the least and the greatest value of the first order key, if they are known. Fresh rows
    /// have to be of one partition key.
    fn order_bounds(&self, definition: &Definition) -> Option<(i64, i64)> {
        let column = definition.first_order_index()?;
        let mut bounds = fresh_order_bounds(definition, &self.part.fresh)?;
        for chunk in &self.part.chunks {
            match chunk.stats.get(column)?.bounds {
                Some((Scalar::Int(low), Scalar::Int(high))) => bounds.extend([low, high]),
                _ => return None,
            }
        }
        Some((*bounds.iter().min()?, *bounds.iter().max()?))
    }
}

/// Returns the first order key of the first and the last of these rows, which are in order of their
/// keys and have one partition key.
fn fresh_order_bounds(definition: &Definition, fresh: &[FreshRow]) -> Option<Vec<i64>> {
    let ends = fresh.first().into_iter().chain(fresh.last());
    let keys: Vec<&[u8]> = ends.map(|row| &row.key[..]).collect();
    if keys.is_empty() {
        return Some(Vec::new());
    }
    let columns = key::decode(definition, keys).ok()?;
    let order = columns.get(definition.partition_key.len())?;
    let kind = definition.columns[definition.first_order_index()?].kind;
    let value = |row| match scalar(kind, &ScalarValue::try_from_array(order, row).ok()?)? {
        Scalar::Int(value) => Some(value),
        _ => None,
    };
    (0..order.len()).map(value).collect()
}

/// Puts tasks into an order in which each has only keys after those of the one before, and returns
/// whether there is such an order. If there is none, the tasks stay as they are.
pub fn in_key_order(
    definition: &Definition,
    wanted: &Wanted,
    tasks: Vec<Arc<Task>>,
) -> (Vec<Arc<Task>>, bool) {
    let mut sorted = tasks.clone();
    sorted.sort_by(|a, b| a.first_wanted().cmp(b.first_wanted()));
    if sorted
        .windows(2)
        .all(|pair| pair[0].last_wanted() < pair[1].first_wanted())
    {
        return (sorted, true);
    }
    if !wanted.one_partition() {
        return (tasks, false);
    }
    // Chunks with rows of several partition keys may overlap as a whole and still not overlap within
    // the only partition key that is wanted: then their ranges of the order key decide.
    let with_bounds = |task: Arc<Task>| Some((task.order_bounds(definition)?, task));
    let sorted: Option<Vec<_>> = tasks.iter().cloned().map(with_bounds).collect();
    let Some(mut sorted) = sorted else {
        return (tasks, false);
    };
    sorted.sort_by_key(|(bounds, _)| *bounds);
    let disjoint = sorted.windows(2).all(|pair| pair[0].0.1 < pair[1].0.0);
    if disjoint {
        (sorted.into_iter().map(|(_, task)| task).collect(), true)
    } else {
        (tasks, false)
    }
}

/// Divides tasks among at most this number of readers, so that each has neighbours and all have about
/// the same cost.
pub fn split_by_cost(
    tasks: &[Arc<Task>],
    readers: usize,
    cost: impl Fn(&Task) -> u64,
) -> Vec<Vec<Arc<Task>>> {
    let readers = readers.min(tasks.len()).max(1);
    let costs: Vec<u128> = tasks.iter().map(|task| u128::from(cost(task))).collect();
    let all: u128 = costs.iter().sum();
    let mut divided = vec![Vec::new(); readers];
    let mut before = 0;
    for (task, cost) in tasks.iter().zip(costs) {
        divided[share_of(before, cost, all, readers)].push(Arc::clone(task));
        before += cost;
    }
    divided
}

/// Divides tasks among at most this number of readers, so that all tasks of a partition key have the
/// same reader, which gets the newest first.
pub fn split_by_shard(
    definition: &Definition,
    tasks: Vec<Arc<Task>>,
    readers: usize,
) -> Vec<Vec<Arc<Task>>> {
    let readers = readers.min(definition.shards as usize).max(1);
    let mut newest_first = tasks;
    // A part whose newest row is unknown may have the newest of all.
    newest_first.sort_by_key(|task| Reverse(task.newest(definition).unwrap_or(i64::MAX)));
    let mut divided = vec![Vec::new(); readers];
    for task in newest_first {
        divided[task.part.place.shard as usize % readers].push(task);
    }
    divided
}

/// Returns the first tasks that surely yield this number of rows. A limit does not need the others.
pub fn tasks_for_limit(tasks: &[Vec<Arc<Task>>], rows: u64) -> Vec<Vec<Arc<Task>>> {
    let mut sure = 0;
    let mut needed = |task: &&Arc<Task>| {
        let needed = sure < rows;
        sure += task.sure_rows();
        needed
    };
    tasks
        .iter()
        .map(|own| own.iter().filter(&mut needed).cloned().collect())
        .collect()
}
