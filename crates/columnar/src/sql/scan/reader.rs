//! Reading one part: the columns that are wanted, of the rows that pass the filters.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute::{cast, filter_record_batch, take_record_batch};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::error::ArrowError;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr_common::physical_expr::snapshot_physical_expr;
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder, Time};

use super::spec::{Order, ScanSpec, Source};
use crate::definition::Definition;
use crate::encoding::coded;
use crate::sql::error::external;
use crate::sql::plan::prune::may_match;
use crate::sql::plan::task::Task;
use crate::store::KeyRange;

/// The columns of the filters are read first, to see whether any row passes, if the other columns cost
/// at least this many times as much.
const TWO_STEPS_FACTOR: u64 = 4;

/// Rows are looked up by key if their columns cost at least this many times as much as the keys.
const FIND_KEYS_FACTOR: u64 = 4;

/// The work of a DataFusion partition, for `EXPLAIN ANALYZE`.
#[derive(Debug)]
pub struct Counters {
    /// Chunks that were answered from their number of rows alone.
    pub chunks_counted: Count,
    pub chunks_read: Count,
    /// Chunks that were skipped because a filter became narrower, or newer rows were found.
    pub chunks_passed_over: Count,
    /// Encoded bytes, from memory or the store.
    pub bytes_read: Count,
    /// The time spent on waiting for blobs, decoding and merging them.
    time_reading: Time,
}

impl Counters {
    fn new(metrics: &ExecutionPlanMetricsSet, partition: usize) -> Counters {
        let counter = |name| MetricBuilder::new(metrics).counter(name, partition);
        Counters {
            chunks_counted: counter("chunks_counted"),
            chunks_read: counter("chunks_read"),
            chunks_passed_over: counter("chunks_passed_over"),
            bytes_read: counter("bytes_read"),
            time_reading: MetricBuilder::new(metrics).subset_time("time_reading", partition),
        }
    }
}

/// Reads the parts of one DataFusion partition.
#[derive(Debug)]
pub struct PartReader {
    pub source: Arc<Source>,
    pub projection: Arc<[usize]>,
    schema: SchemaRef,
    /// The number of the column that comes as a dictionary array, if one does.
    coded: Option<usize>,
    /// Filters over the projection that become narrower while the query runs.
    dynamic: Vec<Arc<dyn PhysicalExpr>>,
    /// Whether rows are returned in descending order of their keys.
    backwards: bool,
    pub counters: Counters,
}

impl PartReader {
    pub fn new(scan: &ScanSpec, metrics: &ExecutionPlanMetricsSet, partition: usize) -> PartReader {
        PartReader {
            source: Arc::clone(&scan.source),
            projection: Arc::clone(&scan.projection),
            schema: Arc::clone(&scan.schema),
            coded: scan.coded,
            dynamic: scan.dynamic.clone(),
            backwards: scan.order == Order::Reversed,
            counters: Counters::new(metrics, partition),
        }
    }

    pub fn definition(&self) -> &Arc<Definition> {
        self.source.definition()
    }

    /// Reads the rows of a part that pass all filters.
    pub async fn read(&self, task: &Task) -> Result<RecordBatch> {
        if !self.may_still_match(task)? {
            self.counters.chunks_passed_over.add(task.part.chunks.len());
            return Ok(RecordBatch::new_empty(Arc::clone(&self.schema)));
        }
        let rows = match (task.answered_by(), &self.projection[..]) {
            // Only the number of rows is wanted, as for `count(*)`, and the statistics have it.
            (Some(chunk), []) => {
                self.counters.chunks_counted.add(1);
                self.project(&[], &[], chunk.live_rows() as usize)?
            }
            _ => {
                let rows = self.read_columns(task).await?;
                self.counters.chunks_read.add(task.part.chunks.len());
                rows
            }
        };
        if self.backwards {
            backwards(&rows)
        } else {
            Ok(rows)
        }
    }

    /// Reads the columns of the filters and of the projection, in one step or, where most rows may be
    /// filtered away, in two.
    async fn read_columns(&self, task: &Task) -> Result<RecordBatch> {
        let filter = &self.source.filter;
        let of_filters = filter.columns(&task.unproven);
        let others: Vec<usize> = self
            .projection
            .iter()
            .filter(|n| !of_filters.contains(n))
            .copied()
            .collect();
        let all = [&of_filters[..], &others[..]].concat();
        let keys = self.keys(task, &all);
        // Statistics prove that all rows pass: the columns of the filters are not even read.
        if task.unproven.is_empty() {
            let rows = self.fetch(task, &all, keys).await?;
            return self.project(rows.columns(), &all, rows.num_rows());
        }
        let cost = |columns: &[usize]| task.part.bytes(columns);
        // A part of several chunks is merged each time that it is read, and keys are looked up each
        // time, so that a second step would do that work twice.
        let one_step = task.part.exact().is_none()
            || cuts(keys, task)
            || cost(&others) <= TWO_STEPS_FACTOR.saturating_mul(cost(&of_filters));
        let first = if one_step { &all } else { &of_filters };
        let rows = self.fetch(task, first, keys).await?;
        let filtered = self.as_planned(&rows, of_filters.len())?;
        let passing = filter.passing(&task.unproven, &filtered)?;
        if passing.true_count() == 0 {
            return Ok(RecordBatch::new_empty(Arc::clone(&self.schema)));
        }
        let mut arrays = rows.columns().to_vec();
        if !one_step {
            arrays.extend_from_slice(self.fetch(task, &others, keys).await?.columns());
        }
        let rows = self.project(&arrays, &all, rows.num_rows())?;
        Ok(filter_record_batch(&rows, &passing)?)
    }

