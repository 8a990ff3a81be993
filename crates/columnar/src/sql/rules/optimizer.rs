//! The place of rules in DataFusion's physical optimizer.

use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;

use super::rule::Rule;

/// The rule of DataFusion before which early rules come: it answers from statistics without a trace in
/// plans.
const BEFORE: &str = "aggregate_statistics";

/// Adds rules to a session that is being made which see plans before DataFusion's own rules have put
/// anything between an aggregation and its scan.
pub fn with_early_rules(
    builder: SessionStateBuilder,
    early: impl IntoIterator<Item = Rule>,
) -> SessionStateBuilder {
    early.into_iter().fold(builder, |builder, rule| {
        with_rule(builder, rule, |rules| position(rules, BEFORE).unwrap_or(0))
    })
}

/// Adds a rule to a session that is being made right after the rule of this name, or as the first one
/// if there is none.
pub fn with_rule_after(
    builder: SessionStateBuilder,
    rule: Rule,
    after: &str,
) -> SessionStateBuilder {
    with_rule(builder, rule, |rules| {
        position(rules, after).map_or(0, |at| at + 1)
    })
}

type Rules = [Arc<dyn PhysicalOptimizerRule + Send + Sync>];

fn with_rule(
    mut builder: SessionStateBuilder,
    rule: Rule,
    place: impl Fn(&Rules) -> usize,
) -> SessionStateBuilder {
    let PhysicalOptimizer { mut rules } = builder.physical_optimizers().take().unwrap_or_default();
    // A session that is made from another one may have the rule already.
    if position(&rules, rule.name).is_none() {
        rules.insert(place(&rules), Arc::new(rule));
    }
    builder.with_physical_optimizer_rules(rules)
}

fn position(rules: &Rules, name: &str) -> Option<usize> {
    rules.iter().position(|rule| rule.name() == name)
}
