//! Sentences about a race, which terminal and page share.

use bakeoff_stats::decide::{Certainty, Settling};
use bakeoff_stats::{Dropped, RaceSummary, Stopped, Summary, WhyStopped};

use crate::decide::words::percent;
use crate::listing::list;
use crate::units;

pub const TITLE: &str = "Race";
/// Most designs in one list, beyond which only their number is given.
const LISTED: usize = 3;

/// Says in a few sentences what the race left out, why it ended, and what more time would settle.
/// Returns `None` for a run without a race.
pub fn sentences(summary: &Summary) -> Option<Vec<String>> {
    let race = summary.race.as_ref()?;
    let all = [
        unfounded(race),
        dropped(summary, race),
        race.stopped.map(end),
        ten_minutes(summary, race),
    ];
    Some(all.into_iter().flatten().collect())
}

/// Says at which tables, or after which rounds, a design was dropped.
pub fn place(dropped: &Dropped) -> String {
    let rows = units::count(dropped.rows);
    match (dropped.at_rung, dropped.rounds) {
        (false, Some(rounds)) if dropped.is_by_open_questions() => {
            let rounds = rounds_of(rounds);
            format!("at {rows} rows, after {rounds} of open questions")
        }
        (true, _) => format!("at {rows} rows, before all were loaded"),
        (false, Some(rounds)) => format!("at {rows} rows, after {}", rounds_of(rounds)),
        (false, None) => format!("at {rows} rows, between rounds"),
    }
}

fn short_place(dropped: &Dropped) -> String {
    match dropped.rounds.filter(|_| !dropped.at_rung) {
        Some(rounds) if dropped.is_by_open_questions() => {
            format!("after {} of open questions", rounds_of(rounds))
        }
        Some(rounds) => format!("after {}", rounds_of(rounds)),
        None => format!("at {} rows", units::count(dropped.rows)),
    }
}

fn dropped(summary: &Summary, race: &RaceSummary) -> Option<String> {
    let out: Vec<&Dropped> = race.dropped.iter().filter(|d| !d.is_control).collect();
    let of = units::plural(summary.designs.len() as u64, "design", "designs");
    if out.is_empty() {
        let all = format!(
            "No design was dropped: none of {of} was shown to be worse than another one in everything."
        );
        return race.unfounded.is_empty().then_some(all);
    }
    let mut places: Vec<(String, u64)> = Vec::new();
    for design in &out {
        let place = short_place(design);
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, count)) => *count += 1,
            None => places.push((place, 1)),
        }
    }
    let places = match places.as_slice() {
        [(only, _)] => only.clone(),
        several => {
            let parts = several.iter().map(|(place, n)| format!("{n} {place}"));
            parts.collect::<Vec<_>>().join(", ")
        }
    };
    let verb = if out.len() == 1 { "was" } else { "were" };
    Some(format!(
        "{} of {of} {verb} dropped, beaten in everything by another one: {places}.",
        units::count(out.len() as u64)
    ))
}

/// Says which designs were dropped for one that failed later.
fn unfounded(race: &RaceSummary) -> Option<String> {
    let designs: Vec<&str> = race.unfounded.iter().map(|d| d.design.as_str()).collect();
    let mut by: Vec<&str> = race.unfounded.iter().map(|d| d.by.as_str()).collect();
    by.sort_unstable();
    by.dedup();
    let (verb, them, they) = match designs.len() {
        0 => return None,
        1 => ("was", "it", "it"),
        _ => ("were", "them", "they"),
    };
    let (designs, by) = (list(&designs, LISTED), list(&by, LISTED));
    Some(format!(
        "{designs} {verb} dropped for {by}, which failed later, so {they} may be better: measure {them} in \
         another run."
    ))
}

/// Says why a race measured no further round, in a clause.
pub fn why_ended(stopped: Stopped) -> String {
    match stopped.why {
        WhyStopped::LittleToGain { expected_loss } => format!(
            "choosing another design would gain {} on average",
            percent(expected_loss)
        ),
        WhyStopped::Settled => {
            "every other design is shown to be worse than the one that leads, or the same"
                .to_owned()
        }
        WhyStopped::ForecastDecides => {
            "figures at full scale are forecasts, whose error further rounds leave as it is"
                .to_owned()
        }
        WhyStopped::Rounds => "no more were asked for, or the budget allowed none".to_owned(),
    }
}

fn end(stopped: Stopped) -> String {
    let why = why_ended(stopped);
    format!("The rounds ended after {}: {why}.", stopped.rounds)
}

fn ten_minutes(summary: &Summary, race: &RaceSummary) -> Option<String> {
    let decision = summary.decision.as_ref();
    let recommendation = decision.and_then(|decision| decision.recommendation.as_ref());
    let is_settled = recommendation.is_some_and(|of| of.certainty == Certainty::Settled);
    let more = race.ten_minutes.as_ref()?;
    Some(settling(more, is_settled))
}

/// Says what further rounds would show. That a design leads may be settled by resamples before each other design is shown
/// to be worse, since that has to hold for all of them at once.
fn settling(more: &Settling, is_settled: bool) -> String {
    let settles: Vec<String> = { more.settles.iter() }
        .map(|other| {
            let rounds = units::plural(other.rounds, "round", "rounds");
            format!("{} ({rounds})", other.against)
        })
        .collect();
    let settles: Vec<&str> = settles.iter().map(String::as_str).collect();
    let leaves: Vec<&str> = more.leaves.iter().map(String::as_str).collect();
    let (settles, leaves) = (list(&settles, LISTED), list(&leaves, LISTED));
    let rounds = units::plural(more.rounds, "round", "rounds");
    let ten = format!("Ten more minutes ({rounds}) would");
    match (is_settled, settles.is_empty(), leaves.is_empty()) {
        (_, true, true) => format!("{ten} settle nothing further."),
        (true, true, false) => {
            format!("A stricter test leaves {leaves} open, even with ten more minutes ({rounds}).")
        }
        (true, false, true) => {
            format!("A stricter test is open for {settles}: ten more minutes ({rounds}) would do.")
        }
        (true, false, false) => format!(
            "A stricter test is open for {settles}, where ten more minutes ({rounds}) would do, and for {leaves}, where \
             they would not."
        ),
        (false, true, false) => format!("{ten} not tell the leading one from {leaves}."),
        (false, false, true) => format!("{ten} tell the leading one from {settles}."),
        (false, false, false) => {
            format!("{ten} tell the leading one from {settles}, and not from {leaves}.")
        }
    }
}

fn rounds_of(rounds: u32) -> String {
    units::plural(u64::from(rounds), "round", "rounds")
}

#[cfg(test)]
mod tests;
