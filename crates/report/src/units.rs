//! Writes figures as people read them: three digits and a unit.

use bakeoff_stats::Estimate;
pub use bakeoff_stats::thousands as count;

/// Writes a count with its noun: `1 copy`, `3 copies`.
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// Writes a moment of RFC 3339 to the minute, in the same zone: `2026-03-02 10:02`.
pub fn moment(moment: &str) -> String {
    let minutes = moment.get(..16).unwrap_or(moment);
    minutes.replace('T', " ")
}

/// Writes a moment of RFC 3339 in UTC to the minute, and its zone: `2026-03-02 10:02 UTC`; nothing without one.
pub fn moment_utc(moment: &str) -> String {
    match moment {
        "" => String::new(),
        moment => format!("{} UTC", self::moment(moment)),
    }
}

/// Writes a share as `0.31%`; a share above zero is never written as zero.
pub fn share(part: u64, of: u64) -> String {
    match 100.0 * part as f64 / of as f64 {
        share if part > 0 && share < 0.01 => "<0.01%".to_owned(),
        share => format!("{share:.2}%"),
    }
}

/// Writes a number to two places as `0.31`; one above zero is never written as zero.
pub fn hundredths(number: f64) -> String {
    if number > 0.0 && number < 0.005 {
        return "<0.01".to_owned();
    }
    format!("{number:.2}")
}

/// Writes a size: `1.23 GiB`.
pub fn bytes(bytes: f64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    scaled(bytes, 1024.0, &UNITS)
}

/// Writes a number of rows: `6`, `12.3 k`.
pub fn rows(rows: u64) -> String {
    if rows < 1000 {
        count(rows)
    } else {
        rate(rows as f64)
    }
}

/// Writes a number of rows per second: `12.3 k`.
pub fn rate(rate: f64) -> String {
    const UNITS: [&str; 4] = ["", "k", "M", "G"];
    scaled(rate, 1000.0, &UNITS)
}

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut unit = 0;
    // From 999.5 on, three digits would show a thousand.
    while value.abs() >= 999.5 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    format!("{} {}", digits(value), units[unit])
        .trim_end()
        .to_owned()
}

/// Writes an amount of money without its currency: `1,234`, `616.85`, `0.0123`.
pub fn amount(amount: f64) -> String {
    match amount {
        a if a >= 1000.0 => count(a.round() as u64),
        a if a >= 1.0 || a == 0.0 => format!("{a:.2}"),
        a => {
            let zeros = (-a.log10()).floor().clamp(0.0, 9.0) as usize;
            format!("{a:.0$}", zeros + 3)
        }
    }
}

/// Writes a multiple as `6.6×`, or a dash if it is not finite.
pub fn factor(factor: f64) -> String {
    match factor {
        f if !f.is_finite() => "–".to_owned(),
        f if f >= 1000.0 => format!("{}×", count(f.round() as u64)),
        f if f >= 10.0 => format!("{f:.0}×"),
        f => format!("{f:.1}×"),
    }
}

/// Writes a time: `12.3 ms`.
pub fn duration(seconds: f64) -> String {
    let (unit, per_second) = time_unit(seconds);
    format!("{} {unit}", digits(seconds * per_second))
}

/// Writes a time as `--budget` takes it, rounded up: to minutes, from five of them on to five, from an hour on to hours,
/// from two days on to days.
pub fn budget(seconds: f64) -> String {
    let up = |unit: f64| (seconds / unit).ceil();
    match (up(60.0), 5.0 * up(300.0), up(3_600.0), up(86_400.0)) {
        (minutes, ..) if minutes < 5.0 => format!("{minutes:.0}m"),
        (_, minutes, ..) if minutes < 60.0 => format!("{minutes:.0}m"),
        (.., hours, _) if hours < 48.0 => format!("{hours:.0}h"),
        (.., days) => format!("{days:.0}d"),
    }
}

/// Word in place of an interval for a single observation.
const ONCE: &str = "once";

/// Writes the interval of a rate in its median's unit: `11.9–12.8 k`.
pub fn rate_interval(rate: &Estimate) -> String {
    if rate.coverage <= 0.0 {
        return ONCE.to_owned();
    }
    let (unit, step) = match rate.median {
        r if r < 999.5 => ("", 1.0),
        r if r < 999.5e3 => (" k", 1e3),
        r if r < 999.5e6 => (" M", 1e6),
        _ => (" G", 1e9),
    };
    let decimals = decimals(rate.median / step);
    format!(
        "{:.decimals$}–{:.decimals$}{unit}",
        rate.low / step,
        rate.high / step
    )
}

/// Writes median and interval of a time, in the median's unit: `12.3 ms` and `11.9–12.8`.
pub fn duration_interval(time: &Estimate) -> (String, String) {
    let (unit, per_second) = time_unit(time.median);
    let decimals = decimals(time.median * per_second);
    let show = |seconds: f64| format!("{:.decimals$}", seconds * per_second);
    let interval = match time.observations {
        0 | 1 => ONCE.to_owned(),
        _ => format!("{}–{}", show(time.low), show(time.high)),
    };
    (format!("{} {unit}", show(time.median)), interval)
}

