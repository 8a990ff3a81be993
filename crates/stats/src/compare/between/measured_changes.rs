//! Changes from one load or sweep to another one.

use super::change::{self, Absent, Change, Shown, StorageChange, USUAL_ROUNDS};
use super::counted::Counted;
use super::measured::{Measured, MeasuredDesign, MeasuredFigure};
use super::what::{Unknown, What};
use super::{Between, conditions, equal_rates};
use crate::compare::summary::rounds::method::{Method, Part};
use crate::compare::summary::rounds::paired::Paired;

/// Two measurements with the operations that are the same in both.
struct Pair<'a> {
    a: &'a Measured,
    b: &'a Measured,
    /// Operations that are not compared.
    other_operations: Vec<String>,
    /// Whether the same questions are asked beside the loads.
    has_same_questions: bool,
    only: Option<&'a [String]>,
}

impl Between {
    /// Compares load or sweep B with A by the figures with these names, or by all of them; intervals are corrected for
    /// the number of those alone.
    pub fn of_measured(a: &Measured, b: &Measured, only: Option<Vec<String>>) -> Between {
        let mut between = Between {
            a: a.about.clone(),
            b: b.about.clone(),
            of: a.of,
            cautions: conditions::cautions(a, b),
            obstacles: conditions::obstacles(a, b),
            changes: Vec::new(),
            storage: Vec::new(),
            without_bytes: Vec::new(),
            missing: Vec::new(),
            absent: Vec::new(),
            counted: Vec::new(),
            only,
        };
        if between.obstacles.is_empty() {
            let pair = Pair {
                other_operations: conditions::other_operations(a, b),
                has_same_questions: a.asks_the_same_as(b),
                only: between.only.as_deref(),
                a,
                b,
            };
            between.changes = pair.changes();
            between.absent = pair.absent();
            between.storage = pair.storage();
            between.without_bytes = pair.without_bytes();
            between.counted = pair.counted();
        }
        between
    }

