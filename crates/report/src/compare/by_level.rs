//! The fastest design for each question where one copy of a row answers and where several do, in words that
//! terminal and page share.

use bakeoff_stats::{AgainstBest, AtLevels, Difference, Summary};

use super::by_setting::ROUNDS_FOR_DIFFERENCES;
use crate::decide::words::percent;
use crate::listing::list;
use crate::units;

pub const TITLE: &str = "Fastest by consistency level";
/// Setting of an id that chooses the level.
const SETTING: &str = "consistency=";
/// Most designs in one list, beyond which only their number is given.
const LISTED: usize = 4;

/// Names designs by the levels of their reads: `ONE`, or `above ONE (ALL, QUORUM)`.
pub fn name(group: &AtLevels) -> String {
    let levels = group.levels().join(", ");
    if group.is_of_one_copy {
        levels
    } else {
        format!("above ONE ({levels})")
    }
}

/// Returns the queries that at least one of the groups has a fastest design for, in the header's order.
pub fn queries<'a>(summary: &'a Summary, groups: &[AtLevels]) -> Vec<&'a str> {
    let queries = summary.header.queries.iter();
    let names = queries.map(|query| query.name.as_str());
    let has_fastest = |query: &&str| {
        let mut groups = groups.iter();
        groups.any(|group| fastest(summary, group, query).is_some())
    };
    names.filter(has_fastest).collect()
}

/// Says which design of a group is the fastest for a query and how long it takes, as far as the comparison within
/// rounds shows it. Returns `None` if fewer than two designs are compared.
pub fn fastest(summary: &Summary, group: &AtLevels, query: &str) -> Option<String> {
    let compared = group.comparison.query(query)?;
    let best = compared.design(compared.best.as_deref()?)?;
    let time = summary.design(&best.design)?.query(query)?.time?.median;
    if !time.is_finite() {
        return None;
    }
    let others: Vec<&AgainstBest> = { compared.designs.iter() }
        .filter(|other| other.design != best.design)
        .collect();
    let rounds = others.iter().map(|other| other.rounds).max()?;
    let is = format!("{}, {}", way(group, &best.design), units::duration(time));
    if rounds < ROUNDS_FOR_DIFFERENCES || best.difference != Difference::Best {
        return Some(format!("{is}, not settled"));
    }
    let same = { others.iter() }.filter(|other| other.difference == Difference::Same);
    let same: Vec<String> = same.map(|other| way(group, &other.design)).collect();
    let same: Vec<&str> = same.iter().map(String::as_str).collect();
    if same.is_empty() {
        return Some(is);
    }
    let within = percent(compared.same_within);
    Some(format!(
        "{is}; the same within {within}: {}",
        list(&same, LISTED)
    ))
}

/// Names a design without its level, which is named apart where a group has several.
fn way(group: &AtLevels, design: &str) -> String {
    let named = without_level(design);
    match group.level_of(design) {
        Some(level) if group.levels().len() > 1 => format!("{named} at {level}"),
        _ => named,
    }
}

fn without_level(design: &str) -> String {
    let Some((layout, settings)) = design.split_once('?') else {
        return design.to_owned();
    };
    // The tag of an id follows its last setting.
    let is_kept = |setting: &&str| !setting.starts_with(SETTING) || setting.contains('#');
    let kept: Vec<&str> = settings.split('&').filter(is_kept).collect();
    match kept.as_slice() {
        [] => layout.to_owned(),
        kept => format!("{layout}?{}", kept.join("&")),
    }
}

#[cfg(test)]
mod tests {
    use super::without_level;

    #[test]
    fn an_id_without_its_level_keeps_all_else() {
        for (id, named) in [
            ("a/x?consistency=one", "a/x"),
            (
                "a/x?aggregate=server&consistency=one&page=7",
                "a/x?aggregate=server&page=7",
            ),
            ("a/x?page=7", "a/x?page=7"),
            ("a/x", "a/x"),
        ] {
            assert_eq!(without_level(id), named);
        }
    }
}
