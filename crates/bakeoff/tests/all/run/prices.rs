use crate::support::{Bench, READINGS, WORKLOAD};

const PRICES: &str = "\
title = \"Ours\"
currency = \"EUR\"
[machine]
month = 500
cores = 4
[storage]
gib_month = 0.1
";

const RUN: [&str; 6] = ["run", "w.toml", "--rounds", "1", "--out", "out"];

fn bench() -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::write(bench.path("prices.toml"), PRICES).unwrap();
    bench
}

#[test]
fn a_run_has_costs_where_prices_are_given_with_it_or_afterwards() {
    let bench = bench();
    let cost = || {
        let text = std::fs::read_to_string(bench.path("out/run.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["summary"]["cost"].clone()
    };
    let prices = ["--prices", "prices.toml"];
    let run = bench.bakeoff(&[&RUN[..], &prices].concat()).expect(0);
    run.says("Cost (forecast)").says("1 M inserts, EUR");
    let with_the_run = cost();
    let designs = with_the_run["designs"].as_array().unwrap();
    assert_eq!(designs[0]["machines"]["machines"]["count"], 3);
    assert_eq!(designs.len(), 2, "memory is no choice");
    assert!(
        designs
            .iter()
            .all(|d| d["month"].as_f64().unwrap() > 1500.0)
    );

    let without = bench.bakeoff(&["report", "out"]).expect(0);
    assert!(!without.stdout.contains("Cost"));
    assert!(cost().is_null());
    bench
        .bakeoff(&["report", "out", "--prices", "prices.toml"])
        .expect(0);
    assert_eq!(cost(), with_the_run);
}

#[test]
fn a_bad_price_list_is_told_before_anything_is_done() {
    let bench = bench();
    std::fs::write(bench.path("bad.toml"), PRICES.replace("= 4", "= 0")).unwrap();
    let run = bench.bakeoff(&[&RUN[..], &["--prices", "bad.toml"]].concat());
    run.says("bad.toml:5:9: `cores` is 0");
    assert_eq!(run.code, Some(2));
    assert!(!bench.path("out").exists());
    let run = bench.bakeoff(&[&RUN[..], &["--prices", "none.toml"]].concat());
    run.says("cannot read price list none.toml");
}

#[test]
fn answers_of_several_clients_need_nodes_that_cost_money() {
    let section = "[concurrent]\npermutations = 12\nseconds = 600\n[scale]";
    let bench = Bench::new(&WORKLOAD.replace("[scale]", section), READINGS);
    std::fs::write(bench.path("prices.toml"), PRICES).unwrap();
    let wanted = ["--need", "1M", "--prices", "prices.toml"];
    let run = bench.bakeoff(&[&RUN[..], &wanted].concat()).expect(0);
    run.says("Nodes and money")
        .says("1 M answers/s take the fewest");
    let text = std::fs::read_to_string(bench.path("out/run.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rates = json["summary"]["per_node"]["rates"].as_array().unwrap();
    assert_eq!(rates.len(), 2, "memory is no choice");
    for rate in rates {
        let nodes = rate["needed"]["nodes"].as_f64().unwrap();
        assert_eq!(rate["needed"]["month"].as_f64().unwrap(), 500.0 * nodes);
    }
}

#[test]
fn without_several_clients_no_rate_can_be_needed() {
    let bench = bench();
    let run = bench.bakeoff(&[&RUN[..], &["--need", "100"]].concat());
    run.expect(2)
        .says("--need: no clients ask at the same time");
    assert!(!bench.path("out").exists());
    bench.bakeoff(&RUN).expect(0);
    let report = bench.bakeoff(&["report", "out", "--need", "100"]);
    report.expect(2).says("run it with --concurrent-clients");
}
