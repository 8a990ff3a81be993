//! Renders a study as one HTML file that needs no network and no scripts.

use bakeoff_stats::study::Judged;

use super::{Cell, Chart, Column, GoingOn, Page, Part, Table, is_whole};
use crate::markup::{Escaped, design_id};
use crate::page::table::{Heading, NONE, Table as HtmlTable};
use crate::page::{self, Frame, chart_figure};

/// Renders the whole page. Everything that came from outside is escaped.
pub fn render(page: &Page<'_>) -> String {
    let judged = page.study.judge(page.steps);
    frame(page, &judged).around(&sections(page.parts(&judged)))
}

/// Renders the page of a study that goes on, which loads itself again: how many steps were measured, and a link to the
/// page of the step that is measured.
pub fn render_so_far(page: &Page<'_>, step: &GoingOn<'_>) -> String {
    let judged = page.study.judge(page.steps);
    let whole = page.steps.iter().filter(|step| is_whole(step)).count();
    let so_far = format!("{whole} of {} steps", page.steps.len());
    let link = html(&Part::Link {
        before: "Being measured: ".to_owned(),
        title: step.name.to_owned(),
        url: step.page.to_owned(),
    });
    let mut all = vec![page::section("Now", &link)];
    all.extend(sections(page.parts(&judged)));
    frame(page, &judged)
        .going_on("study", None, so_far)
        .around(&all)
}

fn frame<'a>(page: &'a Page<'_>, judged: &[Judged]) -> Frame<'a> {
    let failed = page.steps.iter();
    let failed = failed.filter_map(|step| Some((step.name.clone(), step.failed.clone()?)));
    let whole = page.steps.iter().all(is_whole);
    Frame {
        subject: "study",
        workload: &page.study.name,
        title: &page.study.title,
        started_at: page.started_at(),
        facts: page.facts(),
        answers: Vec::new(),
        verdict: page::verdict(&page.verdict(judged)),
        style: "",
        notes: Vec::new(),
        failures: failed.collect(),
        version: page.version,
        state: format!("study {}", if whole { "complete" } else { "not complete" }),
        command: &page.command,
        so_far: None,
        beside: None,
    }
}

/// Renders the parts, each section with what follows it.
fn sections(parts: Vec<Part>) -> Vec<String> {
    let mut sections: Vec<(String, String)> = Vec::new();
    let mut charts = String::new();
    for part in parts {
        if let Part::Chart(chart) = &part
            && chart.phone.is_none()
        {
            charts += &chart_figure(&chart.title, &chart.svg);
            continue;
        }
        add(&mut sections, &grid(std::mem::take(&mut charts)));
        match part {
            Part::Section(title) => sections.push((title, String::new())),
            other => add(&mut sections, &html(&other)),
        }
    }
    add(&mut sections, &grid(charts));
    let sections = sections.into_iter();
    sections
        .map(|(title, content)| page::section(&title, &content))
        .collect()
}

fn add(sections: &mut [(String, String)], html: &str) {
    if let Some((_, content)) = sections.last_mut() {
        content.push_str(html);
    }
}

/// Puts charts that follow each other beside each other.
fn grid(charts: String) -> String {
    if charts.is_empty() {
        return charts;
    }
    format!("<div class=\"charts\">\n{charts}</div>\n")
}

fn html(part: &Part) -> String {
    match part {
        Part::Section(title) | Part::Heading(title) => format!("<h3>{}</h3>\n", Escaped(title)),
        Part::Text(text) => format!("<p>{}</p>\n", Escaped(text)),
        Part::Link { before, title, url } => format!(
            "<p>{}<a href=\"{}\">{}</a></p>\n",
            Escaped(before),
            Escaped(url),
            Escaped(title)
        ),
        Part::Items(items) => {
            let items = items.iter();
            let items: String = items
                .map(|item| format!("<li>{}</li>\n", Escaped(item)))
                .collect();
            format!("<ul class=\"notes\">\n{items}</ul>\n")
        }
        Part::Table(table) => table_html(table),
        Part::Chart(chart) => both_sizes(chart),
        Part::Script(text) => format!("<pre>{}</pre>\n", Escaped(text)),
    }
}

/// Renders a chart that has a form for phones.
fn both_sizes(chart: &Chart) -> String {
    let phone = chart.phone.as_ref().unwrap_or(&chart.svg);
    format!(
        "<figure><h3>{}</h3>\n<div class=\"wide\">{}</div>\n<div class=\"phone\">{phone}</div></figure>\n",
        Escaped(&chart.title),
        chart.svg
    )
}

fn table_html(table: &Table) -> String {
    let heading = |column: &Column| {
        if column.has_words {
            Heading::words(&column.title)
        } else {
            Heading::text(&column.title)
        }
    };
    let head = table.head.iter().map(heading);
    let rows = table.rows.iter();
    let rows = rows.map(|row| row.iter().map(cell).collect());
    let table = HtmlTable {
        caption: &table.caption,
        head: head.collect(),
        rows: rows.collect(),
    };
    format!("<div class=\"study\">\n{}</div>\n", table.html())
}

fn cell(lines: &Cell) -> String {
    let Some((first, rest)) = lines.split_first() else {
        return NONE.to_owned();
    };
    let rest = rest.iter();
    let rest: String = rest
        .map(|line| format!("<small>{}</small>", Escaped(line)))
        .collect();
    design_id(first) + &rest
}
