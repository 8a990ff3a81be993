//! How long the coordinator waited for the answers of other nodes, by its own clock alone: the clocks of two nodes are
//! never compared.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Serialize;

use super::activity::Activity;
use super::record::RecordedTrace;

/// The answer of another node than the coordinator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// Address of the node.
    pub node: String,
    /// Microseconds of the coordinator from sending a request to the node until it had the answer; the longest of
    /// several.
    pub micros: u64,
    /// Microseconds that the node itself has counted from getting a request until its last event; the longest of
    /// several. `None` if it has recorded nothing.
    pub own_micros: Option<u64>,
}

/// The requests to a node and its answers, in microseconds of the coordinator.
#[derive(Debug, Default)]
struct Exchange {
    sent: Vec<u64>,
    answered: Vec<u64>,
}

impl Exchange {
    /// Returns the longest time between a request and its answer; `None` without both.
    fn longest(mut self) -> Option<u64> {
        self.sent.sort_unstable();
        self.answered.sort_unstable();
        let pairs = self.sent.iter().zip(&self.answered);
        pairs
            .filter_map(|(sent, answered)| answered.checked_sub(*sent))
            .max()
    }
}

/// Returns the answers of other nodes, by their addresses.
pub fn answers(recorded: &RecordedTrace, activities: &[Activity]) -> Vec<Answer> {
    let mut exchanges: BTreeMap<IpAddr, Exchange> = BTreeMap::new();
    let events = recorded.events.iter().zip(activities);
    for (event, activity) in events.filter(|(event, _)| event.node == recorded.coordinator) {
        let at = event.elapsed_micros;
        match activity {
            Activity::SendsRequest(node) => exchanges.entry(*node).or_default().sent.push(at),
            Activity::ReceivesAnswer(node) => exchanges.entry(*node).or_default().answered.push(at),
            _ => {}
        }
    }
    let answers = exchanges.into_iter().filter_map(|(node, exchange)| {
        let node = node.to_string();
        let own = recorded.events.iter().filter(|event| event.node == node);
        Some(Answer {
            micros: exchange.longest()?,
            own_micros: own.map(|event| event.elapsed_micros).max(),
            node,
        })
    });
    answers.collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{FIRST, SECOND, THIRD, mismatch_of_5_0, recorded};
    use super::super::summary::Trace;
    use super::*;

    fn answer(node: &str, micros: u64, own_micros: Option<u64>) -> Answer {
        Answer {
            node: node.to_owned(),
            micros,
            own_micros,
        }
    }

    #[test]
    fn an_answer_takes_what_the_coordinator_waits_for_it() {
        // The second node has not answered, and the third one answers the first of two requests only.
        let trace = Trace::new(&mismatch_of_5_0());
        assert_eq!(trace.answers, [answer(THIRD, 550, Some(260))]);
    }

    #[test]
    fn several_answers_of_a_node_count_by_the_longest_one() {
        let to_second = "Sending READ_REQ message to /127.0.0.2:7000 message size 163 bytes";
        let of_second = "READ_RSP message received from /127.0.0.2:7000";
        let trace = Trace::new(&recorded(
            Some(90_000),
            &[
                (FIRST, 100, to_second),
                (FIRST, 600, of_second),
                (FIRST, 700, to_second),
                (FIRST, 80_700, of_second),
                // An answer to a request that is not recorded is to none.
                (
                    FIRST,
                    81_000,
                    "READ_RSP message received from /127.0.0.3:7000",
                ),
                // The others' own requests are not those of the coordinator.
                (
                    SECOND,
                    5,
                    "Sending READ_REQ message to /127.0.0.3:7000 message size 1 bytes",
                ),
            ],
        ));
        assert_eq!(trace.answers, [answer(SECOND, 80_000, Some(5))]);
    }
}
