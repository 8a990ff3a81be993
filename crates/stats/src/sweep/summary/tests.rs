use super::*;
use crate::random::SplitMix64;
use crate::rounds::Difference;
use crate::sweep::testing::{cell, header, shard};
use crate::sweep::{Check, SweepLog, SweepPart, SweepRun};
use crate::{FailureKind, Role};

fn design(cells: Vec<Cell>) -> SweepDesign {
    summary(cells).designs.remove(0)
}

fn summary(cells: Vec<Cell>) -> SweepSummary {
    let records: Vec<SweepRecord> = cells.into_iter().map(SweepRecord::Cell).collect();
    SweepSummary::new(&header(), &records)
}

/// Makes rounds of one setting with these rows in a second.
fn rounds(batch_rows: u64, workers: u32, rows: &[u64]) -> Vec<Cell> {
    let of_round = |(round, rows): (u32, &u64)| Cell {
        round,
        ..cell(batch_rows, workers, *rows, 0.1)
    };
    (1..).zip(rows).map(of_round).collect()
}

/// Makes the sweep of two designs with six settings each. The true rates are those given, the same in all
/// settings; rounds have a drift in common.
fn simulated(rates: [f64; 2], rounds: u32, seed: u64) -> SweepSummary {
    let mut random = SplitMix64::new(seed);
    let (mut cells, mut drift) = (Vec::new(), 0.0);
    for round in 1..=rounds {
        drift += 0.1 * random.normal();
        for (design, rate) in ["d", "e"].iter().zip(rates) {
            for (batch_rows, workers) in [1, 100].iter().flat_map(|b| [1, 8, 64].map(|w| (*b, w))) {
                let rows = 1e6 * rate * (drift + 0.05 * random.normal()).exp();
                cells.push(Cell {
                    design: (*design).to_owned(),
                    round,
                    ..cell(batch_rows, workers, rows as u64, 0.1)
                });
            }
        }
    }
    summary(cells)
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
    let shares: Vec<_> = only.measured().map(|setting| only.share(setting)).collect();
    assert_eq!((only.best, shares), (None, vec![None]));
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
    // One observation of each shows nothing.
    assert_eq!((flattening.is_shown, flattening.rounds), (false, 1));
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
    assert_eq!(summary.settings().count(), 1);
    assert!(!summary.finished);
}

#[test]
fn a_setting_has_the_median_of_its_rounds_and_what_went_wrong_in_any() {
    let mut cells = rounds(100, 8, &[900, 1_000, 1_500]);
    let design = design(cells.clone());
    let setting = design.best_setting().unwrap();
    let rate = setting.rate.unwrap();
    assert_eq!(
        (rate.low, rate.median, rate.high),
        (900.0, 1_000.0, 1_500.0)
    );
    let inserted = setting.cell.inserted.as_ref().unwrap();
    assert_eq!((inserted.rows, inserted.seconds), (3_400, 3.0));
    let right = Check::new(3_400, 3_400, 0);
    assert_eq!(setting.cell.check, Some(right));
    assert!(setting.is_whole());

    cells[1].failures.kinds = vec![(FailureKind::TimedOut, 2)];
    cells[2].failures.kinds = vec![(FailureKind::TimedOut, 1), (FailureKind::Rejected, 1)];
    let failing = super::SweepSetting::new(cells.clone()).unwrap();
    assert!(!failing.is_whole() && failing.rank().is_some());
    let kinds = [(FailureKind::TimedOut, 3), (FailureKind::Rejected, 1)];
    assert_eq!(failing.cell.failures.kinds, kinds);
    cells[0].check = Some(Check::new(1, 900, 0));
    let wrong = super::SweepSetting::new(cells).unwrap();
    assert_eq!(
        (wrong.rank(), wrong.cell.check.unwrap().is_wrong()),
        (None, true)
    );
}

#[test]
fn designs_are_compared_within_rounds_each_with_its_best_setting() {
    // In a second round everything is twice as fast, which is no difference of designs.
    let slow = |rows: &[u64]| {
        let cells = rounds(1, 1, rows).into_iter();
        cells.map(|cell| Cell {
            design: "e".to_owned(),
            ..cell
        })
    };
    let mut cells = rounds(100, 8, &[1_000, 2_001, 1_002, 2_003, 1_004]);
    cells.extend(rounds(1, 1, &[10, 20, 10, 20, 10]));
    cells.extend(slow(&[500, 1_001, 502, 1_003, 504]));
    let compared = summary(cells.clone()).comparison;
    assert_eq!((compared.best.as_deref(), compared.pairs), (Some("d"), 2));
    let slower = compared.design("e").unwrap();
    assert_eq!((slower.difference, slower.rounds), (Difference::Slower, 5));
    assert!((slower.ratio - 0.5).abs() < 0.01, "{slower:?}");
    assert_eq!(compared.design("d").unwrap().difference, Difference::Best);

    cells.retain(|cell| cell.round < 5);
    let compared = summary(cells).comparison;
    let of = |design: &str| compared.design(design).unwrap().difference;
    assert_eq!([of("d"), of("e")], [Difference::NotSettled; 2]);
}

