//! A columnar table as a table of DataFusion.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::error::external;
use super::plan::condition::Condition;
use super::plan::filter::{Filter, is_of_the_row};
use super::plan::prune::may_match;
use super::plan::task::{Task, in_key_order};
use super::plan::wanted::Wanted;
use super::scan::exec::ColumnarScan;
use super::scan::spec::{Order, ScanSpec, Source};
use crate::table::{Part, Table, View};

/// A table of DataFusion that reads the parts of a columnar table which partition key, order key and
/// statistics leave.
pub struct ColumnarTable {
    table: Arc<Table>,
    name: String,
    schema: SchemaRef,
    /// The parts that queries look at, if these are not those that the table has by then.
    parts: Option<Vec<Part>>,
}

impl ColumnarTable {
    /// Makes a table of DataFusion, which `EXPLAIN` calls by this name.
    pub fn new(table: Arc<Table>, name: impl Into<String>) -> Self {
        let (schema, name) = (table.definition().schema(), name.into());
        ColumnarTable {
            table,
            name,
            schema,
            parts: None,
        }
    }

    /// Makes a table of DataFusion that has only these parts of a columnar table, as they were when the
    /// table was looked at. All parts that a query wants have to come from one look.
    pub fn of_parts(table: Arc<Table>, name: impl Into<String>, parts: Vec<Part>) -> Self {
        ColumnarTable {
            parts: Some(parts),
            ..ColumnarTable::new(table, name)
        }
    }

    /// Returns the columnar table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    fn filter(&self, state: &dyn Session, filters: &[Expr]) -> Result<Filter> {
        let schema = DFSchema::try_from(Arc::clone(&self.schema))?;
        let physical = filters
            .iter()
            .map(|f| state.create_physical_expr(f.clone(), &schema));
        Ok(Filter::new(
            Arc::clone(&self.schema),
            &physical.collect::<Result<Vec<_>>>()?,
        ))
    }

    /// Finds the parts that may hold rows which pass the filters, in order of their keys if there
    /// is such an order.
    async fn plan(&self, filter: Filter) -> Result<(Source, Vec<Arc<Task>>, Order)> {
        let definition = self.table.definition();
        let wanted = Wanted::new(definition, &filter.conditions()).map_err(external)?;
        let view = match &self.parts {
            _ if wanted.is_empty() => View::default(),
            Some(parts) => View::of_parts(parts.clone()),
            None => {
                let view = self.table.overview(&wanted.selection).await;
                view.map_err(external)?
            }
        };
        let looked_at = view.chunks_passed_over + chunks(&view.parts);
        let parts: Vec<Part> = view
            .parts
            .into_iter()
            .filter(|p| wanted.may_be_in(p))
            .collect();
        let by_key = looked_at - chunks(&parts);
        let before = chunks(&parts);
        let parts = self.pruned(&filter, parts);
        let by_statistics = before - chunks(&parts);
        let task = |part| Arc::new(Task::new(definition, &filter, &wanted, part));
        let tasks: Vec<Arc<Task>> = parts.into_iter().map(task).collect();
        let (tasks, in_order) = in_key_order(definition, &wanted, tasks);
        let order = if in_order { Order::Key } else { Order::None };
        let source = Source {
            table: Arc::clone(&self.table),
            name: self.name.clone(),
            keys: wanted.describe(definition),
            places: (!wanted.is_empty()).then_some((view.places, view.places_passed_over)),
            chunks: looked_at,
            pruned_by_key: by_key,
            pruned_by_statistics: by_statistics,
            constants: constants(&filter),
            filter,
        };
        Ok((source, tasks, order))
    }

    fn pruned(&self, filter: &Filter, parts: Vec<Part>) -> Vec<Part> {
        let Some(expr) = filter.expr() else {
            return parts;
        };
        let all: Vec<&Part> = parts.iter().collect();
        let may_match = may_match(self.table.definition(), &self.schema, &expr, &all);
        let remaining = parts.into_iter().zip(may_match).filter(|(_, may)| *may);
        remaining.map(|(part, _)| part).collect()
    }
}

/// Returns the number of chunks in parts.
fn chunks(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.chunks.len()).sum()
}

/// Returns the numbers of the columns that the filters restrict to one value. A float that is zero may
/// have either sign, which sorts and merges distinguish: to them it is not one value.
fn constants(filter: &Filter) -> Vec<usize> {
    let one_value = |condition: &Condition| match condition.values() {
        Some((column, values)) => match &values[..] {
            [value] if !is_zero(value) => Some(column),
            _ => None,
        },
        None => None,
    };
    filter
        .conditions()
        .into_iter()
        .filter_map(one_value)
        .collect()
}

fn is_zero(value: &ScalarValue) -> bool {
    match value {
        ScalarValue::Float64(Some(value)) => *value == 0.0,
        ScalarValue::Float32(Some(value)) => *value == 0.0,
        _ => false,
    }
}

impl Debug for ColumnarTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ColumnarTable({})", self.name)
    }
}

#[async_trait]
impl TableProvider for ColumnarTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    /// Accepts the filters that the scan can apply itself.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let answer = |filter: &&Expr| {
            if is_of_the_row(filter) {
                TableProviderFilterPushDown::Exact
            } else {
                TableProviderFilterPushDown::Unsupported
            }
        };
        Ok(filters.iter().map(answer).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let filter = self.filter(state, filters)?;
        let (source, tasks, order) = self.plan(filter).await?;
        let all = || (0..self.schema.fields().len()).collect();
        let projection: Vec<usize> = projection.cloned().unwrap_or_else(all);
        let partitions = state.config().target_partitions();
        let source = Arc::new(source);
        let spec = ScanSpec::new(source, projection.into(), &tasks, partitions, order);
        Ok(Arc::new(ColumnarScan::new(spec.limited(limit))))
    }
}
