//! Storage of a forecast: bytes at rest, and what to buy.

use bakeoff_stats::decide::Span;
use bakeoff_stats::{DesignForecast, Forecast, Purchase, RoomFrom, StorageForecast, Summary};

use super::COLUMNS;
use crate::decide::words;
use crate::text::layout::{left, or_none, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Returns the storage to buy for a design, which is none for a yardstick.
pub fn purchase<'a>(
    summary: &Summary,
    design: &DesignForecast,
    storage: &'a StorageForecast,
) -> Option<&'a Purchase> {
    let is_bought = !is_yardstick(summary, design) && !summary.loses_rows(&design.design);
    storage.purchase.as_ref().filter(|_| is_bought)
}

/// Renders the storage of all designs of which it is known.
pub fn table_of(summary: &Summary, forecast: &Forecast) -> Option<String> {
    let known: Vec<(&DesignForecast, &StorageForecast)> = { forecast.designs.iter() }
        .filter_map(|design| Some((design, design.storage.as_ref()?)))
        .collect();
    let fill = { known.iter() }
        .find_map(|(design, storage)| Some(purchase(summary, design, storage)?.fill));
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    let mut head = vec![left("Design"), right("At rest, 90%"), left("Rests on")];
    if fill.is_some() {
        head.extend([right("To buy, 90%"), left("Room")]);
    }
    table.set_header(head);
    for (design, storage) in &known {
        let at_rest = Span {
            point: storage.bytes,
            interval: storage.interval,
        };
        let mut row = vec![
            left(&design.design),
            right(words::bytes(at_rest)),
            left(&storage.basis()),
        ];
        if fill.is_some() {
            let its = purchase(summary, design, storage);
            row.push(right(or_none(its, bought)));
            row.push(left(&match its {
                None if is_yardstick(summary, design) => "a yardstick".to_owned(),
                None if summary.loses_rows(&design.design) => "loses rows".to_owned(),
                its => room(its),
            }));
        }
        table.add_row(row);
    }
    let is_beyond = known.iter().any(|(_, storage)| storage.is_beyond);
    let mut parts = vec![table.trim_fmt(), wrap(&to_buy(fill), COLUMNS, "", "")];
    parts.extend(is_beyond.then(|| wrap(&beyond(forecast), COLUMNS, "", "")));
    (!table.is_empty()).then(|| parts.join("\n\n"))
}

fn is_yardstick(summary: &Summary, design: &DesignForecast) -> bool {
    let design = summary.design(&design.design);
    design.is_some_and(|design| design.info.is_yardstick())
}

fn to_buy(fill: Option<f64>) -> String {
    match fill {
        Some(fill) => format!(
            "To buy: bytes at rest times the room that storage needs beside them, and the log, on disks \
             that are {:.0}% full.",
            100.0 * fill
        ),
        None => "How much to buy is not known: this run did not look for the highest bytes, as those of \
                 earlier versions."
            .to_owned(),
    }
}

fn beyond(forecast: &Forecast) -> String {
    format!(
        "Beyond their range: {} rows are further from the {} that were measured than the tables of the run are \
         apart, so the intervals of bytes may be too narrow.",
        units::count(forecast.rows),
        units::count(forecast.measured_rows)
    )
}

fn bought(purchase: &Purchase) -> String {
    words::bytes(Span {
        point: purchase.bytes,
        interval: purchase.interval,
    })
}

/// Returns what is bought in addition to the bytes at rest: `1.5×, measured; log 8 GiB, estimated`.
fn room(purchase: Option<&Purchase>) -> String {
    let Some(purchase) = purchase else {
        return "not measured".to_owned();
    };
    let from = match &purchase.room_from {
        RoomFrom::Measured => "measured",
        RoomFrom::Estimated { .. } => "estimated",
    };
    let room = format!("{}, {from}", units::factor(purchase.room));
    if purchase.log_bytes > 0.0 {
        let log = units::bytes(purchase.log_bytes);
        return format!("{room}; log {log} a copy, estimated");
    }
    room
}
