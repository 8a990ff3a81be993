//! Maps values to positions on an axis, and chooses its ticks.

use std::ops::RangeInclusive;

/// Positive values that an axis is made for; others are damage, and would need ticks without end.
const USABLE: RangeInclusive<f64> = 1e-100..=1e100;

/// Largest ratio of bars on a linear scale, beyond which the shortest would be slivers.
const LINEAR_UP_TO: f64 = 20.0;

/// Largest ratio of values of a setting on a linear scale, beyond which the least ones would be in one place.
const SETTINGS_LINEAR_UP_TO: f64 = 10.0;

/// Decades below which a logarithmic axis has ticks at 1, 2 and 5.
const FEW_DECADES: f64 = 2.2;

#[derive(Debug, Clone, Copy)]
pub struct Scale {
    logarithmic: bool,
    /// Value at the first end.
    low: f64,
    /// Value at the other end.
    high: f64,
    /// Position of `low`.
    from: f64,
    /// Position of `high`.
    to: f64,
}

impl Scale {
    /// Returns a logarithmic scale with some margin around the values; `None` without a positive value.
    pub fn scatter(values: &[f64], from: f64, to: f64) -> Option<Scale> {
        let (least, greatest) = range(values)?;
        let (low, high) = (step_down(least / 1.2), step_up(greatest * 1.2));
        Some(Scale {
            logarithmic: true,
            low,
            high,
            from,
            to,
        })
    }

    /// Returns a scale for bars: from zero if that leaves every bar visible, else logarithmic, from a power
    /// of ten that leaves the shortest bar some length. `None` without a positive value.
    pub fn bars(values: &[f64], from: f64, to: f64) -> Option<Scale> {
        let (least, greatest) = range(values)?;
        let logarithmic = greatest > LINEAR_UP_TO * least;
        let low = if logarithmic {
            decade_below(least / 1.5)
        } else {
            0.0
        };
        Some(Scale {
            logarithmic,
            low,
            high: greatest,
            from,
            to,
        })
    }

    /// Returns a scale for bars from zero however different they are, so that their lengths are in proportion. `None`
    /// without a positive value.
    pub fn bars_from_zero(values: &[f64], from: f64, to: f64) -> Option<Scale> {
        let (_, greatest) = range(values)?;
        Some(Scale::up_to(greatest, from, to))
    }

    /// Returns a scale for the heights of points: from zero to a round value if that leaves every point above the
    /// bottom, else logarithmic. `None` without a positive value.
    pub fn heights(values: &[f64], from: f64, to: f64) -> Option<Scale> {
        let (least, greatest) = range(values)?;
        if greatest > LINEAR_UP_TO * least {
            Scale::scatter(values, from, to)
        } else {
            Some(Scale::from_zero(values, from, to))
        }
    }

    /// Returns a scale for values of a setting, with the least and the greatest at its ends. `None` without two
    /// different values.
    pub fn settings(values: &[f64], from: f64, to: f64) -> Option<Scale> {
        let finite = values.iter().copied().filter(|value| value.is_finite());
        let low = finite.clone().min_by(f64::total_cmp)?;
        let high = finite.max_by(f64::total_cmp)?;
        (low < high).then_some(Scale {
            logarithmic: low > 0.0 && high > SETTINGS_LINEAR_UP_TO * low,
            low,
            high,
            from,
            to,
        })
    }

    /// Returns a scale from zero to a round value that is not below any of `values`.
    pub fn from_zero(values: &[f64], from: f64, to: f64) -> Scale {
        const TOPS: [f64; 7] = [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0];
        let greatest = range(values).map_or(1.0, |(_, greatest)| greatest);
        let decade = decade_below(greatest);
        let tops = TOPS.map(|top| top * decade);
        let high = tops.into_iter().find(|&top| top >= greatest);
        Scale {
            logarithmic: false,
            low: 0.0,
            high: high.unwrap_or(10.0 * decade),
            from,
            to,
        }
    }

