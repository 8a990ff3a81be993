//! A sweep as one HTML file that needs no network and no scripts.

use bakeoff_stats::sweep::{
    AtRest, Cell, Check, SweepDesign, SweepPart, SweepSetting, SweepSummary,
};

use super::{by_rate, notes, per_node, shortage, shown, verdict};
use crate::chart;
use crate::compare::to_best;
use crate::markup::{Escaped, design_id};
use crate::page::setup::{design_details, details, engine, list, started, workload};
use crate::page::statistics::{Told, statistics};
use crate::page::table::{Heading, NONE, Table, or_none};
use crate::page::{self, Frame, charts_section, section, state};
use crate::per_node::html::sections as nodes_and_money;
use crate::rows_from::rows_from;
use crate::units;

/// The whole page. Everything that came from outside is escaped.
pub fn render(summary: &SweepSummary) -> String {
    frame(summary).around(&sections(summary))
}

/// The page of a sweep that goes on: it says what was measured so far, and loads itself again.
pub fn render_so_far(summary: &SweepSummary) -> String {
    let page = frame(summary).going_on("sweep", notes::unfinished(summary), notes::so_far(summary));
    page.around(&sections(summary))
}

fn sections(summary: &SweepSummary) -> [String; 8] {
    [
        best(summary),
        nodes_and_money(per_node(summary).as_ref()),
        heat_maps(summary),
        section(
            "Workers and waiting",
            &format!("<p>{}</p>\n", Escaped(verdict::ON_WORKERS)),
        ),
        figures(summary),
        at_rest(summary),
        server(summary),
        setup(summary),
    ]
}

/// Bytes of tables at rest, where they were asked for.
fn at_rest(summary: &SweepSummary) -> String {
    let all = summary.at_rest.as_slice();
    if all.is_empty() {
        return String::new();
    }
    let numbers = [
        "Rows of a batch",
        "Workers",
        "Rows",
        "Stored",
        "A row",
        "Compressed to",
        "Compression metadata",
    ];
    let first = [Heading::text("Design")].into_iter();
    let head = first.chain(numbers.map(Heading::number));
    let table = Table {
        caption: "",
        head: head.chain([Heading::words("How")]).collect(),
        rows: all.iter().map(cells_at_rest).collect(),
    };
    let hint = "Of the table of each design's last setting, with all rows that were acknowledged, before the next \
                setting. In Cassandra all nodes together: every copy counts.";
    let told = { all.iter() }.filter_map(|one| Told::of(Some(&one.footprint), "at rest"));
    let told = statistics(&told.collect::<Vec<_>>());
    let content = format!(
        "<p class=\"hint-text\">{}</p>\n{}",
        Escaped(hint),
        table.html()
    );
    section("Tables at rest", &content) + &told
}

fn cells_at_rest(at_rest: &AtRest) -> Vec<String> {
    let footprint = &at_rest.footprint;
    let stored = footprint.bytes();
    let size = |bytes: Option<u64>| or_none(bytes, |bytes| units::bytes(bytes as f64));
    let of_a_row = stored.filter(|_| at_rest.rows > 0);
    let of_a_row = of_a_row.map(|bytes| bytes as f64 / at_rest.rows as f64);
    let ratio = footprint.compression_ratio;
    let how = match &footprint.note {
        Some(note) => format!("{}; {note}", at_rest.how),
        None => at_rest.how.clone(),
    };
    vec![
        design_id(&footprint.design),
        units::count(at_rest.batch_rows),
        units::count(u64::from(at_rest.workers)),
        units::count(at_rest.rows),
        size(stored),
        or_none(of_a_row, units::bytes),
        or_none(ratio, |ratio| format!("{:.1}%", 100.0 * ratio)),
        size(footprint.compression_metadata_bytes),
        Escaped(&how).to_string(),
    ]
}

