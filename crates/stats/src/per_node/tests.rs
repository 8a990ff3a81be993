use super::*;

/// Makes the rate of a design on this many nodes here, with two cores each.
fn rate(design: &str, rate: f64, nodes: u32, copies: u32) -> MeasuredRate {
    MeasuredRate {
        design: design.to_owned(),
        query: None,
        rate,
        cluster: Cluster {
            nodes,
            copies: Some(copies),
            cores_of_node: Some(2.0),
            divides: true,
        },
    }
}

/// Makes the same on machines whose cores are not known.
fn elsewhere(design: &str, rate: f64, nodes: u32, copies: u32) -> MeasuredRate {
    let mut measured = self::rate(design, rate, nodes, copies);
    measured.cluster.cores_of_node = None;
    measured
}

/// A machine of 8 cores costs 500 a month.
fn wanted(prices: bool, need: Option<f64>) -> Wanted {
    Wanted {
        prices: prices.then(|| Prices {
            title: "ours".to_owned(),
            currency: "EUR".to_owned(),
            machine_cores: 8,
            machine_month: 500.0,
            storage_gib_month: 0.1,
        }),
        need,
    }
}

fn only(measured: MeasuredRate, wanted: &Wanted) -> NodeRate {
    PerNode::new(vec![measured], wanted, &[])
        .unwrap()
        .rates
        .remove(0)
}

#[test]
fn a_rate_is_divided_by_the_nodes() {
    let rate = only(rate("a", 9_000.0, 3, 2), &Wanted::default());
    assert_eq!((rate.rate, rate.per_node), (9_000.0, 3_000.0));
    assert_eq!(
        (rate.per_machine, rate.per_money, rate.needed),
        (None, None, None)
    );
}

#[test]
fn a_machine_of_the_list_does_as_much_more_as_it_has_more_cores() {
    let here = only(rate("a", 9_000.0, 3, 2), &wanted(true, None));
    assert_eq!(
        (here.per_machine, here.per_money),
        (Some(12_000.0), Some(24.0))
    );
    // Where cores are not known, a node is one of its machines.
    let away = only(elsewhere("a", 9_000.0, 3, 2), &wanted(true, None));
    assert_eq!(
        (away.per_machine, away.per_money),
        (Some(3_000.0), Some(6.0))
    );
}

#[test]
fn needed_nodes_are_rounded_up_but_not_for_an_error_of_rounding() {
    let nodes = |need| {
        let needed = only(rate("a", 900.0, 3, 1), &wanted(false, Some(need))).needed;
        needed.unwrap().nodes
    };
    assert_eq!(
        [1.0, 300.0, 300.5, 900.0, 901.0].map(nodes),
        [1, 1, 2, 3, 4]
    );
    let tenths = only(rate("a", 0.3, 3, 1), &wanted(false, Some(0.3)));
    assert_eq!(tenths.needed.unwrap().nodes, 3);
}

#[test]
fn there_are_as_many_nodes_as_copies_and_a_month_pays_for_all_of_them() {
    let wanted = wanted(true, Some(20_000.0));
    let for_rate = only(rate("a", 9_000.0, 3, 2), &wanted).needed.unwrap();
    assert_eq!((for_rate.nodes, for_rate.for_copies), (2, false));
    assert_eq!(for_rate.month, Some(1_000.0));
    let for_copies = only(rate("a", 9_000.0, 3, 3), &wanted).needed.unwrap();
    assert_eq!((for_copies.nodes, for_copies.for_copies), (3, true));
    assert_eq!(for_copies.month, Some(1_500.0));
}

#[test]
fn a_server_comes_with_all_of_its_standbys() {
    let mut with_standby = rate("a", 9_000.0, 2, 2);
    with_standby.cluster.divides = false;
    let needed = only(with_standby, &wanted(false, Some(20_000.0))).needed;
    // 4,500 of each of two nodes: 4.4 nodes, which are three servers with a standby each.
    assert_eq!(needed.map(|needed| needed.nodes), Some(6));
}

#[test]
fn what_is_not_known_has_no_nodes() {
    let none = |rate: f64| PerNode::new(vec![self::rate("a", rate, 3, 1)], &Wanted::default(), &[]);
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(none(rate), None, "{rate}");
    }
    assert_eq!(
        PerNode::new(Vec::new(), &wanted(true, Some(1.0)), &[]),
        None
    );
    // So many nodes are none.
    let endless = only(rate("a", 1e-300, 1, 1), &wanted(false, Some(1e300)));
    assert_eq!(endless.needed, None);
    let mut free = wanted(true, Some(10.0));
    free.prices.as_mut().unwrap().machine_month = 0.0;
    let free = only(rate("a", 9_000.0, 3, 2), &free);
    assert_eq!(
        (free.per_money, free.needed.unwrap().month),
        (None, Some(0.0))
    );
}

