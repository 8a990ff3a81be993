//! Rows per second for each node and for money, and the nodes that a wanted rate needs.

use bakeoff_report::sweep::{html, json, terminal};
use bakeoff_stats::per_node::Wanted;
use bakeoff_stats::sweep::{SweepRecord, SweepSummary};
use bakeoff_stats::{EngineInfo, Prices};

use super::fixture::{SERIES, TIMESCALE, cell, header};
use super::words;

/// Two designs, of which that of Cassandra ran on this many nodes here.
fn on_nodes(nodes: u32, rate: f64) -> SweepSummary {
    sweep(Some(25.0), nodes, rate)
}

fn sweep(start_seconds: Option<f64>, nodes: u32, rate: f64) -> SweepSummary {
    let setting = |name: &str, value: String| (name.to_owned(), value);
    let engine = EngineInfo {
        engine: "cassandra".to_owned(),
        version: "5.0".to_owned(),
        start_seconds,
        settings: vec![
            setting(EngineInfo::CLUSTER, "cass-0:9042".to_owned()),
            setting(EngineInfo::NODES, nodes.to_string()),
            setting(EngineInfo::COPIES, "2".to_owned()),
        ],
    };
    let records = [
        SweepRecord::Engine(engine),
        SweepRecord::Cell(cell(TIMESCALE, 100, 8, 40_000.0)),
        SweepRecord::Cell(cell(SERIES, 100, 8, rate)),
    ];
    SweepSummary::new(&header(), &records)
}

/// A machine of 8 cores costs 500 a month.
fn wanted(need: Option<f64>) -> Wanted {
    Wanted {
        prices: Some(Prices {
            title: "Prices of <ours>".to_owned(),
            currency: "EUR".to_owned(),
            machine_cores: 8,
            machine_month: 500.0,
            storage_gib_month: 0.12,
        }),
        need,
    }
}

fn shown(summary: &SweepSummary) -> String {
    words(&terminal::render(summary, 140, false))
}

#[test]
fn several_nodes_have_rates_of_each_and_one_node_has_none() {
    let summary = on_nodes(3, 9_000.0);
    let words = shown(&summary);
    for part in [
        "Nodes and money Client and all nodes shared one machine",
        "a rate per node is a lower bound",
        "Design Nodes Copies Cores each Rows/s Per node",
        "cassandra/series 3 2 0.667 9.00 k 3.00 k",
        "timescale/hypertable?chunk=12h 1 1 2 40.0 k 40.0 k",
    ] {
        assert!(words.contains(part), "`{part}` is not in: {words}");
    }
    assert!(html::render(&summary).contains("<h2>Nodes and money</h2>"));
    let one = on_nodes(1, 9_000.0);
    assert!(!shown(&one).contains("Nodes and money"));
    assert!(!html::render(&one).contains("Nodes and money"));
}