/// What the server of each design did in the measured time of its settings.
fn server(summary: &SweepSummary) -> String {
    let infos = summary.designs.iter().map(|design| &design.info);
    page::server::server(infos, &summary.engines, &summary.server)
}

fn frame(summary: &SweepSummary) -> Frame<'_> {
    let header = &summary.header;
    Frame {
        subject: "insert sweep of workload",
        workload: &header.workload,
        title: &header.title,
        started_at: &header.started_at,
        facts: notes::facts(summary),
        answers: Vec::new(),
        verdict: page::verdict(&verdict::paragraph(summary)),
        style: "",
        notes: notes::of(summary),
        failures: notes::failures(summary),
        version: &header.bakeoff_version,
        state: format!("sweep {}", state(summary.finished, summary.interrupted)),
        command: &header.command,
        so_far: None,
        beside: None,
    }
}

/// The best setting of each design, and how it compares with that of the best design.
fn best(summary: &SweepSummary) -> String {
    let designs = by_rate(summary);
    if designs.is_empty() {
        return String::new();
    }
    let rows = designs.iter().map(|(design, setting)| {
        let against = summary.comparison.design(&design.info.id);
        let first = [
            design_id(&design.info.id),
            or_none(against, to_best::in_full),
        ];
        first.into_iter().chain(cells_of(setting)).collect()
    });
    let first = [Heading::text("Design"), Heading::number("× best")];
    let table = Table {
        caption: "",
        head: first.into_iter().chain(headings()).collect(),
        rows: rows.collect(),
    };
    let hint = match designs.len() {
        1 => String::new(),
        _ => format!(
            "<p class=\"hint-text\">{}</p>\n",
            Escaped(verdict::on_comparison(summary))
        ),
    };
    section("Best settings", &format!("{hint}{}", table.html()))
}

fn heat_maps(summary: &SweepSummary) -> String {
    let charts: String = shown(summary)
        .filter_map(|design| {
            let chart = chart::heat_map(&summary.header, design)?;
            Some(format!(
                "<figure><h3>{}</h3>\n<div class=\"scroll\" tabindex=\"0\">{chart}</div></figure>\n",
                design_id(&design.info.id)
            ))
        })
        .collect();
    charts_section(
        "Batch sizes and workers",
        "Bold: rows acknowledged a second, and below it the p99 of an insert, both medians over the rounds. The stronger the shade, the nearer \
         to the design's own highest rate; the frame is its best setting. What failed is in no rate \
         and no time.",
        &charts,
    )
}

/// All figures of each design, behind a line.
fn figures(summary: &SweepSummary) -> String {
    let of_design = |design: &SweepDesign| {
        let rows = design.measured().map(cells_of).collect();
        let head = headings();
        let table = Table {
            caption: "",
            head,
            rows,
        }
        .html();
        details(&design.info.id, &table)
    };
    let content: String = shown(summary).map(of_design).collect();
    if content.is_empty() {
        content
    } else {
        section("All figures", &content)
    }
}

fn headings() -> Vec<Heading> {
    let numbers = [
        "Rows of a batch",
        "Workers",
        "Rows/s",
        "Interval",
        "Inserts/s",
        "Mean",
        "p50",
        "p99",
        "Max",
    ];
    let numbers = numbers.iter().map(|text| Heading::number(text));
    let texts = ["Rows made", "Errors", "Rows counted"].map(Heading::text);
    numbers.chain(texts).collect()
}

fn cells_of(setting: &SweepSetting) -> Vec<String> {
    let cell = &setting.cell;
    let inserted = cell.inserted.as_ref();
    let time = |time: Option<f64>| or_none(time, units::duration);
    vec![
        units::count(cell.batch_rows),
        units::count(u64::from(cell.workers)),
        or_none(setting.rows_per_second(), units::rate),
        or_none(setting.rate, |rate| units::rate_interval(&rate)),
        or_none(inserted, |i| units::rate(i.inserts as f64 / i.seconds)),
        time(inserted.map(|i| i.mean)),
        time(inserted.map(|i| i.p50)),
        time(inserted.and_then(|i| i.p99)),
        time(inserted.map(|i| i.max)),
        or_none(inserted, |i| made(shortage(i))),
        errors(cell),
        counted(cell),
    ]
}

