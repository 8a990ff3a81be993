//! The column that rows are grouped by, and the aggregates that are computed for each group.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch};
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::cast::as_boolean_array;
use datafusion::error::Result;
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

use super::decoded::over_values;

/// The column that rows are grouped by, and the aggregates of each group.
#[derive(Debug)]
pub struct Grouping {
    /// The number of the input's column that rows are grouped by, a dictionary array.
    pub column: usize,
    pub aggregates: Vec<Aggregate>,
    /// The schema of the result: the group, then the states of the aggregates.
    pub schema: SchemaRef,
}

impl Grouping {
    /// Translates DataFusion's own first step to an input in which columns may be coded. Returns
    /// `None` if rows are not grouped by a column.
    pub fn new(step: &AggregateExec, input: &Schema) -> Result<Option<Grouping>> {
        let groups = step.group_expr().expr().first();
        let Some(column) = groups.and_then(|(expr, _)| expr.downcast_ref::<Column>()) else {
            return Ok(None);
        };
        let aggregates = step.aggr_expr().iter().zip(step.filter_expr());
        let aggregates = aggregates
            .map(|(function, filter)| Aggregate::new(function, filter.as_ref(), input))
            .collect::<Result<_>>()?;
        Ok(Some(Grouping {
            column: column.index(),
            aggregates,
            schema: step.schema(),
        }))
    }
}

/// An aggregate function, and what it is applied to.
#[derive(Debug)]
pub struct Aggregate {
    pub function: Arc<AggregateFunctionExpr>,
    arguments: Vec<Arc<dyn PhysicalExpr>>,
    filter: Option<Arc<dyn PhysicalExpr>>,
}

impl Aggregate {
    fn new(
        function: &Arc<AggregateFunctionExpr>,
        filter: Option<&Arc<dyn PhysicalExpr>>,
        input: &Schema,
    ) -> Result<Aggregate> {
        // `COUNT` looks at nulls only, which codes show as well as values do.
        let counts = function.fun() == count_udaf().as_ref() && !function.is_distinct();
        let argument = |expr: &Arc<dyn PhysicalExpr>| {
            if counts && expr.is::<Column>() {
                Ok(Arc::clone(expr))
            } else {
                over_values(expr, input)
            }
        };
        let arguments = function.expressions();
        let filter = filter.map(|filter| over_values(filter, input));
        Ok(Aggregate {
            function: Arc::clone(function),
            arguments: arguments.iter().map(argument).collect::<Result<_>>()?,
            filter: filter.transpose()?,
        })
    }

    /// Returns all expressions that are evaluated: the arguments, then the filter.
    pub fn expressions(&self) -> impl Iterator<Item = &Arc<dyn PhysicalExpr>> {
        self.arguments.iter().chain(&self.filter)
    }

    /// Evaluates the arguments for each row.
    pub fn arguments(&self, rows: &RecordBatch) -> Result<Vec<ArrayRef>> {
        let array = |expr: &Arc<dyn PhysicalExpr>| -> Result<ArrayRef> {
            expr.evaluate(rows)?.into_array(rows.num_rows())
        };
        self.arguments.iter().map(array).collect()
    }

    /// Returns which rows are aggregated, if not all are.
    pub fn filter(&self, rows: &RecordBatch) -> Result<Option<BooleanArray>> {
        let Some(filter) = &self.filter else {
            return Ok(None);
        };
        let passing = filter.evaluate(rows)?.into_array(rows.num_rows())?;
        Ok(Some(as_boolean_array(&passing)?.clone()))
    }
}
