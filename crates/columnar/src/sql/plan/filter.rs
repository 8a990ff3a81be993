//! The filters of a query, which a scan applies itself, and only to parts whose statistics do not prove
//! that all rows match.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{BooleanArray, RecordBatch};
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::cast::as_boolean_array;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{
    collect_columns, conjunction, reassign_expr_columns, split_conjunction,
};

use super::condition::Condition;
use super::facts::{column_facts, every_row_matches};
use crate::definition::Definition;
use crate::table::Part;

/// One of the filters of a query, all of which a row has to pass.
#[derive(Debug, Clone)]
pub struct Conjunct {
    /// The expression, over the columns of the table.
    pub expr: Arc<dyn PhysicalExpr>,
    /// The numbers of the columns that the expression looks at.
    pub columns: BTreeSet<usize>,
    /// The same filter in a form that statistics can decide.
    pub condition: Condition,
}

/// All filters of a query.
#[derive(Debug, Clone)]
pub struct Filter {
    /// The schema of the table.
    schema: SchemaRef,
    pub conjuncts: Vec<Conjunct>,
}

impl Filter {
    /// Splits filters over the columns of the table into conjuncts.
    pub fn new(schema: SchemaRef, filters: &[Arc<dyn PhysicalExpr>]) -> Filter {
        let conjunct = |expr: &Arc<dyn PhysicalExpr>| Conjunct {
            expr: Arc::clone(expr),
            columns: collect_columns(expr).iter().map(|c| c.index()).collect(),
            condition: Condition::new(expr),
        };
        let conjuncts = filters
            .iter()
            .flat_map(split_conjunction)
            .map(conjunct)
            .collect();
        Filter { schema, conjuncts }
    }

    /// Returns the filters in the form that statistics can decide.
    pub fn conditions(&self) -> Vec<&Condition> {
        self.conjuncts.iter().map(|c| &c.condition).collect()
    }

    /// Returns all filters as one expression, if there are any.
    pub fn expr(&self) -> Option<Arc<dyn PhysicalExpr>> {
        let all = self.conjuncts.iter().map(|c| Arc::clone(&c.expr));
        (!self.conjuncts.is_empty()).then(|| conjunction(all))
    }

    /// Returns the numbers of the filters that some row of a part may not pass.
    pub fn unproven(&self, definition: &Definition, part: &Part) -> Vec<usize> {
        let facts = |column| column_facts(definition, part, column);
        let unproven = |i: &usize| !every_row_matches(&self.conjuncts[*i].condition, &facts);
        (0..self.conjuncts.len()).filter(unproven).collect()
    }

    /// Returns the numbers of the columns that these filters look at, in ascending order.
    pub fn columns(&self, filters: &[usize]) -> Vec<usize> {
        let columns = filters.iter().flat_map(|i| &self.conjuncts[*i].columns);
        columns
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Evaluates these filters for each row of a batch that has all columns which they look at.
    pub fn passing(&self, filters: &[usize], rows: &RecordBatch) -> Result<BooleanArray> {
        let exprs = filters.iter().map(|i| Arc::clone(&self.conjuncts[*i].expr));
        let expr = reassign_expr_columns(conjunction(exprs), &rows.schema())?;
        let passing = expr.evaluate(rows)?.into_array(rows.num_rows())?;
        Ok(as_boolean_array(&passing)?.clone())
    }

    /// Returns the schema of the table.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

/// Returns the schema of the columns with these numbers.
pub fn projected(schema: &SchemaRef, columns: &[usize]) -> SchemaRef {
    let fields = columns.iter().map(|n| Arc::clone(&schema.fields()[*n]));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Returns whether a scan can apply a filter: its value depends on nothing but the row.
pub fn is_of_the_row(filter: &Expr) -> bool {
    let mut of_the_row = !filter.is_volatile();
    let visited = filter.apply(|expr| {
        of_the_row &= match expr {
            Expr::ScalarFunction(function) => function.func.as_async().is_none(),
            Expr::Column(_)
            | Expr::Literal(..)
            | Expr::BinaryExpr(_)
            | Expr::Like(_)
            | Expr::SimilarTo(_)
            | Expr::Not(_)
            | Expr::IsNotNull(_)
            | Expr::IsNull(_)
            | Expr::IsTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotTrue(_)
            | Expr::IsNotFalse(_)
            | Expr::IsNotUnknown(_)
            | Expr::Negative(_)
            | Expr::Between(_)
            | Expr::Case(_)
            | Expr::Cast(_)
            | Expr::TryCast(_)
            | Expr::InList(_) => true,
            _ => false,
        };
        Ok(TreeNodeRecursion::Continue)
    });
    visited.is_ok() && of_the_row
}