fn made(shortage: Option<String>) -> String {
    match shortage {
        Some(shortage) => format!("<span class=\"failed\">{}</span>", Escaped(shortage)),
        None => "in time".to_owned(),
    }
}

fn errors(cell: &Cell) -> String {
    match cell.failures.count() {
        0 => "none".to_owned(),
        _ => {
            let kinds = cell.failures.kinds.iter();
            let kinds = kinds.map(|(kind, count)| format!("{} {kind}", units::count(*count)));
            let kinds = kinds.collect::<Vec<_>>().join(", ");
            format!("<span class=\"failed\">{}</span>", Escaped(kinds))
        }
    }
}

fn counted(cell: &Cell) -> String {
    match &cell.check {
        None => NONE.to_owned(),
        Some(Check::Right { counted, .. }) => format!("{}, right", units::count(*counted)),
        Some(Check::Wrong {
            counted,
            acknowledged,
        }) => format!(
            "<span class=\"failed\">{} of {} acknowledged</span>",
            units::count(*counted),
            units::count(*acknowledged)
        ),
        Some(Check::Failed { why }) => {
            format!("<span class=\"failed\">no count: {}</span>", Escaped(why))
        }
        Some(Check::NotDone { why }) => format!("not counted: {}", Escaped(why)),
    }
}

fn setup(summary: &SweepSummary) -> String {
    let engines: String = summary.engines.iter().map(engine).collect();
    let designs: String = summary
        .designs
        .iter()
        .map(|d| design_details(&d.info, None, &[]))
        .collect();
    let header = &summary.header;
    let shared = header.shared.iter();
    let processes: String = shared
        .flat_map(|shared| &shared.parts)
        .map(process)
        .collect();
    let content = format!(
        "{}{processes}<h3>Engines</h3>\n{engines}<h3>Designs</h3>\n{designs}<h3>Workload</h3>\n{}",
        facts(summary),
        workload(&header.workload, &header.workload_text),
    );
    section("Setup", &content)
}

/// Renders one of several processes.
fn process(part: &SweepPart) -> String {
    let workers = part.workers.iter().map(|w| units::count(u64::from(*w)));
    let facts = [
        ("Command", part.command.clone()),
        (
            "Machine",
            format!("{}, {} cores", part.machine.cpu, part.machine.cores),
        ),
        ("Threads", part.threads.to_string()),
        ("Workers", workers.collect::<Vec<_>>().join(", ")),
    ];
    let facts = list(facts.iter().map(|(name, value)| (*name, value.as_str())));
    details(&format!("process {}", part.shard.saturating_add(1)), &facts)
}

fn facts(summary: &SweepSummary) -> String {
    let header = &summary.header;
    let mut facts = started(
        &header.command,
        &header.started_at,
        &header.bakeoff_version,
        &header.machine,
    );
    facts.extend([
        ("Threads of the client", header.threads.to_string()),
        (
            "Data",
            format!("{}, seed {}", rows_from(&header.data), header.seed),
        ),
        ("Rows", or_none(header.rows, units::count)),
        ("Rounds", header.rounds.to_string()),
        ("Each setting", units::duration(header.seconds)),
        ("Warm-up", units::duration(header.warm_up_seconds)),
        (
            "Time-out of an insert",
            units::duration(header.time_out_seconds),
        ),
    ]);
    facts.extend(summary.seconds.map(|s| ("Took", units::duration(s))));
    let memory = summary.peak_memory_bytes.map(|b| units::bytes(b as f64));
    facts.extend(memory.map(|m| ("Peak memory of Bakeoff", m)));
    list(facts.iter().map(|(name, value)| (*name, value.as_str())))
}
