//! Reports of passes: whole times, the server's figures beside them, and no rates.

use bakeoff_report::drive::{html, terminal};
use bakeoff_stats::drive::DriveSummary;

use super::fixture;
use super::read::PASSES;
use crate::compare::html::open_elements;

fn in_terminal(summary: &DriveSummary) -> String {
    terminal::render(summary, 140, false)
}

/// The verdict on one line.
fn verdict(summary: &DriveSummary) -> String {
    let text = terminal::render(summary, 200, false);
    let (_, verdict) = text.split_once("Verdict\n").unwrap();
    verdict.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cells of the line of the nth pass.
fn line_of(text: &str, operation: &str, nth: usize) -> Vec<String> {
    let (_, table) = text.split_once("Real").unwrap();
    // The rest of the head has such words, too.
    let mut lines = table.lines().skip(1).filter(|line| {
        let mut words = line.split_whitespace();
        words.any(|word| word == operation)
    });
    let line = lines.nth(nth).unwrap_or_else(|| panic!("{text}"));
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn each_pass_has_a_line_with_the_times_of_client_and_server() {
    let text = in_terminal(&PASSES);
    let head = text.lines().find(|line| line.contains("Real")).unwrap();
    for heading in [
        "Design",
        "Pass",
        "Real",
        "User",
        "System",
        "Server CPU",
        "Failed",
    ] {
        assert!(head.contains(heading), "{heading}\n{text}");
    }
    // Medians of 2.1 and 2.2 s, of six tenths of it, of a tenth, and of eight.
    let write = line_of(&text, "write", 0).join(" ");
    for figure in ["2.15 s", "1.29 s", "215 ms", "1.72 s", "3.00 MiB"] {
        assert!(write.contains(figure), "{figure}: {write}");
    }
    // The failure is counted, and the time is of the other round.
    let again = line_of(&text, "read", 1).join(" ");
    assert!(
        again.contains("3.10 s") && again.contains("1 (0.2"),
        "{again}"
    );
    assert!(
        !text.contains("Ops/s") && !text.contains("Response times"),
        "{text}"
    );
    assert!(text.contains("tables recreated for each round"), "{text}");
}

#[test]
fn the_verdict_sums_up_and_says_what_failed_and_what_was_not_compared() {
    let verdict = verdict(&PASSES);
    let expected = [
        "made 3 passes in 9.40 s; the client used 6.58 s of CPU time, the server 7.52 s. The longest is \
         read with 4.15 s.",
        "read (1 operation failed in 1 of 2 rounds)",
        "counted and not compared with cassandra/wide?chunk=4KiB: read.",
    ];
    for words in expected {
        assert!(verdict.contains(words), "{words}\n{verdict}");
    }
}

#[test]
fn passes_that_have_not_ended_have_no_figures() {
    let mut summary = PASSES.clone();
    for pass in &mut summary.passes {
        (pass.ended, pass.whole, pass.failed) = (0, 0, 0);
        (pass.real, pass.user, pass.system, pass.server_cpu) = (None, None, None, None);
    }
    assert_eq!(
        verdict(&summary),
        "No pass has come to its end, so there is nothing to say."
    );
    assert!(!in_terminal(&summary).contains("Real"));
}

#[test]
fn the_page_has_the_passes_and_a_line_of_each_over_time() {
    let page = html::render(&PASSES);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    for words in [
        "Server CPU",
        "GC pauses",
        "Bytes of values",
        "that it was accepted",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(page.contains("read, each of 240 rows once, round 2"));
    assert!(!page.contains("NaN") && !page.contains("Each load"));
}

#[test]
fn the_file_for_programs_has_every_figure() {
    let load = fixture::passes().unwrap();
    let json = bakeoff_report::drive::json::render(&load.summary, &load.records).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let pass = &value["summary"]["passes"][1];
    assert_eq!(pass["operation"], "read");
    assert!((pass["real"]["median"].as_f64().unwrap() - 4.15).abs() < 1e-9);
    assert!(pass["system"]["median"].is_f64() && pass["disk_written"]["median"].is_f64());
    assert_eq!(value["summary"]["header"]["passes"]["from_empty"], true);
}
