//! The places of events of several nodes on one line of time. Each node counts from when it began to work on the
//! request; another one than the coordinator does so when the request reaches it, which is taken for the moment
//! at which the coordinator sent it.

use std::collections::BTreeMap;

use super::activity::Activity;
use super::record::{RecordedTrace, TraceEvent};

/// The moments at which a node was asked, and how often it has begun to work so far.
#[derive(Debug, Default)]
struct Asked {
    /// Microseconds of the coordinator when requests were sent.
    sent: Vec<u64>,
    /// Microseconds of the coordinator when it decided to ask, which is shortly before.
    decided: Vec<u64>,
    /// Number of requests that the node has said it received.
    received: usize,
}

/// The places of the events of a trace.
#[derive(Debug)]
pub struct Places<'a> {
    coordinator: &'a str,
    asked: BTreeMap<String, Asked>,
}

impl<'a> Places<'a> {
    pub fn new(recorded: &'a RecordedTrace, activities: &[Activity]) -> Places<'a> {
        let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
        let of_coordinator = |event: &TraceEvent| event.node == recorded.coordinator;
        for (event, activity) in recorded.events.iter().zip(activities) {
            let at = event.elapsed_micros;
            match activity {
                _ if !of_coordinator(event) => {}
                Activity::SendsRequest(node) => {
                    asked.entry(node.to_string()).or_default().sent.push(at);
                }
                Activity::AsksForData(Some(node))
                | Activity::AsksForDigest(Some(node))
                | Activity::AsksForRange(node)
                | Activity::RetriesSpeculatively(Some(node)) => {
                    asked.entry(node.to_string()).or_default().decided.push(at);
                }
                _ => {}
            }
        }
        for asked in asked.values_mut() {
            asked.sent.sort_unstable();
            asked.decided.sort_unstable();
        }
        Places {
            coordinator: &recorded.coordinator,
            asked,
        }
    }

    /// Returns when an event began, in microseconds of the coordinator. Events have to be given in their order.
    pub fn start(&mut self, event: &TraceEvent, activity: &Activity) -> u64 {
        if event.node == self.coordinator {
            return event.elapsed_micros;
        }
        let asked = self.asked.entry(event.node.clone()).or_default();
        if matches!(activity, Activity::ReceivesRequest(_)) {
            asked.received += 1;
        }
        let moments = if asked.sent.is_empty() {
            &asked.decided
        } else {
            &asked.sent
        };
        let moment = moments
            .get(asked.received.saturating_sub(1))
            .or(moments.last());
        let moment = moment.copied().unwrap_or(0);
        moment.saturating_add(event.elapsed_micros)
    }
}
