//! Two traces beside each other: what differs, and where the time of the one went that the other did not take.

use std::collections::BTreeMap;

use serde::Serialize;

use super::summary::{Trace, TraceStep};
use super::traced::Traced;

/// Number of steps that are named.
const MOST_STEPS: usize = 3;
/// Share of the longer total that a step has to differ by, if it is to be named.
const SHARE_OF_TOTAL: f64 = 0.05;

/// Something that is counted in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    Replicas,
    Sstables,
    LiveRows,
    Tombstones,
    DigestMismatches,
    RepairWrites,
    SpeculativeRetries,
    Pages,
    Rows,
}

/// A figure of this trace and of the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Pair {
    pub this: u64,
    pub other: u64,
}

/// A step that took different times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepDifference {
    /// What was recorded before the time passed, as the trace has it that took longer.
    pub activity: String,
    /// Whether that was said by the coordinator, and not by another node.
    pub by_coordinator: bool,
    pub micros: Pair,
}

/// The differences of two traces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Beside {
    /// Whether both were asked the same, in the same way.
    pub is_same_request: bool,
    /// Microseconds of the coordinators.
    pub total_micros: Pair,
    /// Microseconds of the requests as the clients saw them.
    pub request_micros: Pair,
    /// Microseconds of these until the drivers had given the requests to connections, where both traces know them.
    pub queue_micros: Option<Pair>,
    /// Microseconds of these that neither the queue nor the coordinator took, where both coordinators recorded an end.
    pub wire_micros: Option<Pair>,
    pub decode_micros: Pair,
    pub connect_micros: Pair,
    pub prepare_micros: Pair,
    /// What is not the same in both.
    pub counts: Vec<(Counted, Pair)>,
    /// Steps with the largest differences, the largest first.
    pub steps: Vec<StepDifference>,
}

impl Beside {
    /// Compares a trace with another one.
    pub fn new(this: &Traced, other: &Traced) -> Beside {
        let traces = (this.summary(), other.summary());
        let (page, other_page) = (this.client.page(), other.client.page());
        let pair = |this: Option<u64>, other: Option<u64>| Pair {
            this: this.unwrap_or(0),
            other: other.unwrap_or(0),
        };
        let both = |this: Option<u64>, other: Option<u64>| {
            let (this, other) = this.zip(other)?;
            Some(Pair { this, other })
        };
        let total_micros = Pair {
            this: traces.0.total_micros,
            other: traces.1.total_micros,
        };
        Beside {
            is_same_request: this.cql == other.cql
                && this.consistency == other.consistency
                && this.page_rows == other.page_rows,
            total_micros,
            request_micros: pair(
                page.map(|page| page.request_micros),
                other_page.map(|page| page.request_micros),
            ),
            queue_micros: both(
                page.and_then(|page| page.queue_micros),
                other_page.and_then(|page| page.queue_micros),
            ),
            wire_micros: both(this.wire_micros(&traces.0), other.wire_micros(&traces.1)),
            decode_micros: pair(
                page.map(|page| page.decode_micros),
                other_page.map(|page| page.decode_micros),
            ),
            connect_micros: Pair {
                this: this.client.connect_micros,
                other: other.client.connect_micros,
            },
            prepare_micros: Pair {
                this: this.client.prepare_micros,
                other: other.client.prepare_micros,
            },
            counts: counts(&counted(this, &traces.0), &counted(other, &traces.1)),
            steps: steps(&traces.0, &traces.1, total_micros),
        }
    }
}

fn counted(traced: &Traced, trace: &Trace) -> [(Counted, u64); 9] {
    let work = trace.work_of_all();
    let rows = traced.client.pages.iter().map(|page| page.rows);
    [
        (Counted::Replicas, trace.replicas.len() as u64),
        (Counted::Sstables, work.sstables),
        (Counted::LiveRows, work.live_rows),
        (Counted::Tombstones, work.tombstones),
        (Counted::DigestMismatches, trace.digest_mismatches),
        (Counted::RepairWrites, trace.repair_writes),
        (Counted::SpeculativeRetries, trace.speculative_retries),
        (Counted::Pages, traced.client.pages.len() as u64),
        (Counted::Rows, rows.fold(0, u64::saturating_add)),
    ]
}

/// Returns what differs.
fn counts(this: &[(Counted, u64)], other: &[(Counted, u64)]) -> Vec<(Counted, Pair)> {
    let pairs = this.iter().zip(other);
    pairs
        .filter(|(this, other)| this.1 != other.1)
        .map(|(this, other)| {
            let pair = Pair {
                this: this.1,
                other: other.1,
            };
            (this.0, pair)
        })
        .collect()
}

/// Steps by what was said, without numbers, and whether the coordinator said it.
type ByWords<'a> = BTreeMap<(bool, String), (u64, &'a TraceStep)>;

/// Adds the times of steps up that say the same but for numbers; of each, the longest one is kept.
fn by_words(trace: &Trace) -> ByWords<'_> {
    let mut found: ByWords = BTreeMap::new();
    for step in &trace.steps {
        let key = (
            step.node == trace.coordinator,
            without_numbers(&step.activity),
        );
        let entry = found.entry(key).or_insert((0, step));
        entry.0 = entry.0.saturating_add(step.micros);
        if step.micros > entry.1.micros {
            entry.1 = step;
        }
    }
    found
}

fn steps(this: &Trace, other: &Trace, total: Pair) -> Vec<StepDifference> {
    let (of_this, of_other) = (by_words(this), by_words(other));
    let mut differences: Vec<StepDifference> = Vec::new();
    for key in of_this
        .keys()
        .chain(of_other.keys().filter(|key| !of_this.contains_key(*key)))
    {
        let (mine, its) = (of_this.get(key), of_other.get(key));
        let micros = Pair {
            this: mine.map_or(0, |found| found.0),
            other: its.map_or(0, |found| found.0),
        };
        let longer = if micros.this >= micros.other {
            mine.or(its)
        } else {
            its
        };
        if let Some((_, step)) = longer {
            differences.push(StepDifference {
                activity: step.activity.clone(),
                by_coordinator: key.0,
                micros,
            });
        }
    }
    let by = |difference: &StepDifference| difference.micros.this.abs_diff(difference.micros.other);
    let least = total.this.max(total.other) as f64 * SHARE_OF_TOTAL;
    differences.retain(|difference| by(difference) > 0 && by(difference) as f64 >= least);
    differences.sort_by_key(|difference| std::cmp::Reverse(by(difference)));
    differences.truncate(MOST_STEPS);
    differences
}

/// Replaces each word that has a digit, such as a number, an address or the name of a file.
fn without_numbers(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || ",;()[]'\"".contains(c);
    let words = text.split_inclusive(is_end).map(|word| {
        let has_digit = word.contains(|c: char| c.is_ascii_digit());
        if has_digit { "# " } else { word }
    });
    words.collect()
}

#[cfg(test)]
mod tests;
