//! Values for other tools: of a run, a load and a sweep, one by one and as metrics.

use bakeoff_report::values::{Figure, Measured, Values, of_drive, of_run, of_sweep, prometheus};

use crate::compare::fixture as compared;
use crate::drive::fixture as driven;
use crate::sweep::fixture as swept;

fn of(values: &Values, figure: Figure) -> Vec<&Measured> {
    values
        .values
        .iter()
        .filter(|v| v.figure == figure)
        .collect()
}

#[test]
fn a_run_has_the_time_of_each_round_and_the_bytes_of_each_design() {
    let summary = compared::summary().unwrap();
    let values = of_run(&summary, "formats");
    assert_eq!((values.run.as_str(), values.kind), ("formats", "run"));
    let times = of(&values, Figure::QueryTime);
    let measured = summary.designs.iter().flat_map(|design| &design.queries);
    let measured = measured.filter(|query| query.time.is_some());
    let rounds: usize = measured.map(|query| query.rounds.len()).sum();
    assert!(rounds > 20);
    assert_eq!(times.len(), rounds);
    assert!(
        times
            .iter()
            .all(|v| v.round.is_some_and(|r| r > 0) && v.query.is_some())
    );
    let first = summary.designs[0]
        .footprint
        .as_ref()
        .and_then(|f| f.bytes());
    let bytes = of(&values, Figure::StoredBytes);
    assert_eq!(bytes[0].design, summary.designs[0].info.id);
    assert_eq!(Some(bytes[0].value as u64), first);
    let without = "cassandra/compact";
    assert!(
        values
            .values
            .iter()
            .all(|v| v.design != without || v.figure == Figure::BadRounds)
    );
}

#[test]
fn servers_have_figures_of_each_load_after_its_warm_up() {
    let load = driven::comparison().unwrap();
    let values = of_drive(&load.summary, "keyvalue-drive");
    let cpu = of(&values, Figure::ServerCpu);
    let sampled = of(&values, Figure::ServerSampled);
    assert_eq!(
        (cpu.len(), sampled.len()),
        (6, 6),
        "of each design and round"
    );
    let trial = load
        .summary
        .rounds_of(&load.summary.designs[0])
        .next()
        .unwrap();
    let known = trial.seconds.iter().filter_map(|s| s.server.cpu_seconds);
    let known: Vec<f64> = known.collect();
    let all = known[known.len() - 1] - known[0];
    assert!(
        cpu[0].value > 0.0 && cpu[0].value <= all + 1e-9,
        "{cpu:?}, {all}"
    );
    assert!(sampled[0].value <= trial.seconds.len() as f64);
    assert!(cpu.iter().all(|v| v.query.is_none() && v.round.is_some()));
    let text = prometheus::render(&values);
    assert!(
        text.contains("# TYPE bakeoff_server_cpu_seconds gauge\n"),
        "{text}"
    );
    assert!(text.contains("bakeoff_server_disk_read_bytes{"), "{text}");
}

#[test]
fn a_load_has_its_rate_and_its_response_times_in_each_round() {
    let load = driven::comparison().unwrap();
    let values = of_drive(&load.summary, "keyvalue-drive");
    assert_eq!(values.kind, "drive");
    assert_eq!(
        of(&values, Figure::OperationsRate).len(),
        6,
        "two designs, three rounds"
    );
    let p99 = of(&values, Figure::ResponseP99);
    assert_eq!(p99.len(), 12, "and two operations");
    let operations: Vec<&str> = p99.iter().filter_map(|v| v.query.as_deref()).collect();
    assert!(operations.contains(&"read") && operations.contains(&"write"));
    assert!(of(&values, Figure::BesideRate).is_empty());
    let search = driven::search().unwrap();
    let values = of_drive(&search.summary, "search");
    let highest = of(&values, Figure::HighestRate);
    let highest: Vec<f64> = highest.iter().map(|v| v.value).collect();
    assert_eq!(highest, [600.0, 200.0]);
}

#[test]
fn passes_count_where_no_operation_failed_and_questions_have_loads_of_their_own() {
    let passes = driven::passes().unwrap();
    let values = of_drive(&passes.summary, "passes");
    // Three in each of two rounds, of which one failed.
    assert_eq!(of(&values, Figure::PassTime).len(), 5);
    let questions = driven::questions().unwrap();
    let values = of_drive(&questions.summary, "questions");
    assert_eq!(of(&values, Figure::OperationsRate).len(), 5);
    assert_eq!(of(&values, Figure::BesideRate).len(), 5);
    assert_eq!(of(&values, Figure::Answers)[0].value, 15.0);
    assert_eq!(of(&values, Figure::FailedQuestions)[0].value, 1.0);
}

#[test]
fn a_sweep_has_the_rate_of_each_setting_in_each_round() {
    let values = of_sweep(&swept::several_rounds(3), "sweep");
    let rates = of(&values, Figure::InsertRate);
    assert_eq!(rates.len(), 24, "two designs, four settings, three rounds");
    assert_eq!(rates[0].query.as_deref(), Some("batch=10000 workers=1"));
    let rounds: Vec<Option<u32>> = rates[..3].iter().map(|v| v.round).collect();
    assert_eq!(rounds, [Some(1), Some(2), Some(3)]);
}

#[test]
fn metrics_of_all_kinds_have_whole_lines_and_numbers() {
    for values in [
        of_run(&compared::summary().unwrap(), "a \"run\""),
        of_drive(&driven::comparison().unwrap().summary, "load"),
        of_sweep(&swept::summary(), "sweep"),
    ] {
        let text = prometheus::render(&values);
        let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(samples.len() > 10, "{text}");
        for sample in samples {
            let (labels, value) = sample.rsplit_once("} ").unwrap();
            assert!(labels.starts_with("bakeoff_"), "{sample}");
            assert!(value.parse::<f64>().unwrap().is_finite(), "{sample}");
        }
        let heads: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("# TYPE"))
            .collect();
        let mut unique = heads.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), heads.len(), "each metric has one head");
    }
}
