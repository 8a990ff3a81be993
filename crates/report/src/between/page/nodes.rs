//! Draws how rates, times of a node, rates for money and times of questions change with the number of nodes.

use bakeoff_stats::DesignInfo;
use bakeoff_stats::per_node::Scaling;

use super::Page;
use super::figures::asks;
use crate::between::sizes::{self, Row};
use crate::chart;
use crate::markup::{Escaped, design_id};
use crate::page::table::{Heading, Table, or_none};
use crate::page::{chart_figure, charts_section, section};
use crate::per_node::{TITLE_OF_SIZES, name};
use crate::units;

/// Says how the charts of questions are to be read.
const QUESTIONS: &str = "Median times of questions that were asked one after the other, a line for each design. \
    Dashed: in inverse proportion to the nodes, from the fastest design on the smallest cluster. Level lines are \
    questions that one node answers, whatever the others do.";

/// Renders the sections; empty where all folders are of as many nodes.
pub fn sections(page: &Page<'_>) -> String {
    rates(page) + &questions(page)
}

fn rates(page: &Page<'_>) -> String {
    let rows = sizes::rows(page.sizes);
    if rows.is_empty() {
        return String::new();
    }
    let scaling = sizes::scaling(page.sizes);
    let charts: String = scaling
        .iter()
        .map(|of| charts_of(page, of, &rows))
        .collect();
    let currency = sizes::currency(page.sizes);
    let money = currency.map(|currency| Heading::number(&format!("Per {currency}/month")));
    let rate = format!("{}/s", page.counts);
    let numbers = ["Nodes", &rate, "Of linear", "Node time"].map(Heading::number);
    let first = [Heading::text("Design"), Heading::words("Folder")];
    let table = Table {
        caption: "",
        head: first.into_iter().chain(numbers).chain(money).collect(),
        rows: { rows.iter() }
            .map(|row| cells(row, currency.is_some()))
            .collect(),
    };
    let hint = format!(
        "<p class=\"hint-text\">{} Dashed: in proportion to the smallest cluster.</p>\n",
        Escaped(sizes::how_to_read(page.sizes, page.counts))
    );
    let charts = format!("<div class=\"charts\">\n{charts}</div>\n");
    section(TITLE_OF_SIZES, &(hint + &charts + &table.html()))
}

/// Draws rate, time of a node and rate for money of a design.
fn charts_of(page: &Page<'_>, of: &Scaling, rows: &[Row<'_>]) -> String {
    let Some(info) = info(page, &of.design) else {
        return String::new();
    };
    let name = name(&of.design, of.query.as_deref());
    let currency = sizes::currency(page.sizes);
    let own = rows
        .iter()
        .filter(|row| row.design == of.design && row.query == of.query.as_deref());
    let bought = own.filter_map(|row| Some((row.nodes, row.per_money?)));
    let bought: Vec<(u32, f64)> = bought.collect();
    let money = currency.and_then(|currency| {
        let chart = chart::money_lines(info, bought, page.counts, currency)?;
        let title = format!("{name}: {}/s per {currency}/month", page.counts);
        Some(chart_figure(&title, &chart))
    });
    let rate = chart::node_lines(info, of, page.counts)
        .map(|chart| chart_figure(&format!("{name}: {}/s", page.counts), &chart));
    let time = chart::node_time_lines(info, of, page.counts)
        .map(|chart| chart_figure(&format!("{name}: node time"), &chart));
    rate.into_iter().chain(time).chain(money).collect()
}

fn cells(row: &Row<'_>, has_money: bool) -> Vec<String> {
    let mut cells = vec![
        design_id(&name(row.design, row.query)),
        Escaped(row.folder).to_string(),
        units::count(u64::from(row.nodes)),
        units::rate(row.rate),
        format!("{:.0}%", 100.0 * row.of_linear),
        units::duration(row.node_seconds),
    ];
    cells.extend(has_money.then(|| or_none(row.per_money, units::rate)));
    cells
}

fn info<'a>(page: &Page<'a>, id: &str) -> Option<&'a DesignInfo> {
    let mut designs = page.folders.iter().flat_map(|folder| folder.designs());
    designs.find(|info| info.id == id)
}

/// Draws the time of each question that all runs ask alike by the number of nodes of the designs.
fn questions(page: &Page<'_>) -> String {
    let first = page.folders.first().and_then(|folder| folder.run());
    let Some(first) = first.filter(|_| page.is_comparable()) else {
        return String::new();
    };
    let runs = || page.folders.iter().filter_map(|folder| folder.run());
    let asked = { first.header.queries.iter() }
        .filter(|query| page.is_asked_for(&query.name) && runs().all(|run| asks(run, query)));
    let charts = asked.filter_map(|query| {
        let designs = page.designs().into_iter().filter_map(|id| {
            let points = points(page, id, &query.name);
            Some((info(page, id)?, points)).filter(|(_, points)| points.len() > 1)
        });
        let designs: Vec<(&DesignInfo, Vec<(u32, f64)>)> = designs.collect();
        let chart = chart::question_lines(&query.name, &designs)?;
        Some(chart_figure(&query.name, &chart))
    });
    let charts: String = charts.collect();
    charts_section("Questions by number of nodes", QUESTIONS, &charts)
}

/// Returns the median times of a question on a design, by its nodes; of several folders with as many nodes the first
/// one counts.
fn points(page: &Page<'_>, id: &str, question: &str) -> Vec<(u32, f64)> {
    let of_folder = page.folders.iter().filter_map(|folder| {
        let design = folder.run()?.design(id)?;
        let seconds = design.query(question)?.time?.median;
        let is_drawn = seconds.is_finite() && seconds > 0.0;
        Some((folder.nodes_of(&design.info)?, seconds)).filter(|_| is_drawn)
    });
    let mut points: Vec<(u32, f64)> = of_folder.collect();
    points.sort_by_key(|(nodes, _)| *nodes);
    points.dedup_by_key(|(nodes, _)| *nodes);
    points
}