    /// Returns a scale from zero to exactly `high`, which is positive.
    pub fn up_to(high: f64, from: f64, to: f64) -> Scale {
        Scale {
            logarithmic: false,
            low: 0.0,
            high,
            from,
            to,
        }
    }

    pub fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    pub fn at(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Returns values to label where there is little room: both ends and the middle of a linear scale.
    pub fn few_ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            self.ticks()
        } else {
            vec![self.low, self.low.midpoint(self.high), self.high]
        }
    }

    /// Returns at most nine values to label.
    pub fn ticks(&self) -> Vec<f64> {
        if !self.logarithmic {
            return linear_ticks(self.high);
        }
        let decades = (self.high / self.low).log10();
        let few = decades < FEW_DECADES && self.low > 0.0;
        let every = if decades > 6.0 { 2 } else { 1 };
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let steps: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
        (first..=last)
            .step_by(every)
            .flat_map(|exponent| steps.iter().map(move |step| step * 10f64.powi(exponent)))
            .filter(|tick| (self.low * 0.999..=self.high * 1.001).contains(tick))
            .collect()
    }
}

fn range(values: &[f64]) -> Option<(f64, f64)> {
    let usable = values.iter().copied().filter(|v| USABLE.contains(v));
    let least = usable.clone().min_by(f64::total_cmp)?;
    Some((least, usable.max_by(f64::total_cmp)?))
}

fn linear_ticks(high: f64) -> Vec<f64> {
    let step = step_up(high / 5.0);
    // A fifth of the least numbers is nothing.
    let steps = (high / step).min(8.0) as u32;
    (0..=steps).map(|n| f64::from(n) * step).collect()
}

fn decade_below(value: f64) -> f64 {
    10f64.powf(value.log10().floor())
}

/// Returns the greatest of 1, 2 and 5 times a power of ten that is not above the value.
fn step_down(value: f64) -> f64 {
    let decade = decade_below(value);
    [5.0, 2.0]
        .into_iter()
        .map(|step| step * decade)
        .find(|&s| s <= value)
        .unwrap_or(decade)
}

