//! Loads that are drawn over each other, on the page.

use bakeoff_report::drive::html::render;

use super::fixture;
use super::html::lines_of;
use super::read::{COMPARISON, PASSES, SEARCH, STALL};

/// The charts of a section, of which there are two sizes each.
fn charts_of<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let (_, section) = page.split_once(&format!("<h2>{heading}</h2>")).unwrap();
    let section = section.split("</section>").next().unwrap();
    section.split("<svg ").skip(1).collect()
}

#[test]
fn designs_are_drawn_over_each_other_from_their_starts_on() {
    let page = render(&COMPARISON);
    let charts = charts_of(&page, "Designs on one time axis");
    assert_eq!(charts.len(), 4, "wide and for phones, of servers by itself");
    for heading in [
        "Response time p99 of the slowest operation",
        "Operations a second",
        "Server CPU, cores in use",
        "Garbage collection pauses, ms/s",
    ] {
        let lines = lines_of(charts[0], &format!(">{heading}"));
        assert_eq!(lines, ["e0", "e1"], "{heading}");
    }
    for (place, id) in fixture::DESIGNS.iter().enumerate() {
        let item = format!("<li class=\"e{place}\"");
        let (_, after) = page.split_once(&item).unwrap();
        assert!(after.split("</li>").next().unwrap().contains(id), "{id}");
    }
    assert!(charts[0].contains("from second 0 on for 24.0 s"));
    // What else is known of the servers is behind a line, with the same colours.
    for (heading, lines) in [
        ("Requests to the device a second, all programs", 2),
        ("Allocated on the heap, MiB/s", 2),
        ("Load average of the machine over a minute", 2),
        ("Requests to tables that nodes answered a second", 2),
        ("Requests to tables that nodes coordinated a second", 2),
        // Reads, and writes dashed, of each.
        ("Server&#39;s own p99, ms: read, write dashed", 4),
        ("Coordinator&#39;s p99, ms: read, write dashed", 2),
    ] {
        let drawn = lines_of(charts[2], &format!(">{heading}"));
        assert_eq!(drawn.len(), lines, "{heading}");
        assert!(drawn.iter().all(|class| ["e0", "e1"].contains(class)));
        assert!(!charts[0].contains(heading), "{heading}");
    }
    // Nothing was compacted in the loads of either.
    assert!(charts[2].contains(">0 throughout: compactions&#39; part of the disk.</text>"));
    assert!(charts[3].contains(">0 throughout: compactions&#39; "));
    assert!(!charts[2].contains(">Compactions") && !charts[0].contains("0 throughout"));
    // A single design has nothing beside it, and loads of a search have different rates.
    for summary in [&STALL, &SEARCH] {
        assert!(!render(summary).contains("on one time axis"));
    }
}

#[test]
fn passes_are_drawn_one_after_the_other() {
    let page = render(&PASSES);
    let charts = charts_of(&page, "Passes on one time axis");
    assert_eq!(charts.len(), 2);
    let lines = lines_of(charts[0], ">Operations a second");
    assert_eq!(lines, ["e0", "e1", "e2"]);
    // They began 90 s apart.
    for words in [
        "write from second 0 on",
        "read from second 90 on",
        "read from second 180 on",
    ] {
        assert!(charts[0].contains(words), "{words}");
    }
}
