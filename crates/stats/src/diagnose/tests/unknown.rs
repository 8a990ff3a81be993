//! Nodes of which something is not known, while the others are healthy.

use super::cluster::healthy;
use super::{Change, checked};
use crate::diagnose::evidence::{Latency, Missing, Node, Share};
use crate::diagnose::{Outcome, diagnose};

/// Rules, and what hides from them what one node would show.
const HIDDEN: [(&str, Change); 6] = [
    ("heap", |e| e.nodes[1].heap_used_bytes = None),
    ("garbage-collection", |e| e.nodes[1].longest_gc_ms = None),
    ("compaction-behind", |e| {
        e.nodes[1].pending_compactions = None;
    }),
    ("thread-pools", |e| e.nodes[1].pools = None),
    ("dropped-messages", |e| e.nodes[1].dropped = None),
    ("slow-replica", |e| {
        // Of four nodes, so that the others can be compared.
        let mut fourth = e.nodes[2].clone();
        fourth.address = "10.0.0.4:9042".to_owned();
        fourth.host = "10.0.0.4".to_owned();
        e.nodes.push(fourth);
        e.nodes[1].tables[0].local_reads = Latency::default();
    }),
];

fn reason_of(hide: Change, rule: &str, missing: Option<&str>) -> String {
    let mut evidence = healthy();
    hide(&mut evidence);
    evidence.nodes[1]
        .missing
        .extend(missing.map(|view| Missing {
            figure: view.to_owned(),
            reason: "no answer within 15s".to_owned(),
        }));
    let diagnosis = diagnose(&evidence);
    let Outcome::NotChecked(not) = checked(&diagnosis, rule) else {
        panic!("{rule}: {:?}", checked(&diagnosis, rule));
    };
    not.reason.clone()
}

/// A node with a full heap may be too slow for the call that would tell it.
#[test]
fn a_node_that_does_not_show_a_figure_is_named_in_place_of_healthy_ones() {
    for (rule, hide) in HIDDEN {
        let reason = reason_of(hide, rule, None);
        let named = "10.0.0.2:9042 does not show it (";
        assert!(reason.starts_with(named), "{rule}: {reason}");
    }
    let reason = reason_of(HIDDEN[0].1, "heap", Some("nodetool info"));
    assert_eq!(reason, "10.0.0.2:9042: nodetool info: no answer within 15s");
}

#[test]
fn what_a_silent_node_would_show_is_not_checked() {
    let mut evidence = healthy();
    evidence.nodes[1] = Node {
        address: evidence.nodes[1].address.clone(),
        host: evidence.nodes[1].host.clone(),
        tables: vec![Share::default()],
        ..Node::default()
    };
    let diagnosis = diagnose(&evidence);
    for (rule, _) in &HIDDEN[..5] {
        let Outcome::NotChecked(not) = checked(&diagnosis, rule) else {
            panic!("{rule}");
        };
        assert_eq!(not.reason, "10.0.0.2:9042 does not answer", "{rule}");
    }
}

/// What another node shows is found all the same.
#[test]
fn a_fault_is_found_beside_a_node_that_shows_nothing() {
    let mut evidence = healthy();
    evidence.nodes[1].heap_used_bytes = None;
    evidence.nodes[2].heap_used_bytes = Some(7.9e9);
    let diagnosis = diagnose(&evidence);
    let Outcome::Finding(finding) = checked(&diagnosis, "heap") else {
        panic!("not found");
    };
    assert_eq!(finding.evidence.len(), 1);
}

#[test]
fn a_node_that_joins_while_the_others_are_read_is_named() {
    let mut evidence = healthy();
    evidence.joined = vec!["10.0.0.9:9042".to_owned()];
    let diagnosis = diagnose(&evidence);
    let Outcome::NotChecked(not) = checked(&diagnosis, "silent-node") else {
        panic!("{diagnosis:?}");
    };
    assert_eq!(
        not.reason,
        "joined while the others were read: 10.0.0.9:9042"
    );
    assert!(not.brings.unwrap().starts_with("another look"), "{not:?}");

    evidence.nodes[1].version = None;
    let diagnosis = diagnose(&evidence);
    let Outcome::Finding(finding) = checked(&diagnosis, "silent-node") else {
        panic!("{diagnosis:?}");
    };
    let [silent, joined] = &finding.evidence[..] else {
        panic!("{finding:?}");
    };
    assert_eq!(silent.node.as_deref(), Some("10.0.0.2:9042"));
    assert_eq!(joined.node.as_deref(), Some("10.0.0.9:9042"));
    assert!(joined.figure.starts_with("joined"), "{joined:?}");
}

/// What the others tell of it is asked after they were listed.
#[test]
fn a_node_that_joins_while_the_others_are_read_is_no_address_of_nobody() {
    for (joined, host) in [("10.0.0.9:9042", "10.0.0.9"), ("[fd00::9]:9042", "fd00::9")] {
        let mut evidence = healthy();
        evidence.joined = vec![joined.to_owned()];
        evidence.named_ips = vec![host.to_owned()];
        let peers = evidence.nodes[1].peers.as_mut().unwrap();
        peers.push(host.to_owned());
        let diagnosis = diagnose(&evidence);
        assert_eq!(*checked(&diagnosis, "ring-address"), Outcome::Healthy);

        let peers = evidence.nodes[1].peers.as_mut().unwrap();
        peers.push("10.0.0.77".to_owned());
        let diagnosis = diagnose(&evidence);
        let Outcome::Finding(finding) = checked(&diagnosis, "ring-address") else {
            panic!("{diagnosis:?}");
        };
        assert_eq!(finding.evidence.len(), 1, "{finding:?}");
        assert!(finding.evidence[0].figure.contains("10.0.0.77"));
    }
}
