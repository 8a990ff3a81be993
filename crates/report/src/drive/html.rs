//! Renders a load as one HTML file that needs no network and no scripts.

mod by_setting;
pub(crate) mod published;
mod setup;
mod tables;
pub(crate) mod together;

use bakeoff_stats::drive::{DriveDesign, DriveSummary, SecondCounts, TrialSummary};

use super::{Kind, added, notes, per_node, ranking, rows, verdict};
use crate::chart::{self, Marker, nth_class};
use crate::markup::Escaped;
use crate::page::profile::Recorded;
use crate::page::statistics::Told;
use crate::page::{self, Frame, chart_figure, charts_section, section, state};
use crate::per_node::html::sections as nodes_and_money;
use crate::units;

/// Loads that are drawn without being asked for.
const MOST_SHOWN: usize = 4;
/// Bytes of time lines after which no other load is drawn: an hour of short loads has hundreds, and its page, which a
/// browser loads again and again, stays below 2 MB.
const MOST_BYTES: usize = 1 << 20;

/// Renders the whole page. Everything that came from outside is escaped.
pub fn render(summary: &DriveSummary) -> String {
    frame(summary).around(&sections(summary))
}

/// Renders the page of a drive that goes on: it says what was measured so far, and loads itself again.
pub fn render_so_far(summary: &DriveSummary) -> String {
    let page = frame(summary).going_on("load", notes::unfinished(summary), notes::so_far(summary));
    page.around(&sections(summary))
}

fn sections(summary: &DriveSummary) -> [String; 16] {
    [
        comparison(summary),
        by_setting::by_setting(summary),
        search(summary),
        nodes_and_money(per_node(summary).as_ref()),
        together::section_of(summary),
        time_lines(summary),
        percentiles(summary),
        beside(summary),
        nodes_added(summary),
        figures(summary),
        partitions(summary),
        statistics(summary),
        page::profile::profiles(&summary.profiles, Recorded::InLoads),
        section("Loads", &tables::trials(summary)),
        published::published(summary),
        setup(summary),
    ]
}

/// Renders the tables of what was measured: of passes, or of designs and their operations.
fn figures(summary: &DriveSummary) -> String {
    if summary.header.passes.is_some() {
        return section("Passes", &tables::passes(summary));
    }
    [
        section("All figures", &tables::designs(summary)),
        requests(summary),
        section("Operations", &tables::operations(summary)),
    ]
    .concat()
}

/// Renders what a node says of its requests, where one was asked.
fn requests(summary: &DriveSummary) -> String {
    let table = tables::requests(summary);
    table.map_or_else(String::new, |table| {
        section("By the server's own measure", &table)
    })
}

/// Renders what questions beside the load cost it, with their SQL, if some were asked.
fn beside(summary: &DriveSummary) -> String {
    let Some(asked) = &summary.header.beside else {
        return String::new();
    };
    let sql = asked.questions.iter().map(|question| {
        let (name, sql) = (Escaped(&question.name), Escaped(&question.sql));
        format!("<p>{name}</p>\n<pre>{sql}</pre>\n")
    });
    let tables = [
        tables::answering(summary),
        together::beside_answers(summary),
        tables::costs(summary),
        tables::questions(summary),
        sql.collect(),
    ];
    section("Questions beside the load", &tables.concat())
}

/// Renders what nodes that were added did to the loads that ran meanwhile.
fn nodes_added(summary: &DriveSummary) -> String {
    let nodes = summary.nodes_added.iter();
    let tables: String = nodes.map(|node| tables::added(summary, node)).collect();
    if tables.is_empty() {
        return tables;
    }
    section(added::TITLE, &tables)
}

fn partitions(summary: &DriveSummary) -> String {
    if summary.partitions.is_empty() {
        return String::new();
    }
    section("Partitions", &tables::partitions(summary))
}

/// Renders what servers tell of the tables of each design, before and after the loads.
fn statistics(summary: &DriveSummary) -> String {
    let told = summary.designs.iter().flat_map(|design| {
        [
            Told::of(design.footprint.as_ref(), "before the loads"),
            Told::of(design.footprint_after.as_ref(), "after them"),
        ]
    });
    page::statistics::statistics(&told.flatten().collect::<Vec<_>>())
}

fn frame(summary: &DriveSummary) -> Frame<'_> {
    let header = &summary.header;
    Frame {
        subject: "load of workload",
        workload: &header.workload,
        title: &header.title,
        started_at: &header.started_at,
        facts: notes::facts(summary),
        answers: verdict::answers(summary),
        verdict: page::verdict(&verdict::paragraph(summary)),
        style: "",
        notes: notes::of(summary),
        failures: notes::failures(summary),
        version: &header.bakeoff_version,
        state: format!("load {}", state(summary.finished, summary.interrupted)),
        command: &header.command,
        so_far: None,
        beside: None,
    }
}

