//! Words a lead that is no greater than what tables of one design differ by.

use bakeoff_stats::decide::{Decision, Minimise, Recommendation};

use super::figures::percent;

/// Returns within how much of the best one the design is, if its lead over the runner-up is less than twins differ by:
/// then this is all that is settled.
pub fn or_within(decision: &Decision, recommendation: &Recommendation) -> Option<String> {
    let within = decision.rule.same_within;
    let is_all = within > 0.0 && is_lead_of_twins(decision, recommendation);
    is_all.then(|| percent(within))
}

/// Returns whether tables of one design differ by more than the recommended design and the runner-up do, where times
/// decide.
pub fn is_lead_of_twins(decision: &Decision, recommendation: &Recommendation) -> bool {
    let Some((other, twins)) = recommendation.runner_up.as_ref().zip(decision.twins) else {
        return false;
    };
    let lead = other.times.max(1.0 / other.times) - 1.0;
    decision.minimised() == Minimise::Time && lead < twins
}
