//! Rules of DataFusion's physical optimizer that replace some nodes of a plan, with all below them.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

/// What takes a node's place, if anything does.
pub type Replacement = Option<Arc<dyn ExecutionPlan>>;

/// Replaces nodes with what yields the same rows. What is not proved to do so stays as it is.
#[derive(Debug)]
pub struct Rule {
    pub name: &'static str,
    pub replacement: fn(&Arc<dyn ExecutionPlan>) -> Result<Replacement>,
}

impl PhysicalOptimizerRule for Rule {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_down(|node| match (self.replacement)(&node)? {
            Some(plan) => Ok(Transformed::new(plan, true, TreeNodeRecursion::Jump)),
            None => Ok(Transformed::no(node)),
        })
        .data()
    }

    fn name(&self) -> &str {
        self.name
    }

    fn schema_check(&self) -> bool {
        true
    }
}
