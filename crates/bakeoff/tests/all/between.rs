//! Two saved runs are compared, and all in a folder in the order of their time.

use std::path::Path;

use crate::support::{Bench, READINGS, WORKLOAD};

/// A folder `runs` with the run of an earlier version twice.
fn bench() -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixture = fixture.join("tests/fixtures/runs/comparison/journal.jsonl");
    let journal = std::fs::read_to_string(fixture).unwrap();
    for name in ["one", "two"] {
        let dir = bench.path("runs").join(name);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("journal.jsonl"), &journal).unwrap();
    }
    bench
}

#[test]
fn runs_without_twins_are_compared_and_nothing_is_claimed() {
    let bench = bench();
    bench
        .bakeoff(&["compare", "runs/one", "runs/two"])
        .expect(0);
    let limit = ["compare", "runs/one", "runs/two", "--fail-if-slower", "5%"];
    let ended = bench.bakeoff(&limit).expect(3);
    ended.says("Cannot tell whether B is slower by more than 5%");
    bench
        .bakeoff(&["compare", "runs/one", "runs/two", "--json"])
        .expect(0);
}

#[test]
fn a_wrong_limit_or_folder_is_refused() {
    let bench = bench();
    let limit = ["compare", "runs/one", "runs/two", "--fail-if-slower", "0%"];
    bench
        .bakeoff(&limit)
        .expect(2)
        .says("not a limit such as 5%");
    bench
        .bakeoff(&["compare", "runs/one", "runs"])
        .expect(1)
        .says("there is no run in")
        .says("; did you mean one of runs/one, runs/two?");
}

#[test]
fn a_run_is_found_by_its_name_among_the_runs() {
    let bench = bench();
    for command in ["report", "forecast"] {
        let ended = bench.bakeoff(&[command, "one"]).expect(1);
        ended.says("name the folder that `bakeoff run` wrote to; did you mean runs/one?");
    }
    let none = bench.bakeoff(&["report", "three"]).expect(1);
    assert!(!none.stderr.contains("did you mean"), "{}", none.stderr);
}

#[test]
fn all_runs_in_a_folder_have_a_history() {
    let bench = bench();
    let ended = bench.bakeoff(&["history", "runs"]).expect(0);
    ended.says("No lasting change among").says("2 runs");
    bench
        .bakeoff(&["history", "runs", "--all"])
        .expect(0)
        .says("runs/two");
    bench.bakeoff(&["history", "runs", "--json"]).expect(0);
    std::fs::write(bench.path("runs/two/journal.jsonl"), "nonsense\n").unwrap();
    bench
        .bakeoff(&["history", "runs"])
        .expect(3)
        .says("is left out");
    std::fs::create_dir(bench.path("empty")).unwrap();
    bench
        .bakeoff(&["history", "empty"])
        .expect(1)
        .says("there is no run in or below");
}

#[test]
fn only_the_named_figures_are_compared() {
    let bench = bench();
    let compare = |only: &str, further: &[&str]| {
        let base = ["compare", "runs/one", "runs/two", "--only", only];
        bench.bakeoff(&[&base[..], further].concat())
    };
    let json: serde_json::Value =
        serde_json::from_str(&compare("loading,m*", &["--json"]).expect(0).stdout).unwrap();
    assert_eq!(
        json["comparison"]["only"],
        serde_json::json!(["mean", "loading"])
    );
    let limit = ["--fail-if-slower", "5%"];
    compare("mean", &limit)
        .expect(3)
        .says("Compared are only mean,");
    compare("nothing", &limit)
        .expect(2)
        .says("no figure of these runs matches --only nothing; they have ")
        .says("mean, highest, loading");
    compare("[", &[]).expect(2).says("--only [");
}
