//! What a trace tells: who was asked, what was read, and where the time went.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Serialize;

use super::activity::Activity;
use super::answer::{Answer, answers};
use super::place::Places;
use super::record::RecordedTrace;

/// What a replica was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedFor {
    Data,
    Digest,
}

/// A node that was asked for rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replica {
    pub node: String,
    pub asked_for: AskedFor,
    /// Whether it was asked because the first ones were slow.
    pub speculative: bool,
}

/// What one node has read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NodeWork {
    pub node: String,
    pub sstables: u64,
    /// SSTables that were left out by their filters, keys or indexes.
    pub skipped_sstables: u64,
    pub live_rows: u64,
    /// Markers of deletions and of ended times to live.
    pub tombstones: u64,
}

/// An event with its place in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceStep {
    /// Microseconds since the coordinator began; of another node they count from when it was sent the request, so
    /// that the way there is not in them.
    pub start_micros: u64,
    /// Microseconds until the next event of any node, or until the end; 0 of what a node did after it.
    pub micros: u64,
    pub node: String,
    pub thread: String,
    pub activity: String,
}

/// A summary of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Whether the coordinator recorded an end.
    pub complete: bool,
    pub coordinator: String,
    /// Microseconds that the coordinator took; up to the last event if it recorded no end.
    pub total_micros: u64,
    /// Nodes that were asked for rows, in the order in which they were.
    pub replicas: Vec<Replica>,
    /// Ranges of tokens into which a scan was divided.
    pub ranges: Option<u64>,
    /// Answers that the coordinator got from other nodes, by their addresses.
    pub answers: Vec<Answer>,
    /// Nodes that have read something, by their addresses.
    pub work: Vec<NodeWork>,
    pub digest_mismatches: u64,
    /// Reads of all rows to repair those that differ.
    pub repair_reads: u64,
    /// Writes of rows that a replica lacked.
    pub repair_writes: u64,
    pub speculative_retries: u64,
    /// Reads of further rows, in place of those that other replicas have deleted.
    pub further_reads: u64,
    pub row_cache_hits: u64,
    /// Whether an index was read.
    pub uses_index: bool,
    /// What the coordinator said of answers that did not come.
    pub lacking: Vec<String>,
    /// Markers of deletions after which a node gave up, if one did.
    pub gave_up_after_tombstones: Option<u64>,
    /// All events in the order of their times.
    pub steps: Vec<TraceStep>,
    /// Index of the step after which nothing was recorded for longest.
    pub slowest: Option<usize>,
}

impl Trace {
    /// Sums up what was recorded.
    pub fn new(recorded: &RecordedTrace) -> Trace {
        let activities: Vec<Activity> = recorded
            .events
            .iter()
            .map(|event| Activity::of(&event.activity))
            .collect();
        let mut steps = steps(recorded, &activities);
        let last = steps.last().map_or(0, |step| step.start_micros);
        let total_micros = recorded.total_micros.unwrap_or(last);
        let starts: Vec<u64> = steps.iter().map(|step| step.start_micros).collect();
        let ends = starts.iter().skip(1).copied().chain([total_micros]);
        for (step, end) in steps.iter_mut().zip(ends) {
            // Nodes may go on after the coordinator has its answer, and nobody waits for them then.
            step.micros = end.min(total_micros).saturating_sub(step.start_micros);
        }
        // The first one of those that took equally long.
        let slowest = (0..steps.len()).rev().max_by_key(|at| steps[*at].micros);
        let mut trace = Trace {
            complete: recorded.total_micros.is_some(),
            coordinator: recorded.coordinator.clone(),
            total_micros,
            replicas: Vec::new(),
            ranges: None,
            answers: answers(recorded, &activities),
            work: Vec::new(),
            digest_mismatches: 0,
            repair_reads: 0,
            repair_writes: 0,
            speculative_retries: 0,
            further_reads: 0,
            row_cache_hits: 0,
            uses_index: false,
            lacking: Vec::new(),
            gave_up_after_tombstones: None,
            steps,
            slowest,
        };
        trace.take_all(recorded, &activities);
        trace
    }

