use std::collections::BTreeSet;

use bakeoff_testing::Random;

use super::*;
use crate::cassandra::read::request::Request;

fn node(number: usize) -> Replica {
    in_datacenter(0, number)
}

fn in_datacenter(datacenter: usize, number: usize) -> Replica {
    Replica {
        datacenter: Some(datacenter),
        host: Uuid::from_u128(number as u128),
    }
}

/// A ring of tokens and the nodes that they belong to, each with copies on the nodes of the tokens behind it.
fn ring(tokens: &[(i64, usize)], copies: usize) -> Vec<RingRange> {
    let nodes: BTreeSet<usize> = tokens.iter().map(|(_, node)| *node).collect();
    let copies = copies.min(nodes.len());
    let range = |at: usize| {
        let mut replicas: Vec<Replica> = Vec::new();
        for (_, number) in tokens.iter().cycle().skip(at) {
            if !replicas.contains(&node(*number)) {
                replicas.push(node(*number));
            }
            if replicas.len() == copies {
                break;
            }
        }
        replicas.sort_unstable();
        RingRange {
            to: tokens[at].0,
            replicas,
        }
    };
    (0..tokens.len()).map(range).collect()
}

/// Tokens at random, of which each node has several.
fn virtual_nodes(random: &mut Random, nodes: usize, tokens: usize) -> Vec<(i64, usize)> {
    let mut all: Vec<(i64, usize)> = (0..nodes * tokens)
        .map(|i| (random.number() as i64, i % nodes))
        .collect();
    all.sort_unstable();
    all
}

/// The nodes that have the rows of a token.
fn owners(ring: &[RingRange], token: i64) -> &[Replica] {
    let found = ring.iter().find(|range| token <= range.to);
    found.or(ring.first()).map_or(&[], |range| &range.replicas)
}

/// Checks that each token is in one range, and that the replicas of a range have all of its tokens.
#[track_caller]
fn check(ring: &[RingRange], ranges: &[TokenRange]) {
    assert_eq!(ranges.first().unwrap().after, i64::MIN);
    assert_eq!(ranges.last().unwrap().to, i64::MAX);
    assert!(ranges.windows(2).all(|pair| pair[0].to == pair[1].after));
    for range in ranges {
        assert!(range.after < range.to, "{range:?}");
        let within = ring.iter().map(|ring_range| ring_range.to);
        let within = within.filter(|token| range.after < *token && *token <= range.to);
        for token in within.chain([range.after + 1, range.to]) {
            let owners = owners(ring, token);
            let has = |replica: &Replica| owners.contains(replica);
            assert!(range.replicas.iter().all(has), "{token} of {range:?}");
        }
    }
}

#[test]
fn ranges_are_of_equal_width_where_no_ring_is_known() {
    for n in [1, 2, 3, 7, 64] {
        let ranges = token_ranges(&[], n);
        assert_eq!(ranges.len(), n);
        check(&[], &ranges);
        assert!(ranges.iter().all(|range| range.replicas.is_empty()));
        let widths = ranges.iter().map(TokenRange::width);
        let (least, most) = (widths.clone().min().unwrap(), widths.max().unwrap());
        assert!(most - least <= 1, "{least} to {most}");
    }
    assert_eq!(token_ranges(&[], 0).len(), 1);
}

#[test]
fn nodes_that_all_have_all_rows_cut_nothing() {
    let ring = ring(&[(-50, 1), (0, 2), (70, 3)], 3);
    for n in [1, 8, 64] {
        let ranges = token_ranges(&ring, n);
        assert_eq!(ranges.len(), n);
        check(&ring, &ranges);
        assert!(ranges.iter().all(|range| range.replicas.len() == 3));
    }
}

#[test]
fn ranges_end_where_those_of_the_ring_do() {
    let quarter = 1 << 62;
    let ring = ring(&[(-quarter, 1), (0, 2), (quarter, 3)], 1);
    let ranges = token_ranges(&ring, 4);
    check(&ring, &ranges);
    let found: Vec<(i64, i64, Replica)> = { ranges.iter() }
        .map(|range| (range.after, range.to, range.replicas[0]))
        .collect();
    // What is behind the last token belongs to the node of the first one.
    let expected = [
        (i64::MIN, -quarter, node(1)),
        (-quarter, 0, node(2)),
        (0, quarter, node(3)),
        (quarter, i64::MAX, node(1)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn tokens_at_the_ends_of_the_ring_make_no_empty_range() {
    for tokens in [
        &[(i64::MAX, 1)][..],
        &[(i64::MIN, 1)],
        &[(i64::MIN, 1), (i64::MAX, 2)],
        &[(i64::MIN + 1, 1), (i64::MAX - 1, 2)],
        &[(7, 1), (7, 2), (8, 1)],
    ] {
        for n in [1, 2, 5] {
            let ring = ring(tokens, 1);
            check(&ring, &token_ranges(&ring, n));
        }
    }
}

#[test]
fn ranges_of_virtual_nodes_are_joined_where_a_node_has_them_all() {
    let mut random = Random::printed("ranges of virtual nodes");
    for (nodes, tokens, copies) in [(3, 16, 2), (6, 16, 3), (6, 64, 3), (12, 64, 3)] {
        let ring = ring(&virtual_nodes(&mut random, nodes, tokens), copies);
        // So many are wanted that the most are never reached.
        let wanted = nodes * tokens;
        let ranges = token_ranges(&ring, wanted);
        check(&ring, &ranges);
        assert!(ranges.iter().all(|range| !range.replicas.is_empty()));
        assert!(ranges.len() < 2 * wanted, "{} ranges", ranges.len());
        let few = token_ranges(&ring, wanted / 4);
        check(&ring, &few);
        assert!(few.len() < ranges.len(), "{} ranges", few.len());
    }
}

#[test]
fn there_are_never_far_more_ranges_than_are_wanted() {
    let mut random = Random::printed("far more ranges");
    let ring = ring(&virtual_nodes(&mut random, 12, 64), 1);
    for wanted in [1, 8, 64] {
        let ranges = token_ranges(&ring, wanted);
        check(&ring, &ranges);
        let most = MOST_TIMES * wanted + 1;
        assert!(ranges.len() <= most, "{} of {most}", ranges.len());
        assert!(ranges.iter().any(|range| range.replicas.is_empty()));
    }
}

#[test]
fn joined_ranges_have_a_replica_in_each_datacenter() {
    let (far, near) = (in_datacenter(1, 9), |number| in_datacenter(0, number));
    assert_eq!(common(&[near(1), far], &[near(2), far]), None);
    assert_eq!(common(&[near(1), far], &[near(1)]), None);
    let both = common(&[near(1), near(2), far], &[near(2), near(3), far]);
    assert_eq!(both, Some(vec![near(2), far]));
    assert_eq!(common(&[], &[]), Some(Vec::new()));
}

#[test]
fn requests_are_split_evenly() {
    let requests = vec![Request::new(vec![]); 5];
    let sizes = |n| {
        split_round_robin(requests.clone(), n)
            .iter()
            .map(Vec::len)
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes(2), [3, 2]);
    assert_eq!(sizes(9), [1; 5]);
    assert_eq!(
        split_round_robin::<Request>(Vec::new(), 4),
        vec![Vec::new()]
    );
}
