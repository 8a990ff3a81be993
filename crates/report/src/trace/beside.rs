//! Says how a trace differs from an earlier one.

use bakeoff_stats::trace::{Beside, Counted, Pair, StepDifference};

use super::time;
use crate::text::style::wrap;
use crate::units;

const INDENT: &str = "          ";
/// Ratio of two times below which they are called alike.
const ALIKE: f64 = 1.1;

/// Difference of the parts of a request, in microseconds, below which nothing is said of them.
const LEAST_MICROS: u64 = 100;

/// Renders the differences; the first line says how the totals do.
pub fn render(beside: &Beside, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    if !beside.is_same_request {
        lines.push(
            "the other one is of another statement, consistency level or page size".to_owned(),
        );
    }
    lines.push(times("in all", beside.total_micros));
    lines.extend(beside.steps.iter().map(step));
    lines.extend(beside.counts.iter().map(|(what, pair)| count(*what, *pair)));
    let differs = |pair: &Pair| pair.this.abs_diff(pair.other) >= LEAST_MICROS;
    for (what, pair) in [
        ("connecting", Some(beside.connect_micros)),
        ("preparing", Some(beside.prepare_micros)),
        ("request", Some(beside.request_micros)),
        ("queue before sending", beside.queue_micros.filter(differs)),
        ("wire", beside.wire_micros.filter(differs)),
        ("decoding", Some(beside.decode_micros)),
    ] {
        if let Some(pair) = pair.filter(|pair| ratio(*pair) >= 2.0) {
            lines.push(times(what, pair));
        }
    }
    let mut title = "Beside    ";
    let mut rendered = Vec::new();
    for line in lines {
        rendered.push(wrap(&line, width, title, INDENT));
        title = INDENT;
    }
    rendered.join("\n")
}

/// Returns how often the shorter time fits into the longer one.
fn ratio(pair: Pair) -> f64 {
    let longer = pair.this.max(pair.other) as f64;
    longer / pair.this.min(pair.other).max(1) as f64
}

fn times(what: &str, pair: Pair) -> String {
    let both = format!(
        "{what} {} here, {} there",
        time(pair.this),
        time(pair.other)
    );
    match ratio(pair) {
        ratio if ratio < ALIKE => format!("{both}: alike"),
        ratio if pair.this > pair.other => format!("{both}: {} as long", units::factor(ratio)),
        ratio => format!("{both}: there {} as long", units::factor(ratio)),
    }
}

fn step(step: &StepDifference) -> String {
    let by = if step.by_coordinator {
        ""
    } else {
        ", which another node says"
    };
    format!(
        "{} here, {} there after \"{}\"{by}",
        time(step.micros.this),
        time(step.micros.other),
        step.activity
    )
}

fn count(what: Counted, pair: Pair) -> String {
    let name = match what {
        Counted::Replicas => "nodes asked",
        Counted::Sstables => "SSTables",
        Counted::LiveRows => "rows read",
        Counted::Tombstones => "tombstones",
        Counted::DigestMismatches => "digest mismatches",
        Counted::RepairWrites => "rows repaired",
        Counted::SpeculativeRetries => "speculative retries",
        Counted::Pages => "pages",
        Counted::Rows => "rows returned",
    };
    format!(
        "{name}: {} here, {} there",
        units::count(pair.this),
        units::count(pair.other)
    )
}
