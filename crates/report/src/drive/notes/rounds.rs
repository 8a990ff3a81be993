//! Says what too few rounds, or searches, leave open.

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{DriveDesign, DriveSummary};

use super::shortened;
use crate::drive::{FEWEST_ROUNDS, Kind};

/// Rounds below which no interval covers 95%.
const ROUNDS_FOR_AIM: u32 = 6;

/// Designs with their rates over rounds, or over searches.
type Rates<'a> = [(&'a DriveDesign, Estimate)];

pub fn few(summary: &DriveSummary) -> Option<String> {
    let is_search = Kind::of(summary) == Kind::Search;
    let rate = |d: &DriveDesign| if is_search { d.highest_rate } else { d.rate };
    let rates = summary.designs.iter().filter_map(|d| Some((d, rate(d)?)));
    let rates: Vec<_> = rates.collect();
    let observations = || rates.iter().map(|(_, rate)| rate.observations);
    let (fewest, most) = (observations().min()?, observations().max()?);
    match (fewest, is_search) {
        (1, _) if most > 1 => Some(only_once(&rates, is_search)),
        (1, true) => Some(
            "one search each: its interval is between two loads of that search, and a repeated \
             search may differ by more"
                .to_owned(),
        ),
        (1, false) if summary.designs.len() == 1 => None,
        (1, false) => Some(format!(
            "only one round was driven, so its error is not known and no difference can be shown, for \
             which at least {FEWEST_ROUNDS} are needed"
        )),
        (n, _) if n < ROUNDS_FOR_AIM => Some(below_the_aim(&rates, n, is_search)),
        _ => None,
    }
}

fn only_once(rates: &Rates<'_>, is_search: bool) -> String {
    let done = if is_search { "searched" } else { "driven" };
    let once = rates.iter().filter(|(_, rate)| rate.observations == 1);
    let once: Vec<String> = once.map(|(design, _)| design.info.id.clone()).collect();
    format!(
        "{done} only once, so that nothing is known about the error: {}",
        shortened(&once)
    )
}

/// Says how much the intervals of so few rounds cover, and that fewer still show no difference.
fn below_the_aim(rates: &Rates<'_>, fewest: u32, is_search: bool) -> String {
    let what = if is_search { "searches" } else { "rounds" };
    let covered = rates.iter().map(|(_, rate)| rate.coverage);
    let covers = (covered.fold(1.0, f64::min) * 100.0).floor();
    let range = format!("an interval is the whole range and covers {covers}%");
    if fewest < FEWEST_ROUNDS && rates.len() > 1 {
        format!(
            "{fewest} {what} cannot show a difference, at least {FEWEST_ROUNDS} are needed; {range}"
        )
    } else {
        format!("{fewest} {what}: {range}")
    }
}
