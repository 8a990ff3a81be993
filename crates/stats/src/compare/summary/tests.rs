use super::*;
use crate::compare::testing::*;
use crate::compare::{Outcome, Step};
use crate::{Moment, ServerAccount, StandbysInfo};

fn summary(records: Vec<Record>) -> Summary {
    Summary::from_records(&run(records)).unwrap()
}

fn design_of<'a>(summary: &'a Summary, design: &str) -> &'a DesignSummary {
    summary.design(design).unwrap()
}

fn time(summary: &Summary, design: &str, query: &str) -> Option<f64> {
    design_of(summary, design)
        .query(query)
        .unwrap()
        .time
        .map(|t| t.median)
}

#[test]
fn designs_and_queries_keep_the_headers_order() {
    let summary = summary(vec![timed("memory", "key", 1.0), timed("a/x", "scan", 1.0)]);
    let ids: Vec<&str> = summary.designs.iter().map(|d| d.info.id.as_str()).collect();
    assert_eq!(ids, ["a/x", "a/y", "memory"]);
    let queries: Vec<&str> = summary.designs[0]
        .queries
        .iter()
        .map(|q| q.query.as_str())
        .collect();
    assert_eq!(queries, ["scan", "key"]);
}

#[test]
fn the_rate_of_a_load_is_all_rows_by_all_seconds() {
    let slices = [50.0, 40.0, 2.0, 4.0]
        .iter()
        .zip(0..)
        .map(|(&s, i)| loaded("a/x", i, s));
    let summary = summary(slices.collect());
    let design = design_of(&summary, "a/x");
    let rate = design.load_rate.unwrap();
    assert_eq!(design.load_seconds, 96.0);
    assert_eq!(rate.median, 400.0 / 96.0);
    assert_eq!(
        rate.coverage, 0.0,
        "four slices say nothing about the error"
    );
    assert_eq!(
        design.load_cpu,
        CpuSeconds {
            client: 2.0,
            server: Some(4.0),
            in_ticks: false,
        }
    );
}

#[test]
fn creating_a_design_again_forgets_its_load_but_not_its_times() {
    let summary = summary(vec![
        created("a/x"),
        loaded("a/x", 0, 50.0),
        footprint("a/x", 1),
        timed("a/x", "scan", 2.0),
        created("a/x"),
        loaded("a/x", 0, 1.0),
    ]);
    let design = design_of(&summary, "a/x");
    assert_eq!((design.rows_loaded, design.load_seconds), (100, 1.0));
    assert_eq!(design.footprint, None);
    assert_eq!(time(&summary, "a/x", "scan"), Some(2.0));
}

#[test]
fn sizes_are_relative_to_the_smallest_that_may_be_recommended() {
    let designs = ["a/x", "a/y", "memory"];
    let loads = designs.map(|design| loaded(design, 0, 1.0)).to_vec();
    let sizes = [("a/x", 1000), ("a/y", 4000), ("memory", 500)];
    let sizes = sizes.map(|(design, bytes)| footprint(design, bytes));
    let summary = summary([loads, sizes.to_vec()].concat());
    let times = |design| design_of(&summary, design).times_smallest;
    assert_eq!(design_of(&summary, "a/x").bytes_per_row, Some(10.0));
    assert_eq!([times("a/x"), times("a/y")], [Some(1.0), Some(4.0)]);
    assert_eq!(times("memory"), Some(0.5), "a yardstick is not the best");
}

#[test]
fn nothing_loaded_has_no_size() {
    let summary = summary(vec![footprint("a/x", 8000)]);
    let design = design_of(&summary, "a/x");
    assert_eq!((design.bytes_per_row, design.times_smallest), (None, None));
}

#[test]
fn times_are_relative_to_the_fastest_that_may_be_recommended() {
    let summary = summary(vec![
        timed("a/x", "scan", 1.0),
        timed("a/y", "scan", 4.0),
        timed("memory", "scan", 0.5),
        timed("a/y", "key", 0.5),
    ]);
    let factor = |design, query| {
        design_of(&summary, design)
            .query(query)
            .unwrap()
            .times_fastest
    };
    assert_eq!(factor("a/x", "scan"), Some(1.0));
    assert_eq!(factor("a/y", "scan"), Some(4.0));
    assert_eq!(factor("memory", "scan"), Some(0.5));
    assert_eq!(factor("a/y", "key"), Some(1.0));
    assert_eq!(factor("a/x", "key"), None);
}

#[test]
fn rows_scanned_count_at_the_median() {
    let summary = summary([4.0, 2.0, 1.0].map(|s| timed("a/x", "scan", s)).to_vec());
    let query = design_of(&summary, "a/x").query("scan").unwrap();
    assert_eq!(query.rows_scanned, Some(1000.0));
    assert_eq!(query.rows_scanned_per_second, Some(500.0));
    assert!((query.cpu.unwrap().client - 0.1).abs() < 1e-12);
}