/// Draws bars of designs against each other; a single one has nothing to be compared with.
fn comparison(summary: &DriveSummary) -> String {
    if summary.designs.len() < 2 {
        return String::new();
    }
    let rates = match Kind::of(summary) {
        Kind::Search => Some(("Highest rate within the objective", true)),
        Kind::ClosedLoop => Some(("Operations a second", false)),
        Kind::Rate | Kind::Varying => None,
    };
    let rates = rates.and_then(|(title, highest)| {
        let figure = |d: &DriveDesign| if highest { d.highest_rate } else { d.rate };
        let chart = chart::rate_bars(summary, title, figure)?;
        Some(chart_figure(title, &chart))
    });
    let p99 = summary.header.operations.iter().enumerate();
    let p99 = p99.filter_map(|(place, operation)| {
        let title = format!("{}: response time p99", operation.name);
        Some(chart_figure(&title, &chart::p99_bars(summary, place)?))
    });
    let legend = rows::legend(summary).map(|legend| format!(" {legend}."));
    let legend = legend.unwrap_or_default();
    charts_section(
        "Designs",
        &format!(
            "Medians over rounds, with their own intervals.{legend} Bars of very different length are on \
             a logarithmic axis."
        ),
        &rates.into_iter().chain(p99).collect::<String>(),
    )
}

fn search(summary: &DriveSummary) -> String {
    let mut charts = String::new();
    for design in &summary.designs {
        for limit in limits(design) {
            let chart = chart::probes(&design.info.id, limit, &design.probes);
            let title = format!("{}: {limit}", design.info.id);
            charts += &chart.map(|c| chart_figure(&title, &c)).unwrap_or_default();
        }
    }
    charts_section(
        "Search",
        "Each mark is a load at a rate: ● held the objective, ✕ missed it, at the upper edge without \
         a success. Both axes are logarithmic.",
        &charts,
    )
}

fn limits(design: &DriveDesign) -> Vec<&str> {
    let mut limits: Vec<&str> = Vec::new();
    for (limit, _) in design.probes.iter().flat_map(|p| &p.measured) {
        if !limits.contains(&limit.as_str()) {
            limits.push(limit);
        }
    }
    limits
}

/// Draws of each of the best designs the first load that its figures are of; the others behind a line, from the last
/// one back as far as there is room for them.
fn time_lines(summary: &DriveSummary) -> String {
    let ranking = ranking(summary, Kind::of(summary));
    let best = ranking.iter().take(MOST_SHOWN);
    let first: Vec<u32> = best
        .filter_map(|(d, _)| d.trials.first().copied())
        .collect();
    let drawn = { summary.trials.iter() }.filter(|trial| !trial.seconds.is_empty());
    let (best, others): (Vec<&TrialSummary>, Vec<&TrialSummary>) =
        drawn.partition(|trial| first.contains(&trial.start.trial));
    let shown = { best.into_iter() }.filter_map(|trial| time_line(summary, trial));
    let shown: String = shown.collect();
    let room = MOST_BYTES.saturating_sub(shown.len());
    let (others, left_out) = folded_away(summary, &others, room);
    if shown.is_empty() && others.is_empty() {
        return String::new();
    }
    let left_out = match left_out {
        0 => String::new(),
        1 => " One earlier load is not drawn, since the page would be too large.".to_owned(),
        n => format!(" {n} earlier loads are not drawn, since the page would be too large."),
    };
    let content = format!(
        "<p class=\"hint-text\">{}{left_out}</p>\n{}{shown}{others}",
        how_to_read(summary),
        legend(summary)
    );
    section("Second by second", &content)
}

/// Draws loads, each behind a line: the last ones for which there is room, in bytes. Returns the number of those left
/// out, too.
fn folded_away(summary: &DriveSummary, trials: &[&TrialSummary], room: usize) -> (String, usize) {
    let (mut figures, mut bytes) = (Vec::new(), 0);
    for trial in trials.iter().rev() {
        if bytes >= room {
            break;
        }
        let figure = time_line(summary, trial).unwrap_or_default();
        bytes += figure.len();
        figures.push(format!(
            "<details><summary>{}</summary>\n{figure}</details>\n",
            Escaped(notes::place(trial))
        ));
    }
    let left_out = trials.len() - figures.len();
    figures.reverse();
    (figures.concat(), left_out)
}

