//! Two saved loads or sweeps are compared, and the same load on several numbers of nodes.

use std::path::Path;

use serde_json::Value;

use crate::support::{Bench, READINGS, WORKLOAD};

/// Folders of an earlier version, each twice.
fn bench() -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    for kind in ["comparison", "drive", "search", "sweep"] {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs");
        for name in [kind.to_owned(), format!("{kind}-2")] {
            copy(&fixture.join(kind), &bench.path(&name));
        }
    }
    bench
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Changes the lines of a file that are records of a kind.
fn change(path: &Path, record: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    let start = format!("{{\"record\":\"{record}\"");
    let changed: Vec<String> = { text.lines() }
        .map(|line| {
            if line.starts_with(&start) {
                return line.replace(from, to);
            }
            line.to_owned()
        })
        .collect();
    let changed = changed.join("\n") + "\n";
    assert_ne!(changed, text, "no {record} with {from}");
    std::fs::write(path, changed).unwrap();
}

#[test]
fn loads_and_sweeps_are_compared_and_few_rounds_claim_nothing() {
    let bench = bench();
    for kind in ["drive", "search", "sweep"] {
        let other = format!("{kind}-2");
        let ended = bench.bakeoff(&["compare", kind, &other]).expect(0);
        ended.says("Cannot tell whether B is slower or faster in any of");
        ended.says("at least 5 rounds in both runs");
        let json = bench
            .bakeoff(&["compare", kind, &other, "--json"])
            .expect(0);
        let json: Value = serde_json::from_str(&json.stdout).unwrap();
        let of = if kind == "sweep" { "sweep" } else { "load" };
        assert_eq!(json["comparison"]["of"], of);
        let limit = ["compare", kind, &other, "--fail-if-slower", "5%"];
        bench.bakeoff(&limit).expect(3);
    }
}

#[test]
fn a_page_has_the_curves_of_both_over_each_other() {
    let bench = bench();
    for (kind, section) in [
        ("drive", "Response time by percentile"),
        ("search", "Searches"),
        ("sweep", "By workers"),
    ] {
        let other = format!("{kind}-2");
        let file = format!("{kind}.html");
        let compare = ["compare", kind, &other, "--page", &file];
        bench
            .bakeoff(&compare)
            .expect(0)
            .says(&format!("Page: {file}"));
        let page = std::fs::read_to_string(bench.path(&file)).unwrap();
        let heading = format!("<h2>{section}</h2>");
        assert!(page.contains(&heading), "{section} is not in {page}");
        // Both are of one node.
        assert!(!page.contains("By number of nodes"), "{page}");
    }
}

#[test]
fn loads_fail_by_conditions_with_exit_codes_of_their_own() {
    let bench = bench();
    let judged = |conditions: &str, code: i32| {
        let base = ["compare", "drive", "drive-2", "--fail-if", conditions];
        bench.bakeoff(&base).expect(code)
    };
    judged("slower:10%,larger:5%", 0).says("B passes: nothing is certain");
    judged("rate-lower:10%", 5).says("there are no rates that both have");
    let log = bench.path("drive-2/drive.jsonl");
    // Each file has become larger; those that are not known stay so.
    change(&log, "footprint", "_bytes\":", "_bytes\":9");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replace("_bytes\":9null", "_bytes\":null")).unwrap();
    judged("larger:5%", 4).says("larger by more than 5%");
    change(&log, "started", "\"rows\":20000,", "\"rows\":30000,");
    judged("slower:10%", 0).says("rows: A has 20000, B 30000");
    change(
        &log,
        "started",
        "name = \\\"readings\\\"",
        "name = \\\"others\\\"",
    );
    judged("slower:10%", 5).says("their tables differ");
}

#[test]
fn folders_of_different_commands_are_refused() {
    let bench = bench();
    let refused = |one: &str, other: &str, words: &str| {
        bench
            .bakeoff(&["compare", one, other])
            .expect(2)
            .says(words);
    };
    refused(
        "drive",
        "sweep",
        "is of `bakeoff drive`, sweep of `bakeoff sweep`",
    );
    refused(
        "comparison",
        "drive",
        "name two folders of the same command",
    );
    let nothing = bench.bakeoff(&["compare", "drive", "nothing"]).expect(1);
    nothing.says("there is no run in");
    // A search and a load at a rate are of one command, and have no figure in common.
    let ended = bench.bakeoff(&["compare", "drive", "search"]).expect(1);
    ended
        .says("These loads cannot be compared")
        .says("B a search for the highest rate");
}

#[test]
fn rates_on_several_numbers_of_nodes_are_put_next_to_each_other() {
    let bench = bench();
    for nodes in ["3", "9"] {
        let name = format!("nodes-{nodes}");
        copy(&bench.path("search"), &bench.path(&name));
        let settings = format!("\"settings\":[[\"nodes\",\"{nodes}\"],[");
        let log = bench.path(&name).join("drive.jsonl");
        change(&log, "engine", "\"settings\":[[", &settings);
    }
    let sizes = ["compare", "search", "nodes-3", "nodes-9"];
    let ended = bench.bakeoff(&sizes).expect(0);
    let words: Vec<&str> = ended.stdout.split_whitespace().collect();
    let words = words.join(" ");
    for expected in [
        // The same rate on nine times as many nodes.
        "cassandra/wide: 1.00× the operations a second on 9 nodes as on 1, 11% of what is in proportion.",
        "bakeoff report search --other-sizes nodes-3,nodes-9",
    ] {
        assert!(words.contains(expected), "{words}");
    }
    let json = [&sizes[..], &["--json", "--prices", "study-2018"]].concat();
    let json = bench.bakeoff(&json).expect(0);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let sizes_of = json["sizes"].as_array().unwrap();
    let nodes: Vec<&Value> = sizes_of.iter().map(|size| &size["nodes"]).collect();
    assert_eq!(nodes, [1, 3, 9]);
    let money = |place: usize| sizes_of[place]["per_money"].as_f64().unwrap();
    assert!(money(0) > 0.0 && json["currency"] == "USD", "{json:#}");

    let page = ["--page", "page.html", "--prices", "study-2018"];
    let with_page = [&sizes[..], &page[..]].concat();
    bench.bakeoff(&with_page).expect(0).says("Page: page.html");
    let drawn = std::fs::read_to_string(bench.path("page.html")).unwrap();
    for words in [
        "By number of nodes",
        "node time",
        "operations/s per USD/month",
        "class=\"line dashed\"",
        "C: nodes-9, 9 nodes",
        "Searches",
    ] {
        assert!(drawn.contains(words), "{words} is not in {drawn}");
    }
    let page = ["--page", "two.html", "--prices", "study-2018"];
    let two = [&["compare", "search", "nodes-3"][..], &page[..]].concat();
    bench.bakeoff(&two).expect(0);
    let drawn = std::fs::read_to_string(bench.path("two.html")).unwrap();
    assert!(drawn.contains("By number of nodes") && drawn.contains("No change is settled"));

    let refused = |further: &[&str], words: &str| {
        let arguments = [&sizes[..], further].concat();
        bench.bakeoff(&arguments).expect(2).says(words);
    };
    refused(&["--fail-if", "slower:5%"], "are for two folders");
    refused(&["nodes-9"], "both had 9 nodes");
    refused(&["sweep"], "one is of `bakeoff sweep`");
    let two = ["compare", "search", "nodes-3", "--need", "10k"];
    bench
        .bakeoff(&two)
        .expect(2)
        .says("--prices and --need are for three folders and more");
}
