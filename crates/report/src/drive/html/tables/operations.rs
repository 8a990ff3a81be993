//! Renders the table of operations: their rates, response times and failures.

use bakeoff_stats::drive::{DriveSummary, OperationFigures};

use super::{Column, explained, failed, name, seconds, table};
use crate::compare::to_best;
use crate::drive::rows::{self, Operation, P99_OF_ALL, TO_BEST, TO_TODAYS, to_todays};
use crate::markup::Escaped;
use crate::page::table::{NONE, or_none};
use crate::units;

pub fn operations(summary: &DriveSummary) -> String {
    let columns: [Column<Operation>; 21] = [
        ("Count", |o| units::count(o.figures.count)),
        ("Ops/s", |o| units::rate(o.figures.ops_per_second)),
        ("Mean", |o| seconds(o.figures.response.map(|l| l.mean))),
        ("p50", |o| seconds(o.figures.response.map(|l| l.p50))),
        (TO_BEST, |o| or_none(o.p50, to_best::in_full)),
        ("p90", |o| seconds(o.figures.response.map(|l| l.p90))),
        ("p99", |o| or_none(o.p99_time(), |time| time + &interval(o))),
        (TO_BEST, |o| or_none(o.p99, to_best::in_full)),
        (TO_TODAYS, |o| {
            to_todays(o.p99).unwrap_or_else(|| NONE.to_owned())
        }),
        (P99_OF_ALL, |o| {
            o.p99_of_all().unwrap_or_else(|| NONE.to_owned())
        }),
        ("p99.9", |o| {
            quantile(o.figures, 0.999, o.figures.response.map(|l| l.p999))
        }),
        ("Longest", |o| seconds(o.figures.response.map(|l| l.max))),
        ("Service p50", |o| seconds(o.figures.service.map(|l| l.p50))),
        ("Service p99", |o| {
            o.service_p99().unwrap_or_else(|| NONE.to_owned())
        }),
        ("Service longest", |o| {
            seconds(o.figures.service.map(|l| l.max))
        }),
        ("Rows/s", |o| units::rate(o.figures.rows_per_second)),
        ("Bytes/s", |o| units::bytes(o.figures.bytes_per_second)),
        ("Failed", |o| failed(o.figures.failed(), o.figures.count)),
        ("Why", |o| why(o.figures)),
        ("Retries", |o| {
            or_none(
                (o.figures.retries > 0).then_some(o.figures.retries),
                units::count,
            )
        }),
        ("Not applied", |o| {
            or_none(
                (o.figures.not_applied > 0).then_some(o.figures.not_applied),
                units::count,
            )
        }),
    ];
    let names = |o: &Operation| vec![name(o.design), Escaped(&o.figures.name).to_string()];
    let rows = rows::operations(summary).into_iter();
    let rows = rows.map(|o| (names(&o), o)).collect();
    let which = rows::times_of_rounds(summary);
    let which = which.map_or_else(String::new, |which| format!(" {which}."));
    let caption = format!(
        "Response times of operations that succeeded, from due to done; service times, from sent to \
         done.{which}{}",
        explained(summary)
    );
    table(&caption, &["Design", "Operation"], &columns, rows)
}

/// Writes the interval below a p99; nothing for a single round.
fn interval(operation: &Operation) -> String {
    let interval = operation.p99_interval();
    interval.map_or_else(String::new, |interval| format!("<small>{interval}</small>"))
}

fn quantile(operation: &OperationFigures, share: f64, seconds: Option<f64>) -> String {
    let shown = crate::drive::quantile(operation, share, seconds);
    shown.unwrap_or_else(|| NONE.to_owned())
}

fn why(operation: &OperationFigures) -> String {
    let kinds = operation.failures.iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{} {kind}", units::count(*count)))
        .collect();
    if kinds.is_empty() {
        NONE.to_owned()
    } else {
        kinds.join(", ")
    }
}
