use super::*;

/// The same least and most.
const fn exactly(seconds: f64) -> Seconds {
    Seconds {
        least: seconds,
        most: seconds,
    }
}

const PACE: Pace = Pace {
    kind: String::new(),
    question: exactly(2e-3),
    found_row: exactly(1e-6),
    scanned_row: exactly(1e-7),
    value: exactly(2e-8),
    row_bytes: 20.0,
    load_rate: 1e5,
};

/// Milliseconds of a question over a million rows.
fn milliseconds(pace: &Pace, columns: usize, least: Option<f64>, most: Option<f64>) -> [f64; 2] {
    let Seconds {
        least: low,
        most: high,
    } = pace.seconds(Reading {
        rows: 1e6,
        columns,
        least,
        most,
    });
    [low, high].map(|seconds| (1e3 * seconds).round())
}

#[test]
fn a_question_takes_the_less_of_finding_rows_and_of_reading_all() {
    let both = |columns: usize, found: Option<f64>| milliseconds(&PACE, columns, found, found);
    assert_eq!(both(1, None), [102.0; 2]);
    assert_eq!(both(6, None), [202.0; 2]);
    assert_eq!(both(0, None), [102.0; 2]);
    assert_eq!(both(1, Some(0.01)), [12.0; 2]);
    assert_eq!(both(11, Some(0.01)), [14.0; 2]);
    assert_eq!(both(1, Some(0.0)), [2.0; 2]);
    // Half of the rows are read sooner with all others.
    assert_eq!(both(1, Some(0.5)), [102.0; 2]);
    assert_eq!(milliseconds(&PACE, 1, Some(0.01), None), [12.0, 102.0]);
}

#[test]
fn the_interval_of_a_measured_time_is_between_least_and_most() {
    let estimate = |low: f64, high: f64| Estimate {
        median: (low + high) / 2.0,
        low,
        high,
        coverage: 0.95,
        observations: 7,
    };
    let (few, all) = (estimate(1.0, 2.0), estimate(5.0, 8.0));
    let expected = Seconds {
        least: 0.03,
        most: 0.07,
    };
    assert_eq!(Seconds::between(&few, &all, 100.0), expected);
    // Of what is within the noise, no more than the most is known.
    let expected = Seconds {
        least: 0.0,
        most: 0.01,
    };
    assert_eq!(Seconds::between(&few, &few, 100.0), expected);
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
