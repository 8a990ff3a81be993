//! Rounds that the figures of a decision have in common, and what one more of them would take.

use crate::compare::summary::users::mean_seconds;
use crate::compare::summary::{DesignSummary, Summary};
use crate::decide::AskedOf;

impl Summary {
    /// Returns the rounds in which every design that may be recommended answered every query. Queries at fault, those
    /// that some of these designs are not asked, and those that no design answered yet, are not considered, nor are
    /// designs without any time of a query, such as one that a race dropped before its table was loaded: they cannot
    /// be ranked.
    pub(super) fn common_rounds(&self) -> Vec<u32> {
        let at_fault = self.queries_at_fault();
        let designs: Vec<&DesignSummary> = self.contenders().collect();
        let has_times = |design: &DesignSummary, name: &str| {
            let query = design.query(name);
            query.is_some_and(|query| !query.rounds.is_empty())
        };
        let choosable: Vec<&DesignSummary> = self.choosable().collect();
        let names = self.header.queries.iter().map(|query| query.name.as_str());
        let counted: Vec<&str> = names
            .filter(|name| !at_fault.contains(name))
            .filter(|name| asked_of(&choosable, name).is_none())
            .filter(|name| designs.iter().any(|design| has_times(design, name)))
            .collect();
        let ranked =
            { designs.iter() }.filter(|design| counted.iter().all(|name| has_times(design, name)));
        let mut queries = ranked
            .flat_map(|design| &design.queries)
            .filter(|query| counted.contains(&query.query.as_str()));
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

/// Returns how many of these designs are asked a query; `None` if all are, or none is.
pub fn asked_of(designs: &[&DesignSummary], query: &str) -> Option<AskedOf> {
    let is_asked = |design: &&&DesignSummary| design.info.why_not_asked(query).is_none();
    let (asked, all) = (designs.iter().filter(is_asked).count(), designs.len());
    (0 < asked && asked < all).then_some(AskedOf { asked, all })
}
