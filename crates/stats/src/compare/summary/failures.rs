//! Failures of a run: those of a design, those of a question that fails with every design, and those of further
//! tables.

use super::{ConcurrentFigures, DesignSummary, Failure, Summary};
use crate::compare::{Dropped, Step};

/// Beginning of the reason of a wrong answer, in contrast to a missing one.
const WRONG: &str = "wrong answer";
/// What a reason has in it where a server gave a question up by its own time-out: as engines explain it, and as
/// Cassandra and PostgreSQL say it.
const GIVEN_UP: [&str; 4] = [
    "in the time that the server waits for them",
    "Operation timed out",
    "TIMEOUT from",
    "due to statement timeout",
];
/// Share of the questions of several clients from which on missing answers exclude a design, as `drive` has it by
/// default.
const TOO_MANY_UNANSWERED: f64 = 0.001;

impl Summary {
    /// Returns whether any design was asked any query.
    pub(super) fn was_any_query_asked(&self) -> bool {
        let mut queries = self.header.queries.iter();
        queries.any(|query| {
            self.designs
                .iter()
                .any(|design| design.was_asked(&query.name))
        })
    }

    /// Takes designs for not dropped whose winner may not be recommended itself, since it failed later:
    /// nothing is known to beat them. A winner that fails only at questions at fault stays one.
    pub(super) fn forget_unfounded_drops(&mut self) {
        let at_fault = self.queries_at_fault();
        let lost: Vec<String> = { self.designs.iter() }
            .filter(|design| !design.may_be_best(&at_fault))
            .map(|design| design.info.id.clone())
            .collect();
        let mut unfounded: Vec<Dropped> = Vec::new();
        for design in &mut self.designs {
            let dropped = &mut design.dropped;
            unfounded.extend(dropped.take_if(|dropped| lost.contains(&dropped.by)));
        }
        // A control has all figures.
        unfounded.retain(|dropped| !dropped.is_control);
        if let Some(race) = &mut self.race {
            race.unfounded = unfounded;
        }
    }

    /// Returns the queries that failed with every design that was asked, of which there are at least two: not
    /// the designs are at fault, but the queries. Designs that a race dropped before were not asked.
    pub(super) fn queries_at_fault(&self) -> Vec<&str> {
        let failed_itself = |design: &DesignSummary| design.failures.iter().any(|f| f.is_whole());
        let designs: Vec<&DesignSummary> = { self.designs.iter() }
            .filter(|design| !design.info.is_yardstick() && !failed_itself(design))
            .collect();
        let is_at_fault = |name: &&str| {
            let asked = { designs.iter() }.filter(|design| design.was_asked(name));
            let (failed, asked) = asked.fold((0, 0), |(failed, asked), design| {
                (failed + u32::from(design.failed_at(name)), asked + 1)
            });
            asked > 1 && failed == asked
        };
        let names = self.header.queries.iter().map(|query| query.name.as_str());
        names.filter(is_at_fault).collect()
    }

    /// Returns the failure by which the size and the loading of a design's table say nothing: the design itself failed,
    /// or it answers a query wrongly that is not at fault itself, so that the table may hold other rows than it should.
    pub(crate) fn failure_of_table<'a>(&self, design: &'a DesignSummary) -> Option<&'a Failure> {
        let at_fault = self.queries_at_fault();
        let mut failures = design.failures.iter();
        failures.find(|failure| match failure.query.as_deref() {
            None => true,
            Some(query) => failure.reason.starts_with(WRONG) && !at_fault.contains(&query),
        })
    }

    /// Returns all failures with the tables that have them, those of designs first. A failure of a further table
    /// is left out where its design has it, too, and where the question is at fault.
    pub fn failures(&self) -> impl Iterator<Item = (&DesignSummary, &Failure)> {
        let own = self.designs.iter();
        let own = own.flat_map(|design| design.failures.iter().map(move |f| (design, f)));
        let designs = self.designs.iter();
        own.chain(designs.flat_map(move |design| self.failures_of_tables(design)))
    }

    /// Returns the failures of a design's further tables that it does not have itself.
    fn failures_of_tables<'a>(
        &'a self,
        design: &'a DesignSummary,
    ) -> impl Iterator<Item = (&'a DesignSummary, &'a Failure)> {
        let at_fault = self.queries_at_fault();
        let is_its_own = move |failure: &Failure| {
            let query = failure.query.as_deref();
            query.is_some_and(|query| at_fault.contains(&query))
                || design.failures.iter().any(|own| own.query == failure.query)
        };
        let further = self.instances.iter();
        let tables = further.filter(move |further| further.instance.design == design.info.id);
        let failures = tables.flat_map(|further| {
            let table = &further.figures;
            table.failures.iter().map(move |failure| (table, failure))
        });
        failures.filter(move |(_, failure)| !is_its_own(failure))
    }

    /// Describes failures that do not exclude a design, but speak against it: those of its further tables, and
    /// few questions of several clients that had no answer. Each is a clause.
    pub(super) fn troubles(&self, design: &DesignSummary) -> Vec<String> {
        let of_tables = self.failures_of_tables(design).map(|(table, failure)| {
            let id = &table.info.id;
            match &failure.query {
                Some(query) => format!("{id} gave no right answer to {query}"),
                None => format!("{id} failed"),
            }
        });
        let unanswered = { design.failures.iter() }.filter(|failure| design.excuses(failure));
        let unanswered = unanswered.filter_map(|failure| {
            let query = failure.query.as_deref()?;
            Some(format!("several clients got no answer to {query}"))
        });
        let mut troubles: Vec<String> = Vec::new();
        for trouble in of_tables.chain(unanswered) {
            if !troubles.contains(&trouble) {
                troubles.push(trouble);
            }
        }
        troubles
    }
}

