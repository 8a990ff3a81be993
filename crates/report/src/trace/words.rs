//! Says in a few words how a request went.

use bakeoff_stats::trace::{AskedFor, ClientTimes, Hint, NodeWork, Replica, Trace, Traced};

use super::time;
use crate::text::style::wrap;
use crate::units;

const INDENT: &str = "          ";

/// Renders a line for each thing that is worth one.
pub fn render(traced: &Traced, trace: &Trace, width: usize) -> String {
    let mut lines = vec![("Total", total(traced, trace)), ("Asked", asked(trace))];
    lines.extend(traced.of.clone().map(|text| ("Question", text)));
    lines.extend(read(trace).map(|text| ("Read", text)));
    lines.extend(events(trace).map(|text| ("Besides", text)));
    lines.extend(slowest(trace).map(|text| ("Slowest", text)));
    lines.push(("Client", client(&traced.client)));
    lines.extend(split(traced, trace).map(|text| ("Request", text)));
    lines.extend(times(&traced.client).map(|text| ("Times", text)));
    lines.extend(
        trace
            .hints(rows(traced))
            .iter()
            .map(|hint| ("Look at", advice(hint))),
    );
    let render =
        |(title, text): &(&str, String)| wrap(text, width, &format!("{title:<10}"), INDENT);
    lines.iter().map(render).collect::<Vec<_>>().join("\n")
}

/// Returns the rows of the page that is shown.
pub fn rows(traced: &Traced) -> u64 {
    traced.client.page().map_or(0, |page| page.rows)
}

fn total(traced: &Traced, trace: &Trace) -> String {
    let at = format!(
        "at {}, coordinated by {}",
        traced.consistency, trace.coordinator
    );
    if trace.complete {
        return format!("{} {at}", time(trace.total_micros));
    }
    format!(
        "at least {} {at}: the coordinator has recorded no end; below is what came",
        time(trace.total_micros)
    )
}

fn asked(trace: &Trace) -> String {
    if trace.replicas.is_empty() {
        return "no node is named by what was recorded".to_owned();
    }
    let replica = |replica: &Replica| {
        let what = match replica.asked_for {
            AskedFor::Data => "data",
            AskedFor::Digest => "digest",
        };
        let besides = if replica.speculative {
            ", since the others were slow"
        } else {
            ""
        };
        format!("{} ({what}{besides})", replica.node)
    };
    let replicas: Vec<String> = trace.replicas.iter().map(replica).collect();
    let nodes = units::plural(replicas.len() as u64, "node", "nodes");
    let ranges = trace.ranges.map_or_else(String::new, |ranges| {
        format!(
            " for {} of tokens",
            units::plural(ranges, "range", "ranges")
        )
    });
    format!("{nodes}{ranges}: {}", replicas.join(", "))
}