fn step_up(value: f64) -> f64 {
    let decade = decade_below(value);
    let steps = [1.0, 2.0, 5.0].map(|step| step * decade);
    steps
        .into_iter()
        .find(|&s| s >= value)
        .unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(ticks: &[f64], expected: &[f64]) -> bool {
        ticks.len() == expected.len()
            && ticks
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-9 * b.abs().max(1.0))
    }

    #[test]
    fn nothing_to_show_has_no_scale() {
        assert!(Scale::scatter(&[], 0.0, 1.0).is_none());
        assert!(Scale::bars(&[0.0, f64::NAN], 0.0, 1.0).is_none());
    }

    #[test]
    fn similar_bars_start_at_zero() {
        let scale = Scale::bars(&[2.0, 10.0], 0.0, 100.0).unwrap();
        assert!(!scale.is_logarithmic());
        assert_eq!(
            (scale.at(0.0), scale.at(5.0), scale.at(10.0)),
            (0.0, 50.0, 100.0)
        );
        assert!(close(&scale.ticks(), &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]));
    }

    #[test]
    fn very_different_bars_are_logarithmic_and_all_visible() {
        let scale = Scale::bars(&[0.001, 10.0], 0.0, 100.0).unwrap();
        assert!(scale.is_logarithmic());
        assert!(scale.at(0.001) > 10.0);
        assert!(close(&scale.ticks(), &[1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0]));
    }

    #[test]
    fn bars_in_proportion_start_at_zero_however_different_they_are() {
        let scale = Scale::bars_from_zero(&[0.001, 10.0], 0.0, 100.0).unwrap();
        assert!(!scale.is_logarithmic());
        assert_eq!((scale.at(0.0), scale.at(5.0)), (0.0, 50.0));
        assert!(Scale::bars_from_zero(&[0.0, f64::NAN], 0.0, 1.0).is_none());
    }

    #[test]
    fn similar_heights_start_at_zero_and_very_different_ones_do_not() {
        let scale = Scale::heights(&[3.0, 11.0], 100.0, 0.0).unwrap();
        assert!(!scale.is_logarithmic());
        assert_eq!((scale.at(0.0), scale.at(15.0)), (100.0, 0.0));
        let scale = Scale::heights(&[0.003, 11.0], 100.0, 0.0).unwrap();
        assert!(scale.is_logarithmic() && scale.at(0.003) < 100.0);
        assert!(Scale::heights(&[0.0, f64::NAN], 100.0, 0.0).is_none());
    }

    #[test]
    fn values_of_a_setting_reach_from_end_to_end() {
        let scale = Scale::settings(&[100.0, 80_000.0, 500.0], 0.0, 100.0).unwrap();
        assert!(scale.is_logarithmic());
        assert_eq!((scale.at(100.0), scale.at(80_000.0)), (0.0, 100.0));
        assert!((20.0..30.0).contains(&scale.at(500.0)));
        let scale = Scale::settings(&[4.0, 14.0, 24.0], 0.0, 90.0).unwrap();
        assert!(!scale.is_logarithmic());
        assert_eq!((scale.at(14.0), scale.at(24.0)), (45.0, 90.0));
        for values in [&[0.0, 64.0, 1024.0], &[-5.0, 1.0, 22.0]] {
            let scale = Scale::settings(values, 0.0, 100.0).unwrap();
            assert!(!scale.is_logarithmic(), "{values:?}");
            assert_eq!((scale.at(values[0]), scale.at(values[2])), (0.0, 100.0));
        }
        assert!(Scale::settings(&[7.0, 7.0], 0.0, 100.0).is_none());
        assert!(Scale::settings(&[f64::NAN, 7.0], 0.0, 100.0).is_none());
    }

    #[test]
    fn damaged_values_get_no_axis_without_end() {
        assert!(Scale::scatter(&[1.7e308, 5e-324], 0.0, 1.0).is_none());
        let scale = Scale::scatter(&[1.7e308, 2.0], 0.0, 1.0).unwrap();
        assert!(scale.ticks().len() <= 9);
        assert_eq!(scale.at(1.7e308), 1.0);
    }

    #[test]
    fn panels_begin_at_zero_and_end_at_a_round_value() {
        let scale = Scale::from_zero(&[0.0, 3.7], 50.0, 0.0);
        assert_eq!((scale.at(0.0), scale.at(4.0)), (50.0, 0.0));
        assert!(close(&scale.few_ticks(), &[0.0, 2.0, 4.0]));
        assert_eq!(Scale::from_zero(&[9.0], 50.0, 0.0).at(10.0), 0.0);
        assert_eq!(Scale::from_zero(&[0.0, f64::NAN], 50.0, 0.0).at(0.0), 50.0);
        assert!(close(
            &Scale::up_to(60.0, 0.0, 600.0).ticks(),
            &[0.0, 20.0, 40.0, 60.0]
        ));
    }

    #[test]
    fn one_value_has_a_place_inside() {
        for scale in [
            Scale::scatter(&[7.0], 0.0, 100.0),
            Scale::bars(&[7.0], 0.0, 100.0),
        ] {
            let place = scale.unwrap().at(7.0);
            assert!(place > 0.0 && place <= 100.0, "{place}");
        }
    }

    #[test]
    fn a_short_logarithmic_axis_has_finer_ticks() {
        let scale = Scale::scatter(&[3.0, 40.0], 0.0, 1.0).unwrap();
        assert!(close(&scale.ticks(), &[2.0, 5.0, 10.0, 20.0, 50.0]));
        let scale = Scale::scatter(&[3.0, 4e4], 0.0, 1.0).unwrap();
        assert!(close(&scale.ticks(), &[10.0, 100.0, 1e3, 1e4]));
    }

    #[test]
    fn there_are_few_ticks_over_many_decades() {
        assert!(
            Scale::scatter(&[1e-6, 1e9], 0.0, 1.0)
                .unwrap()
                .ticks()
                .len()
                <= 9
        );
    }
}