    /// Returns the keys that are wanted of a part, or all keys where finding them costs more than it
    /// saves. The filters are applied in both cases.
    fn keys<'a>(&self, task: &'a Task, columns: &[usize]) -> KeyRange<'a> {
        let cost_of_keys = task.part.bytes(&self.definition().key_indexes());
        let little = task.part.bytes(columns) < FIND_KEYS_FACTOR.saturating_mul(cost_of_keys);
        if task.part.exact().is_some() && little {
            KeyRange::default()
        } else {
            task.keys()
        }
    }

    /// Reads columns of a part, given by their numbers.
    pub async fn fetch(
        &self,
        task: &Task,
        columns: &[usize],
        keys: KeyRange<'_>,
    ) -> Result<RecordBatch> {
        self.fetch_coded(task, columns, keys, self.coded).await
    }

    /// Reads all values that a column of a part has, some perhaps more than once. Where the column is
    /// kept as a dictionary, no row is decoded for that.
    pub async fn values(&self, task: &Task, column: usize) -> Result<ArrayRef> {
        let all = KeyRange::default();
        let rows = self.fetch_coded(task, &[column], all, Some(column)).await?;
        let dictionary = rows.column(0).as_any_dictionary_opt();
        Ok(dictionary.map_or_else(|| Arc::clone(rows.column(0)), |d| Arc::clone(d.values())))
    }

    async fn fetch_coded(
        &self,
        task: &Task,
        columns: &[usize],
        keys: KeyRange<'_>,
        coded: Option<usize>,
    ) -> Result<RecordBatch> {
        let bytes = task.part.bytes(columns) as usize;
        self.counters.bytes_read.add(bytes);
        let timer = self.counters.time_reading.timer();
        let table = &self.source.table;
        let rows = table.read_coded(&task.part, columns, keys, coded).await;
        timer.done();
        rows.map_err(external)
    }

    /// Puts arrays, whose column numbers are given, into the order of the projection.
    pub fn project(
        &self,
        arrays: &[ArrayRef],
        columns: &[usize],
        rows: usize,
    ) -> Result<RecordBatch> {
        let array = |number: &usize| {
            let at = columns.iter().position(|n| n == number)?;
            let array = arrays.get(at).cloned()?;
            if Some(*number) == self.coded {
                Some(coded(array))
            } else {
                Some(Ok(array))
            }
        };
        let projected = self
            .projection
            .iter()
            .filter_map(array)
            .collect::<Result<_, ArrowError>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::clone(&self.schema);
        Ok(RecordBatch::try_new_with_options(
            schema, projected, &options,
        )?)
    }

    /// Returns the first columns in the types that the filters were planned for, without dictionaries.
    fn as_planned(&self, rows: &RecordBatch, columns: usize) -> Result<RecordBatch> {
        match self.coded {
            None => Ok(rows.clone()),
            Some(_) => uncoded(&rows.project(&(0..columns).collect::<Vec<_>>())?),
        }
    }

    /// Returns whether rows of a part may pass the filters that have become narrower meanwhile.
    fn may_still_match(&self, task: &Task) -> Result<bool> {
        for filter in &self.dynamic {
            let now = snapshot_physical_expr(Arc::clone(filter))?;
            let Some(now) = self.over_the_table(now)? else {
                continue;
            };
            let schema = self.source.filter.schema();
            if may_match(self.definition(), schema, &now, &[&task.part]) == [false] {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Rewrites an expression over the projection to the table's column numbers. Returns `None` if
    /// it has a column that is not in the projection.
    fn over_the_table(&self, expr: Arc<dyn PhysicalExpr>) -> Result<Option<Arc<dyn PhysicalExpr>>> {
        let mut all_found = true;
        let renumbered = expr.transform_up(|expr| {
            let Some(column) = expr.downcast_ref::<Column>() else {
                return Ok(Transformed::no(expr));
            };
            let Some(number) = self.projection.get(column.index()) else {
                all_found = false;
                return Ok(Transformed::no(expr));
            };
            let renumbered: Arc<dyn PhysicalExpr> = Arc::new(Column::new(column.name(), *number));
            Ok(Transformed::yes(renumbered))
        })?;
        Ok(all_found.then_some(renumbered.data))
    }
}

/// Returns whether some keys of a part may be outside of a range.
fn cuts(keys: KeyRange<'_>, task: &Task) -> bool {
    !(keys.contains(task.part.first()) && keys.contains(task.part.last()))
}

fn backwards(rows: &RecordBatch) -> Result<RecordBatch> {
    if rows.num_columns() == 0 {
        return Ok(rows.clone());
    }
    let indexes: UInt32Array = (0..rows.num_rows() as u32).rev().collect();
    Ok(take_record_batch(rows, &indexes)?)
}

/// Replaces dictionary arrays by their values.
fn uncoded(rows: &RecordBatch) -> Result<RecordBatch> {
    let schema = rows.schema();
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (field, array) in schema.fields().iter().zip(rows.columns()) {
        let values = match field.data_type() {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        fields.push(field.as_ref().clone().with_data_type(values.clone()));
        arrays.push(cast(array, values)?);
    }
    let schema = Arc::new(Schema::new(fields));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
    Ok(RecordBatch::try_new_with_options(schema, arrays, &options)?)
}
