//! Speed-ups of selective queries over a full scan, compared with the rule of thumb.

use bakeoff_stats::{SpeedUp, SpeedUps, Summary};

use super::drawn::{legend, not_drawn};
use crate::chart::{self, MOST_LINES};
use crate::listing::list;
use crate::markup::{Escaped, design_id};
use crate::page::table::{Heading, Table};
use crate::page::{chart_figure, section};
use crate::units;

/// Most names in a list.
const LISTED: usize = 6;

/// Says what is expected, as a line of the chart and as a column of the table.
const DASHED: &str = "Dashed: 1 / share, what reading only the rows that it selects would bring.";
const COLUMN: &str = "Expected: 1 / share, what reading only the rows that it selects would bring.";

/// Renders the section; it is empty for a run without full scans or without counted conditions.
pub fn of_run(summary: &Summary) -> String {
    let all = summary.speed_ups();
    let mut designs: Vec<&SpeedUps<'_>> = all.iter().collect();
    // The designs with the highest speed-ups are drawn, in the order of all other charts. Those that read all rows
    // for everything give way to indexes, tables and views, however little these bring.
    designs.sort_by(|a, b| {
        let by_speed = || highest(b).total_cmp(&highest(a));
        a.only_scans.cmp(&b.only_scans).then_with(by_speed)
    });
    let content = if has_one_share(&all) {
        let hint = hint(&designs, COLUMN);
        Some((hint, table(&designs)))
    } else {
        drawn(&all, &designs)
    };
    let Some((hint, shown)) = content else {
        return String::new();
    };
    let beyond = beyond_an_index(&all)
        .into_iter()
        .chain(many_values(summary));
    let hints: String = { std::iter::once(hint).chain(beyond) }
        .map(|hint| format!("<p class=\"hint-text\">{}</p>\n", Escaped(hint)))
        .collect();
    section("Speed-up by share of the rows", &(hints + &shown))
}

/// Returns whether all queries select the same share of the rows, so that a chart would have no line.
fn has_one_share(all: &[SpeedUps<'_>]) -> bool {
    let mut shares = { all.iter() }.flat_map(|of| of.queries.iter().map(|query| query.share));
    let first = shares.next();
    first.is_some_and(|first| shares.all(|share| share == first))
}

/// Renders the chart of as many designs as there are marks for, with its hint; `None` if there is nothing to draw.
fn drawn(all: &[SpeedUps<'_>], designs: &[&SpeedUps<'_>]) -> Option<(String, String)> {
    let (drawn, others) = designs.split_at(designs.len().min(MOST_LINES));
    let is_drawn = |of: &&SpeedUps<'_>| {
        let id = &of.design.info.id;
        drawn.iter().any(|drawn| drawn.design.info.id == *id)
    };
    let drawn: Vec<&SpeedUps<'_>> = all.iter().filter(is_drawn).collect();
    let chart = chart::speed_up_lines(&drawn)?;
    let hint = hint(&drawn, DASHED) + &not_drawn(others.iter().map(|of| &of.design.info));
    let shown = format!(
        "{}<div class=\"charts\">\n{}</div>\n",
        legend(drawn.iter().map(|of| &of.design.info)),
        chart_figure("Speed-up over a full scan", &chart)
    );
    Some((hint, shown))
}

/// Renders the speed-ups of all designs as a table.
fn table(designs: &[&SpeedUps<'_>]) -> String {
    let table = Table {
        caption: "",
        head: vec![
            Heading::text("Design"),
            Heading::text("Query"),
            Heading::number("Share of the rows"),
            Heading::number("Speed-up over a full scan"),
            Heading::number("Expected"),
        ],
        rows: designs.iter().flat_map(|of| rows(of)).collect(),
    };
    table.html()
}

fn rows(of: &SpeedUps<'_>) -> Vec<Vec<String>> {
    let row = |query: &SpeedUp<'_>| {
        vec![
            design_id(&of.design.info.id),
            Escaped(query.query).to_string(),
            chart::percent(query.share),
            units::factor(query.times),
            units::factor(query.expected()),
        ]
    };
    of.queries.iter().map(row).collect()
}

/// Returns the highest speed-up as a share of the expected one.
fn highest(of: &SpeedUps<'_>) -> f64 {
    let shares = { of.queries.iter() }.map(|query| query.times / query.expected());
    shares.fold(0.0, f64::max)
}

fn hint(shown: &[&SpeedUps<'_>], expected: &str) -> String {
    let mut scans: Vec<String> = Vec::new();
    for of in shown {
        let scan = format!("{} of {}", of.full_scan.query, of.full_scan.design);
        if !scans.contains(&scan) {
            scans.push(scan);
        }
    }
    let scans: Vec<&str> = scans.iter().map(String::as_str).collect();
    format!(
        "Time of the fastest full scan by a design of the same layout, divided by that of the query. {expected} Full \
         scans: {}.",
        list(&scans, LISTED)
    )
}

/// Names the queries for which an index found more rows than one is advised for.
fn beyond_an_index(all: &[SpeedUps<'_>]) -> Option<String> {
    let of_design = |of: &SpeedUps<'_>| -> Vec<String> {
        let beyond = of.queries.iter().filter(|query| query.is_beyond_an_index());
        let id = &of.design.info.id;
        beyond
            .map(|query| {
                let (share, times) = (100.0 * query.share, units::factor(query.times));
                format!(
                    "{} with {id} ({share:.1}% of the rows, {times} as fast as a full scan)",
                    query.query
                )
            })
            .collect()
    };
    let beyond: Vec<String> = all.iter().flat_map(of_design).collect();
    let names: Vec<&str> = beyond.iter().map(String::as_str).collect();
    (!names.is_empty()).then(|| {
        format!(
            "An index found more than {:.0}% of the rows, for which a study of formats of 2016 advises a table \
             for each question instead: {}.",
            100.0 * SpeedUp::INDEX_AT_MOST,
            list(&names, LISTED)
        )
    })
}

/// Names the columns with an index that have more different values than one is advised for.
fn many_values(summary: &Summary) -> Option<String> {
    let columns: Vec<String> = { summary.beyond_an_index() }
        .map(|values| format!("{} (about {})", values.column, units::rows(values.about)))
        .collect();
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    (!names.is_empty()).then(|| {
        format!(
            "An index is of a column with more than 50,000 different values, for which the study of 2016 \
             advises a table for each question, too: {}.",
            list(&names, LISTED)
        )
    })
}
