//! Plans of queries, in words that all forms of a report share.

use bakeoff_stats::{Planned, QueryPlan, Summary};

pub const TITLE: &str = "Plans";
/// Says who does what in a plan.
pub const HINT: &str = "What each design does for a query, as it was told once before anything was timed. In plans of \
    DataFusion, which is a part of Bakeoff, Cassandra answers what follows `cql=`, and everything else is done by DataFusion.";

/// Returns the queries that have plans, each with those of the designs, in the header's order.
pub fn by_query(summary: &Summary) -> Vec<(&str, Vec<&Planned>)> {
    let of_query = |query: &str| -> Vec<&Planned> {
        let designs = summary.header.designs.iter();
        let plan = |design: &str| {
            let mut plans = summary.plans.iter();
            plans.find(|plan| plan.design == design && plan.query == query)
        };
        designs.filter_map(|design| plan(&design.id)).collect()
    };
    let queries = summary.header.queries.iter();
    queries
        .map(|query| (query.name.as_str(), of_query(&query.name)))
        .filter(|(_, plans)| !plans.is_empty())
        .collect()
}

/// Returns a line about a plan: whose it is, or why there is none.
pub fn headline(planned: &Planned) -> String {
    match &planned.plan {
        QueryPlan::Known { by, is_cut, .. } => {
            let cut = if *is_cut { ", its end cut off" } else { "" };
            format!("plan of {by}{cut}")
        }
        QueryPlan::Unknown { reason } => format!("no plan: {reason}"),
    }
}

/// Returns the lines of a plan; none where it is not known.
pub fn lines(planned: &Planned) -> &str {
    match &planned.plan {
        QueryPlan::Known { text, .. } => text,
        QueryPlan::Unknown { .. } => "",
    }
}
