use super::*;
use crate::drive::testing::*;
use crate::drive::{FailureKind, TrialStart, TrialSummary};

fn shard(index: u32, of: u32) -> DriveHeader {
    DriveHeader {
        shard: (index, of),
        schedule: "80 ops/s".to_owned(),
        command: format!("bakeoff drive w.toml --shard {}/{of}", index + 1),
        ..header()
    }
}

fn started(trial: u32, nanoseconds_late: u64) -> TrialStart {
    let start = start(trial, DESIGN, trial);
    TrialStart {
        schedule: "80 ops/s".to_owned(),
        scheduled_rate: Some(40.0),
        started_at_ns: start.started_at_ns + nanoseconds_late,
        ..start
    }
}

/// Makes a finished load of one trial of 20 s with 30 reads and 10 inserts a second.
fn one(header: &DriveHeader, nanoseconds_late: u64) -> tempfile::TempDir {
    folder(header, |log| {
        write_trial(
            log,
            &started(1, nanoseconds_late),
            &even_seconds(20, 30, 10),
            true,
        );
        finish(log);
    })
}

fn merged(
    dirs: &[&tempfile::TempDir],
) -> Result<(tempfile::TempDir, crate::drive::DriveSummary), MergeError> {
    let out = tempfile::tempdir().unwrap();
    let dirs: Vec<PathBuf> = dirs.iter().map(|d| d.path().to_owned()).collect();
    merge(&dirs, out.path())?;
    let summary = summary(out.path());
    Ok((out, summary))
}

fn refusal(dirs: &[&tempfile::TempDir]) -> String {
    merged(dirs).unwrap_err().to_string()
}

#[test]
fn rates_and_histograms_are_added_but_not_the_server() {
    let (first, second) = (one(&shard(0, 2), 0), one(&shard(1, 2), 3_000_000));
    // The order in which they are named does not matter.
    let (_out, summary) = merged(&[&second, &first]).unwrap();
    assert!(
        summary.finished && summary.warnings.is_empty(),
        "{:?}",
        summary.warnings
    );
    assert_eq!(summary.header.shard, (0, 1));
    assert_eq!((summary.header.threads, summary.header.in_flight), (2, 64));
    let commands: Vec<&str> = summary
        .header
        .parts
        .iter()
        .map(|p| p.command.as_str())
        .collect();
    assert!(commands[0].ends_with("1/2") && commands[1].ends_with("2/2"));
    let trial: &TrialSummary = &summary.trials[0];
    assert_eq!(trial.start.scheduled_rate, Some(80.0));
    assert_eq!(trial.figures.ops_per_second, 80.0);
    assert_eq!(trial.figures.operations[0].count, 2 * 20 * 30);
    let p99 = trial.figures.operations[0].response.unwrap().p99;
    assert!((p99 / 2e-3 - 1.0).abs() < 1e-3);
    assert!((trial.figures.server_cores.unwrap() - 0.5).abs() < 1e-9);
    assert!((trial.figures.server_cpu_micros_per_op.unwrap() - 0.5e6 / 80.0).abs() < 1e-6);
    assert!((trial.figures.client_cpu_micros_per_op.unwrap() - 10.0).abs() < 1e-9);
    let end = trial.end.as_ref().unwrap();
    assert_eq!(
        (end.sent, end.seconds, end.rate_reached),
        (1600, 20.0, 80.0)
    );
}

#[test]
fn seconds_are_aligned_by_when_trials_began() {
    let late = 2_100_000_000;
    let (first, second) = (one(&shard(0, 2), 0), one(&shard(1, 2), late));
    let (_out, summary) = merged(&[&first, &second]).unwrap();
    let rates: Vec<u64> = summary.trials[0]
        .seconds
        .iter()
        .map(|s| s.successes())
        .collect();
    assert_eq!(rates[..3], [40, 40, 80]);
    assert_eq!(rates[18..], [80, 80, 40, 40]);
    // All shards drove from the third second to the twentieth.
    let trial = &summary.trials[0];
    assert_eq!((trial.duration, trial.warm_up_seconds), (20.0, 2));
    assert_eq!(trial.figures.ops_per_second, 80.0);
    let warning = "trial 1 (a/x): shard 2/2 began 2.1 s after the first";
    assert!(
        summary.warnings.iter().any(|w| w.starts_with(warning)),
        "{:?}",
        summary.warnings
    );
}

