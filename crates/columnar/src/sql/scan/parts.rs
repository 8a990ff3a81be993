//! The parts that a planned query reads, so that they can be read elsewhere.

use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;

use super::exec::ColumnarScan;
use crate::table::Part;

/// Returns the parts that the plan of a query over one columnar table reads, in the order of the scan, each
/// with the cost of reading it in bytes. There are none if the query contradicts itself.
///
/// # Errors
/// Fails if the plan is not that of such a query.
pub fn parts_read(plan: &Arc<dyn ExecutionPlan>) -> Result<Vec<(Part, u64)>> {
    if let Some(scan) = plan.downcast_ref::<ColumnarScan>() {
        return Ok(scan.parts());
    }
    match &plan.children()[..] {
        [child] => parts_read(child),
        [] if plan.is::<EmptyExec>() => Ok(Vec::new()),
        _ => Err(DataFusionError::Internal(format!(
            "a query of one columnar table was planned as {}",
            plan.name()
        ))),
    }
}
