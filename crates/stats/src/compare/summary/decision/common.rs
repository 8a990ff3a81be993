//! Rounds that the figures of a decision have in common, and what one more of them would take.

use crate::compare::summary::users::mean_seconds;
use crate::compare::summary::{DesignSummary, QuerySummary, Summary};

impl Summary {
    /// Returns the rounds in which every design that may be recommended answered every query. Queries at fault, and
    /// those that no design answered yet, are not considered, nor are designs without any time, such as one that a
    /// race dropped before its table was loaded.
    pub(super) fn common_rounds(&self) -> Vec<u32> {
        let at_fault = self.queries_at_fault();
        let is_answered = |query: &QuerySummary| !query.rounds.is_empty();
        let has_times = |design: &DesignSummary| design.queries.iter().any(is_answered);
        let designs: Vec<&DesignSummary> = { self.contenders() }
            .filter(|design| has_times(design))
            .collect();
        let counts = |name: &str| {
            let mut own = designs.iter().filter_map(|design| design.query(name));
            !at_fault.contains(&name) && own.any(is_answered)
        };
        let queries = designs.iter().flat_map(|design| &design.queries);
        let mut queries = queries.filter(|query| counts(&query.query));
        let Some(first) = queries.next() else {
            return Vec::new();
        };
        let mut common: Vec<u32> = first.rounds.iter().map(|(round, _)| *round).collect();
        for query in queries {
            common.retain(|round| query.seconds_in(*round).is_some());
        }
        common
    }

    /// Returns the seconds that one more round would take: what the last one asked, of further tables, too, each
    /// question with the mean of its times.
    pub(super) fn seconds_a_round(&self, rounds: &[u32]) -> Option<f64> {
        let last = rounds.last()?;
        let further = self.instances.iter().map(|further| &further.figures);
        let queries = { self.designs.iter().chain(further) }.flat_map(|table| &table.queries);
        let asked = queries.filter(|query| query.seconds_in(*last).is_some());
        let seconds: f64 = asked.filter_map(mean_seconds).sum();
        (seconds > 0.0).then_some(seconds)
    }
}