#[test]
fn starts_that_are_half_a_second_apart_are_reported_and_lower_no_rate() {
    for (late, warned) in [
        (400_000_000, false),
        (600_000_000, true),
        (1_000_000_000, true),
    ] {
        let (first, second) = (one(&shard(0, 2), 0), one(&shard(1, 2), late));
        let (_out, summary) = merged(&[&first, &second]).unwrap();
        assert_eq!(
            !summary.warnings.is_empty(),
            warned,
            "{late}: {:?}",
            summary.warnings
        );
        assert_eq!(summary.trials[0].figures.ops_per_second, 80.0, "{late}");
    }
}

#[test]
fn failures_and_queues_are_added() {
    let folder = |index| {
        folder(&shard(index, 2), |log| {
            let mut seconds = even_seconds(12, 10, 0);
            seconds[5].0[0].failures[FailureKind::TimedOut as usize] = 4;
            seconds[5].0[0].retries = 2;
            write_trial(log, &started(1, 0), &seconds, true);
        })
    };
    let (_out, summary) = merged(&[&folder(0), &folder(1)]).unwrap();
    let read = &summary.trials[0].figures.operations[0];
    assert_eq!(
        (read.failures.clone(), read.retries),
        (vec![(FailureKind::TimedOut, 8)], 4)
    );
    assert!(!summary.finished);
    let unfinished = ["shard 1/2 has not finished", "shard 2/2 has not finished"];
    assert_eq!(summary.warnings, unfinished);
}

#[test]
fn a_missing_shard_and_a_missing_trial_are_warnings() {
    let two_trials = folder(&shard(0, 3), |log| {
        write_trial(log, &started(1, 0), &even_seconds(12, 30, 10), true);
        write_trial(log, &started(2, 0), &even_seconds(12, 30, 10), true);
        finish(log);
    });
    let (_out, summary) = merged(&[&two_trials, &one(&shard(2, 3), 0)]).unwrap();
    assert_eq!(
        summary.warnings,
        [
            "shard 2/3 is missing: rates are those of the others only",
            "trial 2 (a/x) has no shard 3/3",
        ]
    );
    let rates: Vec<f64> = summary
        .trials
        .iter()
        .map(|t| t.figures.ops_per_second)
        .collect();
    assert_eq!(rates.len(), 2);
    assert_eq!(rates[1], 40.0);
}

#[test]
fn what_is_not_one_load_is_refused() {
    let first = one(&shard(0, 2), 0);
    assert!(refusal(&[]).contains("at least two"));
    assert!(refusal(&[&first]).contains("at least two"));
    assert!(refusal(&[&first, &one(&shard(0, 2), 0)]).contains("both of shard 1"));
    type Change = fn(&mut DriveHeader);
    let changes: [(&str, Change); 11] = [
        ("their workload", |h| h.workload_text.push('#')),
        ("their seed", |h| h.seed = 2),
        ("their number of rows", |h| h.rows = 2),
        ("their designs", |h| h.designs.truncate(1)),
        ("their schedule", |h| h.schedule = "5 ops/s".to_owned()),
        ("how long they drove", |h| h.seconds = 5.0),
        ("the cluster that they drove", |h| {
            h.cluster = Some("cass-1".to_owned());
        }),
        ("their keyspace", |h| h.keyspace = Some("other".to_owned())),
        ("their --retries", |h| h.retries = 1),
        ("their --time-out", |h| h.time_out_seconds = 1.0),
        ("their number of shards", |h| h.shard.1 = 4),
    ];
    for (what, change) in changes {
        let mut header = shard(1, 2);
        change(&mut header);
        let message = refusal(&[&first, &one(&header, 0)]);
        assert!(message.contains(&format!("differ in {what}")), "{message}");
    }
    let mut search = shard(1, 2);
    search.objective = Some("p99<10ms".to_owned());
    assert!(refusal(&[&first, &one(&search, 0)]).contains("search for the highest rate"));
}

#[test]
fn loads_that_were_not_driven_at_the_same_time_are_refused() {
    let (first, second) = (one(&shard(0, 2), 0), one(&shard(1, 2), 20_000_000_000));
    let message = refusal(&[&first, &second]);
    assert!(
        message.contains("--start-at") && message.contains("trial 1 (a/x)"),
        "{message}"
    );
}

#[test]
fn a_folder_in_use_is_not_written_over() {
    let (first, second) = (one(&shard(0, 2), 0), one(&shard(1, 2), 0));
    let dirs = [&first, &second].map(|d| d.path().to_owned());
    let error = merge(&dirs, first.path()).unwrap_err();
    assert!(
        matches!(error, MergeError::Log(JournalError::Occupied { .. })),
        "{error}"
    );
}
