use crate::support::processes::Going;
use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

const RUN: [&str; 6] = ["run", "w.toml", "--rounds", "1", "--out", "out"];

fn bench() -> Bench {
    let section = "[concurrent]\npermutations = 12\nseconds = 600\n[scale]";
    Bench::new(&WORKLOAD.replace("[scale]", section), READINGS)
}

#[test]
fn four_clients_ask_every_design_all_permutations_and_the_report_says_what_came() {
    let bench = bench();
    let run = bench.bakeoff(&RUN).expect(0);
    run.says("asked by 4 clients at a time").says("p99");
    let records = bench.journal("out");
    let asked: Vec<_> = of_kind(&records, "concurrent").collect();
    assert_eq!(asked.len(), 3);
    for asked in asked {
        assert_eq!(
            (&asked["clients"], &asked["permutations"]),
            (&4.into(), &12.into())
        );
        assert_eq!(asked["bad"], serde_json::json!([]));
        for query in asked["queries"].as_array().unwrap() {
            assert_eq!(query["nanoseconds"].as_array().unwrap().len(), 12);
        }
    }
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
        asked.len() == 3 && asked.iter().all(|a| a["clients"] == 2),
        "{asked:?}"
    );
    let both = ["--no-concurrent", "--concurrent-clients", "2"];
    on.bakeoff(&[&RUN[..], &both].concat()).expect(2);
}

#[test]
fn a_run_that_is_killed_meanwhile_goes_on_with_the_other_designs() {
    let bench = bench();
    let mut going = Going::start(&mut bench.command(&RUN));
    going.wait_until("a design was asked", || {
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
    let mut designs: Vec<_> = of_kind(&records, "concurrent")
        .map(|r| r["design"].to_string())
        .collect();
    designs.sort();
    designs.dedup();
    assert_eq!(
        (designs.len(), of_kind(&records, "concurrent").count()),
        (3, 3)
    );
    assert_eq!(of_kind(&records, "parameter-sets").count(), 1);
}
