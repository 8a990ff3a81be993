//! `bakeoff forecast --records` and the plans of the same run.

use crate::support::{Bench, READINGS, SCANS};

#[test]
fn a_question_of_some_records_is_estimated_and_checked_by_the_others() {
    let scale = "full_rows = 16_000\nusers = 3\ncores = 4";
    let workload = SCANS.replace("full_rows = 16_000", scale);
    let bench = Bench::new(&workload, READINGS);
    let run = [
        "run", "w.toml", "--rounds", "5", "--scales", "1", "--out", "out",
    ];
    bench.bakeoff(&run).expect(0);
    let asked = [
        "forecast",
        "out",
        "--records",
        "8M",
        "--users",
        "2",
        "--cores",
        "4",
    ];
    let ended = bench.bakeoff(&asked).expect(0);
    ended
        .says("a question that reads 8,000,000 records takes 2 users on 4 cores about ")
        .says("Checked by ");
    let json = bench.bakeoff(&[&asked[..], &["--json"]].concat()).expect(0);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&json["records"], &json["cores"]),
        (&8_000_000.into(), &4.into())
    );
    let designs = json["designs"].as_array().unwrap();
    let design = designs.iter().find(|design| design["design"] == "parquet");
    let design = design.unwrap();
    assert_eq!(design["speed"]["query"], "mean");
    // 2 of 4 cores are each one user's; both times include the same latency.
    let (spread, one) = (&design["spread"], &design["one_partition"]);
    let latency = design["speed"]["latency"].as_f64().unwrap();
    let ratio = (one.as_f64().unwrap() - latency) / (spread.as_f64().unwrap() - latency);
    assert!((ratio - 2.0).abs() < 1e-6, "{ratio}");
    assert!(
        json["checks"]
            .as_array()
            .unwrap()
            .iter()
            .all(|check| check["query"] == "few")
    );

    let plans = bench.bakeoff(&["report", "out", "--plans"]).expect(0);
    plans
        .says("parquet: plan of DataFusion")
        .says("AggregateExec");
    let page = std::fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(page.contains("<h2>Plans</h2>"));
    assert!(page.contains("A question that reads 16,000 records, asked by 3 users on 4 cores"));
    for other in [
        &["--rows", "8k"][..],
        &["--copies", "2"],
        &["--nodes", "3"],
        &["--validate"],
    ] {
        let both = [&["forecast", "out", "--records", "8M"][..], other].concat();
        bench.bakeoff(&both).expect(2).says("cannot be used with");
    }
}
