//! Aggregating rows by codes: each different value of a batch is looked up once, and its code then
//! identifies the group.

use std::sync::Arc;

use arrow::array::{Array, AsArray, BooleanArray, DictionaryArray, RecordBatch};
use arrow::compute::filter;
use arrow::datatypes::{Schema, UInt32Type};
use datafusion::common::internal_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use datafusion::physical_plan::aggregates::group_values::{GroupValues, new_group_values};
use datafusion::physical_plan::aggregates::order::GroupOrdering;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, RecordOutput};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{self, TryStreamExt};

use super::grouping::Grouping;

/// Returns the groups of rows, and the states of their aggregates.
pub fn stream(
    grouping: &Arc<Grouping>,
    rows: SendableRecordBatchStream,
    partition: usize,
    context: &TaskContext,
    metrics: &ExecutionPlanMetricsSet,
) -> Result<SendableRecordBatchStream> {
    let consumer = MemoryConsumer::new(format!("ColumnarGroups[{partition}]"));
    let baseline = BaselineMetrics::new(metrics, partition);
    let run = Run {
        rows: Some(rows),
        groups: Groups::new(grouping)?,
        memory: consumer
            .with_can_spill(true)
            .register(context.memory_pool()),
        baseline: baseline.intermediate(),
    };
    let most = context.session_config().batch_size().max(1);
    let states = stream::try_unfold(run, |mut run| async move {
        let states = run.next().await;
        states.map(|states| states.map(|states| (states, run)))
    });
    let batches = states
        .map_ok(move |states| stream::iter(slices(states, most).map(Ok::<_, DataFusionError>)))
        .try_flatten()
        .inspect_ok(move |batch| {
            batch.record_output(&baseline);
        });
    let schema = Arc::clone(&grouping.schema);
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
}

/// Cuts a batch into slices of at most this number of rows.
fn slices(batch: RecordBatch, most: usize) -> impl Iterator<Item = RecordBatch> {
    let rows = batch.num_rows();
    let slice = move |first| batch.slice(first, most.min(rows - first));
    (0..rows).step_by(most).map(slice)
}

/// The aggregation of one DataFusion partition.
struct Run {
    /// The rows, until they have ended.
    rows: Option<SendableRecordBatchStream>,
    groups: Groups,
    memory: MemoryReservation,
    baseline: BaselineMetrics,
}

impl Run {
    /// Returns the states after all rows, or after as many rows as there is memory for: then the
    /// same group may come again later, and the last step merges both. Returns `None` after the
    /// last states.
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(rows) = &mut self.rows {
            let Some(batch) = rows.try_next().await? else {
                self.rows = None;
                break;
            };
            let _timer = self.baseline.elapsed_compute().timer();
            self.groups.add(&batch)?;
            // Without memory the groups so far are emitted. The last step merges a group that comes
            // again.
            if self.memory.try_resize(self.groups.size()).is_err() {
                let states = self.groups.take()?;
                self.memory.try_resize(self.groups.size())?;
                if states.is_some() {
                    return Ok(states);
                }
            }
        }
        let _timer = self.baseline.elapsed_compute().timer();
        let states = self.groups.take()?;
        self.memory.free();
        Ok(states)
    }
}

/// The groups, which are numbered, and the state of each aggregate of each group.
struct Groups {
    grouping: Arc<Grouping>,
    /// The value of each group. A null is a value, too.
    values: Box<dyn GroupValues>,
    states: Vec<Box<dyn GroupsAccumulator>>,
    /// The group of each value of a dictionary that occurs in a batch.
    value_groups: Vec<usize>,
    /// The group of each row of a batch.
    row_groups: Vec<usize>,
}

impl Groups {
    fn new(grouping: &Arc<Grouping>) -> Result<Groups> {
        let value = Schema::new(vec![grouping.schema.field(0).clone()]);
        let states = grouping
            .aggregates
            .iter()
            .map(|a| a.function.create_groups_accumulator());
        Ok(Groups {
            grouping: Arc::clone(grouping),
            values: new_group_values(Arc::new(value), &GroupOrdering::None)?,
            states: states.collect::<Result<_>>()?,
            value_groups: Vec::new(),
            row_groups: Vec::new(),
        })
    }

    fn add(&mut self, rows: &RecordBatch) -> Result<()> {
        let grouping = Arc::clone(&self.grouping);
        let codes = rows
            .column(grouping.column)
            .as_dictionary_opt()
            .ok_or_else(|| internal_datafusion_err!("groups come without codes"))?;
        self.look_up(codes)?;
        for (aggregate, state) in grouping.aggregates.iter().zip(&mut self.states) {
            let arguments = aggregate.arguments(rows)?;
            let filter = aggregate.filter(rows)?;
            state.update_batch(
                &arguments,
                &self.row_groups,
                filter.as_ref(),
                self.values.len(),
            )?;
        }
        Ok(())
    }

    /// Finds the group of each row. Values that do not occur become no groups: filters may have
    /// excluded all rows that have them.
    fn look_up(&mut self, rows: &DictionaryArray<UInt32Type>) -> Result<()> {
        if rows.keys().null_count() > 0 {
            return Err(internal_datafusion_err!("groups come without some codes"));
        }
        let (codes, values) = (rows.keys().values(), rows.values());
        // A filter may have removed all rows of a value. Interning such a value would make a group
        // without rows, so only the values that occur are looked up.
        let mut occurs = vec![false; values.len()];
        for code in codes {
            occurs[*code as usize] = true;
        }
        let occurring = if occurs.iter().all(|occurs| *occurs) {
            Arc::clone(values)
        } else {
            filter(values, &BooleanArray::from(occurs.clone()))?
        };
        self.values.intern(&[occurring], &mut self.value_groups)?;
        // Interning has numbered the occurring values only. They are in the order of the
        // dictionary, so one pass spreads their groups over all codes.
        let mut found = self.value_groups.iter().copied();
        let group = |occurs| if occurs { found.next() } else { None };
        let code_groups: Vec<usize> = occurs
            .into_iter()
            .map(group)
            .map(Option::unwrap_or_default)
            .collect();
        self.row_groups.clear();
        let row_groups = codes.iter().map(|code| code_groups[*code as usize]);
        self.row_groups.extend(row_groups);
        Ok(())
    }

    /// Returns the memory that this takes, in bytes.
    fn size(&self) -> usize {
        let states: usize = self.states.iter().map(|state| state.size()).sum();
        let numbers = self.value_groups.capacity() + self.row_groups.capacity();
        states + self.values.size() + numbers * size_of::<usize>()
    }

    /// Takes all groups and their states out, if there are any.
    fn take(&mut self) -> Result<Option<RecordBatch>> {
        if self.values.is_empty() {
            return Ok(None);
        }
        let mut columns = self.values.emit(EmitTo::All)?;
        for state in &mut self.states {
            columns.extend(state.state(EmitTo::All)?);
        }
        self.values.clear_shrink(0);
        (self.value_groups, self.row_groups) = (Vec::new(), Vec::new());
        let schema = Arc::clone(&self.grouping.schema);
        Ok(Some(RecordBatch::try_new(schema, columns)?))
    }
}
