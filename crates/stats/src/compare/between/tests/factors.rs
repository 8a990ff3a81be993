//! Estimates from one design and the factors of an earlier run, of known truth, and what is refused.

use super::*;
use crate::ScanQuestion;

/// A run of designs that take this many seconds, without twins.
fn drawn_of(seed: u64, designs: &[(&str, f64)]) -> Vec<Record> {
    let drawn = Drawn {
        seed,
        own: 0.01,
        ..DRAWN
    };
    let mut random = SplitMix64::new(seed);
    let mut records = run([Record::Rounds {
        rounds: drawn.rounds,
    }]);
    if let Record::Started(header) = &mut records[0] {
        let designs = |id: &str| designs.iter().any(|(known, _)| *known == id);
        header.designs.retain(|info| designs(&info.id));
    }
    for (id, seconds) in designs {
        records.extend(drawn.load(id, *seconds, &mut random));
        for query in QUERIES {
            records.extend(drawn.times(id, query, *seconds, &mut random));
        }
    }
    records
}

fn of(records: &[Record]) -> Summary {
    Summary::from_records(records).unwrap()
}

/// On the earlier machine a/y takes four times as long as a/x.
fn earlier() -> Summary {
    of(&drawn_of(1, &[("a/x", 1.0), ("a/y", 4.0)]))
}

fn estimate(run: &Summary, base: Option<&str>) -> Result<ByFactors, String> {
    ByFactors::of(("here", run), ("there", &earlier()), base)
}

#[test]
fn a_design_takes_the_base_s_time_as_often_as_on_the_other_machine() {
    // This machine is twice as fast.
    let run = of(&drawn_of(2, &[("a/x", 0.5)]));
    let found = estimate(&run, None).unwrap();
    assert_eq!(found.base, "a/x");
    assert_eq!((found.bases.len(), found.designs.len()), (2, 1));
    let design = &found.designs[0];
    assert_eq!(design.design, "a/y");
    // Both have 100 bytes a row there, and here.
    assert_eq!(design.bytes_per_row, Some(100.0));
    for time in &design.times {
        assert!((time.factor / 4.0 - 1.0).abs() < 0.03, "{time:?}");
        assert!((time.seconds / 2.0 - 1.0).abs() < 0.05, "{time:?}");
        let (low, high) = time.range.unwrap();
        assert!(low < time.seconds && time.seconds < high, "{time:?}");
        assert!(low < 2.0 && 2.0 < high && high / low < 1.5, "{time:?}");
        assert_eq!((time.measured, time.off_by()), (None, None));
    }
    assert!(found.unknown.is_empty());
}

#[test]
fn what_the_run_measured_itself_says_how_far_an_estimate_is_off() {
    // Here a/y takes only twice as long.
    let run = of(&drawn_of(2, &[("a/x", 1.0), ("a/y", 2.0)]));
    let found = estimate(&run, Some("a/x")).unwrap();
    let off = found.designs[0].times[0].off_by().unwrap();
    assert!((1.9..2.1).contains(&off), "{off}");
    let why = estimate(&run, None).unwrap_err();
    assert!(why.contains("--base, of a/x, a/y"), "{why}");
}

#[test]
fn a_time_of_0_is_no_base_and_no_check() {
    let without_key_time = |seed: u64, designs: &[(&str, f64)], design: &str| {
        let mut records = drawn_of(seed, designs);
        for record in &mut records {
            if let Record::Timed(timing) = record
                && timing.design == design
                && timing.query == "key"
            {
                timing.seconds = 0.0;
            }
        }
        of(&records)
    };
    let run = without_key_time(2, &[("a/x", 0.5)], "a/x");
    let found = estimate(&run, None).unwrap();
    let bases: Vec<&str> = found.bases.iter().map(|base| base.query.as_str()).collect();
    assert_eq!(bases, ["scan"]);
    let run = without_key_time(2, &[("a/x", 1.0), ("a/y", 2.0)], "a/y");
    let found = estimate(&run, Some("a/x")).unwrap();
    let times = &found.designs[0].times;
    let checked: Vec<bool> = times.iter().map(|time| time.off_by().is_some()).collect();
    assert_eq!(checked, [true, false]);
}

#[test]
fn few_rounds_have_an_estimate_without_a_range() {
    let mut records = drawn_of(2, &[("a/x", 0.5)]);
    records.retain(|record| !matches!(record, Record::Timed(timing) if timing.round > 3));
    let found = estimate(&of(&records), None).unwrap();
    let time = &found.designs[0].times[0];
    assert_eq!((time.range, found.bases[0].interval), (None, None));
    assert!(time.factor_interval.is_some());
}

#[test]
fn a_design_that_failed_in_the_earlier_run_has_no_estimate() {
    let mut records = drawn_of(1, &[("a/x", 1.0), ("a/y", 4.0)]);
    records.push(failed("a/y", crate::Step::Measure, None, "gone"));
    let run = of(&drawn_of(2, &[("a/x", 0.5)]));
    let found = ByFactors::of(("here", &run), ("there", &of(&records)), None).unwrap();
    assert!(found.designs.is_empty());
    assert_eq!(found.unknown[0].design, "a/y");
}

/// Changes the header of a run of the base alone, and returns why there is no estimate then.
fn refused(change: impl Fn(&mut crate::Header)) -> String {
    let mut records = drawn_of(2, &[("a/x", 0.5)]);
    if let Record::Started(header) = &mut records[0] {
        change(header);
    }
    estimate(&of(&records), None).unwrap_err()
}

#[test]
fn factors_of_another_table_other_rows_or_other_questions_are_refused() {
    assert!(refused(|h| h.columns += 1).contains("their tables differ"));
    assert!(refused(|h| h.data.push('2')).contains("A has rows from"));
    let question = refused(|h| h.queries[0].sql.push_str(" WHERE 1 = 1"));
    assert!(
        question.contains("scan is another question in B"),
        "{question}"
    );
    let mut longer = drawn_of(2, &[("a/x", 0.5)]);
    longer.push(loaded("a/x", 9, 0.5));
    let rows = estimate(&of(&longer), None).unwrap_err();
    assert!(rows.contains("A has 900 rows, B 1000"), "{rows}");
}

#[test]
fn a_base_is_needed_that_both_measured() {
    let run = of(&drawn_of(2, &[("a/y", 0.5)]));
    let only_x = of(&drawn_of(1, &[("a/x", 1.0)]));
    let why = ByFactors::of(("here", &run), ("there", &only_x), None).unwrap_err();
    assert!(why.contains("no design in common"), "{why}");
    assert!(why.ends_with("of a/x"), "{why}");
    let named = estimate(&run, Some("a/x")).unwrap_err();
    assert_eq!(named, "a/x was not measured by both, but a/y");
}

#[test]
fn records_need_the_scan_speed_of_the_base() {
    let mut records = drawn_of(2, &[("a/x", 0.5)]);
    for record in &mut records {
        // No question reads all rows.
        if let Record::Timed(timing) = record {
            timing.rows_scanned = Some(10);
        }
    }
    let run = of(&records);
    let found = estimate(&run, None).unwrap();
    let asked = ScanQuestion {
        records: 1_000,
        users: 1,
        cores: 1,
    };
    let why = found.scan(&run, asked).unwrap_err();
    assert!(
        why.starts_with("the scan speed of a/x is not known: "),
        "{why}"
    );
}
