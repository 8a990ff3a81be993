use super::super::fit::{Fit, Point};
use super::{ROWS, near};

fn points(figure: impl Fn(f64) -> f64) -> Vec<Point> {
    let point = |rows: &u64| Point {
        rows: *rows as f64,
        ln: figure(*rows as f64).ln(),
        weight: 7.0,
        variance: 0.0,
    };
    ROWS.iter().map(point).collect()
}

#[test]
fn what_grows_in_a_known_way_is_continued() {
    let ways: [fn(f64) -> f64; 6] = [
        |_| 0.003,
        |n| 0.001 * n.ln(),
        |n| 0.002 + 0.0003 * n.ln(),
        |n| 1e-7 * n,
        |n| 0.004 + 2e-8 * n,
        |n| 0.001 + 1e-9 * n * n.ln(),
    ];
    for (index, way) in ways.into_iter().enumerate() {
        let fit = Fit::growing(&points(way));
        for rows in [4e3, 1e6, 16e6] {
            let value = fit.at(rows);
            near(value.value, way(rows), 0.002);
            near(fit.curve().at(rows), value.value, 1e-9);
            assert!(value.error < 0.01, "{index}: {value:?}");
        }
    }
}

#[test]
fn a_figure_that_falls_is_constant_at_least() {
    let fit = Fit::growing(&points(|n| 1.0 / n.ln()));
    near(fit.at(1e9).value, fit.at(1e3).value, 1e-6);
    assert!(fit.at(1e7).error > 0.01);
}

#[test]
fn what_grows_with_other_work_is_continued_by_it() {
    let work = points(|n| 10.0 * n.ln());
    let time = points(|n| 0.01 + 1e-3 * 10.0 * n.ln());
    let fit = Fit::growing_as(&time, Fit::growing(&work));
    near(fit.at(16e6).value, 0.01 + 0.01 * 16e6f64.ln(), 1e-3);
    near(fit.curve().at(16e6), fit.at(16e6).value, 1e-9);
}

#[test]
fn figures_of_nothing_and_few_points_give_finite_numbers() {
    for count in 1..=3 {
        let nothing = &points(|_| 1e-9)[..count];
        for fit in [Fit::growing(nothing), Fit::constant(nothing)] {
            let value = fit.at(1e9);
            assert!(
                value.value.is_finite() && value.error.is_finite(),
                "{count}"
            );
        }
    }
}
