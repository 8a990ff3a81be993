//! Words what would change the recommendation, the weightiest change first.

use bakeoff_stats::decide::{Decision, Flip};

use super::designs::alternative;
use super::percent;
use crate::units;

/// Most changes that an answer in words names, and that a list on a page shows at first.
pub const MOST_CHANGES: usize = 3;

/// A change with the design that it makes the recommended one.
type Change<'a> = (&'a str, String);

/// Lists the points beyond which another design is the best one: first the nearest one of each such design, then the
/// further ones. Designs that are nearly alike have many, which say little more than their first.
pub fn flips(decision: &Decision) -> Vec<String> {
    in_words(by_weight(points(decision)))
}

/// Lists the same with the reasons to choose designs of the front instead: first one change for each design.
pub fn flips_and_choices(decision: &Decision) -> Vec<String> {
    let others = decision
        .front
        .iter()
        .filter(|choice| !choice.is_recommended);
    let others = others.map(|choice| (choice.design.as_str(), alternative(decision, choice)));
    in_words(by_weight(points(decision).chain(others)))
}

/// Keeps the first changes, and says behind them how many more the report has.
pub fn first_changes(mut changes: Vec<String>) -> Vec<String> {
    let more = changes.len().saturating_sub(MOST_CHANGES);
    if more > 0 {
        changes.truncate(MOST_CHANGES);
        changes.push(format!(
            "and {} more: see the report",
            units::count(more as u64)
        ));
    }
    changes
}

fn points(decision: &Decision) -> impl Iterator<Item = Change<'_>> {
    let flips = decision.flips.iter();
    flips.map(move |of| (of.design(), flip(decision, of)))
}

/// Puts the first change of each design before all others, and else keeps their order.
fn by_weight<'a>(changes: impl Iterator<Item = Change<'a>>) -> Vec<Change<'a>> {
    let mut firsts: Vec<Change<'a>> = Vec::new();
    let mut others = Vec::new();
    for change in changes {
        if firsts.iter().any(|(design, _)| *design == change.0) {
            others.push(change);
        } else {
            firsts.push(change);
        }
    }
    firsts.extend(others);
    firsts
}

fn in_words(changes: Vec<Change<'_>>) -> Vec<String> {
    changes.into_iter().map(|(_, words)| words).collect()
}

/// Names the design that a change would make the recommended one, and the point from which on it is.
fn flip(decision: &Decision, flip: &Flip) -> String {
    let (now, at) = flip.values();
    let side = if at > now { "above" } else { "below" };
    let design = flip.design();
    match flip {
        Flip::Share { question, .. } => {
            let name = &decision.questions[*question].name;
            let (at, now) = (percent(at), percent(now));
            format!("{design} if {name} is {side} {at} of the questions (now {now})")
        }
        Flip::StoragePrice { .. } => {
            let currency = decision.price.as_ref().map_or("", |price| &price.currency);
            let (at, now) = (units::amount(at), units::amount(now));
            format!("{design} if storage is {side} {at} {currency} per GiB and month (now {now})")
        }
        Flip::Rows { .. } => format!("{design} {side} {} rows", units::rate(at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_change_of_each_design_comes_before_the_further_ones() {
        let changes = [
            ("b", "b 24%"),
            ("b", "b 26%"),
            ("c", "c 66%"),
            ("b", "b"),
            ("d", "d"),
        ];
        let changes = changes.map(|(design, words)| (design, words.to_owned()));
        let words = in_words(by_weight(changes.into_iter()));
        assert_eq!(words, ["b 24%", "c 66%", "d", "b 26%", "b"]);
        assert_eq!(
            first_changes(words),
            ["b 24%", "c 66%", "d", "and 2 more: see the report"]
        );
    }

    #[test]
    fn as_many_changes_as_are_named_need_no_report() {
        let three = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(first_changes(three.clone()), three);
        assert!(first_changes(Vec::new()).is_empty());
    }
}
