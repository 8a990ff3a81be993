//! Forecast of a run for another number of rows: what `bakeoff forecast` prints.

mod by_factors;
mod by_scan_speed;
mod clients;
mod elsewhere;
mod error;
mod machines;
mod scores;
mod storage;
mod unknown;
mod users;
mod validation;

pub use by_factors::{by_factors_json, render_by_factors};
pub use by_scan_speed::{
    ASSUMED as ASSUMED_OF_SCANS, OffBy, TRUSTED_TO, by_scan_speed_json, of_all_rows,
    render_by_scan_speed, rests_on, seconds_of_all_rows,
};
pub use clients::{Clients, ClientsCheck, LeftOut};
pub use elsewhere::validate_at;
pub use machines::{
    assumed, cost_json, machines_json, month, number, render_cost, render_machines,
};
pub use scores::{ledger_json, of_run as score, render_ledger};
pub use users::{render_users, users_and_machines_json, users_json};
pub use validation::{At, Check, Errors, Longest, RefusedCheck, Sizes, Validation, validate};

use bakeoff_stats::decide::Span;
use bakeoff_stats::{
    DesignForecast, DesignSummary, Forecast, Projected, Projection, Purchase, StorageForecast,
    Summary, TimeForecast,
};
use serde::Serialize;

use crate::decide::words;
use crate::text::COLUMNS;
use crate::text::layout::{left, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Assumptions of every forecast.
pub const ASSUMED: &str = "On the same machine with a warm cache, one question at a time. Intervals are \
    to hold 90%; how many did is below, if that could be checked.";

/// Renders storage and times at this number of rows and copies, with intervals and what they rest on, or
/// why there are none.
pub fn render(summary: &Summary, rows: u64, copies: u32) -> String {
    let forecast = summary.projected(rows, copies);
    let mut parts = vec![headline(&forecast), wrap(ASSUMED, COLUMNS, "", "")];
    parts.extend(storage::table_of(summary, &forecast));
    let queries = summary.header.queries.iter();
    parts.extend(queries.filter_map(|query| {
        let times = of_query(&forecast, &query.name);
        known(&times, &query.name)
    }));
    let refusals = refusals(&forecast);
    if !refusals.is_empty() {
        parts.push(refusals.join("\n"));
    }
    let scored = score(summary);
    parts.extend(scored.map(|text| wrap(&text, COLUMNS, "", "")));
    parts.join("\n\n") + "\n"
}

/// Renders the same as JSON. Times are in seconds, sizes in bytes.
///
/// # Errors
/// None that a summary made from records can cause.
pub fn json(summary: &Summary, rows: u64, copies: u32) -> serde_json::Result<String> {
    let forecast = summary.projected(rows, copies);
    let designs = forecast.designs.iter().map(|design| DesignJson {
        design: &design.design,
        storage: design.storage.as_ref().map(|storage| StorageJson {
            bytes: storage.bytes,
            interval: storage.interval,
            basis: storage.basis(),
            purchase: storage::purchase(summary, design, storage),
        }),
        times: design.times.iter().map(TimeJson::of).collect(),
    });
    serde_json::to_string_pretty(&ForecastJson {
        workload: &summary.header.workload,
        rows,
        copies,
        measured_rows: forecast.measured_rows,
        designs: designs.collect(),
    })
}

#[derive(Serialize)]
struct ForecastJson<'a> {
    workload: &'a str,
    rows: u64,
    copies: u32,
    measured_rows: u64,
    designs: Vec<DesignJson<'a>>,
}

#[derive(Serialize)]
struct DesignJson<'a> {
    design: &'a str,
    storage: Option<StorageJson<'a>>,
    times: Vec<TimeJson<'a>>,
}

#[derive(Serialize)]
struct StorageJson<'a> {
    bytes: f64,
    interval: Option<(f64, f64)>,
    basis: String,
    /// Storage to buy; `null` where it is not known, and for yardsticks, which nobody buys.
    purchase: Option<&'a Purchase>,
}

#[derive(Serialize)]
struct TimeJson<'a> {
    query: &'a str,
    measured: f64,
    seconds: Option<f64>,
    interval: Option<(f64, f64)>,
    /// Says what the time rests on, or why there is none.
    basis: String,
}

impl TimeJson<'_> {
    fn of(time: &TimeForecast) -> TimeJson<'_> {
        TimeJson {
            query: &time.query,
            measured: time.measured,
            seconds: time.known().map(|known| known.seconds),
            interval: time.known().map(|known| known.interval),
            basis: basis(time),
        }
    }
}

/// Returns the storage of a design that may be recommended.
pub(super) fn storage_to_buy<'a>(
    summary: &'a Summary,
    design: &DesignSummary,
) -> Option<&'a StorageForecast> {
    let loses_rows = summary.loses_rows(&design.info.id);
    let may_be_bought = design.is_right() && !design.info.is_yardstick() && !loses_rows;
    let forecast = summary.forecast.as_ref().filter(|_| may_be_bought)?;
    forecast.design(&design.info.id)?.storage.as_ref()
}

