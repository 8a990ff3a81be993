//! `bakeoff calibrate`: what storing and reading cost, and what `propose` and `decide` make of it.

use crate::support::{Bench, READINGS, WORKLOAD};

#[test]
fn what_was_calibrated_is_estimated_and_may_leave_designs_out() {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench
        .without_servers(&["propose", "sensor", "--rows", "2000"])
        .expect(0)
        .lacks("estimated for");
    let calibrate = ["calibrate", "--rows", "20k"];
    let ended = bench.without_servers(&calibrate).expect(0);
    ended
        .says("Calibrated: 2 kinds of designs, over ")
        .says("local/columnar")
        .says("use it");
    // The tables of the run are not printed, and nothing but the calibration stays.
    ended.lacks("Storage");
    let left = std::fs::read_dir(bench.home.join("calibration")).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut left: Vec<String> = left.collect();
    left.sort();
    assert_eq!(left, ["last", "lock"]);
    let propose = ["propose", "sensor", "--rows", "2000"];
    let proposed = bench.without_servers(&propose).expect(0);
    proposed.says("estimated for all ");
    bench
        .without_servers(&[&propose[..], &["--all-designs"]].concat())
        .expect(0)
        .lacks("estimated for");
    // Too few rows tell nothing, and the last one stays.
    bench
        .without_servers(&["calibrate", "--rows", "1000"])
        .expect(1)
        .says("give more --rows");
    // A second one takes its place.
    bench.without_servers(&calibrate).expect(0);
    bench
        .without_servers(&propose)
        .expect(0)
        .says("estimated for all ");
    // One that cannot be read is told, and keeps nothing from being proposed.
    std::fs::remove_dir_all(bench.home.join("calibration/last/run")).unwrap();
    bench
        .without_servers(&propose)
        .expect(0)
        .says("run `bakeoff calibrate` again")
        .lacks("estimated for");
}
