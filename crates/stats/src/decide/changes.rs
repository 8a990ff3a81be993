//! Changes that would alter the recommendation: the exact points at which another design becomes the best
//! one.

use super::contest::Contest;
use super::crossing;
use super::flip::{Flip, nearest_on_both_sides};
use super::objective::Objective;

const GIB: f64 = 1_073_741_824.0;

/// Returns all flip points, the nearest one first. `rivals` are the designs that may be recommended
/// instead.
pub fn flips(contest: &Contest<'_>, recommended: usize, rivals: &[usize]) -> Vec<Flip> {
    let mut flips = match contest.objective {
        Some(Objective::Time) => shares(contest, recommended, rivals),
        Some(Objective::Month) => prices(contest, recommended, rivals),
        _ => Vec::new(),
    };
    flips.extend(crossing::rows(contest, recommended, rivals));
    flips.retain(|flip| flip.distance().is_finite());
    flips.sort_by(|a, b| a.distance().total_cmp(&b.distance()));
    flips
}

/// Returns the shares of questions at which another design becomes the best one. The logarithm of a
/// weighted geometric mean is linear in a share, so they are exact.
fn shares(contest: &Contest<'_>, recommended: usize, rivals: &[usize]) -> Vec<Flip> {
    let counted = (0..contest.shares.len()).filter(|q| contest.shares[*q] > 0.0);
    counted
        .flat_map(|question| {
            let now = contest.shares[question];
            let roots = rivals.iter().filter_map(|rival| {
                Some((
                    *rival,
                    share_of_tie(contest, question, recommended, *rival)?,
                ))
            });
            nearest_on_both_sides(now, roots)
                .into_iter()
                .map(move |(rival, at)| Flip::Share {
                    question,
                    now,
                    at,
                    design: contest.input.designs[rival].id.clone(),
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Returns the share of a question, between 0 and 1, at which a rival takes as long as the recommended
/// design.
fn share_of_tie(
    contest: &Contest<'_>,
    question: usize,
    recommended: usize,
    rival: usize,
) -> Option<f64> {
    let difference = |question: usize| {
        let objective = Objective::Question(question);
        let own = contest.point(objective, recommended)?;
        Some(own.ln() - contest.point(objective, rival)?.ln())
    };
    let now = contest.shares[question];
    let own = difference(question)?;
    let mut others = 0.0;
    for (other, share) in contest.shares.iter().enumerate() {
        if other != question && *share > 0.0 {
            others += share / (1.0 - now) * difference(other)?;
        }
    }
    // Only a rival that is worse now can become better.
    let is_worse_now = now * own + (1.0 - now) * others < 0.0;
    let at = others / (others - own);
    (is_worse_now && at > 0.0 && at < 1.0).then_some(at)
}

/// Returns the prices of storage at which another design becomes the best one. The cost of a month is
/// linear in the price, so they are exact.
fn prices(contest: &Contest<'_>, recommended: usize, rivals: &[usize]) -> Vec<Flip> {
    let Some(price) = &contest.input.price else {
        return Vec::new();
    };
    let now = price.gib_month;
    let line = |design: usize| {
        let month = contest.point(Objective::Month, design)?;
        let gib = contest.point(Objective::Storage, design)? / GIB;
        Some((gib, month - now * gib))
    };
    let Some((own_gib, own_rest)) = line(recommended) else {
        return Vec::new();
    };
    let roots = rivals.iter().filter_map(|rival| {
        let (gib, rest) = line(*rival)?;
        let is_worse_now = rest + now * gib > own_rest + now * own_gib;
        let at = (rest - own_rest) / (own_gib - gib);
        (is_worse_now && at > 0.0 && at.is_finite()).then_some((*rival, at))
    });
    nearest_on_both_sides(now, roots)
        .into_iter()
        .map(|(rival, at)| Flip::StoragePrice {
            now,
            at,
            design: contest.input.designs[rival].id.clone(),
        })
        .collect()
}
