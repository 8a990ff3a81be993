use super::*;
use crate::drive::testing::*;
use crate::drive::{
    DriveRecord, FailureKind, FoundRate, ProbeRecord, RateEstimate, ServerSample, Tally,
};

fn close(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a / b - 1.0).abs() < 1e-9)
}

#[test]
fn figures_are_per_second_per_operation_and_per_byte() {
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &even_seconds(20, 30, 10), true);
        finish(log);
    });
    let summary = summary(dir.path());
    let design = summary.design(DESIGN).unwrap();
    assert_eq!(design.trials, [1]);
    let figures = design.figures.as_ref().unwrap();
    assert_eq!((figures.seconds, figures.ops_per_second), (20.0, 40.0));
    let read = &figures.operations[0];
    assert_eq!((read.count, read.ops_per_second), (600, 30.0));
    assert_eq!(
        (read.rows_per_second, read.bytes_per_second),
        (30.0, 3_000.0)
    );
    assert!((read.response.unwrap().p99 / 2e-3 - 1.0).abs() < 1e-3);
    assert!((read.service.unwrap().p999 / 1e-3 - 1.0).abs() < 1e-3);
    assert!(close(figures.client_cpu_micros_per_op, 10.0));
    assert!(close(figures.server_cpu_micros_per_op, 0.5e6 / 40.0));
    assert!(close(figures.server_cores, 0.5));
    assert!(close(figures.disk_read_per_op, 300.0));
    // 40 operations read 300 bytes each; 30 of them return 100 bytes.
    assert!(close(figures.disk_read_per_byte, 4.0));
    assert!(close(figures.disk_read_per_second, 12_000.0));
    assert_eq!(figures.disk_written_per_second, None);
    assert!(summary.finished && summary.trials[0].steady == Some(true));
    assert!(summary.design(OTHER_DESIGN).unwrap().figures.is_none());
}

#[test]
fn the_warm_up_is_left_out_of_rates_times_and_counters() {
    let mut seconds = even_seconds(20, 30, 10);
    for (second, (tallies, server)) in seconds.iter_mut().take(4).enumerate() {
        let mut slow = Tally::default();
        slow.record(900_000_000, 800_000_000);
        *tallies = vec![slow, Tally::default()];
        // The counter stands at what the fourth second ends with.
        server.cpu_seconds = Some(8.5 - 100.0 * (3 - second) as f64);
    }
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &seconds, true);
    });
    let summary = summary(dir.path());
    let trial = &summary.trials[0];
    assert_eq!((trial.warm_up_seconds, trial.steady), (4, Some(true)));
    assert_eq!(trial.figures.seconds, 16.0);
    assert_eq!(trial.figures.ops_per_second, 40.0);
    assert!(trial.figures.operations[0].response.unwrap().max < 0.003);
    assert!(close(trial.figures.server_cores, 0.5));
    assert_eq!(trial.seconds.len(), 20, "the chart shows them all");
}

#[test]
fn what_ends_late_is_in_the_times_but_not_in_the_rate() {
    let mut seconds = even_seconds(12, 10, 0);
    let mut late = Tally::default();
    late.record(5_000_000_000, 4_000_000_000);
    late.failures[FailureKind::TimedOut as usize] = 3;
    seconds[11].0[0] = late;
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &seconds, false);
        log.append(&DriveRecord::TrialEnded(end(1, 11.0, 114)))
            .unwrap();
    });
    let figures = summary(dir.path()).trials[0].figures.clone();
    assert_eq!(figures.ops_per_second, 10.0);
    let read = &figures.operations[0];
    assert_eq!(
        (read.count, read.failures.clone()),
        (111, vec![(FailureKind::TimedOut, 3)])
    );
    assert!((read.response.unwrap().max - 5.0).abs() < 0.01);
}

#[test]
fn rounds_are_joined_and_their_spread_is_reported() {
    let dir = folder(&header(), |log| {
        for (trial, reads) in [(1, 30), (2, 50), (3, 40)] {
            let seconds = even_seconds(12, reads, 0);
            write_trial(log, &start(trial, DESIGN, trial), &seconds, true);
        }
    });
    let summary = summary(dir.path());
    let design = summary.design(DESIGN).unwrap();
    let rate = design.rate.unwrap();
    assert_eq!((rate.low, rate.median, rate.high), (30.0, 40.0, 50.0));
    let figures = design.figures.as_ref().unwrap();
    assert_eq!((figures.seconds, figures.ops_per_second), (36.0, 40.0));
    assert_eq!(figures.successes(), 12 * 120);
    assert!(design.response_p99[0].is_some());
    assert_eq!(design.response_p99[1], None, "no insert succeeded");
}

