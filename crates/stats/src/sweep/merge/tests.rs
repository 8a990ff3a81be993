use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::FailureKind;
use crate::sweep::testing::{cell, header, shard};
use crate::sweep::{Cell, CellPart, Check, Failures, InsertTally, SweepSummary};

const MS: Duration = Duration::from_millis(1);
/// Begin of the first setting.
const BEGAN: Duration = Duration::from_secs(1_790_000_000);

/// Makes a setting of eight workers in which ten inserts of 100 rows were acknowledged within a second, each after
/// this time, beginning later than the first shard.
fn setting(took: Duration, late: Duration) -> (CellPart, Cell) {
    let mut tally = InsertTally::default();
    for insert in 1..=10u32 {
        tally.acknowledge(100, took, insert * 100 * MS);
    }
    let cell = Cell {
        inserted: tally.inserted(8),
        check: None,
        ..cell(100, 8, 1_000, 0.1)
    };
    let part = CellPart::new(&cell, UNIX_EPOCH + BEGAN + late, &tally).unwrap();
    (part, cell)
}

fn folder(
    header: &SweepHeader,
    settings: &[(Option<CellPart>, Cell)],
    ends: bool,
) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut log = SweepLog::create(dir.path(), header).unwrap();
    for (part, cell) in settings.iter().cloned() {
        if let Some(part) = part {
            log.append(&SweepRecord::Part(part)).unwrap();
        }
        log.append(&SweepRecord::Cell(cell)).unwrap();
    }
    if ends {
        let end = SweepRecord::Finished {
            at: String::new(),
            seconds: 60.0,
            peak_memory_bytes: 1 << 20,
        };
        log.append(&end).unwrap();
    }
    dir
}

fn one(header: &SweepHeader, (part, cell): (CellPart, Cell)) -> tempfile::TempDir {
    folder(header, &[(Some(part), cell)], true)
}

fn merged(dirs: &[&tempfile::TempDir]) -> Result<(SweepSummary, Vec<SweepRecord>), MergeError> {
    let out = tempfile::tempdir().unwrap();
    let dirs: Vec<PathBuf> = dirs.iter().map(|dir| dir.path().to_owned()).collect();
    merge(&dirs, out.path())?;
    let run = SweepRun::open(out.path()).unwrap();
    Ok((run.summary(), run.records().to_vec()))
}

fn refusal(dirs: &[&tempfile::TempDir]) -> String {
    merged(dirs).unwrap_err().to_string()
}

fn only_cell(records: &[SweepRecord]) -> &Cell {
    let cells = records.iter().filter_map(|record| match record {
        SweepRecord::Cell(cell) => Some(cell),
        _ => None,
    });
    let cells: Vec<&Cell> = cells.collect();
    let [cell] = cells[..] else {
        panic!("{cells:?}");
    };
    cell
}

#[test]
fn rates_failures_and_workers_are_added_and_times_are_of_one_histogram() {
    let (part, mut counting) = setting(10 * MS, Duration::ZERO);
    counting.check = Some(Check::new(2_700, 2_700, 0));
    counting.failures = Failures {
        kinds: vec![(FailureKind::TimedOut, 1)],
        rows: 100,
        messages: vec!["no answer".to_owned()],
    };
    let first = one(&shard(0, 2), (part, counting.clone()));
    let (part, slow) = setting(90 * MS, Duration::ZERO);
    let slow = Cell {
        failures: counting.failures.clone(),
        ..slow
    };
    let second = one(&shard(1, 2), (part, slow));
    // The order in which they are named does not matter.
    let (summary, records) = merged(&[&second, &first]).unwrap();
    assert!(
        summary.finished && summary.warnings.is_empty(),
        "{summary:?}"
    );
    assert_eq!(summary.header.workers, [2, 16, 128]);
    assert_eq!(summary.header.threads, 4);
    let parts = &summary.header.shared.as_ref().unwrap().parts;
    let commands: Vec<&str> = parts.iter().map(|part| part.command.as_str()).collect();
    assert!(commands[0].ends_with("1/2") && commands[1].ends_with("2/2"));
    let cell = only_cell(&records);
    assert_eq!((cell.workers, cell.reason.as_deref()), (16, None));
    assert_eq!(cell.check, Some(Check::new(2_700, 2_700, 0)));
    assert_eq!(cell.failures.kinds, [(FailureKind::TimedOut, 2)]);
    assert_eq!((cell.failures.rows, cell.failures.messages.len()), (200, 1));
    let inserted = cell.inserted.as_ref().unwrap();
    assert_eq!(inserted.rows_per_second(), 2_000.0);
    assert_eq!(inserted.inserts, 20);
    // Half of the inserts took 10 ms and half 90 ms.
    assert!((inserted.p50 - 0.01).abs() < 1e-3, "{inserted:?}");
    assert!((inserted.mean - 0.05).abs() < 1e-3, "{inserted:?}");
    assert!((inserted.max - 0.09).abs() < 1e-3, "{inserted:?}");
    let by_second = records.iter().find_map(|record| match record {
        SweepRecord::Part(part) => Some(part.inserts.rows_by_second.clone()),
        _ => None,
    });
    // The last insert of each ended with the first second.
    assert_eq!(by_second, Some(vec![1_800, 200]));
    assert_eq!(
        summary.settings().count(),
        1,
        "its workers are in the header"
    );
}

