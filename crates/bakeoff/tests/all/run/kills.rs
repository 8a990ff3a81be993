//! Runs that are killed at random times: each goes on, and comes to its end as if nothing had happened.

use std::time::Duration;

use bakeoff_testing::{Random, times};
use serde_json::Value;

use crate::support::going_on::{all_is_right, nothing_came_twice};
use crate::support::processes::{Going, wait_until};
use crate::support::{Bench, READINGS, of_kind};

/// Designs whose rows outlive a kill, and that need no server.
const WORKLOAD: &str = r#"
title = "t"
designs = ["parquet", "local/columnar"]
[data]
generator = "sensor"
[[queries]]
name = "mean"
sql = "SELECT avg(value) FROM sensor"
[[queries]]
name = "one"
sql = "SELECT avg(value) FROM sensor WHERE sensor_id = 10"
"#;
const ROUNDS: &str = "10";
/// Two designs and two queries in each round.
const TIMED: usize = 2 * 2 * 10;

/// A kill comes after up to so many further records of the run, and then after up to so long.
const MOST_RECORDS: u64 = 40;
const MOST_WAITED: Duration = Duration::from_millis(200);

#[test]
fn runs_that_are_killed_again_and_again_come_to_their_end() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let mut random = Random::printed("runs that are killed");
    let all = times(3, 500);
    let (mut kills, mut runs) = (0, 0);
    while kills < all {
        runs += 1;
        let out = format!("out-{runs}");
        while kills < all && !is_finished(&bench, &out) {
            kills += usize::from(is_killed(&bench, &out, &mut random));
        }
        if !is_finished(&bench, &out) {
            bench.bakeoff(&command(&out)).expect(0);
        }
        let records = bench.journal(&out);
        all_is_right(&records, TIMED);
        nothing_came_twice(up_to_the_last_time(&records));
        assert_eq!(of_kind(&records, "finished").count(), 1);
        std::fs::remove_dir_all(bench.path(&out)).unwrap();
    }
    println!("{kills} kills of {runs} runs");
    let status = bench.bakeoff(&["engines", "status"]).expect(0);
    status.says("no server that Bakeoff started");
}

/// Returns the records up to the last answer with a time. A run that is killed when everything is measured and it
/// removes its tables makes them again, only to remove them.
fn up_to_the_last_time(records: &[Value]) -> &[Value] {
    let is_timed = |record: &Value| {
        of_kind(std::slice::from_ref(record), "timed")
            .next()
            .is_some()
    };
    let last = records.iter().rposition(is_timed);
    &records[..last.map_or(0, |last| last + 1)]
}

fn command(out: &str) -> [&str; 9] {
    [
        "run",
        "w.toml",
        "--rows",
        "20k",
        "--rounds",
        ROUNDS,
        "--no-concurrent",
        "--out",
        out,
    ]
}

fn is_finished(bench: &Bench, out: &str) -> bool {
    of_kind(&bench.journal(out), "finished").next().is_some()
}

/// Begins a run, or goes on with it, and kills it at some time. Returns whether it had not ended by itself.
fn is_killed(bench: &Bench, out: &str, random: &mut Random) -> bool {
    let records = || bench.journal(out).len() as u64;
    let awaited = records() + random.below(MOST_RECORDS);
    let moment = random.below(MOST_WAITED.as_micros() as u64);
    let mut going = Going::start(&mut bench.command(&command(out)));
    wait_until("a record, or the end of the run", || {
        records() >= awaited || !going.is_running()
    });
    std::thread::sleep(Duration::from_micros(moment));
    let ended = going.kill();
    let said = ended.stderr;
    assert!([None, Some(0)].contains(&ended.code), "{out}: {said}");
    ended.code.is_none()
}
