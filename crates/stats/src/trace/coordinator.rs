//! Which node has coordinated a request whose session was not recorded.

use std::collections::BTreeMap;

use super::activity::Activity;
use super::record::TraceEvent;

/// Beginnings of what only the node says that a client has asked.
const OF_CLIENTS: [&str; 2] = ["Parsing ", "Preparing statement"];

/// Returns the address of the node that has coordinated a request, by what nodes have said; `None` without an event.
///
/// Events are in the order of their nodes' clocks, so that the first one may be of any node. A node that was asked
/// names the one that has asked it, and some events are only of a coordinator. Where nothing tells, it is the node of
/// the first event.
pub fn coordinator_of(events: &[TraceEvent]) -> Option<String> {
    let mut said: BTreeMap<String, u64> = BTreeMap::new();
    for node in events.iter().filter_map(named_by) {
        *said.entry(node).or_default() += 1;
    }
    let most = said.into_iter().max_by_key(|(_, times)| *times);
    let first = || events.first().map(|event| event.node.clone());
    most.map(|(node, _)| node).or_else(first)
}

/// Returns the coordinator as an event tells it, if it does.
fn named_by(event: &TraceEvent) -> Option<String> {
    let own = || Some(event.node.clone());
    let node = match Activity::of(&event.activity) {
        Activity::ReceivesRequest(from) => from.map(|node| node.to_string()),
        Activity::AsksForData(_)
        | Activity::AsksForDigest(_)
        | Activity::AsksForRange(_)
        | Activity::DividesIntoRanges(_)
        | Activity::RetriesSpeculatively(_)
        | Activity::SendsRequest(_)
        | Activity::ReceivesAnswer(_)
        | Activity::FindsMismatch
        | Activity::ReadsForRepair
        | Activity::WritesForRepair
        | Activity::ReadsMore
        | Activity::LacksAnswers => own(),
        _ => {
            let mut starts = OF_CLIENTS.iter();
            let is_of_client = starts.any(|start| event.activity.starts_with(start));
            own().filter(|_| is_of_client)
        }
    };
    node.filter(|node| !node.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{
        FIRST, SECOND, THIRD, mismatch_of_5_0, one_node_of_4_1, recorded, scan_of_5_0,
    };
    use super::*;

    #[test]
    fn the_coordinator_is_found_in_any_order_of_the_nodes() {
        for whole in [mismatch_of_5_0(), scan_of_5_0(), one_node_of_4_1()] {
            let (mut of_others, own): (Vec<_>, Vec<_>) =
                { whole.events.iter().cloned() }.partition(|event| event.node != FIRST);
            of_others.extend(own);
            assert_eq!(coordinator_of(&of_others).as_deref(), Some(FIRST));
        }
    }

    #[test]
    fn a_coordinator_that_has_recorded_nothing_is_named_by_those_that_it_asked() {
        let mut lost = mismatch_of_5_0();
        lost.events.retain(|event| event.node != FIRST);
        assert_eq!(coordinator_of(&lost.events).as_deref(), Some(FIRST));
    }

    #[test]
    fn where_nothing_tells_it_is_the_first_node() {
        let trace = recorded(None, &[(THIRD, 5, "Row cache miss"), (SECOND, 9, "")]);
        assert_eq!(coordinator_of(&trace.events).as_deref(), Some(THIRD));
        assert_eq!(coordinator_of(&[]), None);
    }
}
