//! Renders the figures as tables: designs, operations, passes, loads, the mix.

mod added;
mod beside;
mod operations;
mod partitions;
mod passes;
mod requests;

use bakeoff_stats::Estimate;
use bakeoff_stats::drive::{
    Beside, DriveDesign, DriveHeader, DriveSummary, TrialStart, TrialSummary,
};

use super::seconds;
use crate::compare::to_best;
use crate::drive::Kind;
use crate::drive::rows::{self, Driven, TO_BEST, TO_TODAYS, to_todays};
use crate::markup::{Escaped, design_id};
use crate::page::table::{Heading, NONE, Table, or_none};
use crate::units;
pub use added::added;
pub use beside::{answering, costs, questions};
pub use operations::operations;
pub use partitions::partitions;
pub use passes::passes;
pub use requests::requests;

/// Most loads of the table, the last ones: an hour of short loads has thousands.
const MOST_LOADS: usize = 500;

/// Headings of columns of words, which begin at the left.
const WORDS: [&str; 7] = [
    "Consistency",
    "Objective",
    "Schedule",
    "Steady",
    "What",
    "Why",
    "p99 of",
];

/// Heading, and the content below it.
type Column<T> = (&'static str, fn(&T) -> String);

fn table<T>(
    caption: &str,
    first: &[&str],
    columns: &[Column<T>],
    rows: Vec<(Vec<String>, T)>,
) -> String {
    // What is known of no row has no column.
    let known = |c: &&Column<T>| rows.iter().any(|(_, row)| c.1(row) != NONE);
    let shown: Vec<&Column<T>> = columns.iter().filter(known).collect();
    let head = first.iter().map(|h| Heading::text(h));
    let head = head.chain(shown.iter().map(|c| heading(c.0))).collect();
    let cells = |(names, row): &(Vec<String>, T)| {
        names
            .iter()
            .cloned()
            .chain(shown.iter().map(|c| c.1(row)))
            .collect()
    };
    let rows = rows.iter().map(cells).collect();
    Table {
        caption,
        head,
        rows,
    }
    .html()
}

fn heading(text: &str) -> Heading {
    if WORDS.contains(&text) {
        Heading::text(text)
    } else {
        Heading::number(text)
    }
}

pub fn designs(summary: &DriveSummary) -> String {
    let columns: [Column<Driven>; 30] = [
        ("Highest rate", |d| {
            or_none(d.design.highest_rate, |r| rate(&r))
        }),
        ("Ops/s", |d| or_none(d.design.rate, |r| rate(&r))),
        ("Slowest p99", |d| or_none(d.slowest, |p99| time(&p99))),
        (TO_BEST, |d| or_none(d.against, to_best::in_full)),
        (TO_TODAYS, |d| {
            to_todays(d.against).unwrap_or_else(|| NONE.to_owned())
        }),
        ("Failed", |d| {
            or_none(d.figures(), |f| failed(f.failed(), f.successes()))
        }),
        ("Server CPU/op", |d| {
            micros(d.figures().and_then(|f| f.server_cpu_micros_per_op))
        }),
        ("Client CPU/op with warm-up", |d| {
            micros(d.figures().and_then(|f| f.client_cpu_micros_per_op))
        }),
        ("Server cores", |d| {
            number(d.figures().and_then(|f| f.server_cores))
        }),
        ("Disk read/op", |d| {
            bytes(d.figures().and_then(|f| f.disk_read_per_op))
        }),
        ("Read from disk/returned", |d| {
            number(d.figures().and_then(|f| f.disk_read_per_byte))
        }),
        ("Disk read/s", |d| {
            bytes(d.figures().and_then(|f| f.disk_read_per_second))
        }),
        ("Disk written/s", |d| {
            bytes(d.figures().and_then(|f| f.disk_written_per_second))
        }),
        ("Of it compaction read/s", |d| {
            bytes(d.figures().and_then(|f| f.compaction_read_per_second))
        }),
        ("Compaction written/s", |d| {
            bytes(d.figures().and_then(|f| f.compaction_written_per_second))
        }),
        ("Device reads/s", |d| {
            per_second(d.figures().and_then(|f| f.device_reads_per_second))
        }),
        ("Device writes/s", |d| {
            per_second(d.figures().and_then(|f| f.device_writes_per_second))
        }),
        ("Device queue", |d| {
            number(d.figures().and_then(|f| f.device_queue))
        }),
        ("Time of a device request", |d| {
            micros(d.figures().and_then(|f| f.device_request_micros))
        }),
        ("GC", |d| percent(d.figures().and_then(|f| f.gc_share))),
        ("Collections/s", |d| {
            number(d.figures().and_then(|f| f.gc_per_second))
        }),
        ("Allocated/s", |d| {
            bytes(d.figures().and_then(|f| f.allocated_per_second))
        }),
        ("Chunk cache hits", |d| {
            percent(d.figures().and_then(|f| f.chunk_cache_hits))
        }),
        ("Key cache hits", |d| {
            percent(d.figures().and_then(|f| f.key_cache_hits))
        }),
        ("Row cache hits", |d| {
            percent(d.figures().and_then(|f| f.row_cache_hits))
        }),
        ("Fits into the page cache", |d| percent(cached(d))),
        ("Resident", |d| {
            bytes(d.figures().and_then(|f| f.resident_bytes).map(|b| b as f64))
        }),
        ("Stored", |d| {
            bytes(
                d.design
                    .footprint
                    .as_ref()
                    .and_then(|f| f.bytes())
                    .map(|b| b as f64),
            )
        }),
        ("Compressed to", |d| {
            percent(
                d.design
                    .footprint
                    .as_ref()
                    .and_then(|f| f.compression_ratio),
            )
        }),
        ("Compression metadata", |d| {
            let metadata = d
                .design
                .footprint
                .as_ref()
                .and_then(|f| f.compression_metadata_bytes);
            bytes(metadata.map(|b| b as f64))
        }),
    ];
    let rows = rows::designs(summary).into_iter();
    let rows = rows.map(|d| (vec![name(d.design)], d)).collect();
    let caption = format!("{}{}", figures_of(summary), explained(summary));
    table(&caption, &["Design"], &columns, rows)
}

/// Returns the largest share of the stored bytes that the page cache can have held, at most 1; `None` without a
/// limit of the server's memory.
fn cached(design: &Driven) -> Option<f64> {
    let cache = design.figures()?.page_cache_bytes? as f64;
    let stored = design.design.footprint.as_ref()?.bytes()?;
    (stored > 0).then(|| (cache / stored as f64).min(1.0))
}

/// Says which loads the figures of designs are of.
fn figures_of(summary: &DriveSummary) -> &'static str {
    match Kind::of(summary) {
        Kind::Search => {
            "Figures are of the last load at the highest rate that held, without warm-up but for \
             the client's CPU time. Below a rate: its interval over searches."
        }
        _ => {
            "Over all rounds, without warm-up but for the client's CPU time. Below a rate or a time: its \
             own interval over rounds."
        }
    }
}