#[test]
fn a_later_begin_is_reported_and_makes_the_rate_no_higher() {
    let first = one(&shard(0, 2), setting(10 * MS, Duration::ZERO));
    for (late, warned) in [(400 * MS, false), (600 * MS, true)] {
        let second = one(&shard(1, 2), setting(10 * MS, late));
        let (summary, records) = merged(&[&first, &second]).unwrap();
        let inserted = only_cell(&records).inserted.clone().unwrap();
        assert_eq!(inserted.seconds, 1.0 + late.as_secs_f64());
        assert_eq!(inserted.rows, 2_000);
        let warnings = &summary.warnings;
        assert_eq!(!warnings.is_empty(), warned, "{warnings:?}");
        let words = "shard 2/2 began 1 of 1 settings up to 0.6 s after the first";
        assert!(
            warnings.iter().all(|w| w.starts_with(words)),
            "{warnings:?}"
        );
    }
}

#[test]
fn a_shard_that_ended_early_leaves_its_settings_without_figures() {
    let (part, measured) = setting(10 * MS, Duration::ZERO);
    let late = "not measured: the table was not there";
    let skipped = Cell {
        batch_rows: 1,
        inserted: None,
        reason: Some(late.to_owned()),
        ..measured.clone()
    };
    let second = Cell {
        workers: 64,
        ..measured.clone()
    };
    let second_part = CellPart {
        workers: 64,
        ..part.clone()
    };
    let first_one = Cell {
        batch_rows: 1,
        ..measured.clone()
    };
    let first_part = CellPart {
        batch_rows: 1,
        ..part.clone()
    };
    let all = [
        (Some(part.clone()), measured.clone()),
        (Some(first_part), first_one),
        (Some(second_part), second),
    ];
    let whole = folder(&shard(0, 2), &all, true);
    let died = folder(
        &shard(1, 2),
        &[(Some(part), measured), (None, skipped)],
        false,
    );
    let (summary, records) = merged(&[&whole, &died]).unwrap();
    assert_eq!(summary.warnings, ["shard 2/2 has not finished"]);
    assert!(!summary.finished);
    let cells = records.iter().filter_map(|record| match record {
        SweepRecord::Cell(cell) => Some((cell.inserted.is_some(), cell.reason.clone())),
        _ => None,
    });
    let expected = |why: &str| Some(format!("not measured by all shards: shard 2/2: {why}"));
    assert_eq!(
        cells.collect::<Vec<_>>(),
        [
            (true, None),
            (false, expected(late)),
            (false, expected("it has no figures of this setting")),
        ]
    );
}

#[test]
fn a_setting_that_shards_measured_one_after_the_other_has_no_figures() {
    let (part, measured) = setting(10 * MS, Duration::ZERO);
    let other = |part: &CellPart, cell: &Cell| {
        let part = CellPart {
            batch_rows: 1,
            ..part.clone()
        };
        let cell = Cell {
            batch_rows: 1,
            ..cell.clone()
        };
        (Some(part), cell)
    };
    let (late_part, late) = setting(10 * MS, 5_000 * MS);
    let apart = folder(
        &shard(1, 2),
        &[
            (Some(part.clone()), measured.clone()),
            other(&late_part, &late),
        ],
        true,
    );
    let both = [
        (Some(part.clone()), measured.clone()),
        other(&part, &measured),
    ];
    let first = folder(&shard(0, 2), &both, true);
    let (_, records) = merged(&[&first, &apart]).unwrap();
    let reasons: Vec<_> = { records.iter() }
        .filter_map(|record| match record {
            SweepRecord::Cell(cell) => Some(cell.reason.as_deref()),
            _ => None,
        })
        .collect();
    let words =
        "not measured by all shards at the same time: shard 1/2 was over before shard 2/2 began";
    assert_eq!(reasons, [None, Some(words)]);
    // Of which there is no other one, there is nothing to join.
    let first = one(&shard(0, 2), (part, measured));
    let second = one(&shard(1, 2), (late_part, late));
    assert!(refusal(&[&first, &second]).contains("NTP"));
}