#[test]
fn the_best_of_many_equal_settings_is_seldom_called_different() {
    let is_called = |seed: &u64| {
        let compared = simulated([1.0, 1.0], 7, *seed).comparison;
        // 36 pairs of designs' settings, and 3 of workers for each design and batch.
        assert_eq!(compared.pairs, 36 + 4 * 3);
        let mut designs = compared.designs.iter();
        designs.any(|d| matches!(d.difference, Difference::Slower | Difference::Faster))
    };
    let called = (0..400).filter(is_called).count();
    assert!(called <= 20, "{called}");
}

#[test]
fn a_design_that_is_slower_in_all_settings_is_found() {
    let is_found = |seed: &u64| {
        let compared = simulated([1.0, 0.5], 7, *seed).comparison;
        compared.design("e").unwrap().difference == Difference::Slower
    };
    let found = (0..100).filter(is_found).count();
    assert!(found >= 95, "{found}");
}

#[test]
fn enough_workers_are_shown_by_rounds_only() {
    let row = |rows: [&[u64]; 3]| {
        let cells = [1, 8, 64].into_iter().zip(rows);
        let cells = cells.flat_map(|(workers, rows)| rounds(100, workers, rows));
        design(cells.collect()).flattening.unwrap()
    };
    let level = [
        &[300, 301, 302, 301, 300, 301][..],
        &[999, 1_000, 1_001, 1_000, 999, 1_000],
        &[1_000, 1_001, 1_000, 999, 1_000, 1_001],
    ];
    let shown = row(level);
    assert_eq!((shown.enough, shown.is_shown, shown.rounds), (8, true, 6));
    let few = row(level.map(|rows| &rows[..4]));
    assert_eq!((few.enough, few.is_shown, few.rounds), (8, false, 4));
    // The median of 8 workers is the same, but what they reach is not known.
    let wild = [level[0], &[500, 2_000, 990, 1_010, 700, 1_500], level[2]];
    let wild = row(wild);
    assert_eq!((wild.enough, wild.is_shown), (8, false));
}

#[test]
fn records_of_an_earlier_version_are_a_single_round() {
    let mut header: serde_json::Value = serde_json::to_value(header()).unwrap();
    header.as_object_mut().unwrap().remove("rounds");
    let header: SweepHeader = serde_json::from_value(header).unwrap();
    let one = cell(1, 8, 10, 0.1);
    let json = serde_json::to_value(&one).unwrap();
    assert_eq!((header.rounds, json.get("round")), (1, None));
    let old: Cell = serde_json::from_value(json).unwrap();
    let summary = summary(vec![old.clone()]);
    assert_eq!((old.round, summary.rounds), (1, 1));
    // It is reported as the record that it is.
    let setting = serde_json::to_value(&summary.designs[0].cells[0][1]).unwrap();
    assert_eq!(setting, serde_json::to_value(&one).unwrap());
    let second = Cell { round: 2, ..one };
    assert_eq!(serde_json::to_value(&second).unwrap()["round"], 2);
}

#[test]
fn rates_per_node_are_of_complete_best_settings_of_designs_that_may_be_chosen() {
    let of = |change: &dyn Fn(&mut SweepHeader, &mut Cell)| {
        let (mut header, mut cell) = (header(), cell(100, 8, 5_000, 0.1));
        change(&mut header, &mut cell);
        let summary = SweepSummary::new(&header, &[SweepRecord::Cell(cell)]);
        let rates = summary.per_node.map(|per_node| per_node.rates);
        rates.map(|rates| rates[0].per_node)
    };
    assert_eq!(of(&|_, _| {}), Some(5_000.0));
    assert_eq!(
        of(&|header, _| header.designs[0].role = Role::Volatile),
        None
    );
    let stored = |header: &mut SweepHeader, _: &mut Cell| {
        header.designs[0].stored_by = Some("b".to_owned());
    };
    assert_eq!(of(&stored), None);
    let one_shard = |header: &mut SweepHeader, _: &mut Cell| header.shared = shard(0, 2).shared;
    assert_eq!(of(&one_shard), None);
    let part = |shard| SweepPart {
        shard,
        command: String::new(),
        machine: header().machine,
        threads: 2,
        workers: vec![4],
    };
    for (joined, rate) in [
        (vec![part(0), part(1)], Some(5_000.0)),
        (vec![part(0)], None),
    ] {
        let join = |header: &mut SweepHeader, _: &mut Cell| {
            header.shared = shard(0, 2).shared;
            header.shared.as_mut().unwrap().parts = joined.clone();
        };
        assert_eq!(of(&join), rate);
    }
    let fail = |_: &mut SweepHeader, cell: &mut Cell| {
        cell.failures.kinds = vec![(FailureKind::TimedOut, 1)];
    };
    assert_eq!(of(&fail), None);
    let run_out = |_: &mut SweepHeader, cell: &mut Cell| {
        cell.inserted.as_mut().unwrap().rows_ran_out = true;
    };
    assert_eq!(of(&run_out), None);
    let failed = SweepRecord::Failed {
        design: "d".to_owned(),
        reason: "it ended".to_owned(),
    };
    let records = [SweepRecord::Cell(cell(100, 8, 5_000, 0.1)), failed];
    assert_eq!(SweepSummary::new(&header(), &records).per_node, None);
}
