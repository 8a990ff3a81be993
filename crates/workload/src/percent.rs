//! Reads percentiles and percentages.

/// Reads a percentile from 0 to 100, such as `p50`, `P99` or `p99.9`; `None` if a text is none.
pub fn parse_percentile(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['p', 'P'])?;
    // No sign, exponent or name of a number.
    let plain = |c: char| c.is_ascii_digit() || c == '.';
    let percent: f64 = digits.chars().all(plain).then(|| digits.parse().ok())??;
    (percent <= 100.0).then_some(percent)
}

/// Reads the number of a percentage, such as `5%` or `0.1 %`, which may be any; `None` if a text is none.
pub fn parse_percentage(text: &str) -> Option<f64> {
    let number = text.trim().strip_suffix('%')?;
    number.trim_end().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_end_with_their_sign() {
        for (text, percent) in [
            ("5%", 5.0),
            (" 0.1 % ", 0.1),
            ("-1%", -1.0),
            ("200%", 200.0),
        ] {
            assert_eq!(parse_percentage(text), Some(percent), "{text}");
        }
        for text in ["", "%", "5", "5%%", "x%"] {
            assert_eq!(parse_percentage(text), None, "{text}");
        }
    }

    #[test]
    fn percentiles_are_from_0_to_100() {
        for (text, percent) in [("p50", 50.0), ("P99.9", 99.9), ("p0", 0.0), ("p100", 100.0)] {
            assert_eq!(parse_percentile(text), Some(percent), "{text}");
        }
        for text in [
            "", "50", "p", "p.", "p101", "p-1", "p+1", "p1e1", "pNaN", "pinf", "median",
        ] {
            assert_eq!(parse_percentile(text), None, "{text}");
        }
    }
}
