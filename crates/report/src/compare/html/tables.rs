//! Renders the figures as tables: all designs, and CPU time.

use bakeoff_stats::{BoundBy, CpuSeconds, DesignSummary, QuerySummary, Summary};

use crate::compare::figure::Figure;
use crate::compare::{growth, to_best};
use crate::markup::Escaped;
use crate::page::table::{Heading, NONE, Table, or_none};
use crate::units;

pub fn designs(summary: &Summary) -> String {
    let scale = &summary.header.scale;
    let full_scale = format!(
        "{} rows ×{}",
        units::rate(summary.full_rows() as f64),
        scale.replication
    );
    let mut head = vec![Heading::text("Design")];
    let figures = ["Bytes/row", "× the smallest", &full_scale, "Rows/s loaded"];
    head.extend(figures.map(Heading::number));
    head.extend(
        summary
            .header
            .queries
            .iter()
            .map(|q| Heading::number(&q.name)),
    );
    let times = summary.designs.iter().flat_map(|d| &d.queries);
    let interval = to_best::interval_heading(times.filter_map(|q| q.time.as_ref()));
    let caption = format!(
        "Under each time: its {}, its multiple of the fastest design's time, and rows scanned per \
         second. {}. The intervals of all multiples hold at once with a probability of 95%.",
        interval.to_lowercase(),
        to_best::legend(summary.rounds, &summary.comparison),
    );
    let table = Table {
        caption: &caption,
        head,
        rows: summary
            .designs
            .iter()
            .map(|d| design_row(summary, d))
            .collect(),
    };
    table.html()
}

fn design_row(summary: &Summary, design: &DesignSummary) -> Vec<String> {
    let storage = growth::storage_to_buy(summary, design);
    let rate = design
        .load_rate
        .as_ref()
        .map(|r| (units::rate(r.median), units::rate_interval(r)));
    let of = design.info.table_of.as_ref();
    let of = of.map(|of| format!("<small>the table of {}</small>", Escaped(of)));
    let mut row = vec![
        name(design) + &of.unwrap_or_default(),
        or_none(design.bytes_per_row, |b| format!("{b:.1}")),
        to_best::bytes_ratio(design).unwrap_or_else(|| NONE.to_owned()),
        or_none(storage, |s| units::bytes(s.bytes)),
        or_none(rate, |(median, interval)| {
            format!("{median}<small>{interval}</small>")
        }),
    ];
    row.extend(
        design
            .queries
            .iter()
            .map(|query| query_cell(summary, design, query)),
    );
    row
}

fn query_cell(summary: &Summary, design: &DesignSummary, query: &QuerySummary) -> String {
    match Figure::new(design, query) {
        Figure::Failed(why) => format!("<span class=\"failed\">{why}</span>"),
        Figure::NotMeasured => NONE.to_owned(),
        Figure::Time { time, query } => {
            let (median, interval) = units::duration_interval(time);
            let mut cell = format!("{median}<small>{interval}</small>");
            let factor = to_best::with_interval(summary, design, query);
            let scanned = query
                .rows_scanned_per_second
                .map(|r| format!("{} rows/s", units::rate(r)));
            let baseline = to_best::to_baseline(summary, design, query);
            for part in factor.into_iter().chain(baseline).chain(scanned) {
                cell += &format!("<small>{part}</small>");
            }
            if query.bad_rounds > 0 {
                let failed = format!("{} rounds failed", query.bad_rounds);
                cell += &format!("<small class=\"failed\">{failed}</small>");
            }
            cell
        }
    }
}

/// Renders the CPU time of loading, and of one answer to each query.
pub fn cpu(summary: &Summary) -> String {
    let mut head = vec![Heading::text("Design")];
    let loading = ["Loading", "Settling", "Longest stall", "CPU of the load"];
    head.extend(loading.map(Heading::number));
    head.extend(
        summary
            .header
            .queries
            .iter()
            .map(|q| Heading::number(&q.name)),
    );
    let row = |design: &DesignSummary| {
        let loaded = (design.rows_loaded > 0).then_some(design);
        let mut row = vec![
            name(design),
            or_none(loaded, |d| units::duration(d.load_seconds)),
            or_none(design.settle_seconds, units::duration),
            or_none(design.longest_stall, units::factor),
            or_none(loaded, |d| cpu_cell(&d.load_cpu)),
        ];
        row.extend(
            design
                .queries
                .iter()
                .map(|q| or_none(q.time, |_| query_cpu_cell(summary, design, q))),
        );
        row
    };
    let table = Table {
        caption: "Loading and settling: elapsed time. Longest stall: the slowest slice as a multiple of \
                  the median one, per row. CPU: of the client, + of the server, and the \
                  client's share of both; for queries the mean of one answer, rows scanned for each second of \
                  a core, and the cores in use meanwhile: bound by the CPU from 80% of the machine's on, \
                  waiting below 0.8; not known where more was counted than these cores can do, \
                  and of other short answers of such a design.",
        head,
        rows: summary.designs.iter().map(row).collect(),
    };
    table.html()
}

/// Renders the CPU time of an answer, and if the clock was fine enough for it, what it scans with it and whether it
/// waits.
fn query_cpu_cell(summary: &Summary, design: &DesignSummary, query: &QuerySummary) -> String {
    let (info, cores) = (&design.info, summary.header.machine.cores);
    let Some(cpu) = &query.cpu else {
        return "not known".to_owned();
    };
    let bound_by = query.bound_by(info, cores);
    if !design.knows_cpu_of(query) || bound_by.is_none() {
        return cpu_cell(cpu);
    }
    let scanned = query
        .rows_per_core_second(info)
        .map(|rate| format!("{} rows/core-s", units::rate(rate)));
    let word = match bound_by {
        Some(BoundBy::Cpu) => ", CPU-bound",
        Some(BoundBy::Waiting) => ", waits",
        Some(BoundBy::FewCores) | None => "",
    };
    let used = { query.cores_used(info) }.map(|used| format!("{used:.1} of {cores} cores{word}"));
    let more = scanned.into_iter().chain(used);
    let more: String = more.map(|part| format!("<small>{part}</small>")).collect();
    cpu_cell(cpu) + &more
}

fn cpu_cell(cpu: &CpuSeconds) -> String {
    let client = units::duration(cpu.client);
    match cpu.server {
        None => client,
        Some(server) => {
            let all = cpu.client + server;
            let share = if all > 0.0 {
                100.0 * cpu.client / all
            } else {
                0.0
            };
            let server = units::duration(server);
            format!("{client}<small>+ {server}</small><small>client {share:.0}%</small>")
        }
    }
}

fn name(design: &DesignSummary) -> String {
    let id = Escaped(&design.info.id);
    if design.is_right() {
        id.to_string()
    } else {
        format!("<span class=\"failed\">{id}</span>")
    }
}
