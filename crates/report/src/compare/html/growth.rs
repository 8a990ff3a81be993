//! Times at full scale: a table of all designs by queries.

use bakeoff_stats::{Forecast, Projected, Refusal, Summary, TimeForecast};

use crate::compare::advice;
use crate::compare::growth::{ASSUMED, basis, common_refusal, of_query, score};
use crate::markup::{Escaped, Sentences, design_id};
use crate::page::section;
use crate::page::setup::details;
use crate::page::table::{Heading, NONE, Table, or_none};
use crate::units;

/// Rows of one table; more of them fold away by query.
const MOST_ROWS: usize = 60;

/// Renders the section; it is empty where the full scale was measured, or nothing was.
pub fn at_full_scale(summary: &Summary) -> String {
    let larger = |forecast: &&Forecast| forecast.rows > forecast.measured_rows;
    let Some(forecast) = summary.forecast.as_ref().filter(larger) else {
        return String::new();
    };
    let times = || forecast.designs.iter().flat_map(|design| &design.times);
    if times().next().is_none() {
        return String::new();
    }
    let content = match common_refusal(times()) {
        Some(refusal) => {
            let refusal = advice::reason(summary, &refusal);
            let text = format!("There is no forecast of times, since {refusal}.");
            format!("<p>{}</p>\n", Sentences(text))
        }
        None => tables(summary, forecast),
    };
    section("At full scale", &content)
}

/// One table, or one for each query where that would be long.
fn tables(summary: &Summary, forecast: &Forecast) -> String {
    let hint = format!(
        "<p class=\"hint-text\">{} rows, forecast from tables of up to {}. {ASSUMED}{}</p>\n",
        units::count(forecast.rows),
        units::count(forecast.measured_rows),
        score(summary).map_or_else(String::new, |text| format!(" {text}")),
    );
    let queries = summary.header.queries.iter();
    let of_queries: Vec<(&str, Vec<Vec<String>>)> = queries
        .map(|query| (query.name.as_str(), rows(summary, forecast, &query.name)))
        .collect();
    let count: usize = of_queries.iter().map(|(_, rows)| rows.len()).sum();
    if count <= MOST_ROWS {
        return hint + &table(of_queries.into_iter().flat_map(|(_, rows)| rows).collect());
    }
    let folded = of_queries.into_iter().map(|(query, rows)| {
        let title = format!("{query}, with all designs");
        details(&title, &table(rows))
    });
    hint + &folded.collect::<String>()
}

fn table(rows: Vec<Vec<String>>) -> String {
    let table = Table {
        caption: "",
        head: vec![
            Heading::text("Query"),
            Heading::text("Design"),
            Heading::number("Measured"),
            Heading::number("At full scale, 90%"),
            Heading::words("Rests on"),
        ],
        rows,
    };
    table.html()
}

/// One row where no design has a forecast for the same reason.
fn rows(summary: &Summary, forecast: &Forecast, query: &str) -> Vec<Vec<String>> {
    let times = of_query(forecast, query);
    let refusal = common_refusal(times.iter().map(|(_, time)| *time));
    if let (Some(refusal), Some((_, first))) = (refusal, times.first()) {
        let cells = [
            query,
            "all designs",
            NONE,
            NONE,
            &format!("{}: {}", none(first), advice::reason(summary, &refusal)),
        ];
        return vec![cells.map(|cell| Escaped(cell).to_string()).to_vec()];
    }
    { times.into_iter() }
        .map(|(design, time)| row(summary, query, design, time))
        .collect()
}

fn row(summary: &Summary, query: &str, design: &str, time: &TimeForecast) -> Vec<String> {
    let known = time.known();
    let basis = basis(time);
    vec![
        Escaped(query).to_string(),
        design_id(design),
        units::duration(time.measured),
        or_none(known, |known| {
            let (low, high) = known.interval;
            let (low, high) = (units::duration(low), units::duration(high));
            format!(
                "{}<small>{low} – {high}</small>",
                units::duration(known.seconds)
            )
        }),
        Escaped(match known {
            Some(_) => basis,
            None => format!("{}: {}", none(time), advice::reason(summary, &basis)),
        })
        .to_string(),
    ]
}

/// Says what there is not. By a time that is too wide to rely on designs may still be ranked.
fn none(time: &TimeForecast) -> &'static str {
    match &time.forecast {
        Projected::Refused(Refusal::TooWide { .. }) => "no forecast to rely on",
        Projected::Refused(_) | Projected::Seconds(_) => "no forecast",
    }
}
