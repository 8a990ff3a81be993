//! Scans below other nodes of a physical plan.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::projection::ProjectionExec;

/// A scan with nothing but projections above it.
pub struct Below<'a, S> {
    /// The scan.
    pub scan: &'a S,
    /// The projections, the outermost first.
    projections: Vec<&'a ProjectionExec>,
}

/// Finds a scan of type `S` that has nothing but projections above it.
pub fn below<S: ExecutionPlan>(plan: &Arc<dyn ExecutionPlan>) -> Option<Below<'_, S>> {
    let mut projections = Vec::new();
    let mut plan = plan;
    while let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        projections.push(projection);
        plan = projection.input();
    }
    let scan = plan.downcast_ref::<S>()?;
    Some(Below { scan, projections })
}

impl<S> Below<'_, S> {
    /// Rewrites an expression over the outermost projection to one over the scan.
    ///
    /// # Errors
    /// The errors of DataFusion's walk over expressions.
    pub fn over_the_scan(&self, expr: &Arc<dyn PhysicalExpr>) -> Result<Arc<dyn PhysicalExpr>> {
        let mut expr = Arc::clone(expr);
        for projection in &self.projections {
            let inner = |expr: Arc<dyn PhysicalExpr>| {
                let column = expr.downcast_ref::<Column>();
                let projected = column.and_then(|column| projection.expr().get(column.index()));
                match projected {
                    Some(projected) => Ok(Transformed::yes(Arc::clone(&projected.expr))),
                    None => Ok(Transformed::no(expr)),
                }
            };
            expr = expr.transform_up(inner).data()?;
        }
        Ok(expr)
    }

    /// Returns the position of the scan's column that an expression over the outermost projection
    /// is, if it is one.
    ///
    /// # Errors
    /// The errors of DataFusion's walk over expressions.
    pub fn column(&self, expr: &Arc<dyn PhysicalExpr>) -> Result<Option<usize>> {
        let expr = self.over_the_scan(expr)?;
        Ok(expr.downcast_ref::<Column>().map(Column::index))
    }
}

/// Returns a node below which a scan has replaced another one of the same type.
///
/// # Errors
/// Fails if DataFusion does not accept the new child.
pub fn with_scan<S: ExecutionPlan>(
    node: Arc<dyn ExecutionPlan>,
    scan: Arc<S>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let scan: Arc<dyn ExecutionPlan> = scan;
    let replaced = |child: &Arc<dyn ExecutionPlan>| {
        let put = |node: Arc<dyn ExecutionPlan>| {
            if node.is::<S>() {
                Ok(Transformed::yes(Arc::clone(&scan)))
            } else {
                Ok(Transformed::no(node))
            }
        };
        Arc::clone(child).transform_up(put).data()
    };
    let children = node
        .children()
        .into_iter()
        .map(replaced)
        .collect::<Result<_>>()?;
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    node.replace_children(children, options)
}
