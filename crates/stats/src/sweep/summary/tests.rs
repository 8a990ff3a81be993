use super::*;
use crate::sweep::{Check, Failures, SweepLog, SweepRun};
use crate::{FailureKind, Machine, Role};

fn header() -> SweepHeader {
    SweepHeader {
        bakeoff_version: "0".to_owned(),
        started_at: String::new(),
        command: String::new(),
        workload: "w".to_owned(),
        title: "t".to_owned(),
        workload_text: String::new(),
        data: String::new(),
        seed: 1,
        rows: None,
        designs: vec![DesignInfo {
            id: "d".to_owned(),
            engine: "e".to_owned(),
            role: Role::Store,
            server: false,
            settings: Vec::new(),
            statements: Vec::new(),
            unit_rows: None,
        }],
        machine: Machine {
            os: String::new(),
            cpu: String::new(),
            cores: 2,
            memory_bytes: 0,
        },
        threads: 2,
        batches: vec![1, 100],
        workers: vec![1, 8, 64],
        seconds: 1.0,
        warm_up_seconds: 0.0,
        time_out_seconds: 1.0,
    }
}

fn cell(batch_rows: u64, workers: u32, rows: u64, p99: f64) -> Cell {
    Cell {
        design: "d".to_owned(),
        batch_rows,
        workers,
        inserted: Some(Inserted {
            inserts: rows / batch_rows,
            rows,
            seconds: 1.0,
            mean: p99 / 2.0,
            p50: p99 / 2.0,
            p99: Some(p99),
            max: p99,
            waited_share: 0.0,
            rows_ran_out: false,
        }),
        failures: Failures::default(),
        check: Some(Check::new(rows, rows, 0)),
        reason: None,
    }
}

fn design(cells: Vec<Cell>) -> SweepDesign {
    let records: Vec<SweepRecord> = cells.into_iter().map(SweepRecord::Cell).collect();
    SweepSummary::new(&header(), &records).designs.remove(0)
}

#[test]
fn the_best_setting_has_the_highest_rate() {
    let design = design(vec![cell(100, 8, 900, 0.1), cell(1, 64, 50, 0.1)]);
    assert_eq!(design.best, Some((1, 1)));
    assert!(design.cells[0][0].is_none());
}

#[test]
fn failures_come_after_all_others_and_missing_rows_are_no_rate() {
    let mut failing = cell(100, 8, 900, 0.1);
    failing.failures.kinds = vec![(FailureKind::TimedOut, 1)];
    let mut wrong = cell(100, 64, 9000, 0.1);
    wrong.check = Some(Check::new(8999, 9000, 0));
    let some = design(vec![failing.clone(), wrong.clone(), cell(1, 1, 50, 0.1)]);
    assert_eq!(some.best, Some((0, 0)));
    assert_eq!(design(vec![failing, wrong.clone()]).best, Some((1, 1)));
    let only = design(vec![wrong.clone()]);
    assert_eq!((only.best, only.share(&wrong)), (None, None));
    let mut uncounted = wrong;
    uncounted.check = Some(Check::Failed {
        why: "no answer".to_owned(),
    });
    assert_eq!(design(vec![uncounted]).best, None);
}

#[test]
fn a_setting_whose_rows_ran_out_comes_after_all_others() {
    let mut short = cell(100, 64, 9000, 0.1);
    short.inserted.as_mut().unwrap().rows_ran_out = true;
    let some = design(vec![short.clone(), cell(1, 1, 50, 0.1)]);
    assert_eq!(some.best, Some((0, 0)));
    assert_eq!(design(vec![short]).best, Some((1, 2)));
}

#[test]
fn the_curve_flattens_where_the_rate_is_about_the_highest() {
    let rising = vec![
        cell(100, 1, 300, 0.01),
        cell(100, 8, 960, 0.02),
        cell(100, 64, 1000, 0.2),
    ];
    let flattening = design(rising).flattening.unwrap();
    assert_eq!((flattening.enough, flattening.most), (8, 64));
    assert!((flattening.p99_factor.unwrap() - 10.0).abs() < 1e-9);
    let steep = vec![cell(100, 1, 300, 0.01), cell(100, 64, 1000, 0.2)];
    assert_eq!(design(steep).flattening, None);
}

#[test]
fn more_workers_with_failures_or_few_inserts_are_not_compared() {
    let mut few = cell(100, 64, 1000, 0.2);
    few.inserted.as_mut().unwrap().p99 = None;
    let cells = vec![cell(100, 8, 960, 0.02), few.clone()];
    assert_eq!(design(cells).flattening.unwrap().p99_factor, None);
    few.failures.kinds = vec![(FailureKind::TimedOut, 1)];
    let cells = vec![cell(100, 8, 960, 0.02), few];
    assert_eq!(design(cells).flattening, None);
}

#[test]
fn a_killed_sweep_keeps_its_cells() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = SweepLog::create(dir.path(), &header()).unwrap();
    log.append(&SweepRecord::Cell(cell(1, 8, 10, 0.1))).unwrap();
    drop(log);
    let refused = SweepLog::create(dir.path(), &header()).unwrap_err();
    assert!(refused.to_string().contains("--out"), "{refused}");
    let summary = SweepRun::open(dir.path()).unwrap().summary();
    assert_eq!(summary.cells().count(), 1);
    assert!(!summary.finished);
}
