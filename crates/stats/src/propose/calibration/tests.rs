use super::*;

const PACE: Pace = Pace {
    kind: String::new(),
    question: 2e-3,
    found_row: 1e-6,
    scanned_row: 1e-7,
    scanned_value: 2e-8,
    row_bytes: 20.0,
    load_rate: 1e5,
};

#[test]
fn a_question_takes_the_less_of_finding_rows_and_of_reading_all() {
    let seconds = |columns: usize, found: Option<f64>| {
        let reading = Reading {
            rows: 1e6,
            columns,
            found,
        };
        (1e6 * PACE.seconds(reading)).round()
    };
    assert_eq!(seconds(1, None), 102_000.0);
    assert_eq!(seconds(6, None), 202_000.0);
    assert_eq!(seconds(0, None), 102_000.0);
    assert_eq!(seconds(1, Some(0.01)), 12_000.0);
    assert_eq!(seconds(1, Some(0.0)), 2_000.0);
    // Half of the rows are read sooner with all others.
    assert_eq!(seconds(1, Some(0.5)), 102_000.0);
}

#[test]
fn the_kind_of_a_design_is_its_id_without_settings() {
    let pace = Pace {
        kind: "cassandra/wide".to_owned(),
        ..PACE
    };
    let calibration = Calibration {
        paces: vec![pace],
        ..Calibration::default()
    };
    for (design, is_known) in [
        ("cassandra/wide", true),
        ("cassandra/wide?chunk=4KiB", true),
        ("cassandra/narrow", false),
        ("cassandra", false),
    ] {
        assert_eq!(calibration.pace(design).is_some(), is_known, "{design}");
    }
}
