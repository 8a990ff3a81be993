//! Scans below the nodes of a physical plan.

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
    pub scan: &'a S,
    /// The outermost first.
    projections: Vec<&'a ProjectionExec>,
}

/// The scan of a kind that a plan has below projections.
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
    /// An expression over the outermost projection as one over the scan.
    ///
    /// # Errors
    /// As DataFusion's walk over expressions.
    pub fn over_the_scan(&self, expr: &Arc<dyn PhysicalExpr>) -> Result<Arc<dyn PhysicalExpr>> {
        let mut expr = Arc::clone(expr);
        for projection in &self.projections {
            let inner = |expr: Arc<dyn PhysicalExpr>| {
                let column = expr.downcast_ref::<Column>();
                let of = column.and_then(|column| projection.expr().get(column.index()));
                match of {
                    Some(of) => Ok(Transformed::yes(Arc::clone(&of.expr))),
                    None => Ok(Transformed::no(expr)),
                }
            };
            expr = expr.transform_up(inner).data()?;
        }
        Ok(expr)
    }

    /// The column of the scan, by its position, that an expression over the outermost projection is.
    ///
    /// # Errors
    /// As DataFusion's walk over expressions.
    pub fn column(&self, expr: &Arc<dyn PhysicalExpr>) -> Result<Option<usize>> {
        let expr = self.over_the_scan(expr)?;
        Ok(expr.downcast_ref::<Column>().map(Column::index))
    }
}

/// A node with one child, below which another scan takes the place of one of the same kind.
///
/// # Errors
/// If DataFusion does not take the new child.
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
    let children = node.children().into_iter().map(replaced);
    let children = children.collect::<Result<_>>()?;
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    node.replace_children(children, options)
}