/// Returns what a time rests on, or why there is none.
pub(super) fn basis(time: &TimeForecast) -> String {
    match &time.forecast {
        Projected::Seconds(_) => time.basis(),
        Projected::Refused(refusal) => refusal.to_string(),
    }
}

/// Returns the times of all designs for a query, the shortest first and those that are not known last.
pub(super) fn of_query<'a>(
    forecast: &'a Forecast,
    query: &str,
) -> Vec<(&'a str, &'a TimeForecast)> {
    let mut times: Vec<_> = { forecast.designs.iter() }
        .filter_map(|design| Some((design.design.as_str(), design.time(query)?)))
        .collect();
    let seconds = |time: &TimeForecast| time.known().map_or(f64::INFINITY, |known| known.seconds);
    times.sort_by(|a, b| seconds(a.1).total_cmp(&seconds(b.1)));
    times
}

/// Returns the reason for which none of these times is known, if it is one and the same.
pub(super) fn common_refusal<'a>(
    mut times: impl Iterator<Item = &'a TimeForecast>,
) -> Option<String> {
    let refusal = |time: &TimeForecast| match &time.forecast {
        Projected::Refused(refusal) => Some(refusal.to_string()),
        Projected::Seconds(_) => None,
    };
    let first = refusal(times.next()?)?;
    let is_same = times.all(|time| refusal(time).as_ref() == Some(&first));
    is_same.then_some(first)
}

/// Returns a sentence about questions at which every design fails that can be recommended, after a space; empty without
/// such. Others, such as `memory`, may answer them.
fn without_unanswered(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!(
            " Without {}: every design that can be recommended fails there.",
            names.join(", ")
        ),
    }
}

/// Returns a time as it is shown with its interval.
fn span(known: &Projection) -> Span {
    Span {
        point: known.seconds,
        interval: Some(known.interval),
    }
}

fn headline(forecast: &Forecast) -> String {
    let times = || forecast.designs.iter().flat_map(|design| &design.times);
    let known = times().filter(|time| time.known().is_some()).count();
    let known = match (known, times().count()) {
        (_, 0) => "no time was measured".to_owned(),
        (known, all) if known == all => "all times are known".to_owned(),
        (0, _) => "no time is known".to_owned(),
        (known, all) => format!("{known} of {all} times are known"),
    };
    let text = format!(
        "Forecast for {} in {}, from {} measured: {known}.",
        units::plural(forecast.rows, "row", "rows"),
        units::plural(u64::from(forecast.copies), "copy", "copies"),
        units::count(forecast.measured_rows),
    );
    wrap(&text, COLUMNS, "", "")
}

fn known(times: &[(&str, &TimeForecast)], query: &str) -> Option<String> {
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    table.set_header([
        left(query),
        right("Measured"),
        right("Forecast, 90%"),
        left("Rests on"),
    ]);
    for (design, time) in times {
        if let Some(known) = time.known() {
            table.add_row([
                left(design),
                right(units::duration(time.measured)),
                right(words::seconds_with_interval(span(known))),
                left(&basis(time)),
            ]);
        }
    }
    (!table.is_empty()).then(|| table.trim_fmt())
}

/// Sentences that say why there are no forecasts: each reason once, with the designs, and with the
/// queries where it is not about all of a design.
fn refusals(forecast: &Forecast) -> Vec<String> {
    let mut refused: Vec<(String, Vec<String>)> = Vec::new();
    for design in &forecast.designs {
        for (why, queries) in refused_of(design) {
            let whose = match queries.len() {
                all if all == design.times.len() => design.design.clone(),
                _ => format!("{} ({})", design.design, queries.join(", ")),
            };
            match refused.iter_mut().find(|(known, _)| *known == why) {
                Some((_, designs)) => designs.push(whose),
                None => refused.push((why, vec![whose])),
            }
        }
    }
    let sentence = |(why, whose): &(String, Vec<String>)| {
        let text = format!("{}: no forecast, since {why}.", whose.join(", "));
        wrap(&text, COLUMNS, "", "  ")
    };
    refused.iter().map(sentence).collect()
}

/// Reasons why a design has no forecasts, each with its queries.
fn refused_of(design: &DesignForecast) -> Vec<(String, Vec<&str>)> {
    let mut refused: Vec<(String, Vec<&str>)> = Vec::new();
    for time in design.times.iter().filter(|time| time.known().is_none()) {
        let why = basis(time);
        match refused.iter_mut().find(|(known, _)| *known == why) {
            Some((_, queries)) => queries.push(&time.query),
            None => refused.push((why, vec![&time.query])),
        }
    }
    refused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_are_left_out_are_named_with_whose_answers_they_lack() {
        assert_eq!(without_unanswered(&[] as &[&str]), "");
        assert_eq!(
            without_unanswered(&["usa", "albania"]),
            " Without usa, albania: every design that can be recommended fails there."
        );
    }
}
