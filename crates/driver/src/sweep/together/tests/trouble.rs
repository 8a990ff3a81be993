use super::*;

#[tokio::test]
async fn a_process_that_died_is_not_counted_and_the_others_go_on() {
    // It ended after the warm-up.
    let mut of_the_second = of_the_second();
    of_the_second.truncate(1);
    let swept = swept(0, early(), &of_the_second).await;
    let cells = swept.cells();
    assert_eq!(cells.len(), 2);
    for cell in cells {
        assert!(cell.inserted.is_some(), "{cell:?}");
        let Some(Check::NotDone { why }) = &cell.check else {
            panic!("{cell:?}");
        };
        assert!(why.contains("how many rows shard 2/2 inserted"), "{why}");
    }
}

#[tokio::test]
async fn a_process_that_is_late_leaves_a_setting_out_and_goes_on() {
    // The warm-up was to begin two seconds before.
    let now = start() + Duration::from_secs(2);
    for (index, notes) in [(0, of_the_second()), (1, of_the_first())] {
        let swept = swept(index, now, &notes).await;
        let [warning] = swept.warnings()[..] else {
            panic!("{:?}", swept.warnings());
        };
        assert!(
            warning.starts_with("fake did not warm up: not measured: "),
            "{warning}"
        );
        assert!(warning.contains("only 2.0 s after"), "{warning}");
        assert!(swept.cells().iter().all(|cell| cell.inserted.is_some()));
    }
}

#[tokio::test]
async fn processes_that_sweep_something_else_or_come_too_late_insert_nothing() {
    let mut other = of_the_first();
    other[0].1 = header(6).agreement().unwrap();
    let differs = swept(1, early(), &other).await;
    let [reason] = differs.failures()[..] else {
        panic!("{:?}", differs.failures());
    };
    assert!(
        reason.starts_with("shard 1 and this one differ in their seed"),
        "{reason}"
    );
    let alone = swept(1, early(), &[]).await;
    let [reason] = alone.failures()[..] else {
        panic!("{:?}", alone.failures());
    };
    let words = "shard 1 had not made its tables when the sweep was to begin";
    assert!(reason.starts_with(words), "{reason}");
    for swept in [differs, alone] {
        assert!(swept.cells().is_empty());
        assert!(swept.kept.rows.lock().unwrap().is_empty());
        assert_eq!(swept.note(&notes::done(0, 1)), Some("0 0"));
    }
}

#[tokio::test]
async fn a_process_that_missed_one_note_is_waited_for_again() {
    let mut of_the_second = of_the_second();
    of_the_second.remove(0);
    // The next one comes slightly after the first look.
    let trouble = Trouble {
        found_late: Some(name(&notes::done(1, 1))),
        ..Trouble::default()
    };
    let swept = swept_with(trouble, 0, early(), &of_the_second).await;
    let cells = swept.cells();
    assert_eq!(cells.len(), 2);
    for cell in cells {
        assert!(matches!(cell.check, Some(Check::Right { .. })), "{cell:?}");
    }
}

#[tokio::test]
async fn a_note_that_cannot_be_left_is_tried_again() {
    let trouble = Trouble {
        notes_fail: 4,
        ..Trouble::default()
    };
    let swept = swept_with(trouble, 1, early(), &of_the_first()).await;
    for step in 0..STEPS {
        assert!(swept.note(&notes::done(step, 1)).is_some(), "{step}");
    }
}

#[tokio::test]
async fn the_others_hear_that_a_design_failed_before_the_sweep() {
    let trouble = Trouble {
        no_design: true,
        ..Trouble::default()
    };
    let swept = swept_with(trouble, 0, early(), &of_the_second()).await;
    assert_eq!(swept.failures(), ["disk full"]);
    for step in 0..STEPS {
        let note = swept.note(&notes::table(step)).unwrap();
        assert_eq!(note, "failed fake failed there before the sweep began");
    }
}