impl DesignSummary {
    /// Returns whether nothing failed, so that the design may be recommended.
    pub fn is_right(&self) -> bool {
        self.failures.is_empty()
    }

    /// Returns whether the design is no yardstick and nothing failed but these queries, which are at fault
    /// themselves, and few questions of several clients that had no answer.
    pub(super) fn may_be_best(&self, at_fault: &[&str]) -> bool {
        let is_excused = |failure: &Failure| {
            let query = failure.query.as_deref();
            self.excuses(failure) || query.is_some_and(|query| at_fault.contains(&query))
        };
        !self.info.is_yardstick() && self.failures.iter().all(is_excused)
    }

    /// Returns the failure by which the times of a query say nothing: one of the query, be it in some rounds only, or
    /// one of the design itself.
    pub(crate) fn failure_behind(&self, query: &str) -> Option<&Failure> {
        let of_design = || self.failures.iter().find(|failure| failure.is_whole());
        self.failure_of(query).or_else(of_design)
    }

    /// Returns the failure of a query, if it excludes the design.
    pub(super) fn failure_of(&self, query: &str) -> Option<&Failure> {
        let mut failures = self.failures.iter();
        failures.find(|f| f.query.as_deref() == Some(query) && !self.excuses(f))
    }

    /// Returns whether a failure is but a few questions of several clients without an answer: one, or a small share of
    /// thousands. They say nothing about questions that come one after the other; that a server answers one wrongly,
    /// or that clients hardly get answers, does.
    fn excuses(&self, failure: &Failure) -> bool {
        let asked = self.concurrent.as_ref().zip(failure.query.as_deref());
        let figures = asked.and_then(|(asked, query)| asked.query(query));
        let are_few = |figures: &ConcurrentFigures| {
            let (answered, failed) = (figures.answered + figures.wrong, figures.failed);
            let share = failed as f64 / (answered + failed).max(1) as f64;
            answered > 0 && (failed == 1 || share < TOO_MANY_UNANSWERED)
        };
        failure.is_unanswered() && figures.is_some_and(are_few)
    }

    /// Returns whether some questions of several clients had no answer.
    pub(super) fn left_clients_unanswered(&self) -> bool {
        self.failures.iter().any(Failure::is_unanswered)
    }

    /// Returns a failure by which not even the share of answers to a query is known: one of the design itself, one of
    /// the query other than that the server gave it up, or any of it if the server was gone then.
    pub(crate) fn failure_but_given_up(&self, query: &str) -> Option<&Failure> {
        let mut failures = self.failures.iter();
        failures.find(|failure| match failure.query.as_deref() {
            None => true,
            Some(name) if name == query && !self.excuses(failure) => {
                self.is_gone || !is_given_up(&failure.reason)
            }
            Some(_) => false,
        })
    }

    fn failed_at(&self, query: &str) -> bool {
        self.failure_of(query).is_some()
    }

    /// Returns whether the design's own table was asked a query: it failed, or there was a right answer.
    fn was_asked(&self, query: &str) -> bool {
        self.failed_at(query) || self.query(query).is_some_and(|query| query.was_right)
    }
}

impl Failure {
    /// Returns whether the design itself failed, rather than a query.
    fn is_whole(&self) -> bool {
        self.query.is_none()
    }

    /// Returns whether some questions of several clients had no answer.
    fn is_unanswered(&self) -> bool {
        self.step == Step::Concurrent && !self.is_whole() && !self.reason.starts_with(WRONG)
    }
}

/// Returns whether the reason of a missing answer is that the server gave the question up by its own time-out. A server
/// that is gone, a question that it refuses, and a limit of Bakeoff are other reasons.
pub(super) fn is_given_up(reason: &str) -> bool {
    !reason.starts_with(WRONG) && GIVEN_UP.iter().any(|words| reason.contains(words))
}

#[cfg(test)]
mod tests;
