use super::*;

const RING: [&str; 3] = ["10.0.0.1:9042", "10.0.0.2:9042", "10.0.0.3:9042"];
const FOURTH: &str = "10.0.0.4:9042";

fn peer(address: &str) -> Peer {
    Peer {
        address: address.to_owned(),
        host_id: Some(format!("id of {address}")),
        has_tokens: true,
    }
}

/// A node that answers, and lists these.
fn node(address: &str, peers: &[&str]) -> Attempt {
    Attempt {
        address: address.to_owned(),
        connect_micros: 300,
        error: None,
        is_connected: true,
        view: Some(NodeView {
            host_id: format!("id of {address}"),
            release: "5.0.9".to_owned(),
            schema: Some("a".to_owned()),
            peers: peers.iter().map(|address| peer(address)).collect(),
            answer_micros: 900,
        }),
    }
}

/// An address where nobody is.
fn nobody(address: &str) -> Attempt {
    Attempt {
        address: address.to_owned(),
        connect_micros: 10_000_000,
        error: Some("no answer within 10s".to_owned()),
        is_connected: false,
        view: None,
    }
}

fn three() -> ClusterSeen {
    let others = |own: &str| RING.into_iter().filter(|a| *a != own).collect::<Vec<_>>();
    ClusterSeen {
        attempts: RING.map(|own| node(own, &others(own))).to_vec(),
    }
}

fn view(attempt: &mut Attempt) -> &mut NodeView {
    attempt.view.as_mut().unwrap()
}

#[test]
fn nothing_is_said_of_a_cluster_that_is_well() {
    assert!(three().findings().is_empty());
    let one = ClusterSeen {
        attempts: vec![node(RING[0], &[])],
    };
    assert!(one.findings().is_empty());
    assert_eq!(one.releases().into_keys().collect::<Vec<_>>(), ["5.0.9"]);
    assert!(ClusterSeen::default().findings().is_empty());
}

#[test]
fn a_fourth_address_that_one_node_remembers_is_found() {
    let mut cluster = three();
    view(&mut cluster.attempts[0]).peers.push(peer(FOURTH));
    cluster.attempts.push(nobody(FOURTH));
    let expected = ClusterFinding::NotInRing {
        address: FOURTH.to_owned(),
        listed_by: vec![RING[0].to_owned()],
        not_by: vec![RING[1].to_owned(), RING[2].to_owned()],
        has_tokens: true,
        error: Some("no answer within 10s".to_owned()),
        micros: 10_000_000,
    };
    assert_eq!(cluster.findings(), [expected]);
}

#[test]
fn an_address_without_tokens_is_not_in_the_ring_whoever_lists_it() {
    let without = |change: fn(&mut Peer)| {
        let mut cluster = three();
        for attempt in &mut cluster.attempts {
            let mut fourth = peer(FOURTH);
            change(&mut fourth);
            view(attempt).peers.push(fourth);
        }
        cluster.attempts.push(nobody(FOURTH));
        cluster.findings()
    };
    for findings in [
        without(|peer| peer.has_tokens = false),
        without(|peer| peer.host_id = None),
    ] {
        let [
            ClusterFinding::NotInRing {
                listed_by,
                not_by,
                has_tokens: false,
                ..
            },
        ] = &findings[..]
        else {
            panic!("{findings:?}");
        };
        assert_eq!((listed_by.len(), not_by.len()), (3, 0));
    }
    let findings = without(|_| {});
    let [ClusterFinding::Unreachable { address, .. }] = findings.as_slice() else {
        panic!("a node of the ring is only down: {findings:?}");
    };
    assert_eq!(address, FOURTH);
}

#[test]
fn a_node_that_is_down_or_silent_is_found() {
    let mut cluster = three();
    cluster.attempts[2] = nobody(RING[2]);
    let unreachable = ClusterFinding::Unreachable {
        address: RING[2].to_owned(),
        error: "no answer within 10s".to_owned(),
        micros: 10_000_000,
    };
    assert_eq!(cluster.findings(), [unreachable]);

    cluster.attempts[2].is_connected = true;
    let silent = ClusterFinding::Silent {
        address: RING[2].to_owned(),
        error: "no answer within 10s".to_owned(),
    };
    assert_eq!(cluster.findings(), [silent]);
}

#[test]
fn an_address_at_which_another_node_answers_is_found() {
    let mut cluster = three();
    view(&mut cluster.attempts[1]).host_id = "id of the third".to_owned();
    let expected = ClusterFinding::AnotherNode {
        address: RING[1].to_owned(),
        listed: format!("id of {}", RING[1]),
        answers: "id of the third".to_owned(),
    };
    assert_eq!(cluster.findings(), [expected]);
}

#[test]
fn a_node_that_is_known_by_two_addresses_is_one() {
    let mut cluster = three();
    // The first node was named by another address than the one that the others list.
    cluster.attempts[0].address = "192.0.2.1:9042".to_owned();
    assert!(cluster.findings().is_empty(), "{:?}", cluster.findings());
    assert_eq!(cluster.unknown_addresses(), Vec::<String>::new());
    view(&mut cluster.attempts[1]).peers.push(peer(FOURTH));
    assert_eq!(cluster.unknown_addresses(), [FOURTH]);
}

#[test]
fn versions_that_differ_are_found() {
    let mut cluster = three();
    view(&mut cluster.attempts[1]).schema = Some("b".to_owned());
    view(&mut cluster.attempts[2]).release = "4.1.10".to_owned();
    let findings = cluster.findings();
    let [
        ClusterFinding::Schemas { versions: schemas },
        ClusterFinding::Releases { versions: releases },
    ] = findings.as_slice()
    else {
        panic!("{findings:?}");
    };
    assert_eq!(schemas["a"], [RING[0], RING[2]]);
    assert_eq!(schemas["b"], [RING[1]]);
    assert_eq!(releases["4.1.10"], [RING[2]]);
}
