//! Changes of the figures from one run to another.

mod absent;

use serde::Serialize;

use super::differences::Side;
use super::differs;
use super::loads::{loading_part, rates, twins_of_loading};
use super::what::{LOADING, Unknown, What};
use crate::compare::summary::rounds::method::{Interval, Method, Part, TableNoise};
use crate::compare::summary::rounds::paired::Paired;
use crate::compare::summary::rounds::twins::{self, Twins};
use crate::compare::summary::rounds::{same_within, twins_of};
use crate::compare::{DesignSummary, Difference, QuerySummary, Summary};

pub use absent::Absent;

/// Ratio of a figure in run B to that in run A.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    pub design: String,
    pub what: What,
    /// Figure of A in seconds: the centre of its rounds, of a rate that of the seconds for each row or operation; in
    /// the loading of a run, the seconds for a row.
    pub a: f64,
    /// Figure of B.
    pub b: f64,
    /// `b` divided by `a`.
    pub ratio: f64,
    /// Bounds of the ratio. Without twins they are about these tables, not about the designs; `None`
    /// for too few rounds or slices.
    pub interval: Option<(f64, f64)>,
    /// Bound that the ratio, taken by itself, is below with a probability of 95%; `None` if the figures
    /// support no conclusion.
    pub at_most: Option<f64>,
    /// Relative difference up to which the figures count as the same.
    pub same_within: f64,
    pub shown: Shown,
    /// Reason why the figures support no conclusion.
    pub unknown: Option<Unknown>,
    /// Whether one of the runs has fewer rounds of it than usual, so that more of them may settle it.
    #[serde(skip)]
    pub has_few_rounds: bool,
}

/// Conclusion from the interval of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    Slower,
    Faster,
    Same,
    CannotTell,
}

/// Change of a design's bytes per row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StorageChange {
    pub design: String,
    pub a: f64,
    pub b: f64,
    pub ratio: f64,
}

/// Time that only one of the runs has measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub design: String,
    pub query: String,
    /// The run that lacks it.
    pub side: Side,
}

/// Rounds below which further ones make an interval much narrower; a run has as many unless told otherwise.
pub(super) const USUAL_ROUNDS: f64 = 7.0;
/// A run with the differences of its twins, which are computed once.
pub struct Run<'a> {
    pub summary: &'a Summary,
    /// Names of the figures to compare; `None` for all.
    only: Option<&'a [String]>,
    /// Queries that fail with every design.
    at_fault: Vec<&'a str>,
    /// Differences of twins in each query of the header.
    twins: Vec<Twins>,
    /// Differences of twins in loading.
    loading: Twins,
}

/// A figure of both runs, before its interval is known.
struct Figure {
    design: String,
    what: What,
    /// Logarithms of the seconds in A and in B.
    centres: [f64; 2],
    /// Variance of the centre that is due to each run, or the reason why it is unknown.
    parts: Result<[Part; 2], Unknown>,
    noise: Option<TableNoise>,
}