/// Explains the ratios, where there are any.
fn explained(summary: &DriveSummary) -> String {
    let legend = rows::legend(summary).map(|legend| {
        format!(" {legend}. The intervals of all multiples hold at once with a probability of 95%.")
    });
    legend.unwrap_or_default()
}

pub fn trials(summary: &DriveSummary) -> String {
    let columns: [Column<&TrialSummary>; 9] = [
        ("Schedule", |t| Escaped(&t.start.schedule).to_string()),
        ("Connected in", |t| {
            seconds(t.end.as_ref().and_then(|end| end.longest_to_connect()))
        }),
        ("Lasted", |t| units::duration(t.duration)),
        ("Warm-up", |t| format!("{} s", t.warm_up_seconds)),
        ("Steady", |t| match t.steady {
            Some(true) => "yes".to_owned(),
            Some(false) => "<span class=\"failed\">no</span>".to_owned(),
            None => NONE.to_owned(),
        }),
        ("Ops/s", |t| units::rate(t.figures.ops_per_second)),
        ("Failed", |t| {
            failed(t.figures.failed(), t.figures.successes())
        }),
        ("Queued", |t| {
            or_none(t.end.as_ref(), |e| units::count(e.queued))
        }),
        ("Objective", |t| match &t.probe {
            None => NONE.to_owned(),
            Some(probe) if probe.rate.is_none() => "not judged".to_owned(),
            Some(probe) if probe.held() => "held".to_owned(),
            Some(probe) if probe.undecided => {
                format!("not judged: {}", Escaped(probe.missed.join("; ")))
            }
            Some(probe) => {
                format!(
                    "<span class=\"failed\">{}</span>",
                    Escaped(probe.missed.join("; "))
                )
            }
        }),
    ];
    let left_out = summary.trials.len().saturating_sub(MOST_LOADS);
    let rows = summary.trials.iter().skip(left_out).map(|t| {
        let round = if t.start.warm_up {
            "warm-up".to_owned()
        } else {
            t.start.round.to_string()
        };
        let names = [design_id(&t.start.design), t.start.trial.to_string(), round];
        let questions = { summary.header.beside.iter() }.map(|asked| answering_of(&t.start, asked));
        let names: Vec<String> = names.into_iter().chain(questions).collect();
        (names, t)
    });
    let mut caption = "In the order in which they were driven. Connected in: the slowest worker's connections and \
                       prepared statements, before the load began. trials/NNN.hlog has the histograms of each second."
        .to_owned();
    if left_out > 0 {
        caption += &format!(" The last {MOST_LOADS} loads; drive.jsonl has the earlier ones, too.");
    }
    let names = ["Design", "Load", "Round", "Questions answered by"];
    let shown = if summary.header.beside.is_some() {
        &names[..]
    } else {
        &names[..3]
    };
    table(&caption, shown, &columns, rows.collect())
}

