//! The scan of a columnar table below an aggregation.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;

use crate::sql::rules::below::{Below, below};
use crate::sql::scan::exec::ColumnarScan;

/// Finds a scan of all rows, without a limit, below projections.
pub fn scan_below(plan: &Arc<dyn ExecutionPlan>) -> Option<Below<'_, ColumnarScan>> {
    below::<ColumnarScan>(plan).filter(|below| {
        let spec = &below.scan.spec;
        spec.fetch.is_none() && !spec.newest
    })
}

/// Returns the number of the table's column that an expression above a scan is, if it is one.
pub fn column(
    expr: &Arc<dyn PhysicalExpr>,
    below: &Below<'_, ColumnarScan>,
) -> Result<Option<usize>> {
    let at = below.column(expr)?;
    Ok(at.and_then(|at| below.scan.spec.projection.get(at).copied()))
}