#[test]
fn prices_give_rates_for_money_and_a_need_the_nodes_and_what_they_cost() {
    let summary = on_nodes(3, 9_000.0).per_node(&wanted(Some(500_000.0)), &[]);
    let words = shown(&summary);
    // A machine of the list has four times the cores of this one: 160,000 and 36,000 rows/s.
    for part in [
        "500 k rows/s take the fewest nodes with timescale/hypertable?chunk=12h: 4 nodes, for 2,000 EUR a month.",
        "Nodes needed are an estimate: in proportion to nodes",
        "not measured beyond 3 nodes.",
        "500.00 EUR a month for a machine of 8 cores",
        "Several nodes of timescale/hypertable?chunk=12h are as many servers apart",
        "Per machine Per EUR/month Nodes for 500 k/s EUR/month",
        "40.0 k 40.0 k 160 k 320 4 2,000",
        "9.00 k 3.00 k 36.0 k 72.0 14 7,000",
    ] {
        assert!(words.contains(part), "`{part}` is not in: {words}");
    }
    let page = html::render(&summary);
    assert!(page.contains("Prices of &lt;ours&gt;") && !page.contains("<ours>"));
    for width in [80, 100, 120] {
        let text = terminal::render(&summary, width, false);
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(width), "{width}: {text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&json::render(&summary, &[]).unwrap()).unwrap();
    let per_node = &json["summary"]["per_node"];
    assert_eq!(per_node["need"], 500_000.0);
    assert_eq!(per_node["rates"][1]["needed"]["nodes"], 14);
    assert_eq!(per_node["rates"][1]["needed"]["month"], 7_000.0);
    assert_eq!(per_node["rates"][1]["cluster"]["copies"], 2);
}

#[test]
fn a_node_of_a_cluster_elsewhere_is_a_machine_of_the_list_and_copies_need_nodes() {
    let summary = sweep(None, 5, 10_000.0).per_node(&wanted(Some(1_000.0)), &[]);
    let words = shown(&summary);
    for part in [
        "A node on a separate machine counts as one, whatever its cores, and is taken to be a machine of the list.",
        "cassandra/series 5 2 – 10.0 k 2.00 k 2.00 k 4.00 2 (copies) 1,000",
    ] {
        assert!(words.contains(part), "`{part}` is not in: {words}");
    }
}

#[test]
fn nodes_of_different_sizes_are_not_counted_against_each_other() {
    let need = Wanted {
        prices: None,
        need: Some(500_000.0),
    };
    let words = shown(&on_nodes(3, 9_000.0).per_node(&need, &[]));
    assert!(!words.contains("take the fewest nodes"), "{words}");
    assert!(words.contains("9.00 k 3.00 k 167"), "{words}");
    assert!(!words.contains("Per machine"), "{words}");
}

#[test]
fn copies_that_are_not_known_are_a_dash_and_rows_elsewhere_are_named() {
    let mut header = header();
    header.designs[0].stored_by = Some("cassandra".to_owned());
    let engine = EngineInfo {
        engine: "cassandra".to_owned(),
        version: "5.0".to_owned(),
        start_seconds: None,
        settings: vec![
            (EngineInfo::CLUSTER.to_owned(), "cass-0:9042".to_owned()),
            (EngineInfo::NODES.to_owned(), "5".to_owned()),
            (
                EngineInfo::COPIES.to_owned(),
                EngineInfo::COPIES_OF_SHARED.to_owned(),
            ),
        ],
    };
    let records = [
        SweepRecord::Engine(engine),
        SweepRecord::Cell(cell(TIMESCALE, 100, 8, 40_000.0)),
        SweepRecord::Cell(cell(SERIES, 100, 8, 10_000.0)),
    ];
    let summary = SweepSummary::new(&header, &records).per_node(&wanted(Some(1_000.0)), &[]);
    let words = shown(&summary);
    for part in [
        "cassandra/series 5 – 10.0 k 2.00 k 2.00 k 4.00 1 500.00",
        "Copies of a shared keyspace are not known",
        "Without a rate per node, since their rows are on nodes of another engine: timescale/hypertable?chunk=12h.",
    ] {
        assert!(words.contains(part), "`{part}` is not in: {words}");
    }
}

#[test]
fn a_setting_with_errors_has_no_rate_per_node() {
    let mut failing = cell(SERIES, 100, 8, 9_000.0);
    failing.failures.kinds = vec![(bakeoff_stats::FailureKind::TimedOut, 1)];
    let summary = SweepSummary::new(&header(), &[SweepRecord::Cell(failing)]);
    assert!(summary.designs[1].best.is_some());
    assert_eq!(summary.per_node, None);
    let summary = summary.per_node(&wanted(Some(1.0)), &[]);
    assert!(!shown(&summary).contains("Nodes and money"));
}

#[test]
fn clusters_of_several_sizes_have_a_chart_with_the_linear_line() {
    let others = [on_nodes(1, 4_000.0), on_nodes(5, 12_000.0)];
    let others = others.map(|summary| summary.node_rates());
    let summary = on_nodes(3, 9_000.0).per_node(&Wanted::default(), &others);
    let words = shown(&summary);
    for part in [
        "By number of nodes Rows/s of all nodes together",
        "this shows what coordination costs, not how fast more machines are.",
    ] {
        assert!(words.contains(part), "`{part}` is not in: {words}");
    }
    let text = terminal::render(&summary, 140, false);
    let section = text.split("By number of nodes\n").nth(1).unwrap();
    let section = section.split("\n\n").next().unwrap();
    let rows = section.lines().skip_while(|line| !line.contains('─'));
    let rows: Vec<String> = rows.skip(1).map(super::words).collect();
    // The other design had one node in all of them.
    assert_eq!(
        rows,
        [
            "cassandra/series 1 4.00 k 100%",
            "cassandra/series 3 9.00 k 75%",
            "cassandra/series 5 12.0 k 60%",
        ]
    );
    let page = html::render(&summary);
    let section = page.split("<h2>By number of nodes</h2>").nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    assert_eq!(section.matches("<svg ").count(), 1);
    assert_eq!(section.matches("class=\"line dashed\"").count(), 1);
    assert!(section.contains("9.00 k rows/s on 3 nodes, 75% of linear"));
}
