//! Operations per second for each node, and the nodes that a wanted rate needs.

use bakeoff_report::drive::{html, terminal};
use bakeoff_stats::drive::DriveSummary;
use bakeoff_stats::per_node::Wanted;

use super::read::{COMPARISON, PASSES, RATE, SEARCH, STALL};

fn needing(summary: &DriveSummary, need: f64) -> DriveSummary {
    let wanted = Wanted {
        prices: None,
        need: Some(need),
    };
    summary.clone().per_node(&wanted, &[])
}

fn words(summary: &DriveSummary) -> String {
    let text = terminal::render(summary, 140, false);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn loads_as_fast_as_they_go_and_searches_have_rates_per_node() {
    for (summary, rows) in [
        (
            &*COMPARISON,
            [
                "cassandra/wide?chunk=4KiB 1 1 2 528 528 10",
                "cassandra/wide?chunk=64KiB 1 1 2 318 318 16",
            ],
        ),
        (
            &*SEARCH,
            [
                "cassandra/wide?chunk=4KiB 1 1 2 600 600 9",
                "cassandra/wide?chunk=64KiB 1 1 2 200 200 25",
            ],
        ),
    ] {
        assert!(!words(summary).contains("Nodes and money"));
        let summary = needing(summary, 5_000.0);
        let words = words(&summary);
        let first = "5 k operations/s take the fewest nodes with cassandra/wide?chunk=4KiB";
        for part in rows.iter().chain(&[first]) {
            assert!(words.contains(part), "`{part}` is not in: {words}");
        }
        let page = html::render(&summary);
        assert!(page.contains("Nodes for 5 k/s"), "{page}");
    }
}

#[test]
fn loads_at_a_given_rate_and_passes_have_none() {
    for summary in [&*RATE, &*STALL, &*PASSES] {
        assert_eq!(needing(summary, 5_000.0).per_node, None);
    }
}