/// Says what was read: `2 SSTables (1 left out), 5 rows, 1 tombstone on 127.0.0.1`.
fn read(trace: &Trace) -> Option<String> {
    let work = |work: &NodeWork| {
        let left_out = match work.skipped_sstables {
            0 => String::new(),
            skipped => format!(" ({} left out)", units::count(skipped)),
        };
        format!(
            "{}{left_out}, {}, {} on {}",
            units::plural(work.sstables, "SSTable", "SSTables"),
            units::plural(work.live_rows, "row", "rows"),
            units::plural(work.tombstones, "tombstone", "tombstones"),
            work.node
        )
    };
    let all: Vec<String> = trace.work.iter().map(work).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Says what does not happen in every request.
fn events(trace: &Trace) -> Option<String> {
    let counted = [
        (
            trace.digest_mismatches,
            "digest mismatch",
            "digest mismatches",
        ),
        (trace.repair_reads, "read for repair", "reads for repair"),
        (trace.repair_writes, "row repaired", "rows repaired"),
        (
            trace.speculative_retries,
            "speculative retry",
            "speculative retries",
        ),
        (trace.further_reads, "short read", "short reads"),
        (
            trace.row_cache_hits,
            "hit in the row cache",
            "hits in the row cache",
        ),
    ];
    let counted = counted.into_iter().filter(|(n, ..)| *n > 0);
    let mut all: Vec<String> = counted
        .map(|(n, one, many)| units::plural(n, one, many))
        .collect();
    if trace.uses_index {
        all.push("read by an index".to_owned());
    }
    if let Some(after) = trace.gave_up_after_tombstones {
        all.push(format!(
            "a node gave up after {} tombstones",
            units::count(after)
        ));
    }
    all.extend(trace.lacking.iter().cloned());
    (!all.is_empty()).then(|| all.join(", "))
}

fn slowest(trace: &Trace) -> Option<String> {
    let step = trace.slowest_step().filter(|step| step.micros > 0)?;
    let share = units::share(step.micros, trace.total_micros);
    Some(format!(
        "{} ({share}) after \"{}\" on {}",
        time(step.micros),
        step.activity,
        step.node
    ))
}

fn client(client: &ClientTimes) -> String {
    let computing = client.compute_micros.map_or_else(String::new, |micros| {
        format!(" and computing {}", time(micros))
    });
    let planning = client.plan_micros.map_or_else(String::new, |micros| {
        format!("planning {}{computing} in DataFusion, ", time(micros))
    });
    let mut text = format!(
        "connecting {}, {planning}preparing {}",
        time(client.connect_micros),
        time(client.prepare_micros)
    );
    if let Some(page) = client.page() {
        text.push_str(&format!(
            ", request {}, decoding {}; {}",
            time(page.request_micros),
            time(page.decode_micros),
            units::plural(page.rows, "row", "rows")
        ));
    }
    let pages = client.pages.len();
    if pages > 1 {
        let further = if client.has_more_pages {
            "; there are further ones, which were not asked for"
        } else {
            ""
        };
        text.push_str(&format!(
            ", of page {} of {pages}, the slowest{further}",
            client.shown_page.saturating_add(1)
        ));
    } else if client.has_more_pages {
        text.push_str("; there are further pages, which were not asked for");
    }
    text
}

/// Says where the time of the request went, as far as it is known.
fn split(traced: &Traced, trace: &Trace) -> Option<String> {
    let page = traced.client.page()?;
    let queue =
        { page.queue_micros }.map(|micros| format!("queue before sending {}", time(micros)));
    let rest = match traced.wire_micros(trace) {
        Some(0) => format!(
            "coordinator {}, nothing is left for the wire",
            time(trace.total_micros)
        ),
        Some(wire) => format!(
            "coordinator {}, wire {}",
            time(trace.total_micros),
            time(wire)
        ),
        None => "the rest is not split, since the coordinator has recorded no end".to_owned(),
    };
    let parts: Vec<String> = queue.into_iter().chain([rest]).collect();
    Some(format!(
        "{}: {}",
        time(page.request_micros),
        parts.join(", ")
    ))
}

/// Says how long each time took, if there were several.
fn times(client: &ClientTimes) -> Option<String> {
    let mut sorted = client.times_micros.clone();
    sorted.sort_unstable();
    let [least, .., most] = sorted.as_slice() else {
        return None;
    };
    let median = sorted[(sorted.len() - 1) / 2];
    let shown = client.times_micros.get(client.shown_time).copied()?;
    Some(format!(
        "{} times, {} to {}, median {}; shown is the one of {}, number {}",
        sorted.len(),
        time(*least),
        time(*most),
        time(median),
        time(shown),
        client.shown_time + 1
    ))
}

fn advice(hint: &Hint) -> String {
    match hint {
        Hint::ManySstables { node, sstables } => format!(
            "compaction: {node} read {sstables} SSTables for one partition; it is behind (`nodetool \
             compactionstats`), or another strategy fits better"
        ),
        Hint::ManyTombstones { node, tombstones } => format!(
            "deletions: {node} read {} tombstones; deleted rows, nulls that were written and ended times to live stay \
             for gc_grace_seconds",
            units::count(*tombstones)
        ),
        Hint::RowsInVain { read, returned } => format!(
            "the key: {} were read for {} returned; a condition is not in the key, or not in an index",
            units::plural(*read, "row", "rows"),
            units::count(*returned)
        ),
        Hint::CopiesDiffer => {
            "repair: copies of the rows differed, and the request waited until they were the same".to_owned()
        }
        Hint::SlowReplica => {
            "the nodes: the first ones answered so late that one more was asked; compare their loads".to_owned()
        }
        Hint::LateAnswer {
            node,
            micros,
            own_micros,
        } => {
            let own = own_micros.map_or_else(
                || "it has recorded nothing itself".to_owned(),
                |own| format!("it counts {} itself", time(own)),
            );
            format!(
                "{node}: its answer came after {}, and {own}; what is missing is a pause of one of the two nodes, a \
                 queue or the way between them",
                time(*micros)
            )
        }
        Hint::Scan { ranges, nodes } => format!(
            "the condition: without the whole partition key {} of tokens were asked of {}",
            units::plural(*ranges, "range", "ranges"),
            units::plural(*nodes, "node", "nodes")
        ),
    }
}
