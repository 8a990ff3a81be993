//! Reads a percentile.

/// Reads a percentile: `p99`, `p99.9`, `p0` for the least.
pub fn parse_percentile(text: &str) -> Result<f64, String> {
    let number = text
        .strip_prefix(['p', 'P'])
        .and_then(|digits| digits.parse::<f64>().ok());
    number
        .filter(|percentile| (0.0..=100.0).contains(percentile))
        .ok_or_else(|| "not a percentile such as p50, p99 or p100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_from_0_to_100() {
        for (text, percentile) in [("p50", 50.0), ("P99.9", 99.9), ("p0", 0.0), ("p100", 100.0)] {
            assert_eq!(parse_percentile(text), Ok(percentile), "{text}");
        }
        for text in ["", "50", "p", "p101", "p-1", "pNaN", "pinf", "median"] {
            assert!(parse_percentile(text).is_err(), "{text}");
        }
    }
}
