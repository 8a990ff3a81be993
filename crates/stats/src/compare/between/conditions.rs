//! Differences between two loads or two sweeps: those that rule out a comparison, and those that a reader has to know.

use super::days::days_between;
use super::differences::{Caution, Obstacle, Side};
use super::measured::{Measured, MeasuredFigure};
use super::{differs, sections};
use crate::DesignInfo;
use crate::compare::summary::rounds::method::FEWEST_ROUNDS;

/// Returns the reasons why two of them must not be compared; empty if they may be.
pub fn obstacles(a: &Measured, b: &Measured) -> Vec<Obstacle> {
    let sections = sections::differing(&a.workload_text, &b.workload_text);
    let is_in = |part: &str| {
        sections
            .iter()
            .any(|name| differs::first_word(name) == part)
    };
    let same_source = differs::source(&a.data) == differs::source(&b.data);
    let has_designs = a.designs.iter().any(|one| b.design(&one.info.id).is_some());
    let others = other_operations(a, b);
    let is_common = |name: &String| {
        !others.contains(name) && b.operations.iter().any(|(known, _)| known == name)
    };
    let has_operations =
        a.operations.is_empty() || a.operations.iter().any(|(name, _)| is_common(name));
    let all = [
        (a.kind != b.kind).then(|| Obstacle::Kind {
            a: a.kind.clone(),
            b: b.kind.clone(),
        }),
        is_in("table").then_some(Obstacle::Table),
        (!same_source).then(|| Obstacle::Data {
            a: a.data.clone(),
            b: b.data.clone(),
        }),
        (same_source && is_in("data")).then_some(Obstacle::DataDescribed),
        (!has_designs).then_some(Obstacle::NoCommonDesign),
        (!has_operations).then_some(Obstacle::NoCommonOperation),
    ];
    all.into_iter().flatten().collect()
}

/// Returns all other differences, the most serious ones first: flaws, what was asked of which rows, then machines,
/// versions and settings.
pub fn cautions(a: &Measured, b: &Measured) -> Vec<Caution> {
    let mut found = flaws(a, Side::A);
    found.extend(flaws(b, Side::B));
    let changed = other_operations(a, b).into_iter();
    found.extend(changed.map(|name| Caution::Operation { name }));
    let both_ask = !a.questions.is_empty() && !b.questions.is_empty();
    found.extend((both_ask && !a.asks_the_same_as(b)).then_some(Caution::Questions));
    found.extend(only_in(a, b, Side::A));
    found.extend(only_in(b, a, Side::B));
    let conditions = a.conditions.iter().filter_map(|(name, value)| {
        let mut others = b.conditions.iter();
        let (_, other) = others.find(|(known, _)| known == name)?;
        differs::other((*name).to_owned(), value.clone(), other.clone())
    });
    found.extend(conditions);
    found.extend(differs::machines(&a.machine, &b.machine));
    let versions = [a, b].map(|of| of.about.bakeoff_version.clone());
    let [one, other] = versions;
    found.extend(differs::other("Bakeoff".to_owned(), one, other));
    found.extend(differs::engines(&a.engines, &b.engines));
    let of_b: Vec<&DesignInfo> = b.designs.iter().map(|design| &design.info).collect();
    let of_a = a.designs.iter().map(|design| &design.info);
    found.extend(differs::designs(of_a, &of_b));
    let days = days_between(&a.about.started_at, &b.about.started_at);
    let days = days.filter(|days| *days > 0);
    found.extend(days.map(|days| Caution::Days { days }));
    found
}

/// Returns the names of the operations of A that do something else in B.
pub fn other_operations(a: &Measured, b: &Measured) -> Vec<String> {
    let is_other = |name: &String, does: &String| {
        let mut others = b.operations.iter();
        others.any(|(other, is_done)| other == name && is_done != does)
    };
    let changed = a
        .operations
        .iter()
        .filter(|(name, does)| is_other(name, does));
    changed.map(|(name, _)| name.clone()).collect()
}

fn flaws(of: &Measured, side: Side) -> Vec<Caution> {
    let is_debug = of.about.bakeoff_version.contains("without optimisation");
    let mut found: Vec<Caution> = [
        is_debug.then_some(Caution::Debug { side }),
        (!of.finished).then_some(Caution::Unfinished { side }),
        of.is_one_shard.then_some(Caution::Shard { side }),
        (of.unsteady > 0).then_some(Caution::UnsteadyRounds {
            side,
            rounds: of.unsteady,
        }),
        few_rounds(of).map(|rounds| Caution::FewRounds { side, rounds }),
    ]
    .into_iter()
    .flatten()
    .collect();
    let failed = of.designs.iter().filter(|design| design.failed > 0.0);
    found.extend(failed.map(|design| Caution::Failed {
        side,
        design: design.info.id.clone(),
        share: design.failed,
    }));
    found
}

/// Returns the most rounds of a figure, if those are too few for a difference.
fn few_rounds(of: &Measured) -> Option<u32> {
    let figures = || of.designs.iter().flat_map(|design| &design.figures);
    let is_few = |figure: &MeasuredFigure| figure.rounds.len() < FEWEST_ROUNDS;
    let is_unknown = figures().all(is_few);
    let most = figures().map(|figure| figure.rounds.len()).max()?;
    is_unknown.then(|| u32::try_from(most).unwrap_or(u32::MAX))
}

fn only_in(of: &Measured, other: &Measured, side: Side) -> Vec<Caution> {
    let designs = of.designs.iter().map(|design| &design.info.id);
    let designs = designs.filter(|id| other.design(id).is_none());
    let is_known = |name: &String| other.operations.iter().any(|(known, _)| known == name);
    let operations = of.operations.iter().map(|(name, _)| name);
    let operations = operations.filter(|name| !is_known(name));
    designs
        .chain(operations)
        .map(|what| Caution::OnlyIn {
            side,
            what: what.clone(),
        })
        .collect()
}
