//! Reading one part: the columns that are wanted, of the rows that pass the filters.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute::{cast, filter_record_batch, take_record_batch};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::error::ArrowError;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::{DataFusionError, Result};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr_common::physical_expr::snapshot_physical_expr;
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder, Time};

use super::order::Order;
use super::prune::may_match;
use super::scan::{ColumnarScan, Source};
use super::task::Task;
use crate::definition::Definition;
use crate::encoding::coded;
use crate::store::KeyRange;

/// The columns beside those of the filters have to cost so many times as much, or they are read
/// together with them.
const TWO_STEPS_FACTOR: u64 = 4;

/// The columns have to cost so many times as much as the keys, or rows are not looked up by key.
const FIND_KEYS_FACTOR: u64 = 4;

/// What a DataFusion partition did.
#[derive(Debug)]
pub struct Counters {
    /// Answered from the number of rows alone.
    pub chunks_counted: Count,
    pub chunks_read: Count,
    /// Left out by a filter that got narrower, or by newer rows that were found.
    pub chunks_passed_over: Count,
    /// Encoded, from memory or the store.
    pub bytes_read: Count,
    /// Waiting for blobs, decoding and merging them.
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

/// What a DataFusion partition reads with.
#[derive(Debug)]
pub struct Reader {
    pub source: Arc<Source>,
    pub projection: Arc<[usize]>,
    schema: SchemaRef,
    /// The column that comes as a dictionary array.
    coded: Option<usize>,
    dynamic: Vec<Arc<dyn PhysicalExpr>>,
    backwards: bool,
    pub counters: Counters,
}

impl Reader {
    pub fn new(
        scan: &ColumnarScan,
        schema: SchemaRef,
        metrics: &ExecutionPlanMetricsSet,
        partition: usize,
    ) -> Reader {
        Reader {
            source: Arc::clone(&scan.source),
            projection: Arc::clone(&scan.projection),
            schema,
            coded: scan.coded,
            dynamic: scan.dynamic.clone(),
            backwards: scan.order == Order::Reversed,
            counters: Counters::new(metrics, partition),
        }
    }

    pub fn definition(&self) -> &Arc<Definition> {
        self.source.definition()
    }

    /// The rows of a part that pass all filters.
    pub async fn read(&self, task: &Task) -> Result<RecordBatch> {
        if !self.may_still_match(task)? {
            self.counters.chunks_passed_over.add(task.part.chunks.len());
            return Ok(RecordBatch::new_empty(Arc::clone(&self.schema)));
        }
        let rows = match (task.answered_by(), &self.projection[..]) {
            (Some(chunk), []) => {
                self.counters.chunks_counted.add(1);
                self.arranged(&[], &[], chunk.live_rows() as usize)?
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

    async fn read_columns(&self, task: &Task) -> Result<RecordBatch> {
        let filter = &self.source.filter;
        let looked_at = filter.columns(&task.unproven);
        let others = self.projection.iter().filter(|n| !looked_at.contains(n));
        let others: Vec<usize> = others.copied().collect();
        let all = [&looked_at[..], &others[..]].concat();
        let keys = self.keys(task, &all);
        if task.unproven.is_empty() {
            let rows = self.fetch(task, &all, keys).await?;
            return self.arranged(rows.columns(), &all, rows.num_rows());
        }
        let cost = |columns: &[usize]| task.part.bytes(columns);
        // Parts of several chunks are merged, and keys looked up, each time that a part is read.
        let one_step = task.part.exact().is_none()
            || cuts(keys, task)
            || cost(&others) <= TWO_STEPS_FACTOR.saturating_mul(cost(&looked_at));
        let first = if one_step { &all } else { &looked_at };
        let rows = self.fetch(task, first, keys).await?;
        let looked_at = self.as_planned(&rows, looked_at.len())?;
        let passing = filter.passing(&task.unproven, &looked_at)?;
        if passing.true_count() == 0 {
            return Ok(RecordBatch::new_empty(Arc::clone(&self.schema)));
        }
        let mut arrays = rows.columns().to_vec();
        if !one_step {
            arrays.extend_from_slice(self.fetch(task, &others, keys).await?.columns());
        }
        let rows = self.arranged(&arrays, &all, rows.num_rows())?;
        Ok(filter_record_batch(&rows, &passing)?)
    }

    /// The keys that are wanted of a part, where finding them costs less than it saves: the filters
    /// are applied either way.
    fn keys<'a>(&self, task: &'a Task, columns: &[usize]) -> KeyRange<'a> {
        let cost_of_keys = task.part.bytes(&self.definition().key_indexes());
        let little = task.part.bytes(columns) < FIND_KEYS_FACTOR.saturating_mul(cost_of_keys);
        if task.part.exact().is_some() && little {
            KeyRange::default()
        } else {
            task.keys()
        }
    }

    /// Columns of a part, by number.
    pub async fn fetch(
        &self,
        task: &Task,
        columns: &[usize],
        keys: KeyRange<'_>,
    ) -> Result<RecordBatch> {
        self.counters
            .bytes_read
            .add(task.part.bytes(columns) as usize);
        let timer = self.counters.time_reading.timer();
        let table = &self.source.table;
        let rows = table.read_coded(&task.part, columns, keys, self.coded);
        let rows = rows.await;
        timer.done();
        rows.map_err(external)
    }

    /// All values that a column of a part has, some of them maybe more than once: where it is kept as
    /// a dictionary, without decoding its rows.
    pub async fn values(&self, task: &Task, column: usize) -> Result<ArrayRef> {
        let (columns, all) = ([column], KeyRange::default());
        self.counters
            .bytes_read
            .add(task.part.bytes(&columns) as usize);
        let timer = self.counters.time_reading.timer();
        let table = &self.source.table;
        let rows = table.read_coded(&task.part, &columns, all, Some(column));
        let rows = rows.await;
        timer.done();
        let rows = rows.map_err(external)?;
        let dictionary = rows.column(0).as_any_dictionary_opt();
        Ok(dictionary.map_or_else(|| Arc::clone(rows.column(0)), |d| Arc::clone(d.values())))
    }

    /// The projection of arrays, whose column numbers are given.
    pub fn arranged(
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
        let arranged = self.projection.iter().filter_map(array);
        let arranged = arranged.collect::<Result<_, ArrowError>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::clone(&self.schema);
        Ok(RecordBatch::try_new_with_options(
            schema, arranged, &options,
        )?)
    }

    /// The first columns with the types that filters were planned for.
    fn as_planned(&self, rows: &RecordBatch, columns: usize) -> Result<RecordBatch> {
        match self.coded {
            None => Ok(rows.clone()),
            Some(_) => uncoded(&rows.project(&(0..columns).collect::<Vec<_>>())?),
        }
    }

    /// Whether rows of a part may pass the filters that got narrower meanwhile.
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

    /// An expression over the projection with the table's column numbers.
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

/// Whether some keys of a part may be outside of a range.
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

/// Rows without dictionary arrays.
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

pub fn external(error: crate::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