    /// Returns all SSTables, rows and markers of deletions that the nodes have read together.
    pub fn work_of_all(&self) -> NodeWork {
        let mut all = NodeWork::default();
        for work in &self.work {
            let NodeWork {
                node: _,
                sstables,
                skipped_sstables,
                live_rows,
                tombstones,
            } = work;
            all.sstables = all.sstables.saturating_add(*sstables);
            all.skipped_sstables = all.skipped_sstables.saturating_add(*skipped_sstables);
            all.live_rows = all.live_rows.saturating_add(*live_rows);
            all.tombstones = all.tombstones.saturating_add(*tombstones);
        }
        all
    }

    /// Returns the step after which nothing was recorded for longest.
    pub fn slowest_step(&self) -> Option<&TraceStep> {
        self.steps.get(self.slowest?)
    }

    fn take_all(&mut self, recorded: &RecordedTrace, activities: &[Activity]) {
        let mut work: BTreeMap<&str, NodeWork> = BTreeMap::new();
        for (event, activity) in recorded.events.iter().zip(activities) {
            self.take_coordination(activity);
            let own = work.entry(&event.node).or_default();
            match activity {
                Activity::ReadsSstables(sstables) => {
                    own.sstables = own.sstables.saturating_add(*sstables);
                }
                Activity::SkipsSstable => own.skipped_sstables += 1,
                Activity::ReadsRows { live, tombstones } => {
                    own.live_rows = own.live_rows.saturating_add(*live);
                    own.tombstones = own.tombstones.saturating_add(*tombstones);
                }
                Activity::LacksAnswers => self.lacking.push(event.activity.clone()),
                _ => {}
            }
        }
        work.retain(|_, work| *work != NodeWork::default());
        for (node, work) in work {
            // Of a scan, the coordinator does not say that it asks itself.
            self.ask(node.to_owned(), AskedFor::Data, false);
            self.work.push(NodeWork {
                node: node.to_owned(),
                ..work
            });
        }
    }

    fn take_coordination(&mut self, activity: &Activity) {
        let named = |node: &Option<IpAddr>, own: &str| {
            node.map_or_else(|| own.to_owned(), |node| node.to_string())
        };
        match activity {
            Activity::AsksForData(node) => {
                let node = named(node, &self.coordinator);
                self.ask(node, AskedFor::Data, false);
            }
            Activity::AsksForDigest(node) => {
                let node = named(node, &self.coordinator);
                self.ask(node, AskedFor::Digest, false);
            }
            Activity::AsksForRange(node) => self.ask(node.to_string(), AskedFor::Data, false),
            Activity::RetriesSpeculatively(node) => {
                self.speculative_retries += 1;
                if let Some(node) = node {
                    self.ask(node.to_string(), AskedFor::Data, true);
                }
            }
            Activity::DividesIntoRanges(ranges) => self.ranges = Some(*ranges),
            Activity::HitsRowCache => self.row_cache_hits += 1,
            Activity::GivesUpForTombstones(after) => self.gave_up_after_tombstones = Some(*after),
            Activity::FindsMismatch => self.digest_mismatches += 1,
            Activity::ReadsForRepair => self.repair_reads += 1,
            Activity::WritesForRepair => self.repair_writes += 1,
            Activity::ReadsMore => self.further_reads += 1,
            Activity::UsesIndex => self.uses_index = true,
            _ => {}
        }
    }

    /// Notes a replica that was asked, unless it is known already.
    fn ask(&mut self, node: String, asked_for: AskedFor, speculative: bool) {
        if self.replicas.iter().all(|replica| replica.node != node) {
            self.replicas.push(Replica {
                node,
                asked_for,
                speculative,
            });
        }
    }
}

/// Returns all events in the order of their times, without how long each took.
fn steps(recorded: &RecordedTrace, activities: &[Activity]) -> Vec<TraceStep> {
    let mut places = Places::new(recorded, activities);
    let events = recorded.events.iter().zip(activities);
    let mut steps: Vec<TraceStep> = events
        .map(|(event, activity)| TraceStep {
            start_micros: places.start(event, activity),
            micros: 0,
            node: event.node.clone(),
            thread: event.thread.clone(),
            activity: event.activity.clone(),
        })
        .collect();
    steps.sort_by_key(|step| step.start_micros);
    steps
}

#[cfg(test)]
mod tests;