    /// Returns the names of the figures that either load or sweep has.
    pub fn figures_of_measured(a: &Measured, b: &Measured) -> Vec<String> {
        let designs = a.designs.iter().chain(&b.designs);
        let mut names: Vec<String> = Vec::new();
        for figure in designs.flat_map(|design| &design.figures) {
            let name = figure.what.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

impl<'a> Pair<'a> {
    fn designs(&self) -> impl Iterator<Item = (&'a MeasuredDesign, &'a MeasuredDesign)> {
        let b = self.b;
        let designs = self.a.designs.iter();
        designs.filter_map(move |one| Some((one, b.design(&one.info.id)?)))
    }

    fn is_asked_for(&self, what: &What) -> bool {
        let name = what.to_string();
        self.only.is_none_or(|names| names.contains(&name))
    }

    fn is_of_the_same(&self, figure: &MeasuredFigure) -> bool {
        let operation = figure.operation.as_ref();
        let does_the_same =
            operation.is_none_or(|operation| !self.other_operations.contains(operation));
        does_the_same && (self.has_same_questions || !figure.is_beside)
    }

    /// Returns the figures that both have, with their design.
    fn figures(&self) -> Vec<(&'a str, &'a MeasuredFigure, &'a MeasuredFigure)> {
        let mut figures = Vec::new();
        for (one, two) in self.designs() {
            let asked = one.figures.iter().filter(|f| self.is_asked_for(&f.what));
            for figure in asked.filter(|figure| self.is_of_the_same(figure)) {
                let other = two.figure(&figure.what);
                figures.extend(other.map(|other| (one.info.id.as_str(), figure, other)));
            }
        }
        figures
    }

    fn changes(&self) -> Vec<Change> {
        let figures = self.figures();
        let number = |(_, a, b): &(&str, &MeasuredFigure, &MeasuredFigure)| {
            a.chosen_from.saturating_mul(b.chosen_from)
        };
        let samples: Vec<Paired> = { figures.iter() }
            .flat_map(|(_, a, b)| [Paired::of_one(&a.rounds), Paired::of_one(&b.rounds)])
            .collect();
        let method = Method::new(figures.iter().map(number).sum(), &samples);
        let same_within = self.a.same_within.max(self.b.same_within);
        let changes = figures.into_iter();
        changes
            .filter_map(|(design, a, b)| a.change_to(b, design, &method, same_within))
            .collect()
    }

    /// Returns the figures of A that B does not have.
    fn absent(&self) -> Vec<Absent> {
        let mut absent = Vec::new();
        for one in &self.a.designs {
            let other = self.b.design(&one.info.id);
            for figure in one.figures.iter().filter(|f| self.is_asked_for(&f.what)) {
                let is_same = self.is_of_the_same(figure);
                let is_there = other.is_some_and(|two| two.figure(&figure.what).is_some());
                let why = match other {
                    None => Unknown::NoDesign,
                    Some(_) if !is_same => Unknown::NoQuestion,
                    Some(_) if !is_there => Unknown::NotMeasured,
                    Some(_) => continue,
                };
                absent.push(Absent {
                    design: one.info.id.clone(),
                    what: figure.what.clone(),
                    why,
                });
            }
        }
        absent
    }

    fn storage(&self) -> Vec<StorageChange> {
        let of_design = |(one, two): (&MeasuredDesign, &MeasuredDesign)| {
            let (a, b) = (one.bytes_per_row?, two.bytes_per_row?);
            (a > 0.0).then(|| StorageChange {
                design: one.info.id.clone(),
                ratio: b / a,
                a,
                b,
            })
        };
        self.designs().filter_map(of_design).collect()
    }

    fn without_bytes(&self) -> Vec<String> {
        let lost = self.designs().filter(|(one, two)| {
            one.bytes_per_row.is_some_and(|bytes| bytes > 0.0) && two.bytes_per_row.is_none()
        });
        lost.map(|(one, _)| one.info.id.clone()).collect()
    }

    fn counted(&self) -> Vec<Counted> {
        let mut counted = Vec::new();
        for (one, two) in self.designs() {
            let value = |of: &MeasuredDesign, name: &str| {
                let mut known = of.counted.iter();
                known.find(|(known, _)| known == name).map(|(_, v)| *v)
            };
            let names = one.counted.iter().map(|(name, _)| name);
            let only_two = two.counted.iter().map(|(name, _)| name);
            let only_two = only_two.filter(|name| value(one, name).is_none());
            counted.extend(names.chain(only_two).map(|name| Counted {
                design: one.info.id.clone(),
                what: name.clone(),
                a: value(one, name),
                b: value(two, name),
            }));
            counted.extend(equal_rates::times(&one.info.id, &one.curves, &two.curves));
        }
        counted
    }
}

impl MeasuredFigure {
    /// Returns the change to the same figure of another measurement; `None` if one of the two has no round.
    fn change_to(
        &self,
        other: &MeasuredFigure,
        design: &str,
        method: &Method,
        same_within: f64,
    ) -> Option<Change> {
        let (one, two) = (Paired::of_one(&self.rounds), Paired::of_one(&other.rounds));
        let (a, b) = (one.centre()?, two.centre()?);
        let centre = b - a;
        let of_rounds = method.part(&one).zip(method.part(&two));
        // What a search knows of itself is an interval, but not how much the next search would differ.
        let part = |figure: &MeasuredFigure, rounds: &Paired| method.part(rounds).or(figure.part);
        let parts = of_rounds.or_else(|| part(self, &one).zip(part(other, &two)));
        let parts = parts.map(|(a, b)| [a, b]);
        let interval = parts.map(|parts| method.interval_of(centre, &parts));
        let is_few = |part: &Part| part.freedom + 1.0 < USUAL_ROUNDS;
        let has_few_rounds = parts.is_some_and(|parts| parts.iter().any(is_few));
        let (shown, unknown) = match interval {
            Some(interval) if of_rounds.is_some() => change::conclusion(interval, same_within),
            _ => (Shown::CannotTell, Some(Unknown::FewRounds)),
        };
        let unknown = unknown.map(|why| match why {
            Unknown::Wide => Unknown::wide(has_few_rounds),
            why => why,
        });
        let one_end = parts.filter(|_| of_rounds.is_some());
        let one_end = one_end.map(|parts| method.for_one_end().interval_of(centre, &parts));
        Some(Change {
            design: design.to_owned(),
            what: self.what.clone(),
            a: a.exp(),
            b: b.exp(),
            ratio: centre.exp(),
            interval: interval.and_then(|interval| interval.bounds()),
            at_most: one_end.map(|interval| interval.high.exp()),
            same_within,
            shown,
            unknown,
            has_few_rounds,
        })
    }
}