#[test]
fn a_search_has_the_figures_of_the_rate_that_it_found() {
    let probe = |trial, rate, missed: &[&str]| {
        DriveRecord::Probe(ProbeRecord {
            design: DESIGN.to_owned(),
            trial,
            rate,
            rate_reached: 30.0,
            measured: vec![("p99<10ms".to_owned(), Some(2e6))],
            missed: missed.iter().map(|&m| m.to_owned()).collect(),
            undecided: false,
        })
    };
    let header = DriveHeader {
        objective: Some("p99<10ms".to_owned()),
        ..header()
    };
    let dir = folder(&header, |log| {
        for (trial, reads) in [(1, 70), (2, 50), (3, 60), (4, 50)] {
            let seconds = even_seconds(12, reads, 0);
            write_trial(log, &start(trial, DESIGN, 1), &seconds, true);
        }
        let probes = [
            probe(1, None, &[]),
            probe(2, Some(50.0), &[]),
            probe(3, Some(60.0), &["p99<10ms: 12 ms"]),
            probe(4, Some(50.0), &[]),
        ];
        probes.iter().for_each(|p| log.append(p).unwrap());
        let found = FoundRate {
            design: DESIGN.to_owned(),
            round: 1,
            objective: "p99<10ms".to_owned(),
            rate: Some(50.0),
            failed_at: Some(60.0),
            estimate: None,
            probes: 4,
            why: "the interval is narrow enough".to_owned(),
        };
        log.append(&DriveRecord::Found(found)).unwrap();
    });
    let summary = summary(dir.path());
    let design = summary.design(DESIGN).unwrap();
    assert_eq!(design.trials, [4]);
    assert_eq!(design.figures.as_ref().unwrap().ops_per_second, 50.0);
    assert_eq!(design.highest_rate.unwrap().median, 50.0);
    let held: Vec<bool> = design.probes.iter().map(ProbeRecord::held).collect();
    assert_eq!(held, [false, true, false, true]);
}

#[test]
fn a_load_that_was_killed_shows_what_it_has() {
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &even_seconds(12, 10, 0), false);
        log.append(&DriveRecord::TrialStarted(start(2, OTHER_DESIGN, 1)))
            .unwrap();
    });
    let summary = summary(dir.path());
    assert!(!summary.finished);
    assert_eq!(
        (summary.trials[0].duration, summary.trials[1].duration),
        (12.0, 0.0)
    );
    assert_eq!(summary.design(DESIGN).unwrap().rate.unwrap().median, 10.0);
    assert!(summary.design(OTHER_DESIGN).unwrap().figures.is_none());
}

#[test]
fn a_round_that_was_cut_short_does_not_count_among_others() {
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &even_seconds(12, 10, 0), true);
        write_trial(log, &start(2, DESIGN, 2), &even_seconds(3, 99, 0), false);
    });
    let summary = summary(dir.path());
    assert_eq!(summary.design(DESIGN).unwrap().trials, [1]);
}

#[test]
fn uneven_schedules_have_no_warm_up() {
    let dir = folder(&header(), |log| {
        let ramp: Vec<ASecond> = (0..20)
            .flat_map(|n| even_seconds(1, 10 + 5 * n, 0))
            .collect();
        let start = TrialStart {
            even: false,
            ..start(1, DESIGN, 1)
        };
        write_trial(log, &start, &ramp, true);
    });
    let summary = summary(dir.path());
    assert_eq!(
        (summary.trials[0].warm_up_seconds, summary.trials[0].steady),
        (0, None)
    );
}

