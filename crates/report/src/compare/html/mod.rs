//! Renders a run as one HTML file that needs no network and no scripts.

mod asked;
mod by_level;
mod by_rows;
mod by_scan_speed;
mod by_series;
mod by_setting;
mod concurrent;
mod cost;
mod drawn;
mod growth;
mod partitions;
mod plans;
pub(crate) mod published;
mod race;
mod rules;
mod scan_speed;
mod sets;
mod setup;
mod speed_up;
mod stored;
mod tables;
mod together;

use bakeoff_stats::Summary;

use super::concurrent::per_node;
use super::{advice, engine_choice, figure, notes, to_best, verdict};
use crate::chart::{self, Palette};
use crate::decide;
use crate::markup::Escaped;
use crate::page::profile::Recorded;
use crate::page::statistics::Told;
use crate::page::{self, Frame, PageLink, chart_figure, charts_section, section, state};
use crate::per_node::html::sections as nodes_and_money;

/// Renders the whole page. Everything that came from outside is escaped.
pub fn render(summary: &Summary) -> String {
    frame(summary).around(&sections(summary))
}

/// Renders the whole page with a first line that leads to another one.
pub fn render_beside(summary: &Summary, other: &PageLink) -> String {
    let page = Frame {
        beside: Some(other),
        ..frame(summary)
    };
    page.around(&sections(summary))
}

/// Renders the page of a run that goes on: it says what was measured so far, and loads itself again.
pub fn render_so_far(summary: &Summary) -> String {
    let page = frame(summary).going_on("run", notes::unfinished(summary), notes::so_far(summary));
    page.around(&sections(summary))
}

fn sections(summary: &Summary) -> [String; 30] {
    [
        scatter(summary),
        query_charts(summary),
        speed_up::of_run(summary),
        scan_speed::of_run(summary),
        concurrent::of_run(summary),
        nodes_and_money(per_node(summary).as_ref()),
        storage_and_loading(summary),
        partitions::of_run(summary),
        statistics(summary),
        by_level::of_run(summary),
        by_setting::of_run(summary),
        race::of_run(summary),
        rules::of_run(summary),
        by_rows::of_run(summary),
        by_series::of_run(summary),
        growth::at_full_scale(summary),
        by_scan_speed::of_run(summary),
        engines(summary),
        cost::of_run(summary),
        together::of_run(summary),
        section("All figures", &tables::designs(summary)),
        section("Time and CPU", &tables::cpu(summary)),
        server(summary),
        page::accounts::accounts(&summary.accounts),
        page::profile::profiles(&summary.profiles, Recorded::AfterRounds),
        asked::of_run(summary),
        plans::of_run(summary),
        stored::of_run(summary),
        published::of_run(summary),
        setup(summary),
    ]
}

fn frame(summary: &Summary) -> Frame<'_> {
    let header = &summary.header;
    let failures = summary.failures();
    let failures = failures.map(|(table, f)| (figure::place(table, f), f.reason.clone()));
    Frame {
        subject: "workload",
        workload: &header.workload,
        title: &header.title,
        started_at: &header.started_at,
        facts: notes::facts(summary),
        answers: verdict::answers(summary),
        verdict: match advice::decision(summary) {
            Some(decision) => decide::html::section_of_run(&decision, &summary.comparison),
            None => page::verdict(&verdict::paragraph(summary)),
        },
        style: decide::html::STYLE,
        notes: notes::all(summary),
        failures: failures.collect(),
        version: &header.bakeoff_version,
        state: format!("run {}", state(summary.finished, summary.interrupted)),
        command: &header.command,
        so_far: None,
        beside: None,
    }
}

fn scatter(summary: &Summary) -> String {
    let sizes = [chart::Size::Wide, chart::Size::Phone].map(|s| chart::scatter(summary, s));
    let [Some(wide), Some(phone)] = sizes else {
        return String::new();
    };
    let content = format!(
        "{}<figure>\n<div class=\"wide\">{wide}</div>\n<div class=\"phone\">{phone}</div>\n\
         <figcaption>Both axes are logarithmic. Upper right is better: more rows for each byte, \
         more rows for each second. Several queries count by the geometric mean of their times: those that most \
         designs answered, without those that one answered without reading a row, as from metadata, unless that \
         leaves none. A design for whose label there is no room is named where the pointer is on its mark, and in \
         the tables.</figcaption></figure>\n",
        legend(summary)
    );
    section("Storage against speed", &content)
}

fn legend(summary: &Summary) -> String {
    let palette = Palette::by_engine(summary);
    let mut engines: Vec<&str> = Vec::new();
    let mut items = Vec::new();
    for info in summary.designs.iter().map(|d| &d.info) {
        if engines.contains(&info.engine.as_str()) {
            continue;
        }
        engines.push(&info.engine);
        let mark = palette.marker(info).character();
        items.push((palette.class(info), mark, info.engine.as_str()));
    }
    page::legend(items.into_iter())
}

fn query_charts(summary: &Summary) -> String {
    let charts: String = summary
        .header
        .queries
        .iter()
        .filter_map(|q| Some(chart_figure(&q.name, &chart::query_bars(summary, &q.name)?)))
        .collect();
    charts_section(
        "Query times",
        &format!(
            "Medians with intervals, and their multiples of the fastest design's time. {}. Bars of \
            very different lengths are on a logarithmic axis, on which equal steps are equal factors.",
            to_best::legend(summary.rounds, &summary.comparison)
        ),
        &charts,
    )
}

fn storage_and_loading(summary: &Summary) -> String {
    let charts = [
        chart::storage_bars(summary).map(|chart| chart_figure("Storage per row", &chart)),
        chart::load_bars(summary).map(|chart| chart_figure("Rows loaded a second", &chart)),
    ];
    charts_section(
        "Storage and loading",
        "Storage after flush and compaction; rows divided by the seconds of loading and settling.",
        &charts.into_iter().flatten().collect::<String>(),
    )
}

/// Renders what servers tell of the tables of each design.
fn statistics(summary: &Summary) -> String {
    let footprints = { summary.designs.iter() }.map(|design| design.footprint.as_ref());
    let told = footprints.filter_map(|footprint| Told::of(footprint, "at rest"));
    page::statistics::statistics(&told.collect::<Vec<_>>())
}

/// Renders what the server of each design did while it was loaded, settled and asked.
fn server(summary: &Summary) -> String {
    let infos = summary.designs.iter().map(|design| &design.info);
    page::server::server(infos, &summary.engines, &summary.server)
}

/// Renders the best layouts of each engine, for readers who have already chosen their engine.
fn engines(summary: &Summary) -> String {
    engine_choice::sentences(summary).map_or_else(String::new, |sentences| {
        section(
            "Within each engine",
            &format!("<p>{}</p>\n", Escaped(sentences)),
        )
    })
}

fn setup(summary: &Summary) -> String {
    let engines: String = summary.engines.iter().map(page::setup::engine).collect();
    let designs = summary.designs.iter();
    let designs: String = designs.map(|d| setup::design(summary, d)).collect();
    let queries: String = summary.header.queries.iter().map(setup::query).collect();
    let content = format!(
        "{}<h3>Engines</h3>\n{engines}<h3>Designs</h3>\n{designs}<h3>Workload</h3>\n{queries}{}",
        setup::run(summary),
        page::setup::workload(&summary.header.workload, &summary.header.workload_text),
    );
    section("Setup", &content)
}
