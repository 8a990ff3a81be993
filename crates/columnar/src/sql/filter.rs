//! The filters of a query, which a scan applies itself: a part whose statistics prove that all of
//! its rows match is not looked at again.

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

/// One of the filters that a row has to pass all of.
#[derive(Debug, Clone)]
pub struct Conjunct {
    /// Over the columns of the table.
    pub expr: Arc<dyn PhysicalExpr>,
    pub columns: BTreeSet<usize>,
    pub condition: Condition,
}

/// All filters of a query.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Of the table.
    schema: SchemaRef,
    pub conjuncts: Vec<Conjunct>,
}

impl Filter {
    /// Filters over the columns of the table.
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

    pub fn conditions(&self) -> Vec<&Condition> {
        self.conjuncts.iter().map(|c| &c.condition).collect()
    }

    /// All filters as one, if there are any.
    pub fn expr(&self) -> Option<Arc<dyn PhysicalExpr>> {
        let all = self.conjuncts.iter().map(|c| Arc::clone(&c.expr));
        (!self.conjuncts.is_empty()).then(|| conjunction(all))
    }

    /// Numbers of the filters that a row of a part might not pass.
    pub fn unproven(&self, definition: &Definition, part: &Part) -> Vec<usize> {
        let facts = |column| column_facts(definition, part, column);
        let unproven = |i: &usize| !every_row_matches(&self.conjuncts[*i].condition, &facts);
        (0..self.conjuncts.len()).filter(unproven).collect()
    }

    /// Numbers of the columns that these filters look at.
    pub fn columns(&self, filters: &[usize]) -> Vec<usize> {
        let columns = filters.iter().flat_map(|i| &self.conjuncts[*i].columns);
        columns
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Which rows pass these filters. The batch has all columns that they look at.
    pub fn passing(&self, filters: &[usize], rows: &RecordBatch) -> Result<BooleanArray> {
        let exprs = filters.iter().map(|i| Arc::clone(&self.conjuncts[*i].expr));
        let expr = reassign_expr_columns(conjunction(exprs), &rows.schema())?;
        let passing = expr.evaluate(rows)?.into_array(rows.num_rows())?;
        Ok(as_boolean_array(&passing)?.clone())
    }

    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

/// The table's columns with these numbers.
pub fn projected(schema: &SchemaRef, columns: &[usize]) -> SchemaRef {
    let fields = columns.iter().map(|n| Arc::clone(&schema.fields()[*n]));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Whether a filter can be applied by a scan: its value depends on nothing but the row.
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
