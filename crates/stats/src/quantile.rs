//! Quantiles: of distributions, for intervals, and of values.

use std::f64::consts::FRAC_PI_2;

/// Returns the place of a quantile among so many sorted values: that of the least one which this share of them, from 0
/// to 1, does not exceed (nearest rank). Returns `None` if there are none.
pub fn place(values: usize, share: f64) -> Option<usize> {
    let rank = rank(values as f64, share) as usize;
    (values > 0).then(|| rank.min(values) - 1)
}

/// Returns the number, from 1 on, of the least one of so many sorted values which this share of them, from 0 to 1, does
/// not exceed (nearest rank). No error of rounding asks for one value more.
pub fn rank(values: f64, share: f64) -> f64 {
    (share * values - 1e-6).ceil().max(1.0)
}

/// Returns the quantile of the normal distribution for a probability from 0.5 to below 1, to within
/// 0.0005 (Abramowitz, Stegun: Handbook of Mathematical Functions, 26.2.23).
pub fn normal(probability: f64) -> f64 {
    normal_beyond(1.0 - probability)
}

/// Returns the normal deviate beyond which this probability lies, which is at most 0.5.
fn normal_beyond(tail: f64) -> f64 {
    let t = (-2.0 * tail.ln()).sqrt();
    let above = 2.515_517 + 0.802_853 * t + 0.010_328 * t * t;
    let below = 1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t.powi(3);
    t - above / below
}

/// Returns the deviate of Student's t distribution beyond which this probability lies on both sides
/// together. There is at least one degree of freedom, and their number may be fractional (Hill: Algorithm
/// 396, Student's t-quantiles, CACM 13(10), 1970).
pub fn student(both_tails: f64, freedom: f64) -> f64 {
    let (p, n) = (both_tails, freedom.max(1.0));
    if n < 1.000_001 {
        return 1.0 / (p * FRAC_PI_2).tan();
    }
    if (n - 2.0).abs() < 1e-6 {
        return (2.0 / (p * (2.0 - p)) - 2.0).sqrt();
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * FRAC_PI_2).sqrt() * n;
    let y = (d * p).powf(2.0 / n);
    let square = if y > 0.05 + a {
        near_normal(p, n, [a, b, c, d])
    } else {
        let tail = ((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0;
        ((1.0 / tail + 0.5 / (n + 4.0)) * y - 1.0) * (n + 1.0) / (n + 2.0) + 1.0 / y
    };
    (n * square).sqrt()
}

/// Returns the square of the deviate by the degrees of freedom, where it is near the normal one.
fn near_normal(p: f64, n: f64, [a, b, mut c, d]: [f64; 4]) -> f64 {
    let x = -normal_beyond(p / 2.0);
    let y = x * x;
    if n < 5.0 {
        c += 0.3 * (n - 4.5) * (x + 0.6);
    }
    c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
    let y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
    (a * y * y).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_that_of_the_nearest_rank() {
        let places = [0.0, 0.25, 0.26, 0.5, 1.0].map(|share| place(4, share));
        assert_eq!(places, [0_usize, 0, 1, 1, 3].map(Some));
        assert_eq!(place(1, 0.99), Some(0));
        assert_eq!(place(0, 0.5), None);
        // 0.07 * 100 is slightly more than 7.
        assert_eq!((rank(100.0, 0.07), place(100, 0.07)), (7.0, Some(6)));
        assert_eq!(rank(0.0, 0.5), 1.0);
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (probability, deviate) in [(0.5, 0.0), (0.975, 1.95996), (0.995, 2.57583)] {
            assert!((normal(probability) - deviate).abs() < 5e-4);
        }
    }

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        let table = [
            (0.05, 1.0, 12.706),
            (0.05, 2.0, 4.303),
            (0.05, 4.0, 2.776),
            (0.05, 6.0, 2.447),
            (0.001, 4.0, 8.610),
            (0.001, 6.0, 5.959),
            (0.001, 29.0, 3.659),
            (0.05, 120.0, 1.980),
        ];
        for (tails, freedom, deviate) in table {
            let found = student(tails, freedom);
            assert!((found / deviate - 1.0).abs() < 2e-3, "{freedom}: {found}");
        }
    }

    #[test]
    fn fractions_of_degrees_lie_between() {
        let of = |freedom: f64| student(0.01, freedom);
        assert!(of(3.0) > of(3.5) && of(3.5) > of(4.0));
        assert!(of(1.5) < of(1.0) && of(1.5) > of(2.0));
        assert_eq!(of(0.0), of(1.0), "never fewer than one");
    }
}
