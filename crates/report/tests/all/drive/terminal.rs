use bakeoff_report::drive::terminal::render;
use bakeoff_stats::NodesInfo;
use bakeoff_stats::drive::{DriveRun, merge};

use super::fixture;
use super::read::{COMPARISON, SEARCH, STALL};

fn widest(text: &str) -> usize {
    text.lines()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0)
}

#[test]
fn comparison_narrow() {
    insta::assert_snapshot!(render(&COMPARISON, 80, false));
}

#[test]
fn comparison_wide() {
    insta::assert_snapshot!(render(&COMPARISON, 140, false));
}

#[test]
fn search() {
    insta::assert_snapshot!(render(&SEARCH, 100, false));
}

#[test]
fn stall() {
    insta::assert_snapshot!(render(&STALL, 100, false));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for summary in [&COMPARISON, &SEARCH, &STALL] {
        for width in [60, 72, 80, 100, 140, 200] {
            let text = render(summary, width, false);
            assert!(widest(&text) <= width, "{width}\n{text}");
        }
    }
}

#[test]
fn failures_are_red_and_told() {
    let mut summary = COMPARISON.clone();
    summary.designs[1]
        .failures
        .push("its table is gone".to_owned());
    let text = render(&summary, 400, true);
    assert!(text.contains("\x1b[31m✗ cassandra/wide?chunk=64KiB"));
    assert!(text.contains("its table is gone"));
    // Three of each design in each of three rounds.
    assert!(text.contains("operations failed (18 timed out)"), "{text}");
}

#[test]
fn a_rate_that_was_capped_says_so_with_the_rate_reached() {
    let mut summary = STALL.clone();
    let end = summary.trials[0].end.as_mut().unwrap();
    (end.rate_reached, end.unsent) = (400.0, 120);
    let text = render(&summary, 200, false);
    assert!(
        text.contains("32 operations in flight capped the rate"),
        "{text}"
    );
    assert!(text.contains("400 of 500 ops/s"), "{text}");
    assert!(
        text.contains("120 operations were due and never sent"),
        "{text}"
    );
}

#[test]
fn an_objective_that_nothing_held_is_said() {
    let mut summary = SEARCH.clone();
    for design in &mut summary.designs {
        (design.highest_rate, design.figures, design.rate) = (None, None, None);
        design.found[0].rate = None;
    }
    let text = render(&summary, 200, false);
    assert!(
        text.contains("No rate that was tried held p99<10ms, errors<0.1%"),
        "{text}"
    );
}

#[test]
fn a_load_of_which_only_the_header_exists_can_be_shown() {
    let load = fixture::comparison().unwrap();
    let lines = std::fs::read_to_string(load.path().join("drive.jsonl")).unwrap();
    let first = lines.lines().next().unwrap();
    std::fs::write(load.path().join("drive.jsonl"), format!("{first}\n")).unwrap();
    let summary = DriveRun::open(load.path()).unwrap().summary().unwrap();
    let text = render(&summary, 80, false);
    assert!(text.contains("No load has finished"), "{text}");
    assert!(text.contains("has not finished"), "{text}");
}

#[test]
fn a_shard_and_a_joined_load_say_what_they_are() {
    let shards = [0, 1].map(|index| {
        let load = fixture::stall().unwrap();
        let path = load.path().join("drive.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replacen("\"shard\":[0,1]", &format!("\"shard\":[{index},2]"), 1);
        std::fs::write(&path, text).unwrap();
        fixture::Load::read(load.dir).unwrap()
    });
    let text = render(&shards[0].summary, 200, false);
    assert!(text.contains("this is shard 1 of 2"), "{text}");
    let out = tempfile::tempdir().unwrap();
    let dirs = [&shards[0], &shards[1]].map(|s| s.path().to_owned());
    merge(&dirs, out.path()).unwrap();
    let joined = fixture::Load::read(out).unwrap();
    let text = render(&joined.summary, 200, false);
    assert!(text.contains("2 processes, 2 threads"), "{text}");
    assert_eq!(joined.summary.trials[0].figures.ops_per_second, 1_000.0);
}

#[test]
fn what_went_wrong_beside_the_operations_is_told() {
    let mut summary = STALL.clone();
    let end = summary.trials[0].end.as_mut().unwrap();
    (end.background_statements, end.background_failed) = (60, 7);
    end.worker_failures = vec!["worker thread 2: connection reset".to_owned()];
    let text = render(&summary, 200, false);
    assert!(
        text.contains("7 of 60 background statements failed"),
        "{text}"
    );
    let left_out = "left out of all figures: cassandra/wide?chunk=4KiB, round 1: worker thread 2";
    assert!(text.contains(left_out), "{text}");
}

#[test]
fn a_rate_that_the_driver_did_not_reach_is_not_blamed_on_the_limit_in_flight() {
    let mut summary = STALL.clone();
    let end = summary.trials[0].end.as_mut().unwrap();
    (end.queued, end.unsent, end.rate_reached) = (0, 500, 300.0);
    end.lateness_p99_ns = Some(9_000_000_000);
    let text = render(&summary, 200, false);
    assert!(!text.contains("in flight capped the rate"), "{text}");
    assert!(text.contains("it needs more --threads"), "{text}");
    assert!(text.contains("reached only 300"), "{text}");
}

#[test]
fn several_nodes_on_one_machine_are_told() {
    let mut summary = STALL.clone();
    summary.header.nodes = Some(NodesInfo {
        engine: "cassandra".to_owned(),
        nodes: 3,
        copies: 2,
        consistency: "QUORUM".to_owned(),
    });
    let text = render(&summary, 400, false);
    let note = "Cassandra ran as 3 nodes on this one machine with 2 copies of each row: CPU times, \
                storage and disk reads are of all nodes together; all nodes share 2 cores";
    assert!(text.contains(note), "{text}");
}
