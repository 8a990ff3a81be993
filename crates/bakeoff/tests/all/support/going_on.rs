//! Runs that are killed while they load, and checks of what runs have recorded when they have come to their end.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::processes::Going;
use super::{Bench, of_kind};

/// Starts a run into the folder `out`, and kills it when a slice is loaded into this design.
#[track_caller]
pub fn kill_while_loading(bench: &Bench, run: &[&str], design: &str) {
    let mut going = Going::start(&mut bench.command(run));
    going.wait_until("a slice was loaded", || {
        let records = bench.journal("out");
        of_kind(&records, "loaded").any(|record| record["design"] == design)
    });
    going.kill();
}

/// Checks that nothing failed, that so many answers have a time, and that all answers are right, those to several
/// clients included.
#[track_caller]
pub fn all_is_right(records: &[Value], timed: usize) {
    assert_eq!(of_kind(records, "timed").count(), timed);
    nothing_is_wrong(records);
}

/// Checks that no answer of a round was timed twice, and no slice was loaded twice where rows outlive a kill.
#[track_caller]
pub fn nothing_came_twice(records: &[Value]) {
    let times = of_kind(records, "timed");
    is_there_once(times.map(|r| format!("{} {} {}", r["design"], r["query"], r["round"])));
    let loaded = of_kind(records, "loaded").filter(|r| r["design"] != "memory");
    is_there_once(loaded.map(|r| format!("{} {}", r["design"], r["slice"])));
}

#[track_caller]
fn is_there_once(steps: impl Iterator<Item = String>) {
    let mut seen = BTreeSet::new();
    let twice: Vec<String> = steps.filter(|step| !seen.insert(step.clone())).collect();
    assert_eq!(twice, [""; 0], "done twice");
}

/// Runs a workload with designs that have no server into the folder `out`, and checks that it has answers, all of which
/// are right.
#[track_caller]
pub fn run_without_servers(bench: &Bench, workload: &str) {
    let designs = ["--designs", "parquet,memory"];
    let run = ["run", workload, "--rounds", "1", "--out", "out"];
    bench.bakeoff(&[&run[..], &designs].concat()).expect(0);
    let records = bench.journal("out");
    assert!(of_kind(&records, "answered").next().is_some());
    nothing_is_wrong(&records);
}

#[track_caller]
fn nothing_is_wrong(records: &[Value]) {
    assert_eq!(of_kind(records, "failed").next(), None);
    let mut answers = of_kind(records, "timed").chain(of_kind(records, "answered"));
    let wrong = answers.find(|record| record["outcome"]["outcome"] != "right");
    assert_eq!(wrong, None);
    let mut asked = of_kind(records, "concurrent");
    assert_eq!(asked.find(|record| record["bad"] != json!([])), None);
}