impl<'a> Run<'a> {
    /// Takes the figures of a run with these names, or all of them.
    pub fn new(summary: &'a Summary, only: Option<&'a [String]>) -> Run<'a> {
        Run {
            summary,
            only,
            at_fault: summary.unanswered(),
            twins: twins_of(summary),
            loading: twins_of_loading(summary),
        }
    }

    /// Returns the number of figures that both runs have.
    pub fn comparisons_with(&self, other: &Run<'_>) -> usize {
        let loads = self.loaded(other).filter(|(a, b)| rates(a, b).is_some());
        loads.count() + self.times(other).len()
    }

    /// Returns the changes to another run, with intervals that are corrected for this number of
    /// comparisons.
    pub fn changes_to(&self, other: &Run<'_>, comparisons: usize) -> Vec<Change> {
        let times = self.times(other);
        let samples: Vec<Paired> = times
            .iter()
            .flat_map(|(_, one, two)| [Paired::of_one(&one.rounds), Paired::of_one(&two.rounds)])
            .collect();
        let method = Method::new(comparisons, &samples);
        let noise = self.noise(other);
        let mut figures: Vec<Figure> = times
            .iter()
            .filter_map(|(design, one, two)| Figure::of_query(&method, design, [one, two]))
            .collect();
        for figure in &mut figures {
            figure.noise = noise_of(&noise, &figure.what);
        }
        figures.extend(self.loads(other));
        figures
            .into_iter()
            .map(|figure| {
                let same_within = self.same_within(other, figure.noise);
                figure.change(&method, same_within)
            })
            .collect()
    }

    /// Returns the changes of storage to another run.
    pub fn storage_to(&self, other: &Run<'_>) -> Vec<StorageChange> {
        let of_design = |(one, two): (&DesignSummary, &DesignSummary)| {
            let (a, b) = (one.bytes_per_row?, two.bytes_per_row?);
            (a > 0.0).then(|| StorageChange {
                design: one.info.id.clone(),
                ratio: b / a,
                a,
                b,
            })
        };
        self.designs(other).filter_map(of_design).collect()
    }

    /// Returns the times that one of two runs lacks.
    pub fn missing_to(&self, other: &Run<'_>) -> Vec<Missing> {
        let mut missing = Vec::new();
        for (one, two) in self.designs(other) {
            for query in self.queries(other) {
                let side = match (has_time(one, query), has_time(two, query)) {
                    (true, false) => Side::B,
                    (false, true) => Side::A,
                    _ => continue,
                };
                missing.push(Missing {
                    design: one.info.id.clone(),
                    query: query.to_owned(),
                    side,
                });
            }
        }
        missing
    }

    /// Returns the designs of both runs.
    fn designs<'b>(
        &self,
        other: &Run<'b>,
    ) -> impl Iterator<Item = (&'a DesignSummary, &'b DesignSummary)> {
        let other = other.summary;
        let designs = self.summary.designs.iter();
        designs.filter_map(move |one| Some((one, other.design(&one.info.id)?)))
    }

    /// Returns the designs of both runs if loading is to be compared, and none otherwise.
    fn loaded<'b>(
        &self,
        other: &Run<'b>,
    ) -> impl Iterator<Item = (&'a DesignSummary, &'b DesignSummary)> {
        { self.designs(other) }.filter(|_| self.is_compared(LOADING))
    }

    /// Returns the queries to compare, which ask the same question in both runs and do not fail with every design in
    /// both.
    fn queries(&self, other: &Run<'_>) -> Vec<&'a str> {
        let mut queries = differs::queries(self.summary, other.summary);
        queries.retain(|name| self.is_compared(name) && !self.is_at_fault_with(other, name));
        queries
    }

    /// Returns whether a query fails with every design in both runs; then what it took before means nothing.
    fn is_at_fault_with(&self, other: &Run<'_>, query: &str) -> bool {
        self.at_fault.contains(&query) && other.at_fault.contains(&query)
    }

    fn is_compared(&self, figure: &str) -> bool {
        self.only
            .is_none_or(|names| names.iter().any(|name| name == figure))
    }

    /// Returns the queries that both runs have times for, with their design.
    fn times<'b>(&self, other: &Run<'b>) -> Vec<(&'a str, &'a QuerySummary, &'b QuerySummary)> {
        let queries = self.queries(other);
        let mut times = Vec::new();
        for (one, two) in self.designs(other) {
            for query in &queries {
                let both = one.query(query).zip(two.query(query));
                let both = both.filter(|_| has_time(one, query) && has_time(two, query));
                times.extend(both.map(|(a, b)| (one.info.id.as_str(), a, b)));
            }
        }
        times
    }

    /// Returns the noise of tables in each query of A, from the twins of both runs. If only one has twins,
    /// tables of the other are assumed to differ as much.
    fn noise(&self, other: &Run<'_>) -> Vec<(&'a str, Option<TableNoise>)> {
        let names = self.summary.header.queries.iter().map(|q| q.name.as_str());
        let of_query =
            |(name, own): (&'a str, &Twins)| (name, own.and(&other.twins_by(name)).whole());
        let (names, all): (Vec<_>, Vec<Twins>) = names.zip(&self.twins).map(of_query).unzip();
        names.into_iter().zip(twins::noise(&all)).collect()
    }

    fn twins_by(&self, query: &str) -> Twins {
        let mut queries = self.summary.header.queries.iter().zip(&self.twins);
        let found = queries.find(|(info, _)| info.name == query);
        found.map_or_else(Twins::default, |(_, twins)| twins.clone())
    }

    fn loads(&self, other: &Run<'_>) -> Vec<Figure> {
        let noise = twins::noise(&[self.loading.and(&other.loading).whole()]);
        let noise = noise.into_iter().next().flatten();
        self.loaded(other)
            .filter_map(|(one, two)| Figure::of_loading(one, two, noise))
            .collect()
    }

    fn same_within(&self, other: &Run<'_>, noise: Option<TableNoise>) -> f64 {
        same_within(self.summary, noise).max(same_within(other.summary, noise))
    }
}

