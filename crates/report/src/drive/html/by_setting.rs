//! Rates, response times and storage by the value of a setting in which designs differ.

use bakeoff_stats::DesignsBySetting;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, LoadFigure};

use crate::chart;
use crate::compare::to_best;
use crate::drive::Kind;
use crate::markup::Escaped;
use crate::page::{chart_figure, chart_with_caption, section};

/// Settings whose charts are drawn.
const MOST_SETTINGS: usize = 4;

/// Renders a section for each setting; there is none where no three designs differ in one setting alone.
pub fn by_setting(summary: &DriveSummary) -> String {
    let groups = summary.by_setting();
    let drawn = groups.iter().take(MOST_SETTINGS);
    drawn.map(|group| section_of(summary, group)).collect()
}

fn section_of(summary: &DriveSummary, group: &DesignsBySetting) -> String {
    let rates = match Kind::of(summary) {
        Kind::Search => Some(("Highest rate within the objective", true)),
        Kind::ClosedLoop => Some(("Operations a second", false)),
        Kind::Rate | Kind::Varying => None,
    };
    let rates = rates.and_then(|(title, highest)| {
        let figure = |d: &DriveDesign| if highest { d.highest_rate } else { d.rate };
        let chart = chart::rates_by_setting(summary, group, title, figure)?;
        let caption = against_best(summary, group, LoadFigure::Throughput, None);
        Some(chart_with_caption(title, &chart, &caption))
    });
    let p99 = summary.header.operations.iter().enumerate();
    let p99 = p99.filter_map(|(place, operation)| {
        let chart = chart::p99_by_setting(summary, group, place)?;
        let title = format!("{}: response time p99", operation.name);
        let caption = against_best(summary, group, LoadFigure::P99, Some(&operation.name));
        Some(chart_with_caption(&title, &chart, &caption))
    });
    let bytes = chart::bytes_by_setting(summary, group);
    let bytes = bytes.map(|chart| chart_figure("Storage per row", &chart));
    let charts: String = rates.into_iter().chain(p99).chain(bytes).collect();
    if charts.is_empty() {
        return charts;
    }
    let content = format!(
        "<p class=\"hint-text\">{}</p>\n<div class=\"charts\">\n{charts}</div>\n",
        Escaped(hint(group))
    );
    section(&format!("{} of {}", group.setting, group.others), &content)
}

fn hint(group: &DesignsBySetting) -> String {
    let default = group.designs.iter().find(|at| at.is_default);
    let default = default.map_or_else(String::new, |default| {
        format!(
            " {} is the default, which {} has.",
            default.text, default.design
        )
    });
    format!(
        "Medians over rounds, with their own intervals, of designs that differ in {} alone. Below: their multiples of \
         the best design of the load; {}.{default}",
        group.setting,
        to_best::LEGEND
    )
}

/// Writes what the comparison within rounds shows of each value: `4KiB best, 16KiB same, 64KiB 1.3×`; empty where
/// none is compared.
fn against_best(
    summary: &DriveSummary,
    group: &DesignsBySetting,
    figure: LoadFigure,
    operation: Option<&str>,
) -> String {
    let values = group.designs.iter().filter_map(|at| {
        let against = summary.comparison.design(figure, operation, &at.design)?;
        Some(format!("{} {}", at.text, to_best::in_short(against)))
    });
    values.collect::<Vec<_>>().join(", ")
}