#[test]
fn a_rate_that_was_not_reached_is_reported_with_whether_operations_waited() {
    let dir = folder(&header(), |log| {
        for (trial, queued, reached) in [(1, 100, 90.0), (2, 100, 99.5), (3, 0, 90.0)] {
            let start = TrialStart {
                scheduled_rate: Some(100.0),
                ..start(trial, DESIGN, trial)
            };
            write_trial(log, &start, &even_seconds(12, 90, 0), false);
            let end = TrialEnd {
                queued,
                scheduled: 1200,
                rate_reached: reached,
                ..end(trial, 12.0, 1080)
            };
            log.append(&DriveRecord::TrialEnded(end)).unwrap();
        }
    });
    let trials = summary(dir.path()).trials;
    let capped: Vec<_> = trials.iter().map(TrialSummary::capped).collect();
    assert_eq!(capped, [Some((100.0, 90.0)), None, Some((100.0, 90.0))]);
    let limited: Vec<_> = trials.iter().map(TrialSummary::is_limited).collect();
    assert_eq!(limited, [true, true, false]);
}

#[test]
fn fewer_arrivals_than_expected_are_no_cap() {
    let dir = folder(&header(), |log| {
        let start = TrialStart {
            scheduled_rate: Some(100.0),
            ..start(1, DESIGN, 1)
        };
        // 95 a second came, and all were sent.
        write_trial(log, &start, &even_seconds(12, 95, 0), true);
    });
    assert_eq!(summary(dir.path()).trials[0].capped(), None);
}

/// Makes a search that found 50 operations/s in its first round, and an unfinished second round.
fn interrupted_search(
    rounds: u32,
    write: impl FnOnce(&mut crate::drive::DriveLog),
) -> DriveSummary {
    let header = DriveHeader {
        objective: Some("p99<10ms".to_owned()),
        ..header()
    };
    let dir = folder(&header, |log| {
        if rounds == 2 {
            write_trial(log, &start(1, DESIGN, 1), &even_seconds(12, 50, 0), true);
            log.append(&probe(1, Some(50.0))).unwrap();
            let found = FoundRate {
                design: DESIGN.to_owned(),
                round: 1,
                objective: "p99<10ms".to_owned(),
                rate: Some(50.0),
                failed_at: Some(60.0),
                estimate: None,
                probes: 1,
                why: "the interval is narrow enough".to_owned(),
            };
            log.append(&DriveRecord::Found(found)).unwrap();
        }
        write(log);
    });
    summary(dir.path())
}

fn probe(trial: u32, rate: Option<f64>) -> DriveRecord {
    DriveRecord::Probe(ProbeRecord {
        design: DESIGN.to_owned(),
        trial,
        rate,
        rate_reached: 30.0,
        measured: vec![("p99<10ms".to_owned(), Some(2e6))],
        missed: Vec::new(),
        undecided: false,
    })
}

#[test]
fn a_search_that_does_not_finish_says_nothing_that_it_has_not_found() {
    for rounds in [1, 2] {
        let summary = interrupted_search(rounds, |log| {
            write_trial(
                log,
                &start(2, DESIGN, rounds),
                &even_seconds(12, 900, 0),
                true,
            );
            log.append(&probe(2, None)).unwrap();
            write_trial(
                log,
                &start(3, DESIGN, rounds),
                &even_seconds(12, 700, 0),
                true,
            );
            log.append(&probe(3, Some(700.0))).unwrap();
            // Came to its end, and was not judged any more.
            write_trial(
                log,
                &start(4, DESIGN, rounds),
                &even_seconds(12, 800, 0),
                true,
            );
            // Was stopped.
            write_trial(
                log,
                &start(5, DESIGN, rounds),
                &even_seconds(3, 800, 0),
                false,
            );
            let stopped = TrialEnd {
                stopped: true,
                ..end(5, 3.0, 2400)
            };
            log.append(&DriveRecord::TrialEnded(stopped)).unwrap();
        });
        let design = summary.design(DESIGN).unwrap();
        let (trials, rate) = match rounds {
            1 => (vec![], None),
            _ => (vec![1], Some(50.0)),
        };
        assert_eq!(design.trials, trials);
        assert_eq!(design.rate.map(|r| r.median), rate);
        assert_eq!(design.highest_rate.map(|r| r.median), rate);
        assert_eq!(design.probes.len() as u32, rounds + 1);
    }
}

