//! Chooses what a table or chart shows for one design and one query.

use bakeoff_stats::{DesignSummary, Estimate, Failure, QuerySummary, Step};

/// A query's time, or the reason why there is none.
pub enum Figure<'a> {
    Time {
        time: &'a Estimate,
        query: &'a QuerySummary,
    },
    /// The failure in a word or two; its reason is shown with the failures.
    Failed(&'static str),
    NotMeasured,
}

impl<'a> Figure<'a> {
    pub fn new(design: &'a DesignSummary, query: &'a QuerySummary) -> Figure<'a> {
        if let Some(time) = &query.time {
            return Figure::Time { time, query };
        }
        let is_of_query = |f: &&Failure| f.query.as_deref() == Some(query.query.as_str());
        match design.failures.iter().find(is_of_query) {
            Some(failure) if failure.reason.starts_with("wrong answer") => Figure::Failed("wrong"),
            Some(_) => Figure::Failed("failed"),
            // A failure of the whole design is one of each query, too.
            None if design.failures.iter().any(|f| f.query.is_none()) => Figure::Failed("failed"),
            None => Figure::NotMeasured,
        }
    }
}

/// Says where a failure happened: `cassandra/wide, comparing the answer, query usa`.
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
        Step::Concurrent => "querying from several clients at once",
    };
    match &failure.query {
        Some(query) => format!("{}, {doing}, query {query}", design.info.id),
        None => format!("{}, {doing}", design.info.id),
    }
}

/// Returns the designs with a time for this query, fastest first, then the others in their own order.
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