/// Says what the time lines do not say by themselves.
fn how_to_read(summary: &DriveSummary) -> String {
    let mut sentences = vec![
        "Response times count from the moment an operation was due. Shaded: left out as warm-up, \
         or after the last operation was due."
            .to_owned(),
    ];
    let seconds = || summary.trials.iter().flat_map(|t| &t.seconds);
    let longest = summary.trials.iter().map(|t| t.seconds.len()).max();
    if longest > Some(chart::POINTS_OF_A_TIMELINE / 2) {
        sentences.push(format!(
            "Of a load of more than {} s each point is of several seconds (on a phone of more than {} s): p50 and p99 \
             of response times are the worst of these seconds, memory and compactions the most; rates and all others \
             are means.",
            chart::POINTS_OF_A_TIMELINE,
            chart::POINTS_OF_A_TIMELINE / 2
        ));
    }
    if seconds().any(|s| s.server.page_cache_bytes.is_some()) {
        sentences.push(
            "Cache is the page cache within the server's memory limit; pages of mapped files are \
             in resident memory, too."
                .to_owned(),
        );
    }
    if !summary.nodes_added.is_empty() {
        sentences.push(
            "Dashed across: when the node that was added was started, and when it had joined or could not."
                .to_owned(),
        );
    }
    let own_latency = |s: &SecondCounts| {
        let local = s.server.read_p99_micros.or(s.server.write_p99_micros);
        let coordinator = s.server.coordinator_read_p99_micros;
        local
            .or(coordinator)
            .or(s.server.coordinator_write_p99_micros)
    };
    if seconds().any(|s| own_latency(s).is_some()) {
        sentences.push(
            "The server tells its own p99 in whole milliseconds: below 0.5 ms it is not known, and \
             the line has a gap."
                .to_owned(),
        );
    }
    sentences.extend(not_available(summary));
    sentences.join(" ")
}

/// Says which figures of servers no load has, and what would tell them.
fn not_available(summary: &DriveSummary) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for design in &summary.designs {
        let info = &design.info;
        let trials = { summary.trials.iter() }.filter(|trial| trial.start.design == info.id);
        let samples = trials.flat_map(|trial| &trial.seconds).map(|s| &s.server);
        for sentence in page::server::missing(info, &summary.engines, samples) {
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    sentences
}

fn time_line(summary: &DriveSummary, trial: &TrialSummary) -> Option<String> {
    let mut nodes = summary.nodes_added.iter();
    let node = nodes.find(|node| node.trial == trial.start.trial);
    let [wide, phone] = [chart::Size::Wide, chart::Size::Phone]
        .map(|size| chart::timeline(&summary.header, trial, node, size));
    Some(format!(
        "<figure class=\"time-line\"><h3>{}</h3>\n<div class=\"wide\">{}</div>\n\
         <div class=\"phone\">{}</div></figure>\n",
        Escaped(notes::place(trial)),
        wide?,
        phone?
    ))
}

/// Shows colours and marks of the operations, where there are several.
fn legend(summary: &DriveSummary) -> String {
    let operations = &summary.header.operations;
    if operations.len() < 2 {
        return String::new();
    }
    let names = operations.iter().map(|operation| operation.name.as_str());
    page::legend(names.enumerate().map(|(place, name)| {
        let mark = Marker::nth(place).character();
        (nth_class(place), mark, name)
    }))
}

fn percentiles(summary: &DriveSummary) -> String {
    let charts: String = summary
        .designs
        .iter()
        .filter_map(|d| {
            let chart = chart::percentiles(&d.info.id, d.figures.as_ref()?)?;
            Some(chart_figure(&d.info.id, &chart))
        })
        .collect();
    if charts.is_empty() {
        return charts;
    }
    let hint = "<p class=\"hint-text\">Of all rounds together. Strong: response time, from due to done. Dashed: \
                service time, from sent to done, which hides what waited for a slow server. The last point of \
                each line is the slowest operation.</p>\n";
    let charts = format!("<div class=\"charts\">\n{charts}</div>\n");
    section(
        "Response and service time by percentile",
        &format!("{hint}{}{charts}", legend(summary)),
    )
}

fn setup(summary: &DriveSummary) -> String {
    let header = &summary.header;
    let engines: String = summary.engines.iter().map(page::setup::engine).collect();
    let designs: String = summary
        .designs
        .iter()
        .map(|d| page::setup::design_details(&d.info, d.footprint.as_ref(), &[]))
        .collect();
    let parts: String = header.parts.iter().map(setup::part).collect();
    let content = format!(
        "{}{parts}<h3>Mix</h3>\n{}<h3>Engines</h3>\n{engines}<h3>Designs</h3>\n{designs}\
         <h3>Workload</h3>\n{}",
        setup::load(summary),
        tables::mix(header),
        page::setup::workload(&header.workload, &header.workload_text),
    );
    section("Setup", &content)
}

/// Writes a time that may be missing.
fn seconds(time: Option<f64>) -> String {
    time.map_or_else(|| page::table::NONE.to_owned(), units::duration)
}