#[test]
fn a_wrong_or_missing_answer_is_a_failure_and_never_a_time() {
    let error = Outcome::Error {
        reason: "time-out".to_owned(),
    };
    let summary = summary(vec![
        timed("a/x", "scan", 5.0),
        timed_as("a/x", "scan", 0.001, wrong()),
        timed_as("a/x", "scan", 0.001, error),
    ]);
    assert_eq!(time(&summary, "a/x", "scan"), Some(5.0));
    let design = design_of(&summary, "a/x");
    assert_eq!(design.query("scan").unwrap().bad_rounds, 2);
    assert_eq!(design.failures.len(), 1);
    assert_eq!(
        design.failures[0].reason,
        "wrong answer: row 1: 2 instead of 3 (2 of 3 rounds)"
    );
}

#[test]
fn a_query_whose_complete_answer_was_wrong_has_no_time() {
    let summary = summary(vec![
        answered("a/x", "scan", wrong()),
        timed("a/x", "scan", 0.001),
        timed("a/x", "key", 1.0),
        timed("a/y", "scan", 1.0),
    ]);
    assert_eq!(time(&summary, "a/x", "scan"), None);
    assert_eq!(time(&summary, "a/x", "key"), Some(1.0));
    assert_eq!(
        design_of(&summary, "a/y")
            .query("scan")
            .unwrap()
            .times_fastest,
        Some(1.0)
    );
    assert_eq!(design_of(&summary, "a/x").failures[0].step, Step::Verify);
}

#[test]
fn failures_are_kept_once_each() {
    let reason = "wrong answer: row 1: 2 instead of 3";
    let summary = summary(vec![
        answered("a/x", "scan", wrong()),
        failed("a/x", Step::Verify, Some("scan"), reason),
        failed("a/x", Step::Measure, None, "the server died"),
        timed_as(
            "a/y",
            "key",
            1.0,
            Outcome::Error {
                reason: "gone".to_owned(),
            },
        ),
        failed("a/y", Step::Measure, Some("key"), "gone"),
        created("a/x"),
    ]);
    let reasons: Vec<&str> = design_of(&summary, "a/x")
        .failures
        .iter()
        .map(|f| f.reason.as_str())
        .collect();
    assert_eq!(reasons, [reason, "the server died"]);
    assert!(!design_of(&summary, "a/x").is_right());
    assert!(design_of(&summary, "memory").is_right());
    let failures = &design_of(&summary, "a/y").failures;
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].reason, "no answer: gone (1 of 1 rounds)");
}

#[test]
fn servers_of_single_designs_are_kept_apart() {
    let server = |design: &str, version: &str| {
        Record::Engine(EngineInfo {
            engine: "a".to_owned(),
            version: version.to_owned(),
            start_seconds: None,
            settings: vec![(EngineInfo::SERVER_OF.to_owned(), design.to_owned())],
        })
    };
    let summary = summary(vec![
        server("a/x", "1"),
        server("a/y", "1"),
        server("a/x", "2"),
    ]);
    let engines = summary.engines.iter();
    let known = engines.map(|e| {
        (
            e.setting(EngineInfo::SERVER_OF).unwrap(),
            e.version.as_str(),
        )
    });
    assert_eq!(known.collect::<Vec<_>>(), [("a/x", "2"), ("a/y", "1")]);
}

#[test]
fn the_runs_own_records_are_taken_over() {
    let engine = |version: &str| {
        Record::Engine(EngineInfo {
            engine: "a".to_owned(),
            version: version.to_owned(),
            start_seconds: None,
            settings: Vec::new(),
        })
    };
    let warning = Record::Warning {
        message: "noisy".to_owned(),
    };
    let at = "2026-01-01T00:00:00Z".to_owned();
    let summary = summary(vec![
        engine("1"),
        Record::DuplicateKeys {
            rows: 19,
            lost_by: Vec::new(),
            told_apart_by: None,
        },
        Record::LoadingDone {
            rows: 700,
            is_all: false,
            left: None,
        },
        warning.clone(),
        Record::Interrupted { at: at.clone() },
        Record::Resumed { at: at.clone() },
        engine("2"),
        warning,
        Record::WarmedUp {
            passes: 4,
            seconds: 9.0,
            steady: false,
        },
        Record::Rounds { rounds: 7 },
        Record::Finished {
            at,
            seconds: 30.0,
            peak_memory_bytes: 5,
        },
    ]);
    assert_eq!(summary.engines.len(), 1);
    assert_eq!(summary.engines[0].version, "2");
    assert_eq!(
        (summary.rows, summary.duplicate_rows, summary.rounds),
        (700, 19, 7)
    );
    assert_eq!((summary.warm_up_passes, summary.steady), (4, Some(false)));
    assert_eq!(summary.warnings, ["noisy"]);
    assert!(summary.finished && !summary.interrupted);
    assert_eq!(
        (summary.seconds, summary.peak_memory_bytes),
        (Some(30.0), Some(5))
    );
}

