//! Rules that replace some nodes of a plan, with everything below them.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;

/// The plan that replaces a node, if one does.
pub type Replacement = Option<Arc<dyn ExecutionPlan>>;

/// A rule that replaces nodes of a plan by others that yield the same rows.
#[derive(Debug)]
pub struct Rule {
    /// The name by which a session knows the rule.
    pub name: &'static str,
    /// Returns the replacement of a node, or none where it is not proved that it yields the same rows.
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
