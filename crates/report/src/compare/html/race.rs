//! What a race dropped, as a table, and why it ended.

use bakeoff_stats::{Beaten, Dropped, RaceSummary, Summary};

use crate::compare::race::{TITLE, place, sentences};
use crate::markup::{Escaped, design_id};
use crate::page::section;
use crate::page::table::{Heading, Table};
use crate::units;

/// Explains the multiples.
const LEGEND: &str = "A multiple of the other design's cost as measured at these rows; in brackets what is \
    left of it without its error and the margin for larger tables.";

/// Renders the section; it is empty for a run without a race.
pub fn of_run(summary: &Summary) -> String {
    let Some((race, sentences)) = summary.race.as_ref().zip(sentences(summary)) else {
        return String::new();
    };
    let paragraphs = { sentences.into_iter() }.chain([rungs(race)]);
    let paragraphs = paragraphs.map(|text| format!("<p>{}</p>\n", Escaped(text)));
    let mut content: String = paragraphs.collect();
    if !race.dropped.is_empty() {
        content += &format!("<p class=\"hint-text\">{LEGEND}</p>\n{}", table(race));
    }
    section(TITLE, &content)
}

fn rungs(race: &RaceSummary) -> String {
    let rows: Vec<String> = race.rungs.iter().map(|rows| units::count(*rows)).collect();
    match rows.as_slice() {
        [] => "No smaller tables came first: there were too few rows for them.".to_owned(),
        rows => format!("Tables of {} rows came first.", rows.join(" and ")),
    }
}

fn table(race: &RaceSummary) -> String {
    let table = Table {
        caption: "",
        head: vec![
            Heading::text("Design"),
            Heading::words("Dropped"),
            Heading::text("Beaten by"),
            Heading::words("By how much"),
        ],
        rows: race.dropped.iter().map(row).collect(),
    };
    table.html()
}

fn row(dropped: &Dropped) -> Vec<String> {
    let control = if dropped.is_control {
        ", and measured on as a control"
    } else {
        ""
    };
    let mut by_how_much = Vec::new();
    for (rows, costs) in dropped.beaten_at() {
        let costs: Vec<String> = costs.into_iter().map(beaten).collect();
        let at = if rows == dropped.rows {
            String::new()
        } else {
            format!("at {} rows: ", units::count(rows))
        };
        by_how_much.push(at + &costs.join("; "));
    }
    vec![
        design_id(&dropped.design),
        Escaped(place(dropped) + control).to_string(),
        design_id(&dropped.by),
        Escaped(by_how_much.join("; ")).to_string(),
    ]
}

fn beaten(beaten: &Beaten) -> String {
    format!(
        "{} {} ({})",
        beaten.objective,
        units::factor(beaten.times),
        units::factor(beaten.at_least)
    )
}
