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
fn a_folder_is_not_compared_with_itself() {
    let bench = bench();
    for other in ["runs/one", "runs/../runs/one"] {
        let compare = ["compare", "runs/one", other, "--page", "page.html"];
        let refused = bench.bakeoff(&compare).expect(2);
        refused.says("are the same folder, which does not differ from itself");
        assert!(!bench.path("page.html").exists());
    }
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
fn conditions_of_a_failure_have_exit_codes_of_their_own() {
    let bench = bench();
    let judged = |one: &str, two: &str, conditions: &str, code: i32| {
        let base = ["compare", one, two, "--fail-if", conditions];
        bench.bakeoff(&base).expect(code)
    };
    judged("runs/one", "runs/two", "slower:10%,larger:5%", 0).says("B passes: nothing is certain");
    let journal = bench.path("runs/two/journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    // Each file has become ten times as large.
    let larger = text.replace("\"file_bytes\":", "\"file_bytes\":9");
    let larger = larger.replace("\"engine_bytes\":", "\"engine_bytes\":9");
    let larger = larger.replace("_bytes\":9null", "_bytes\":null");
    std::fs::write(&journal, larger).unwrap();
    judged("runs/one", "runs/two", "larger:5%", 4).says("larger by more than 5%");
    judged("runs/two", "runs/one", "larger:5%", 0);
    // Another seed makes other rows.
    let other = text.replace("\"seed\":1", "\"seed\":2");
    assert_ne!(other, text);
    std::fs::write(&journal, other).unwrap();
    judged("runs/one", "runs/two", "slower:10%", 5).says("cannot be judged by --fail-if");
    let json = [
        "compare",
        "runs/one",
        "runs/two",
        "--fail-if",
        "slower:10%",
        "--json",
    ];
    let printed = bench.bakeoff(&json).expect(5).stdout;
    let value: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(value["fail_if"]["outcome"], "not-comparable");
    judged("runs/one", "runs/two", "faster:10%", 2).says("not a condition such as slower:10%");
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

#[test]
fn runs_without_rates_are_side_by_side_on_a_page_alone() {
    let bench = bench();
    let three = bench.path("runs/three");
    std::fs::create_dir_all(&three).unwrap();
    let journal = std::fs::read_to_string(bench.path("runs/one/journal.jsonl")).unwrap();
    std::fs::write(three.join("journal.jsonl"), journal).unwrap();
    let compare = ["compare", "runs/one", "runs/two", "runs/three"];
    let refused = bench.bakeoff(&compare).expect(2);
    refused.says("has nothing to divide by nodes");
    let with_page = [&compare[..], &["--page", "page.html"]].concat();
    let ended = bench.bakeoff(&with_page).expect(0);
    ended.says("These runs have no rate to divide by nodes");
    ended.says("Page: page.html");
    let page = std::fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(page.contains("Figures side by side") && page.contains("· C<"));
    assert!(!page.contains("By number of nodes"), "{page}");
    std::fs::remove_file(bench.path("page.html")).unwrap();
    let priced = [&with_page[..], &["--need", "10k"]].concat();
    let refused = bench.bakeoff(&priced).expect(2);
    refused.says("has nothing to divide by nodes");
}

#[test]
fn a_page_has_the_charts_of_two_runs_and_leaves_output_and_exit_code_as_they_are() {
    let bench = bench();
    let compare = |further: &[&str], code: i32| {
        let base = ["compare", "runs/one", "runs/two", "--page", "page.html"];
        let page = bench.path("page.html");
        if page.exists() {
            std::fs::remove_file(page).unwrap();
        }
        bench.bakeoff(&[&base[..], further].concat()).expect(code)
    };
    compare(&[], 0).says("Page: page.html");
    let again = ["compare", "runs/one", "runs/two", "--page", "page.html"];
    // A page of ours is made again; any other file stays.
    bench.bakeoff(&again).expect(0).says("Page: page.html");
    let page = bench.path("page.html");
    let ours = std::fs::read_to_string(&page).unwrap();
    std::fs::write(&page, "mine").unwrap();
    let refused = bench.bakeoff(&again).expect(2);
    refused.says("page.html of --page already exists and is no page that Bakeoff has written");
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "mine");
    std::fs::write(&page, ours).unwrap();
    let page = std::fs::read_to_string(bench.path("page.html")).unwrap();
    // The command names the program without its folder.
    assert!(page.contains("<code>bakeoff compare runs/one"), "{page}");
    for words in [
        "Figures side by side",
        "· A<",
        "· B<",
        "<svg ",
        "A: runs/one",
    ] {
        assert!(page.contains(words), "{words} is not in {page}");
    }
    let json = compare(&["--json"], 0).stdout;
    assert!(
        serde_json::from_str::<serde_json::Value>(&json).is_ok(),
        "{json}"
    );
    compare(&["--fail-if-slower", "5%"], 3);
    let page = std::fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(page.contains("Cannot tell whether B is slower by more than 5%"));
    compare(&["--fail-if", "slower:10%"], 0);
    let page = std::fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(page.contains("B passes: nothing is certain"));
    // Neither has several clients, so that there is no rate to divide by nodes.
    compare(&["--need", "10k"], 2).says("has nothing to divide by nodes");
    let nowhere = [
        "compare",
        "runs/one",
        "runs/none",
        "--page",
        "none/page.html",
    ];
    let ended = bench.bakeoff(&nowhere).expect(1);
    ended.says("--page needs a file that can be written");
    assert!(
        !ended.stderr.contains("there is no run in"),
        "{}",
        ended.stderr
    );
}
