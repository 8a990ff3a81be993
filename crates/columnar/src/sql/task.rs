//! The parts that a scan reads, in which order, and by whom.

use std::sync::Arc;

use datafusion::common::ScalarValue;

use super::filter::Filter;
use super::value::scalar;
use super::wanted::Wanted;
use crate::definition::Definition;
use crate::key;
use crate::meta::{ChunkMeta, Scalar};
use crate::store::{FreshRow, KeyRange};
use crate::table::Part;

/// What looking at a part costs beside its bytes, in bytes.
const PART_BYTES: u64 = 4_096;
/// What a fresh row costs, in bytes.
const FRESH_ROW_BYTES: u64 = 64;

/// A part to be read.
#[derive(Debug)]
pub struct Task {
    pub part: Part,
    /// Numbers of the filters that its rows might not pass.
    pub unproven: Vec<usize>,
    /// The wanted keys lie between these.
    first: Option<Vec<u8>>,
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

    pub fn keys(&self) -> KeyRange<'_> {
        KeyRange {
            first: self.first.as_deref(),
            last: self.last.as_deref(),
        }
    }

    /// The chunk whose statistics are those of exactly the rows that the query wants of this part.
    pub fn answered_by(&self) -> Option<&Arc<ChunkMeta>> {
        self.part.exact().filter(|_| self.unproven.is_empty())
    }

    /// Rows that it surely yields.
    pub fn sure_rows(&self) -> u64 {
        self.answered_by()
            .map_or(0, |chunk| u64::from(chunk.live_rows()))
    }

    /// What reading these columns costs, in bytes, together with those that filters look at.
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

    /// The greatest value of the first order key, if it is known.
    pub fn newest(&self, definition: &Definition) -> Option<i64> {
        if self.part.fresh.is_empty() {
            self.order_bounds(definition).map(|(_, newest)| newest)
        } else {
            None
        }
    }

    /// Least and greatest value of the first order key in rows of one partition key, if known.
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

/// The first order key of the first and the last of these rows, which have one partition key.
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

/// Tasks in an order in which each has only keys after those of the one before, if there is one.
/// Without one, they stay as they are.
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
    // Chunks with rows of several partition keys may interleave, but not within one of them.
    let with_bounds = |task: Arc<Task>| Some((task.order_bounds(definition)?, task));
    let sorted: Option<Vec<_>> = tasks.iter().cloned().map(with_bounds).collect();
    let Some(mut sorted) = sorted else {
        return (tasks, false);
    };
    sorted.sort_by_key(|(bounds, _)| *bounds);
    let apart = sorted.windows(2).all(|pair| pair[0].0.1 < pair[1].0.0);
    if apart {
        (sorted.into_iter().map(|(_, task)| task).collect(), true)
    } else {
        (tasks, false)
    }
}

/// Tasks for as many readers at most, each with neighbours of about the same cost.
pub fn dealt(
    tasks: &[Arc<Task>],
    readers: usize,
    cost: impl Fn(&Task) -> u64,
) -> Vec<Vec<Arc<Task>>> {
    let readers = readers.min(tasks.len()).max(1);
    let costs: Vec<u128> = tasks.iter().map(|task| u128::from(cost(task))).collect();
    let all: u128 = costs.iter().sum::<u128>().max(1);
    let mut dealt = vec![Vec::new(); readers];
    let mut before = 0;
    for (task, cost) in tasks.iter().zip(costs) {
        let middle = before + cost / 2;
        let reader = usize::try_from(middle * readers as u128 / all).unwrap_or(0);
        dealt[reader.min(readers - 1)].push(Arc::clone(task));
        before += cost;
    }
    dealt
}

/// The first tasks, as many as surely yield so many rows. The others are not needed for a limit.
pub fn enough(tasks: &[Vec<Arc<Task>>], rows: u64) -> Vec<Vec<Arc<Task>>> {
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
