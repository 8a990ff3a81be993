//! Reports of a node that was added during a load.

use bakeoff_report::drive::{html, json, terminal};
use bakeoff_stats::drive::{DriveSummary, LoadPart, NodeAdded, PartFigures, PartOfLoad};

use super::read::STALL;
use crate::compare::html::open_elements;

/// Adds a node to the first load that figures are of.
fn with(change: impl FnOnce(&mut NodeAdded)) -> DriveSummary {
    let mut summary = STALL.clone();
    let figures = |p99_ns, failed| PartFigures {
        successes: 4_000,
        failed,
        p50_ns: Some(1_000_000),
        p99_ns: Some(p99_ns),
        max_ns: Some(90_000_000),
    };
    let operations = summary.header.operations.len();
    let part = |part, from, to, p99_ns, failed| LoadPart {
        part,
        from,
        to,
        operations: vec![figures(p99_ns, failed); operations],
    };
    let mut added = NodeAdded {
        trial: summary.designs[0].trials[0],
        design: summary.designs[0].info.id.clone(),
        began: 4.0,
        ended: Some(8.5),
        failed: None,
        streamed_bytes: Some(3 << 20),
        parts: vec![
            part(PartOfLoad::Before, 0, 4, 7_000_000, 0),
            part(PartOfLoad::During, 4, 9, 31_000_000, 12),
            part(PartOfLoad::After, 9, 14, 5_000_000, 0),
        ],
    };
    change(&mut added);
    summary.nodes_added.push(added);
    summary
}

/// The text on one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_load_is_told_before_while_a_node_joins_and_afterwards() {
    let text = terminal::render(&with(|_| {}), 160, false);
    let (_, section) = text.split_once("A node that was added\n").unwrap();
    let line = |word: &str| section.lines().find(|line| line.contains(word)).unwrap();
    assert!(line("before, 0 to 4 s").contains("7.00 ms"), "{section}");
    let during = line("meanwhile, 4 to 9 s");
    // 4,000 operations in 5 seconds.
    for figure in ["800", "31.0 ms", "12"] {
        assert!(during.contains(figure), "{figure}: {during}");
    }
    assert!(line("afterwards, 9 to 14 s").contains("5.00 ms"));
    let flat = flat(&text);
    for words in [
        "one more node was started, which had joined after 4.5 s, its own start included; the other nodes \
         sent it 3.00 MiB",
        "without that node",
        "One more node joined: before ",
        "; meanwhile ",
        " p99 31.0 ms, ",
    ] {
        assert!(flat.contains(words), "{words}: {flat}");
    }
}

#[test]
fn the_page_marks_when_joining_began_and_ended() {
    let page = html::render(&with(|_| {}));
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("<title>a node was started 4 s from the start</title>"));
    assert!(page.contains("<title>the node had joined "));
    assert!(page.contains("Dashed across"));
    let without = html::render(&STALL);
    assert!(!without.contains("a node was started") && !without.contains("Dashed across"));
}

#[test]
fn a_node_that_did_not_join_has_its_reason() {
    let failed = with(|added| {
        added.failed = Some("its log ends with <no memory>".to_owned());
        added.ended = None;
        added.streamed_bytes = None;
    });
    let text = flat(&terminal::render(&failed, 160, false));
    let words = "which did not join: its log ends with <no memory>";
    assert!(text.contains(words), "{text}");
    let page = html::render(&failed);
    assert!(page.contains("&lt;no memory&gt;") && !page.contains("the node had joined"));
    let json = json::render(&failed, &[]).unwrap();
    assert!(json.contains("\"nodes_added\""), "{json}");
}
