//! Folders that hold something else than a command may write to, or reads.

use crate::support::{Bench, READINGS, WORKLOAD};

#[test]
fn a_folder_that_holds_something_else_has_one_exit_code_whatever_the_command() {
    let bench = Bench::new(WORKLOAD, READINGS);
    // The folder of the test holds its workload.
    let of_diagnose = [
        "diagnose",
        "a.b",
        "--measure",
        "15m",
        "--cassandra",
        "127.0.0.1:1",
        "--out",
        ".",
    ];
    let cases: &[(&[&str], &str)] = &[
        (
            &["run", "w.toml", "--out", "."],
            "is not empty and holds no run",
        ),
        (
            &["decide", "readings.csv", "--budget", "1m", "--out", "."],
            "holds other files",
        ),
        (
            &["decide", "w.toml", "--budget", "1m", "--adopt", "."],
            "there is something in it",
        ),
        (
            &["study", "s1", "--full", "--out", "."],
            "is not an empty folder and holds no study",
        ),
        (
            &["study", "s1", "--from", "nowhere"],
            "nowhere is not the folder of a study",
        ),
        (&of_diagnose, "not an empty folder"),
        (&["report", "nowhere"], "there is no run in nowhere"),
    ];
    for (arguments, words) in cases {
        bench.bakeoff(arguments).expect(1).says(words);
        assert!(!bench.path("runs").exists(), "{arguments:?}");
    }
}