#[test]
fn one_node_without_prices_or_a_need_says_no_more_than_its_rate() {
    let of = |nodes, wanted: &Wanted| {
        let per_node = PerNode::new(vec![rate("a", 900.0, nodes, 1)], wanted, &[]);
        per_node.unwrap().is_more_than_rates()
    };
    assert!(!of(1, &Wanted::default()));
    assert!(of(3, &Wanted::default()));
    assert!(of(1, &wanted(true, None)) && of(1, &wanted(false, Some(1.0))));
}

#[test]
fn the_fewest_nodes_are_those_of_the_highest_rate_among_as_many() {
    let rates = ["a", "b", "c"].into_iter().zip([100.0, 900.0, 800.0]);
    let rates = rates.map(|(design, of)| rate(design, of, 1, 3)).collect();
    let per_node = PerNode::new(rates, &wanted(false, Some(200.0)), &[]).unwrap();
    let (fewest, needed) = per_node.fewest().unwrap();
    assert_eq!((fewest.design.as_str(), needed.nodes), ("b", 3));
}

#[test]
fn nodes_of_other_sizes_are_compared_by_prices_only() {
    let rates = || vec![rate("a", 900.0, 3, 1), elsewhere("b", 900.0, 3, 1)];
    let is_equal = |rates, wanted: &Wanted| {
        let per_node = PerNode::new(rates, wanted, &[]);
        per_node.unwrap().has_equal_nodes()
    };
    assert!(!is_equal(rates(), &wanted(false, Some(1.0))));
    assert!(is_equal(rates(), &wanted(true, Some(1.0))));
    assert!(is_equal(vec![rate("a", 900.0, 3, 1)], &wanted(false, None)));
    // Machines whose cores are not known are alike within one engine only.
    let away = |one: &str, other: &str| {
        let rates = [one, other].map(|design| elsewhere(design, 900.0, 3, 1));
        is_equal(rates.into(), &wanted(false, Some(1.0)))
    };
    assert!(!away("a/x", "b/x"));
    assert!(away("a/x", "a/y?page=1"));
}

#[test]
fn copies_that_are_not_known_take_no_nodes() {
    let mut measured = rate("a", 900.0, 3, 3);
    measured.cluster.copies = None;
    let needed = only(measured, &wanted(false, Some(200.0))).needed.unwrap();
    assert_eq!((needed.nodes, needed.for_copies), (1, false));
}

#[test]
fn clusters_of_several_sizes_are_compared_with_the_smallest_one() {
    let measured = vec![rate("a", 2_400.0, 3, 1), rate("b", 50.0, 3, 1)];
    let others = [
        vec![rate("a", 4_000.0, 5, 1)],
        vec![rate("a", 1_000.0, 1, 1)],
    ];
    let per_node = PerNode::new(measured, &Wanted::default(), &others).unwrap();
    assert_eq!(per_node.most_nodes(), 5);
    // The other design was measured on one size only.
    assert_eq!(per_node.scaling.len(), 1);
    let of = { per_node.scaling[0].points.iter() }.map(|at| (at.nodes, at.of_linear));
    assert_eq!(of.collect::<Vec<_>>(), [(1, 1.0), (3, 0.8), (5, 0.8)]);
    assert!(per_node.scaling[0].is_shared);
}

#[test]
fn measurements_that_are_not_of_two_sizes_are_told_apart() {
    let of = |rates: &[MeasuredRate], other: &[MeasuredRate]| mismatch(rates, other);
    let one = [rate("a", 1.0, 1, 1), rate("b", 1.0, 1, 1)];
    assert_eq!(of(&one, &[rate("a", 1.0, 3, 1)]), None);
    assert_eq!(of(&one, &one), Some(Mismatch::SameNodes(1)));
    assert_eq!(
        of(&one, &[rate("c", 1.0, 3, 1)]),
        Some(Mismatch::NothingInCommon)
    );
    assert_eq!(of(&one, &[]), Some(Mismatch::NothingInCommon));
    let copies = Mismatch::Copies {
        design: "a".to_owned(),
        copies: [Some(1), Some(3)],
    };
    assert_eq!(of(&one, &[rate("a", 1.0, 3, 3)]), Some(copies));
    // A server alone has one node whatever the cluster next to it has.
    assert_eq!(
        of(&one, &[rate("a", 1.0, 3, 1), rate("b", 1.0, 1, 1)]),
        None
    );
}