#[test]
fn what_is_not_one_sweep_is_refused() {
    let first = one(&shard(0, 2), setting(MS, Duration::ZERO));
    assert!(refusal(&[]).contains("at least two"));
    assert!(refusal(&[&first]).contains("at least two"));
    let same = one(&shard(0, 2), setting(MS, Duration::ZERO));
    assert!(refusal(&[&first, &same]).contains("both of shard 1"));
    let whole = one(&header(), setting(MS, Duration::ZERO));
    assert!(refusal(&[&first, &whole]).contains("a single process"));
    let of_three = [0, 2].map(|index| one(&shard(index, 3), setting(MS, Duration::ZERO)));
    let missing = refusal(&[&of_three[0], &of_three[1]]);
    assert!(missing.starts_with("shard 2/3 is missing"), "{missing}");
    type Change = fn(&mut SweepHeader);
    fn shared(header: &mut SweepHeader) -> &mut SharedSweep {
        header.shared.as_mut().unwrap()
    }
    let changes: [(&str, Change); 17] = [
        ("their workload", |h| h.workload_text.push('#')),
        ("their data", |h| h.data.push('#')),
        ("their seed", |h| h.seed = 2),
        ("their number of rows", |h| h.rows = Some(2)),
        ("their designs", |h| h.designs.truncate(1)),
        ("their --batches", |h| h.batches.truncate(1)),
        ("their --workers", |h| h.workers.truncate(1)),
        ("their --for", |h| h.seconds = 5.0),
        ("their --rounds", |h| h.rounds = 5),
        ("their --warm-up", |h| h.warm_up_seconds = 5.0),
        ("their --time-out", |h| h.time_out_seconds = 5.0),
        ("their number of shards", |h| shared(h).shard.1 = 4),
        ("their --start-at", |h| shared(h).start_at_ms += 1),
        ("their --pause", |h| shared(h).pause_seconds = 1.0),
        ("the cluster that they filled", |h| shared(h).cluster = None),
        ("their keyspace", |h| shared(h).keyspace = None),
        ("their --consistency", |h| {
            shared(h).consistency = Some("QUORUM".to_owned());
        }),
    ];
    for (what, change) in changes {
        let mut header = shard(1, 2);
        change(&mut header);
        let other = one(&header, setting(MS, Duration::ZERO));
        let message = refusal(&[&first, &other]);
        assert!(message.contains(&format!("differ in {what}:")), "{message}");
    }
}

#[test]
fn a_joined_folder_is_not_joined_again_and_one_in_use_not_written_over() {
    let dirs = [0, 1].map(|index| one(&shard(index, 2), setting(MS, Duration::ZERO)));
    let paths = dirs.each_ref().map(|dir| dir.path().to_owned());
    let out = tempfile::tempdir().unwrap();
    merge(&paths, out.path()).unwrap();
    assert!(refusal(&[&dirs[1], &out]).contains("is joined already"));
    let error = merge(&paths, dirs[0].path()).unwrap_err();
    assert!(
        matches!(error, MergeError::Log(JournalError::Occupied { .. })),
        "{error}"
    );
}

#[test]
fn a_damaged_histogram_leaves_nothing_behind() {
    let (mut part, cell) = setting(MS, Duration::ZERO);
    part.inserts.latencies = "AAAA".to_owned();
    let first = one(&shard(0, 2), setting(MS, Duration::ZERO));
    let second = one(&shard(1, 2), (part, cell));
    let out = tempfile::tempdir().unwrap();
    let out = out.path().join("whole");
    let paths = [&first, &second].map(|dir| dir.path().to_owned());
    let error = merge(&paths, &out).unwrap_err().to_string();
    assert!(
        error.contains("the inserts of d, batches of 100, 8 workers"),
        "{error}"
    );
    assert!(!out.exists());
}

#[test]
fn figures_of_the_server_are_those_of_the_shard_that_has_them_with_the_rows_of_all() {
    let settings = [setting(10 * MS, Duration::ZERO), setting(20 * MS, MS)];
    let window = ServerWindow {
        design: "d".to_owned(),
        during: During::Setting {
            batch_rows: 100,
            workers: 8,
            round: 1,
            rows: 1_000,
        },
        began_at_ns: 1,
        seconds: 1.0,
        samples: Vec::new(),
    };
    let [first, second] = [0, 1].map(|index: u32| {
        let (part, cell) = settings[index as usize].clone();
        let dir = tempfile::tempdir().unwrap();
        let mut log = SweepLog::create(dir.path(), &shard(index, 2)).unwrap();
        log.append(&SweepRecord::Part(part)).unwrap();
        if index == 0 {
            log.append(&SweepRecord::Server(window.clone())).unwrap();
        }
        log.append(&SweepRecord::Cell(cell)).unwrap();
        dir
    });
    let (summary, _) = merged(&[&first, &second]).unwrap();
    let during = During::Setting {
        batch_rows: 100,
        workers: 16,
        round: 1,
        rows: 2_000,
    };
    let joined = ServerWindow { during, ..window };
    assert_eq!(summary.server, [joined]);
}
