//! Statements about loads, whose figures have a value for each round.

use super::*;
use crate::drive::testing::{
    DESIGN, OTHER_DESIGN, even_seconds, finish, folder, header, start, summary, write_trial,
};
use crate::drive::{DriveHeader, DriveRecord, PassInfo, PassRecord, Passes};

#[test]
fn rounds_that_read_nothing_from_the_disk_are_not_left_out_in_silence() {
    let judged = |silent: u32| {
        let dir = folder(&header(), |log| {
            for round in 1..=7 {
                let mut seconds = even_seconds(20, 400, 400);
                if round <= silent {
                    for (_, server) in &mut seconds {
                        server.disk_read_bytes = Some(9_000);
                    }
                }
                write_trial(log, &start(round, DESIGN, round), &seconds, true);
            }
            finish(log);
        });
        let step = StepResult {
            measured: Some(Measured::Load(Box::new(summary(dir.path())))),
            ..step(&ten_times(1))
        };
        let figure = of(Figure::DiskReadPerByte, DESIGN);
        let study = study(vec![claim(figure, None, [Some(1.0), None])]);
        study.judge(&[step]).remove(0).finding
    };
    assert_eq!(judged(0), Finding::Holds);
    let reason = "a/x: the figure is 0 in 2 of 7 rounds, so that it has no ratio";
    assert_eq!(judged(2), Finding::NotMeasured(reason.to_owned()));
}

#[test]
fn what_compactions_read_can_be_left_out() {
    let judged = |compacted: Option<u64>, at_least: f64| {
        let dir = folder(&header(), |log| {
            for round in 1..=7 {
                let mut seconds = even_seconds(20, 300, 100);
                for (n, (_, server)) in (0..).zip(seconds.iter_mut()) {
                    // Of 120,000 bytes a second.
                    server.compaction_read_bytes = compacted.map(|bytes| bytes * n);
                }
                write_trial(log, &start(round, DESIGN, round), &seconds, true);
            }
            finish(log);
        });
        let step = StepResult {
            measured: Some(Measured::Load(Box::new(summary(dir.path())))),
            ..step(&ten_times(1))
        };
        let figure = of(Figure::DiskReadPerByteOfReads, DESIGN);
        let bounds = [Some(at_least), Some(at_least + 1.0)];
        let study = study(vec![claim(figure, None, bounds)]);
        study.judge(&[step]).remove(0).finding
    };
    // Four bytes for one, of which compactions read none, a quarter, or nobody knows what.
    assert_eq!(judged(Some(0), 3.5), Finding::Holds);
    assert_eq!(judged(Some(30_000), 2.5), Finding::Holds);
    let unknown = judged(None, 3.5);
    assert!(matches!(unknown, Finding::NotMeasured(_)), "{unknown:?}");
}

#[test]
fn passes_are_judged_by_their_rounds() {
    let info = |operation: &str| PassInfo {
        operation: operation.to_owned(),
        rows: 10,
        checked: PassInfo::NOTHING.to_owned(),
    };
    let passing = DriveHeader {
        passes: Some(Passes {
            from_empty: true,
            passes: vec![info("insert"), info("read")],
        }),
        ..header()
    };
    let dir = folder(&passing, |log| {
        for round in 1..=6 {
            for place in 0..2 {
                let trial = 2 * round + place as u32;
                let started = DriveRecord::TrialStarted(start(trial, DESIGN, round));
                log.append(&started).unwrap();
                let real = [4.0, 1.0][place] + 0.01 * f64::from(round);
                log.append(&DriveRecord::Pass(PassRecord {
                    trial,
                    design: DESIGN.to_owned(),
                    round,
                    place,
                    succeeded: 10,
                    // The last round of the second pass has a failure.
                    failed: u64::from(round == 6 && place == 1),
                    not_applied: 0,
                    rows: 10,
                    bytes: 10,
                    real,
                    user: [0.2, 1.8][place] + 0.01 * f64::from(round),
                    system: 0.2,
                    server_cpu: None,
                    disk_read: None,
                    disk_written: None,
                    gc: None,
                    gc_count: None,
                }))
                .unwrap();
            }
        }
        finish(log);
    });
    let step = StepResult {
        measured: Some(Measured::Load(Box::new(summary(dir.path())))),
        ..step(&ten_times(1))
    };
    assert!(step.measured.as_ref().unwrap().is_whole());
    let pass = |operation: &str, time| {
        let operation = operation.to_owned();
        of(Figure::Pass { operation, time }, DESIGN)
    };
    let ratio = |time, bounds| claim(pass("insert", time), Some(pass("read", time)), bounds);
    let study = study(vec![
        ratio(PassTime::Real, [Some(3.0), Some(5.0)]),
        ratio(PassTime::ClientCpu, [None, Some(0.5)]),
        ratio(PassTime::ServerCpu, [Some(1.0), None]),
        claim(pass("scan", PassTime::Real), None, [Some(1.0), None]),
    ]);
    let judged = study.judge(&[step]);
    assert_eq!(judged[0].finding, Finding::Holds, "{judged:?}");
    assert_eq!(judged[0].value.unwrap().observations, 5, "{judged:?}");
    assert_eq!(judged[1].finding, Finding::Holds, "{judged:?}");
    let is_missing = |judged: &Judged| matches!(judged.finding, Finding::NotMeasured(_));
    assert!(judged[2..].iter().all(is_missing), "{judged:?}");
}

#[test]
fn loads_are_judged_by_their_rounds() {
    let dir = folder(&header(), |log| {
        for round in 1..=6 {
            for (place, design) in [DESIGN, OTHER_DESIGN].into_iter().enumerate() {
                let trial = 2 * round + place as u32;
                let reads = [400, 100][place] + u64::from(round);
                let seconds = even_seconds(20, reads, reads);
                write_trial(log, &start(trial, design, round), &seconds, true);
            }
        }
        finish(log);
    });
    let step = StepResult {
        measured: Some(Measured::Load(Box::new(summary(dir.path())))),
        ..step(&ten_times(1))
    };
    let response = |operation: &str| Figure::Response {
        operation: operation.to_owned(),
        quantile: Quantile::P50,
    };
    let ratio = |figure: Figure, bounds| {
        let (one, other) = (of(figure.clone(), DESIGN), of(figure, OTHER_DESIGN));
        claim(one, Some(other), bounds)
    };
    let study = study(vec![
        ratio(Figure::Throughput, [Some(3.0), Some(5.0)]),
        ratio(response("read"), [Some(0.9), Some(1.1)]),
        ratio(response("scan"), [Some(1.0), None]),
        ratio(Figure::CompressionRatio, [Some(1.0), None]),
    ]);
    let judged = study.judge(&[step]);
    assert_eq!(judged[0].finding, Finding::Holds, "{judged:?}");
    assert_eq!(judged[0].value.unwrap().observations, 6);
    assert_eq!(judged[1].finding, Finding::Holds, "{judged:?}");
    let is_missing = |judged: &Judged| matches!(judged.finding, Finding::NotMeasured(_));
    assert!(judged[2..].iter().all(is_missing), "{judged:?}");
}