/// Names the design that answered questions beside a load.
fn answering_of(start: &TrialStart, asked: &Beside) -> String {
    if !start.beside {
        return NONE.to_owned();
    }
    design_id(start.answered_by(asked).unwrap_or(&start.design))
}

pub fn mix(header: &DriveHeader) -> String {
    let columns: [Column<&bakeoff_stats::drive::OperationInfo>; 4] = [
        ("What", |o| Escaped(&o.action).to_string()),
        ("Share", |o| format!("{}%", o.weight_percent)),
        ("Consistency", |o| match o.consistency.as_str() {
            "" => NONE.to_owned(),
            level => Escaped(level).to_string(),
        }),
        ("TTL", |o| {
            or_none(o.ttl_seconds, |s| units::duration(f64::from(s)))
        }),
    ];
    let rows = header
        .operations
        .iter()
        .map(|o| (vec![Escaped(&o.name).to_string()], o));
    table("", &["Operation"], &columns, rows.collect())
}

fn rate(rate: &Estimate) -> String {
    let median = units::rate(rate.median);
    match rate.observations {
        1 => median,
        _ => format!("{median}<small>{}</small>", units::rate_interval(rate)),
    }
}

fn time(time: &Estimate) -> String {
    let (median, interval) = units::duration_interval(time);
    match time.observations {
        1 => median,
        _ => format!("{median}<small>{interval}</small>"),
    }
}

fn failed(failed: u64, succeeded: u64) -> String {
    if failed == 0 {
        return "0".to_owned();
    }
    let share = units::share(failed, failed + succeeded);
    format!(
        "<span class=\"failed\">{}</span><small>{}</small>",
        units::count(failed),
        Escaped(share)
    )
}

fn micros(micros: Option<f64>) -> String {
    seconds(micros.map(|m| m / 1e6))
}

fn bytes(bytes: Option<f64>) -> String {
    or_none(bytes, units::bytes)
}

fn number(number: Option<f64>) -> String {
    or_none(number, |n| Escaped(units::hundredths(n)).to_string())
}

fn per_second(per_second: Option<f64>) -> String {
    or_none(per_second, units::rate)
}

fn percent(share: Option<f64>) -> String {
    or_none(share, |s| format!("{:.1}%", s * 100.0))
}

fn name(design: &DriveDesign) -> String {
    let id = design_id(&design.info.id);
    if design.failures.is_empty() {
        id
    } else {
        format!("<span class=\"failed\">{id}</span>")
    }
}
