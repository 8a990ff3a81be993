//! Times and storage by the value of a setting in which designs differ.

use bakeoff_stats::{BySetting, Summary};

use crate::chart;
use crate::compare::by_setting::{name, of_bytes, of_query, queries_by_effect};
use crate::markup::Escaped;
use crate::page::{chart_with_caption, section};

/// Settings whose charts are drawn; of others only the sentences are shown.
const MOST_SETTINGS: usize = 4;
/// Queries that are drawn of a setting: those to which it matters most. By the number of columns all are drawn.
const MOST_QUERIES: usize = 6;

/// Renders a section for each setting; there is none where no three designs differ in one setting alone.
pub fn of_run(summary: &Summary) -> String {
    let groups = summary.by_setting();
    let (drawn, told) = groups.split_at(groups.len().min(MOST_SETTINGS));
    let drawn: String = drawn.iter().map(|group| drawn_of(summary, group)).collect();
    drawn + &told_of(summary, told)
}

fn drawn_of(summary: &Summary, group: &BySetting) -> String {
    let by_effect = queries_by_effect(summary, group);
    let most = if group.is_of_columns() {
        by_effect.len()
    } else {
        MOST_QUERIES
    };
    let (drawn, told) = by_effect.split_at(by_effect.len().min(most));
    // The order of the workload is that of all other charts.
    let queries = summary
        .header
        .queries
        .iter()
        .map(|query| query.name.as_str());
    let queries = queries.filter(|query| drawn.contains(query));
    let times = queries.filter_map(|query| {
        let chart = chart::setting_times(summary, group, query)?;
        let caption = of_query(group, query).unwrap_or_default();
        Some(chart_with_caption(query, &chart, &caption))
    });
    let bytes = chart::setting_bytes(summary, group).map(|chart| {
        let caption = of_bytes(summary, group).unwrap_or_default();
        chart_with_caption("Storage per row", &chart, &caption)
    });
    let charts: String = times.chain(bytes).collect();
    if charts.is_empty() {
        return charts;
    }
    let told = { told.iter() }.filter_map(|query| Some((*query, of_query(group, query)?)));
    let told = items(told);
    let told = if told.is_empty() {
        told
    } else {
        format!("<p>Not drawn, since they differ less:</p>\n{told}")
    };
    let content = format!(
        "<p class=\"hint-text\">{}</p>\n<div class=\"charts\">\n{charts}</div>\n{told}",
        Escaped(hint(group))
    );
    section(&name(group), &content)
}

fn hint(group: &BySetting) -> String {
    let default = group.designs.iter().find(|at| at.is_default);
    let default = default.map_or_else(String::new, |default| {
        let (value, design) = (&default.text, &default.design);
        if group.is_of_columns() {
            format!(" {value} are all columns of the table, which {design} stores.")
        } else {
            format!(" {value} is the default, which {design} has.")
        }
    });
    format!(
        "Medians with intervals of designs that differ in {} alone. Below: what comparing these designs within rounds \
         shows.{default}",
        group.setting
    )
}

/// Renders the sentences about settings that are not drawn.
fn told_of(summary: &Summary, groups: &[BySetting]) -> String {
    let of_group = |group: &BySetting| {
        let queries = summary
            .header
            .queries
            .iter()
            .map(|query| query.name.as_str());
        let queries = queries.filter(|query| group.is_asked(summary, query));
        let times = queries.filter_map(|query| Some((query, of_query(group, query)?)));
        let bytes = of_bytes(summary, group).map(|text| ("Storage per row", text));
        let items = items(times.chain(bytes));
        if items.is_empty() {
            return items;
        }
        format!("<h3>{}</h3>\n{items}", Escaped(name(group)))
    };
    let content: String = groups.iter().map(of_group).collect();
    if content.is_empty() {
        return content;
    }
    section("Further settings", &content)
}

/// Renders a list of names with their sentences; empty without any.
fn items<'a>(items: impl Iterator<Item = (&'a str, String)>) -> String {
    let items =
        items.map(|(name, text)| format!("<li>{}: {}</li>\n", Escaped(name), Escaped(text)));
    let items: String = items.collect();
    if items.is_empty() {
        return items;
    }
    format!("<ul class=\"notes\">\n{items}</ul>\n")
}
