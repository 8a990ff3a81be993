//! Plans of queries, in words that all forms of a report share.

use bakeoff_stats::{Planned, QueryPlan, Summary};

pub const TITLE: &str = "Plans";
/// Says who does what in a plan.
pub const HINT: &str = "What each design does for a query, as it was told once before anything was timed. In plans of \
    DataFusion, which is a part of Bakeoff, Cassandra answers what follows `cql=`, and everything else is done by \
    DataFusion.";

/// Returns the queries that have plans, each with those of the designs, in the header's order.
pub fn by_query(summary: &Summary) -> Vec<(&str, Vec<&Planned>)> {
    let queries = summary.header.queries.iter();
    queries
        .map(|query| (query.name.as_str(), of_query(summary, &query.name)))
        .filter(|(_, plans)| !plans.is_empty())
        .collect()
}

fn of_query<'a>(summary: &'a Summary, query: &str) -> Vec<&'a Planned> {
    let mut found: Vec<&Planned> = Vec::new();
    for design in &summary.header.designs {
        let is_it = |plan: &&Planned| plan.design == design.id && plan.query == query;
        found.extend(summary.plans.iter().find(is_it));
    }
    found
}

/// Returns a line about a plan: whose it is, or why there is none.
pub fn headline(planned: &Planned) -> String {
    // Anyone may have written a journal.
    match planned.plan.cleaned() {
        QueryPlan::Known { by, is_cut, .. } => {
            let cut = if is_cut { ", its end cut off" } else { "" };
            format!("plan of {by}{cut}")
        }
        QueryPlan::Unknown { reason } => format!("no plan: {reason}"),
    }
}

/// Returns the lines of a plan; none where it is not known.
pub fn lines(planned: &Planned) -> String {
    match planned.plan.cleaned() {
        QueryPlan::Known { text, .. } => text,
        QueryPlan::Unknown { .. } => String::new(),
    }
}