/// Drops trailing zeros of a figure, for the ticks of axes: `2.50 k` becomes `2.5 k`, and zero is `0` in every
/// unit.
pub fn trimmed(figure: &str) -> String {
    let (number, unit) = figure.split_once(' ').unwrap_or((figure, ""));
    let number = if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    };
    match number {
        "0" => "0".to_owned(),
        number => format!("{number} {unit}").trim_end().to_owned(),
    }
}

fn time_unit(seconds: f64) -> (&'static str, f64) {
    match seconds {
        s if s < 0.9995e-3 => ("µs", 1e6),
        s if s < 0.9995 => ("ms", 1e3),
        s if s < 120.0 => ("s", 1.0),
        s if s < 7200.0 => ("min", 1.0 / 60.0),
        s if s < 172_800.0 => ("h", 1.0 / 3600.0),
        _ => ("days", 1.0 / 86_400.0),
    }
}

/// Writes three significant digits, or all digits before the point.
fn digits(value: f64) -> String {
    format!("{value:.0$}", decimals(value))
}

fn decimals(value: f64) -> usize {
    match value.abs() {
        v if v == 0.0 || v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_thousands_separators() {
        assert_eq!(
            [0, 999, 1000, 4_160_000].map(count),
            ["0", "999", "1,000", "4,160,000"]
        );
    }

    #[test]
    fn sizes_and_rates_have_three_digits_and_a_unit() {
        assert_eq!(
            [0.0, 31.2, 1023.0].map(bytes),
            ["0 B", "31.2 B", "1.00 KiB"]
        );
        assert_eq!(bytes(1.5 * (1u64 << 40) as f64), "1.50 TiB");
        assert_eq!(
            [7.0, 999.7, 12_345.0, 2.9e6].map(rate),
            ["7.00", "1.00 k", "12.3 k", "2.90 M"]
        );
    }

    #[test]
    fn amounts_have_cents_or_three_digits() {
        assert_eq!(
            [0.0, 33_251.1, 616.85, 1.0, 0.12, 0.012_34].map(amount),
            ["0.00", "33,251", "616.85", "1.00", "0.120", "0.0123"]
        );
    }

    #[test]
    fn a_small_share_is_not_none() {
        assert_eq!(
            [(1, 4), (1, 1_000_000), (0, 9)].map(|(a, b)| share(a, b)),
            ["25.00%", "<0.01%", "0.00%"]
        );
    }

    #[test]
    fn times_choose_their_unit() {
        let times = [42e-6, 0.0123, 1.5, 119.0, 600.0, 7200.0, 864_000.0].map(duration);
        assert_eq!(
            times,
            [
                "42.0 µs",
                "12.3 ms",
                "1.50 s",
                "119 s",
                "10.0 min",
                "2.00 h",
                "10.0 days"
            ]
        );
    }

    #[test]
    fn an_interval_has_the_unit_and_digits_of_its_median() {
        let time = Estimate::from_samples(&[0.0009, 0.0123, 1.5]).unwrap();
        assert_eq!(
            duration_interval(&time),
            ("12.3 ms".to_owned(), "0.9–1500.0".to_owned())
        );
    }

    #[test]
    fn one_observation_has_no_interval() {
        let once = Estimate::from_samples(&[0.0123]).unwrap();
        assert_eq!(
            duration_interval(&once),
            ("12.3 ms".to_owned(), "once".to_owned())
        );
        assert_eq!(rate_interval(&once), "once");
    }

    #[test]
    fn an_interval_of_rates_has_one_unit() {
        let rate = Estimate::from_samples(&[900.0, 12_345.0, 1_500_000.0]).unwrap();
        assert_eq!(rate_interval(&rate), "0.9–1500.0 k");
    }

    #[test]
    fn ticks_have_no_zeros_at_their_end() {
        let figures = ["2.50 k", "10.0 ms", "100 s", "5.00", "0", "0 µs"].map(trimmed);
        assert_eq!(figures, ["2.5 k", "10 ms", "100 s", "5", "0", "0"]);
    }

    #[test]
    fn a_budget_is_rounded_up_to_what_the_option_takes() {
        let times = [
            1.0, 181.0, 241.0, 301.0, 3_300.0, 3_301.0, 9_808.0, 172_000.0, 200_000.0,
        ];
        let shown = times.map(budget);
        assert_eq!(
            shown,
            ["1m", "4m", "5m", "10m", "55m", "1h", "3h", "2d", "3d"]
        );
    }

    #[test]
    fn factors_get_coarser_as_they_grow() {
        assert_eq!(
            [1.0, 6.61, 264.4, 5800.0].map(factor),
            ["1.0×", "6.6×", "264×", "5,800×"]
        );
        assert_eq!([f64::INFINITY, f64::NAN].map(factor), ["–", "–"]);
    }
}
