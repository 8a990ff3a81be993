use crate::support::processes::Going;
use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

/// Turns of each design.
const TURNS: usize = 7;
const RUN: [&str; 6] = ["run", "w.toml", "--rounds", "1", "--out", "out"];

fn bench() -> Bench {
    let section = "[concurrent]\npermutations = 12\nseconds = 600\n[scale]";
    Bench::new(&WORKLOAD.replace("[scale]", section), READINGS)
}

#[test]
fn four_clients_ask_every_design_all_permutations_in_turns_and_the_report_says_what_came() {
    let bench = bench();
    let run = bench.bakeoff(&RUN).expect(0);
    run.says("asked by 4 clients at a time").says("p99");
    let records = bench.journal("out");
    let asked: Vec<_> = of_kind(&records, "concurrent").collect();
    assert_eq!(asked.len(), 3 * TURNS);
    let sum = |of: fn(&serde_json::Value) -> u64| asked.iter().map(|turn| of(turn)).sum::<u64>();
    assert_eq!(sum(|turn| turn["permutations"].as_u64().unwrap()), 3 * 12);
    for asked in &asked {
        assert_eq!(asked["clients"], 4);
        assert_eq!(asked["bad"], serde_json::json!([]));
    }
    let answers = sum(|turn| {
        let queries = turn["queries"].as_array().unwrap().iter();
        let answers = queries.map(|query| query["nanoseconds"].as_array().unwrap().len());
        answers.sum::<usize>() as u64
    });
    let queries = asked[0]["queries"].as_array().unwrap().len();
    assert_eq!(answers, 3 * 12 * queries as u64);
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("Several clients at a time"));
}

#[test]
fn options_switch_it_on_and_off() {
    let off = bench();
    off.bakeoff(&[&RUN[..], &["--no-concurrent"]].concat())
        .expect(0);
    assert_eq!(of_kind(&off.journal("out"), "concurrent").count(), 0);
    let on = Bench::new(WORKLOAD, READINGS);
    let few = ["--concurrent-clients", "2", "--concurrent-for", "100ms"];
    on.bakeoff(&[&RUN[..], &few].concat()).expect(0);
    let records = on.journal("out");
    let asked: Vec<_> = of_kind(&records, "concurrent").collect();
    assert!(
        asked.len() == 3 * TURNS && asked.iter().all(|a| a["clients"] == 2),
        "{asked:?}"
    );
    let both = ["--no-concurrent", "--concurrent-clients", "2"];
    on.bakeoff(&[&RUN[..], &both].concat()).expect(2);
}

#[test]
fn all_clients_ask_one_query_at_a_time_and_the_report_has_two_charts_of_each() {
    let bench = bench();
    let options = [
        "--concurrent-one-query-at-a-time",
        "--concurrent-clients-per-node",
        "3",
    ];
    let run = bench.bakeoff(&[&RUN[..], &options].concat()).expect(0);
    run.says("asked by 3 clients at a time");
    let records = bench.journal("out");
    let asked: Vec<_> = of_kind(&records, "concurrent").collect();
    assert_eq!(asked.len(), 3 * TURNS);
    let mut answers = 0;
    for turn in &asked {
        assert_eq!(turn["clients"], 3);
        assert_eq!(turn["permutations"], 0);
        for query in turn["queries"].as_array().unwrap() {
            let answered = query["nanoseconds"].as_array().unwrap().len();
            assert!(
                query["seconds"].as_f64().unwrap() > 0.0 || answered == 0,
                "{query}"
            );
            answers += answered;
        }
    }
    let queries = asked[0]["queries"].as_array().unwrap();
    assert_eq!(answers, 3 * 12 * queries.len());
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    let section = page
        .split("<h2>Several clients at a time</h2>")
        .nth(1)
        .unwrap();
    let visible = section.split("<details>").next().unwrap();
    for query in queries {
        let name = query["query"].as_str().unwrap();
        for what in ["mean response time", "answers a second"] {
            assert!(
                visible.contains(&format!("<h3>{name}: {what}</h3>")),
                "{name}"
            );
        }
    }
}

#[test]
fn many_sets_of_parameters_are_drawn_and_the_report_says_how_they_were_verified() {
    let bench = bench();
    let options = ["--concurrent-parameter-sets", "12"];
    bench.bakeoff(&[&RUN[..], &options].concat()).expect(0);
    let records = bench.journal("out");
    let sets = of_kind(&records, "parameter-sets").next().unwrap();
    for query in sets["queries"].as_array().unwrap() {
        let drawn = query["drawn"].as_u64().unwrap();
        assert!(drawn == 12 || drawn == 1, "{query}");
        assert!(query["right"].as_u64().unwrap() >= 1, "{query}");
    }
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("<h3>Sets of parameters</h3>"));
}

#[test]
fn more_clients_for_each_node_than_may_ask_are_refused_before_anything_is_started() {
    let bench = bench();
    let options = ["--concurrent-clients-per-node", "100", "--nodes", "3"];
    let refused = bench.bakeoff(&[&RUN[..], &options].concat()).expect(2);
    refused.says("--concurrent-clients-per-node 85");
}

#[test]
fn a_run_that_is_killed_meanwhile_goes_on_with_the_other_turns() {
    let bench = bench();
    let mut going = Going::start(&mut bench.command(&RUN));
    going.wait_until("a design had a turn", || {
        of_kind(&bench.journal("out"), "concurrent")
            .next()
            .is_some()
    });
    going.kill();
    let before = bench.journal("out");
    if of_kind(&before, "finished").count() == 0 {
        bench.bakeoff(&RUN).expect(0);
    }
    let records = bench.journal("out");
    let mut turns: Vec<_> = of_kind(&records, "concurrent")
        .map(|r| format!("{} {}", r["design"], r["turn"]))
        .collect();
    turns.sort();
    turns.dedup();
    // Each turn of each design once.
    assert_eq!(
        (turns.len(), of_kind(&records, "concurrent").count()),
        (3 * TURNS, 3 * TURNS)
    );
    assert_eq!(of_kind(&records, "parameter-sets").count(), 1);
}
