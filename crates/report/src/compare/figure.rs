//! What stands in a table or chart for one design and one query.

use bakeoff_stats::{DesignSummary, Estimate, Failure, QuerySummary, Step};

/// A query's time, or why there is none.
pub enum Figure<'a> {
    Time {
        time: &'a Estimate,
        query: &'a QuerySummary,
    },
    /// In a word or two; the failure itself is told elsewhere.
    Failed(&'static str),
    NotMeasured,
}

pub fn of<'a>(design: &'a DesignSummary, query: &'a QuerySummary) -> Figure<'a> {
    if let Some(time) = &query.time {
        return Figure::Time { time, query };
    }
    let of_query = |f: &&Failure| f.query.as_deref() == Some(query.query.as_str());
    match design.failures.iter().find(of_query) {
        Some(failure) if failure.reason.starts_with("wrong answer") => Figure::Failed("wrong"),
        Some(_) => Figure::Failed("failed"),
        None if design.failures.iter().any(|f| f.query.is_none()) => Figure::Failed("failed"),
        None => Figure::NotMeasured,
    }
}

/// Where a failure happened: `cassandra/wide, comparing the answer of usa`.
pub fn place(design: &DesignSummary, failure: &Failure) -> String {
    let doing = match failure.step {
        Step::Start => "starting the engine",
        Step::Create => "creating the tables",
        Step::Load => "loading",
        Step::Settle => "flushing and compacting",
        Step::Footprint => "reading the storage used",
        Step::Verify => "comparing the answer",
        Step::WarmUp => "warming up",
        Step::Measure => "measuring",
        Step::Concurrent => "asking by several clients at a time",
    };
    match &failure.query {
        Some(query) => format!("{}, {doing}, query {query}", design.info.id),
        None => format!("{}, {doing}", design.info.id),
    }
}

/// Designs with a time for this query, fastest first, then the others in their own order.
pub fn ranking<'a>(
    designs: &'a [DesignSummary],
    query: &str,
) -> Vec<(&'a DesignSummary, &'a QuerySummary)> {
    let mut ranking: Vec<_> = designs
        .iter()
        .filter_map(|d| d.query(query).map(|q| (d, q)))
        .collect();
    let median = |q: &QuerySummary| q.time.map_or(f64::INFINITY, |t| t.median);
    ranking.sort_by(|a, b| median(a.1).total_cmp(&median(b.1)));
    ranking
}