#[test]
fn what_servers_counted_before_a_run_was_resumed_does_not_count() {
    let account = |moment, log_bytes| {
        Record::Account(AccountAt {
            engine: "a".to_owned(),
            moment,
            account: ServerAccount {
                log_bytes: Some(log_bytes),
                ..ServerAccount::default()
            },
        })
    };
    let at = "2026-01-01T00:00:00Z".to_owned();
    let summary = summary(vec![
        account(Moment::Before, 900),
        account(Moment::AtRest, 990),
        Record::Resumed { at },
        account(Moment::Before, 5),
        account(Moment::Before, 7),
    ]);
    let known: Vec<_> = { summary.accounts.iter() }
        .map(|at| (at.moment, at.account.log_bytes))
        .collect();
    assert_eq!(known, [(Moment::Before, Some(7))]);
}

#[test]
fn an_unfinished_run_has_a_summary() {
    let at = "2026-01-01T00:00:00Z".to_owned();
    let summary = summary(vec![loaded("a/x", 0, 1.0), Record::Interrupted { at }]);
    assert!(!summary.finished && summary.interrupted);
    assert_eq!(summary.rows, 100);
    assert_eq!(summary.steady, None);
}

#[test]
fn records_that_no_run_writes_are_errors() {
    assert_eq!(
        Summary::from_records(&[]).unwrap_err(),
        SummaryError::NoHeader
    );
    assert_eq!(
        Summary::from_records(&[created("a/x")]).unwrap_err(),
        SummaryError::NoHeader
    );
    let unknown = Summary::from_records(&run([created("b")])).unwrap_err();
    assert_eq!(
        unknown,
        SummaryError::UnknownDesign {
            design: "b".to_owned(),
            record: 2
        }
    );
    let unknown = Summary::from_records(&run([timed("a/x", "q", 1.0)])).unwrap_err();
    assert_eq!(
        unknown,
        SummaryError::UnknownQuery {
            query: "q".to_owned(),
            record: 2
        }
    );
}

#[test]
fn figures_of_further_tables_are_kept_apart_from_those_of_the_design() {
    let instances = vec![Instance::twin("a/x"), Instance::smaller("a/x", 50)];
    let mut records = vec![
        loaded("a/x", 0, 1.0),
        Record::Instances { instances },
        loaded("a/x#twin", 0, 2.0),
        timed("a/x", "scan", 1.0),
        timed("a/x#twin", "scan", 1.5),
        timed("a/x#50rows", "scan", 0.5),
    ];
    let summary = Summary::from_records(&run(records.clone())).unwrap();
    assert_eq!(summary.designs.len(), 3);
    let median = |figures: &DesignSummary| figures.query("scan").unwrap().time.unwrap().median;
    assert_eq!(median(summary.twin_of("a/x").unwrap()), 1.5);
    assert!(summary.twin_of("a/y").is_none());
    let scales = summary.scales_of(design_of(&summary, "a/x"));
    let by_rows: Vec<(u64, f64)> = scales
        .iter()
        .map(|(rows, figures)| (*rows, median(figures)))
        .collect();
    assert_eq!(by_rows, [(50, 0.5), (100, 1.0)]);
    records.push(timed("a/y#twin", "scan", 1.0));
    assert!(
        Summary::from_records(&run(records)).is_err(),
        "an unknown table"
    );
}

#[test]
fn the_copies_of_standbys_are_counted_once() {
    let stored = ["a/x", "memory"].into_iter().flat_map(|design| {
        let loaded = loaded(design, 0, 1.0);
        [created(design), loaded, footprint(design, 6_000)]
    });
    let mut records = run(stored);
    let Record::Started(header) = &mut records[0] else {
        unreachable!()
    };
    header.standbys = Some(StandbysInfo {
        engines: vec!["a".to_owned()],
        standbys: 2,
        commit_waits_for: "any one of them".to_owned(),
    });
    let summary = Summary::from_records(&records).unwrap();
    let bytes_per_row = |design| design_of(&summary, design).bytes_per_row;
    assert_eq!(bytes_per_row("a/x"), Some(20.0));
    assert_eq!(bytes_per_row("memory"), Some(60.0));
    let forecast = summary.forecast.as_ref().unwrap();
    let storage = forecast.design("a/x").unwrap().storage.as_ref();
    let storage = storage.unwrap();
    // Of the three copies that the scale asks for.
    assert_eq!(storage.bytes, 20.0 * 10_000.0 * 3.0);
}
