//! Expressions over columns that come as dictionary arrays.

use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{CastExpr, Column};

/// Rewrites an expression so that it sees values where columns are dictionaries.
pub fn over_values(expr: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Result<Arc<dyn PhysicalExpr>> {
    let decoded = |expr: Arc<dyn PhysicalExpr>| {
        let column = expr.downcast_ref::<Column>();
        let field = column.and_then(|column| schema.fields().get(column.index()));
        match field.map(|field| field.data_type()) {
            Some(DataType::Dictionary(_, values)) => {
                let values = values.as_ref().clone();
                Ok(Transformed::yes(
                    Arc::new(CastExpr::new(expr, values, None)) as _,
                ))
            }
            _ => Ok(Transformed::no(expr)),
        }
    };
    Arc::clone(expr).transform_up(decoded).data()
}