#[test]
fn a_round_that_was_stopped_or_lost_a_worker_does_not_count() {
    let ended = |log: &mut crate::drive::DriveLog, trial, end: TrialEnd| {
        write_trial(
            log,
            &start(trial, DESIGN, trial),
            &even_seconds(12, 99, 0),
            false,
        );
        log.append(&DriveRecord::TrialEnded(end)).unwrap();
    };
    let lost = |trial| TrialEnd {
        worker_failures: vec!["worker thread 1: connection reset".to_owned()],
        ..end(trial, 12.0, 1188)
    };
    let stopped = |trial| TrialEnd {
        stopped: true,
        ..end(trial, 12.0, 1188)
    };
    let trials = |write: &dyn Fn(&mut crate::drive::DriveLog)| {
        let dir = folder(&header(), |log| write(log));
        summary(dir.path()).design(DESIGN).unwrap().trials.clone()
    };
    let both = trials(&|log| {
        write_trial(log, &start(1, DESIGN, 1), &even_seconds(12, 10, 0), true);
        ended(log, 2, stopped(2));
        ended(log, 3, lost(3));
    });
    assert_eq!(both, [1]);
    assert_eq!(trials(&|log| ended(log, 1, stopped(1))), [1], "no other");
    assert!(trials(&|log| ended(log, 1, lost(1))).is_empty());
}

#[test]
fn a_server_that_is_restarted_counts_from_zero() {
    let mut seconds = even_seconds(12, 10, 0);
    for (n, (_, server)) in seconds.iter_mut().enumerate() {
        let cpu = if n < 6 {
            100.0 + n as f64
        } else {
            n as f64 - 5.0
        };
        *server = ServerSample {
            cpu_seconds: Some(cpu),
            ..ServerSample::default()
        };
    }
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &seconds, true)
    });
    assert!(close(
        summary(dir.path()).trials[0].figures.server_cores,
        1.0
    ));
}

#[test]
fn records_that_contradict_the_header_and_missing_logs_are_errors() {
    let error = |write: &dyn Fn(&mut crate::drive::DriveLog)| {
        let dir = folder(&header(), |log| write(log));
        let run = DriveRun::open(dir.path()).unwrap();
        run.summary().unwrap_err().to_string()
    };
    let unknown = error(&|log| {
        log.append(&DriveRecord::TrialStarted(start(1, "b/z", 1)))
            .unwrap();
    });
    assert!(
        unknown.contains("record 2") && unknown.contains("`b/z`"),
        "{unknown}"
    );
    let early = error(&|log| {
        log.append(&DriveRecord::TrialEnded(end(9, 1.0, 1)))
            .unwrap()
    });
    assert!(early.contains("trial 9, which has not started"), "{early}");
    let lost = error(&|log| {
        write_trial(log, &start(1, DESIGN, 1), &even_seconds(2, 1, 1), true);
        std::fs::remove_file(crate::drive::HistogramLog::path(log.dir(), 1)).unwrap();
    });
    assert!(lost.contains("001.hlog"), "{lost}");
}

#[test]
fn a_warm_up_is_no_round_and_the_estimate_of_a_search_is_its_rate() {
    let dir = folder(&header(), |log| {
        let warm_up = TrialStart {
            warm_up: true,
            ..start(1, DESIGN, 1)
        };
        write_trial(log, &warm_up, &even_seconds(12, 10, 0), true);
        write_trial(log, &start(2, DESIGN, 1), &even_seconds(12, 70, 0), true);
    });
    let design_of = |summary: &DriveSummary| summary.design(DESIGN).unwrap().clone();
    let design = design_of(&summary(dir.path()));
    assert_eq!(design.trials, [2]);
    assert_eq!(design.rate.unwrap().median, 70.0);

    let summary = interrupted_search(1, |log| {
        write_trial(log, &start(1, DESIGN, 1), &even_seconds(12, 50, 0), true);
        log.append(&probe(1, Some(50.0))).unwrap();
        let found = FoundRate {
            design: DESIGN.to_owned(),
            round: 1,
            objective: "p99<10ms".to_owned(),
            rate: Some(50.0),
            failed_at: Some(60.0),
            estimate: Some(RateEstimate {
                rate: 54.0,
                low: 51.0,
                high: 57.0,
            }),
            probes: 1,
            why: "the interval is narrow enough".to_owned(),
        };
        log.append(&DriveRecord::Found(found)).unwrap();
    });
    let design = design_of(&summary);
    assert_eq!(design.highest_rate.unwrap().median, 54.0);
    assert_eq!(
        design.trials,
        [1],
        "figures are of the highest rate that held"
    );
}