impl Figure {
    fn of_query(method: &Method, design: &str, [a, b]: [&QuerySummary; 2]) -> Option<Figure> {
        let (one, two) = (Paired::of_one(&a.rounds), Paired::of_one(&b.rounds));
        let parts = method.part(&one).zip(method.part(&two));
        Some(Figure {
            design: design.to_owned(),
            what: What::Query(a.query.clone()),
            centres: [one.centre()?, two.centre()?],
            parts: parts.map(|(a, b)| [a, b]).ok_or(Unknown::FewRounds),
            noise: None,
        })
    }

    /// Compares the seconds that a row took to load.
    fn of_loading(
        one: &DesignSummary,
        two: &DesignSummary,
        noise: Option<TableNoise>,
    ) -> Option<Figure> {
        let (a, b) = rates(one, two)?;
        let parts = loading_part(&one.loading).zip(loading_part(&two.loading));
        Some(Figure {
            design: one.info.id.clone(),
            what: What::Loading,
            centres: [-a.ln(), -b.ln()],
            parts: parts.map(|(a, b)| [a, b]).ok_or(Unknown::FewSlices),
            noise,
        })
    }

    /// Returns whether one of the runs has fewer rounds of a query than usual.
    fn has_few_rounds(&self) -> bool {
        let is_few = |part: &Part| part.freedom + 1.0 < USUAL_ROUNDS;
        let parts = self.parts.as_ref().ok();
        self.what != What::Loading && parts.is_some_and(|parts| parts.iter().any(is_few))
    }

    fn change(self, method: &Method, same_within: f64) -> Change {
        let has_few_rounds = self.has_few_rounds();
        let [a, b] = self.centres;
        let centre = b - a;
        let parts = self.parts.map(|of_rounds| {
            let of_tables = self.noise.map(TableNoise::part);
            of_rounds
                .into_iter()
                .chain(of_tables)
                .collect::<Vec<Part>>()
        });
        let interval = parts.as_ref().ok();
        let interval = interval.map(|parts| method.interval_of(centre, parts));
        let (shown, unknown) = match (&parts, interval, self.noise) {
            (Err(why), ..) => (Shown::CannotTell, Some(*why)),
            (_, _, None) | (_, None, _) => (Shown::CannotTell, Some(Unknown::NoTwins)),
            (_, Some(interval), Some(_)) => conclusion(interval, same_within),
        };
        let unknown = unknown.map(|why| match why {
            Unknown::Wide => Unknown::wide(has_few_rounds),
            why => why,
        });
        let one_end = parts.ok().filter(|_| self.noise.is_some());
        let one_end = one_end.map(|p| method.for_one_end().interval_of(centre, &p));
        Change {
            ratio: centre.exp(),
            interval: interval.and_then(Interval::bounds),
            at_most: one_end.map(|interval| interval.high.exp()),
            design: self.design,
            what: self.what,
            a: a.exp(),
            b: b.exp(),
            same_within,
            shown,
            unknown,
            has_few_rounds,
        }
    }
}

impl Change {
    /// Returns the ratio of B to A as both are shown, with its bounds: of rates it is that of the rates, although the
    /// seconds for each row or operation are compared.
    pub fn shown_ratio(&self) -> (f64, Option<(f64, f64)>) {
        self.what.shown_ratio(self.ratio, self.interval)
    }
}

/// Returns the conclusion from an interval, and the reason if there is none.
pub(super) fn conclusion(interval: Interval, same_within: f64) -> (Shown, Option<Unknown>) {
    match interval.difference(same_within) {
        Difference::Slower => (Shown::Slower, None),
        Difference::Faster => (Shown::Faster, None),
        Difference::Best | Difference::Same => (Shown::Same, None),
        Difference::NotSettled => (Shown::CannotTell, Some(Unknown::Wide)),
    }
}

fn noise_of(noise: &[(&str, Option<TableNoise>)], what: &What) -> Option<TableNoise> {
    let What::Query(query) = what else {
        return None;
    };
    noise.iter().find(|(name, _)| name == query)?.1
}

/// Returns whether a design has times of a query that count.
pub(super) fn has_time(design: &DesignSummary, query: &str) -> bool {
    let time = design.query(query).and_then(|query| query.time);
    time.is_some_and(|time| time.median > 0.0)
}
