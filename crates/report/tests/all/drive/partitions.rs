//! Partitions in the reports of loads: what was counted, what is estimated, and what is not known.

use bakeoff_report::drive::{html, terminal};
use bakeoff_stats::drive::{DriveSummary, KeyShares, PartitionBytes, PartitionRows, Partitions};

use super::fixture::DESIGNS;
use super::read::COMPARISON;
use crate::compare::html::open_elements;

fn shares(counted: u64, first: f64) -> KeyShares {
    KeyShares {
        counted,
        keys: 200,
        first,
        hundredth: 2.0 * first,
    }
}

fn with(rows: Option<u64>, tables: &[&str]) -> DriveSummary {
    let mut summary = COMPARISON.clone();
    let bytes = |table: &&str| PartitionBytes {
        table: (*table).to_owned(),
        p50: 2_048,
        p99: 4_096,
        max: 1 << 20,
        nodes: 1,
    };
    summary.partitions.push(Partitions {
        design: DESIGNS[0].to_owned(),
        key: rows.map(|_| "sensor, floor(time / 3600000)".to_owned()),
        rows: rows.map(|one_in| PartitionRows {
            partitions: 200 * one_in,
            p50: 60,
            p99: 61,
            max: 900,
            one_in,
            shares: shares(12_000, 0.075),
        }),
        requests: rows.map(|_| shares(100_000, 0.125)),
        bytes: tables.iter().map(bytes).collect(),
    });
    summary
}

#[test]
fn counts_are_exact_and_bytes_are_estimates() {
    let text = terminal::render(&with(Some(1), &["wide_1"]), 200, false);
    let (_, section) = text.split_once("Partitions\n").unwrap();
    let line = section
        .lines()
        .find(|line| line.contains(DESIGNS[0]))
        .unwrap();
    for words in [
        "200",
        "60",
        "900",
        "7.50%, 15.00%",
        "12.50%, 25.00%",
        "~2.00 KiB",
        "~1.00 MiB",
    ] {
        assert!(line.contains(words), "{words}: {line}");
    }
    assert!(
        !line.contains("~200") && !section.contains("one key in"),
        "{section}"
    );
    assert!(section.contains("nodetool tablehistograms"), "{section}");
    assert!(!section.contains("wide_1"), "a single table needs no name");
}

#[test]
fn a_sample_is_said_to_be_one() {
    let text = terminal::render(&with(Some(8), &[]), 200, false);
    assert!(text.contains("~1,600") && text.contains("~900"), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("up to one key in 8"), "{text}");
    assert!(!text.contains("tablehistograms"), "{text}");
}

#[test]
fn tables_as_written_have_a_line_each() {
    let text = terminal::render(&with(None, &["as_list", "as_columns"]), 200, false);
    let lines = text.lines().filter(|line| line.contains("~2.00 KiB"));
    assert_eq!(lines.count(), 2, "{text}");
    assert!(
        text.contains("as_list") && text.contains("as_columns"),
        "{text}"
    );
    assert!(!text.contains("Rows p50"), "{text}");
}

#[test]
fn the_page_has_the_key_and_all_figures() {
    let page = html::render(&with(Some(1), &["wide_1"]));
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    for words in [
        "Partition key",
        "floor(time / 3600000)",
        "~4.00 KiB",
        "12.50%, 25.00%",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!html::render(&COMPARISON).contains("Partition key"));
}
