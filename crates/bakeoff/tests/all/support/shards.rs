//! Two processes that drive one table together.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::processes::Going;
use super::{Bench, Ended};

/// What is said by a shard whose rows were not loaded when the load was to begin.
const LATE: [&str; 2] = ["--start-at", "shard 1"];

/// The shards of a load, in folders whose names begin with this one. The second shard is there
/// first. They begin after the first of these times, or after the next one where the machine needs
/// longer to load their rows.
///
/// # Panics
/// If the last time is too short, too.
pub fn two_shards(
    bench: &Bench,
    arguments: &[&str],
    name: &str,
    begin_after: [Duration; 3],
) -> [Ended; 2] {
    for after in begin_after {
        let mut second = start(bench, arguments, name, 2, after);
        let folder = bench.path(&format!("{name}-2"));
        second.wait_until("its folder was there", || folder.exists());
        let first = start(bench, arguments, name, 1, after);
        let ended = [first, second].map(Going::end);
        let is_late = |ended: &Ended| {
            ended.code != Some(0) && LATE.iter().any(|words| ended.stderr.contains(words))
        };
        if !ended.iter().any(is_late) {
            return ended;
        }
        for number in [1, 2] {
            let _ = std::fs::remove_dir_all(bench.path(&format!("{name}-{number}")));
        }
    }
    panic!("the rows of {name} were never loaded in time");
}

fn start(bench: &Bench, arguments: &[&str], name: &str, number: u32, after: Duration) -> Going {
    let at = (SystemTime::now() + after).duration_since(UNIX_EPOCH);
    let (shard, at) = (format!("{number}/2"), at.unwrap().as_secs().to_string());
    let out = format!("{name}-{number}");
    let of_shard = ["--shard", &shard, "--start-at", &at, "--out", &out];
    Going::start(&mut bench.command(&[arguments, &of_shard].concat()))
}
