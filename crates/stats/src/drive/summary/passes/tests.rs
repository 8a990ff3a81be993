use super::*;
use crate::drive::testing::{
    ASecond, DESIGN, end, folder, header, start, summary, tally, write_trial,
};
use crate::drive::{
    DriveHeader, DriveLog, DriveRecord, DriveSummary, ServerSample, Tally, TrialEnd,
};

fn passes() -> Passes {
    let pass = |operation: &str, rows| PassInfo {
        operation: operation.to_owned(),
        rows,
        checked: "every value".to_owned(),
    };
    Passes {
        from_empty: true,
        passes: vec![pass("insert", 300), pass("read", 300), pass("read", 20)],
    }
}

fn passing() -> DriveHeader {
    DriveHeader {
        passes: Some(passes()),
        designs: vec![header().designs[0].clone()],
        ..header()
    }
}

fn record(trial: u32, round: u32, place: usize, real: f64) -> PassRecord {
    PassRecord {
        trial,
        design: DESIGN.to_owned(),
        round,
        place,
        succeeded: 300,
        failed: 0,
        not_applied: 0,
        rows: 300,
        bytes: 30_000,
        real,
        user: real / 2.0,
        system: real / 8.0,
        server_cpu: Some(real),
        disk_read: None,
        disk_written: Some(1 << 20),
        gc: None,
        gc_count: Some(round.into()),
    }
}

/// Writes a pass as a driver does, whose operations all end in its first second.
fn write(log: &mut DriveLog, record: &PassRecord) {
    let mut start = start(record.trial, DESIGN, record.round);
    start.even = false;
    let done = tally(record.succeeded);
    let tallies = if record.place == 0 {
        vec![Tally::default(), done]
    } else {
        vec![done, Tally::default()]
    };
    let seconds: Vec<ASecond> = vec![(tallies, ServerSample::default())];
    write_trial(log, &start, &seconds, false);
    let end = TrialEnd {
        connect_seconds: vec![0.01, 0.1 * f64::from(record.round)],
        ..end(record.trial, record.real, record.succeeded)
    };
    log.append(&DriveRecord::TrialEnded(end)).unwrap();
    log.append(&DriveRecord::Pass(record.clone())).unwrap();
}

fn summed(records: &[PassRecord]) -> DriveSummary {
    let dir = folder(&passing(), |log| {
        records.iter().for_each(|record| write(log, record));
    });
    summary(dir.path())
}

#[test]
fn each_pass_has_the_median_of_its_rounds_and_no_other_figures() {
    let mut records = Vec::new();
    for (round, real) in [(1, 2.0), (2, 6.0), (3, 3.0)] {
        for place in 0..3 {
            let trial = records.len() as u32 + 1;
            records.push(record(trial, round, place, real * (place + 1) as f64));
        }
    }
    let summary = summed(&records);
    let real: Vec<f64> = summary
        .passes
        .iter()
        .map(|p| p.real.unwrap().median)
        .collect();
    assert_eq!(real, [3.0, 6.0, 9.0]);
    let [insert, read, again] = &summary.passes[..] else {
        panic!("{:?}", summary.passes);
    };
    assert_eq!((insert.operation.as_str(), insert.ended), ("insert", 3));
    assert_eq!((read.place, again.place), (1, 2));
    let median = |estimate: Option<Estimate>| estimate.unwrap().median;
    assert_eq!((median(read.user), median(read.system)), (3.0, 0.75));
    assert_eq!(median(read.server_cpu), 6.0);
    assert_eq!(median(read.disk_written), f64::from(1 << 20));
    assert_eq!((read.disk_read, read.gc), (None, None));
    assert_eq!(median(read.gc_count), 2.0);
    // The slowest worker of the second of three rounds.
    assert_eq!(median(read.connect), 0.2);
    // Response times are those of the pass alone, of 2 ms each.
    assert!((median(insert.p99) / 2e-3 - 1.0).abs() < 1e-3);
    // A design that only made passes has no load.
    let design = &summary.designs[0];
    assert!(design.trials.is_empty() && design.figures.is_none() && design.rate.is_none());
    assert!(summary.comparison.figures.is_empty());
    assert_eq!(summary.trials[4].pass.as_ref().unwrap().place, 1);
}

#[test]
fn a_round_with_a_failure_is_counted_and_in_no_time() {
    let failed = PassRecord {
        failed: 4,
        succeeded: 296,
        ..record(2, 2, 1, 0.1)
    };
    let summary = summed(&[record(1, 1, 1, 5.0), failed]);
    let read = &summary.passes[1];
    assert_eq!((read.ended, read.whole, read.failed), (2, 1, 4));
    assert_eq!(read.real.unwrap().median, 5.0);
    // Passes that have not been made have nothing.
    assert_eq!((summary.passes[0].ended, summary.passes[0].real), (0, None));
}

#[test]
fn a_pass_of_which_every_operation_failed_has_no_time() {
    let failed = PassRecord {
        failed: 300,
        succeeded: 0,
        ..record(1, 1, 0, 1.0)
    };
    let insert = summed(&[failed]).passes[0].clone();
    assert_eq!((insert.whole, insert.real), (0, None));
}

#[test]
fn records_of_passes_read_back_as_they_were() {
    let record = DriveRecord::Pass(record(1, 1, 0, 2.0));
    let json = serde_json::to_string(&record).unwrap();
    assert!(json.starts_with(r#"{"record":"pass","trial":1"#), "{json}");
    assert_eq!(serde_json::from_str::<DriveRecord>(&json).unwrap(), record);
    let json = serde_json::to_string(&passing()).unwrap();
    assert_eq!(
        serde_json::from_str::<DriveHeader>(&json).unwrap(),
        passing()
    );
    assert!(!serde_json::to_string(&header()).unwrap().contains("passes"));
}
