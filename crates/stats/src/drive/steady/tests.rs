use super::*;

/// Returns repeatable noise between -1 and 1.
fn noise(n: usize) -> f64 {
    let x = (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((x ^ (x >> 32)) as f64 / u64::MAX as f64) * 2.0 - 1.0
}

fn series(seconds: usize, value: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..seconds).map(value).collect()
}

#[test]
fn a_constant_series_has_no_warm_up() {
    for seconds in [10, 11, 60, 600] {
        let found = warm_up(&series(seconds, |_| 0.1));
        assert_eq!(
            found,
            WarmUp {
                seconds: 0,
                steady: Some(true)
            },
            "{seconds}"
        );
    }
}

#[test]
fn noise_alone_is_hardly_left_out() {
    for start in 0..50 {
        let found = warm_up(&series(60, |n| 100.0 + 10.0 * noise(1000 * start + n)));
        assert!(found.seconds <= 3, "{start}: {found:?}");
        assert_eq!(found.steady, Some(true), "{start}");
    }
}

#[test]
fn noise_is_hardly_ever_unsteady() {
    let steady = |start: usize| {
        let found = warm_up(&series(30, |n| 100.0 + 8.0 * noise(1000 * start + n)));
        found.steady == Some(true)
    };
    let unsteady = (0..200).filter(|&start| !steady(start)).count();
    assert!(unsteady <= 2, "{unsteady}");
}

#[test]
fn a_slow_beginning_is_left_out() {
    for time_constant in [2.0, 3.0, 4.0] {
        let decay = |n: usize| 900.0 * (-(n as f64) / time_constant).exp();
        let found = warm_up(&series(60, |n| 100.0 + decay(n) + 5.0 * noise(n)));
        // When what is left of it is lost in the noise.
        let expected = time_constant * (900.0f64 / 5.0).ln();
        assert!(
            (found.seconds as f64 - expected).abs() < 4.0,
            "{time_constant}: {found:?}"
        );
        assert_eq!(found.steady, Some(true));
    }
}

#[test]
fn one_bad_second_at_the_start_is_left_out() {
    let found = warm_up(&series(
        30,
        |n| if n == 0 { 400.0 } else { 100.0 + noise(n) },
    ));
    assert_eq!(
        found,
        WarmUp {
            seconds: 1,
            steady: Some(true)
        }
    );
}

#[test]
fn a_throughput_that_climbs_at_first_is_left_out() {
    let climb = |n: usize| (n as f64 / 8.0).min(1.0) * 50_000.0;
    let found = warm_up(&series(60, |n| climb(n) + 300.0 * noise(n)));
    assert!((7..=9).contains(&found.seconds), "{found:?}");
    assert_eq!(found.steady, Some(true));
}

#[test]
fn a_server_that_dies_has_not_warmed_up() {
    let unsteady = WarmUp {
        seconds: 0,
        steady: Some(false),
    };
    for (healthy, later) in [(20, 0.0), (2, 0.0), (29, 0.0), (45, 0.0), (20, 600.0)] {
        let rate = |n| if n < healthy { 1000.0 } else { later };
        let found = warm_up_of_throughput(&series(60, |n| rate(n) + 0.01 * later * noise(n)));
        assert_eq!(found, unsteady, "{healthy} s, then {later}/s");
    }
    let nothing = warm_up_of_throughput(&[0.0; 60]);
    assert_eq!(nothing, unsteady);
}

#[test]
fn a_throughput_that_climbs_or_hardly_falls_has_a_warm_up() {
    for (first, seconds) in [(500.0, 10), (1050.0, 10)] {
        let rate = |n| if n < 10 { first } else { 1000.0 };
        let found = warm_up_of_throughput(&series(60, |n| rate(n) + noise(n)));
        assert!(
            found.seconds <= seconds && found.steady == Some(true),
            "{found:?}"
        );
    }
    assert_eq!(warm_up_of_throughput(&[0.0; 9]).steady, None);
}

#[test]
fn what_never_settles_is_said_to_be_unsteady() {
    let trends: [fn(usize) -> f64; 3] = [
        |n| 100.0 + n as f64,
        |n| 100.0 + n as f64 + 10.0 * noise(n),
        |n| 1000.0 / (1.0 + n as f64 / 20.0),
    ];
    for (number, trend) in trends.into_iter().enumerate() {
        let found = warm_up(&series(60, trend));
        assert_eq!(found.steady, Some(false), "{number}: {found:?}");
        assert!(found.seconds <= 30);
    }
}

#[test]
fn a_pause_in_the_middle_is_no_warm_up() {
    for (from, to) in [(10, 11), (20, 22), (12, 20), (25, 30)] {
        let pause = |n| {
            if (from..to).contains(&n) {
                1000.0
            } else {
                100.0
            }
        };
        let found = warm_up(&series(60, |n| pause(n) + noise(n)));
        assert_eq!(found.seconds, 0, "{from}..{to}");
    }
}

#[test]
fn short_series_are_left_alone() {
    let found = warm_up(&series(9, |n| 1000.0 / (n as f64 + 1.0)));
    assert_eq!(
        found,
        WarmUp {
            seconds: 0,
            steady: None
        }
    );
    assert_eq!(warm_up(&[]).seconds, 0);
}

#[test]
fn seconds_without_a_value_do_not_disturb() {
    let found = warm_up(&series(30, |n| if n % 7 == 0 { f64::NAN } else { 5.0 }));
    assert_eq!(
        found,
        WarmUp {
            seconds: 0,
            steady: Some(true)
        }
    );
    assert_eq!(warm_up(&[f64::NAN; 20]).seconds, 0);
}

proptest::proptest! {
    #[test]
    fn never_more_than_half_is_left_out(
        series in proptest::collection::vec(0.0..1e9f64, 0..80)
    ) {
        proptest::prop_assert!(warm_up(&series).seconds <= series.len() / 2);
    }
}
