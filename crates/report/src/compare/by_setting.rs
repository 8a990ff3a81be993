//! What a run shows of designs that differ in one setting alone, in sentences that terminal and page share.

use bakeoff_stats::{AgainstBest, BySetting, DesignSummary, Difference, QueryComparison, Summary};

use super::to_best;
use crate::decide::words::percent;
use crate::listing::list;
use crate::units;

/// Rounds below which no difference between designs can be shown.
pub const ROUNDS_FOR_DIFFERENCES: u32 = 5;
/// Most values in one list, beyond which only their number is given.
const LISTED: usize = 4;

/// Names designs by the setting in which they differ: `page of cassandra/wide`.
pub fn name(group: &BySetting) -> String {
    format!("{} of {}", group.setting, group.others)
}

/// Says which value of the setting is the best one for a query, as the comparison within rounds shows it. Returns
/// `None` if fewer than two designs are compared.
pub fn of_query(group: &BySetting, query: &str) -> Option<String> {
    let compared = group.comparison.query(query)?;
    let best = compared.design(compared.best.as_deref()?)?;
    let others: Vec<&AgainstBest> = { compared.designs.iter() }
        .filter(|other| other.design != best.design)
        .collect();
    let rounds = others.iter().map(|other| other.rounds).max()?;
    let is = format!("{}={}", group.setting, group.value_of(&best.design)?);
    if rounds < ROUNDS_FOR_DIFFERENCES {
        let rounds = units::plural(u64::from(rounds), "round", "rounds");
        return Some(format!(
            "{is} has the shortest times, but {rounds} in common cannot show a difference."
        ));
    }
    let is_best = best.difference == Difference::Best;
    if is_best && others.iter().all(|o| o.difference == Difference::Same) {
        return Some(no_difference(group, compared.same_within));
    }
    let place = if is_best {
        "is the fastest"
    } else {
        "is ahead, not settled"
    };
    let parts = [Some(format!("{is} {place}"))];
    let parts = parts.into_iter().chain(in_words(group, compared, &others));
    Some(sentence(parts))
}

/// Says of the other values what is shown of them.
fn in_words(
    group: &BySetting,
    compared: &QueryComparison,
    others: &[&AgainstBest],
) -> [Option<String>; 4] {
    let values = |difference: Difference| -> Vec<&str> {
        // In the order of the setting.
        let is_so = |design: &str| {
            let mut others = others.iter();
            others.any(|other| other.design == design && other.difference == difference)
        };
        let designs = { group.designs.iter() }.filter(|at| is_so(&at.design));
        designs.map(|at| at.text.as_str()).collect()
    };
    let slowest = { others.iter() }
        .filter(|other| other.difference == Difference::Slower)
        .max_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let slowest = slowest.and_then(|slowest| {
        let value = group.value_of(&slowest.design)?;
        Some(format!("slowest: {value}, {}", to_best::in_full(slowest)))
    });
    [
        are(&values(Difference::Same), &same(compared.same_within)),
        are(&values(Difference::NotSettled), "not settled"),
        are(&values(Difference::Faster), "faster, but not complete"),
        slowest,
    ]
}

/// Says which value of the setting takes the fewest bytes. Returns `None` if they are known of fewer than two designs
/// without failures. Bytes have no error, so no rounds are needed.
pub fn of_bytes(summary: &Summary, group: &BySetting) -> Option<String> {
    let mut sizes: Vec<(&str, f64)> = { group.designs.iter() }
        .filter_map(|at| {
            let design = summary.design(&at.design).filter(|d| d.is_right())?;
            let bytes = design.bytes_per_row;
            let bytes = bytes.filter(|bytes| bytes.is_finite() && *bytes > 0.0)?;
            Some((at.text.as_str(), bytes))
        })
        .collect();
    sizes.sort_by(|a, b| a.1.total_cmp(&b.1));
    let ((smallest, least), others) = sizes.split_first()?;
    let (largest, most) = others.last()?;
    let is_same = |bytes: f64| bytes <= least * (1.0 + group.same_within);
    if is_same(*most) {
        return Some(no_difference(group, group.same_within));
    }
    let alike = { others.iter() }.filter(|(_, bytes)| is_same(*bytes));
    let alike: Vec<&str> = alike.map(|(value, _)| *value).collect();
    let parts = [
        Some(format!("{}={smallest} is the smallest", group.setting)),
        are(&alike, &same(group.same_within)),
        Some(format!(
            "largest: {largest}, {}",
            to_best::ratio(most / least)
        )),
    ];
    Some(sentence(parts.into_iter()))
}

/// Returns the queries that all of the designs are asked and of which at least two have times, those first whose
/// medians differ most.
pub fn queries_by_effect<'a>(summary: &'a Summary, group: &BySetting) -> Vec<&'a str> {
    let queries = summary.header.queries.iter();
    let queries = queries.filter(|query| group.is_asked(summary, &query.name));
    let mut effects: Vec<(&str, f64)> = queries
        .filter_map(|query| Some((query.name.as_str(), effect(summary, group, &query.name)?)))
        .collect();
    effects.sort_by(|a, b| b.1.total_cmp(&a.1));
    effects.into_iter().map(|(query, _)| query).collect()
}

/// Returns the longest median as a multiple of the shortest one.
fn effect(summary: &Summary, group: &BySetting, query: &str) -> Option<f64> {
    let median = |design: &DesignSummary| {
        let median = design.query(query)?.time?.median;
        (median.is_finite() && median > 0.0).then_some(median)
    };
    let designs = { group.designs.iter() }.filter_map(|at| summary.design(&at.design));
    let mut medians: Vec<f64> = designs.filter_map(median).collect();
    medians.sort_by(f64::total_cmp);
    match medians.as_slice() {
        [least, .., greatest] => Some(greatest / least),
        _ => None,
    }
}

fn no_difference(group: &BySetting, within: f64) -> String {
    format!(
        "{} makes no difference: all are {}.",
        group.setting,
        same(within)
    )
}

fn same(within: f64) -> String {
    format!("the same within {}", percent(within))
}

/// Says what these values are: `10000 is not settled`. Returns `None` without values.
fn are(values: &[&str], what: &str) -> Option<String> {
    let verb = if values.len() == 1 { "is" } else { "are" };
    (!values.is_empty()).then(|| format!("{} {verb} {what}", list(values, LISTED)))
}

fn sentence(parts: impl Iterator<Item = Option<String>>) -> String {
    let parts: Vec<String> = parts.flatten().collect();
    format!("{}.", parts.join("; "))
}
