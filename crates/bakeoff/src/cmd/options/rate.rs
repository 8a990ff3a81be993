//! Rates on the command line.

/// Reads a number above 0, such as `200`, `2.5k` or `1M`.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let (digits, factor) = match text.chars().last() {
        Some('k' | 'K') => (&text[..text.len() - 1], 1e3),
        Some('m' | 'M') => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    let rate = digits.parse::<f64>().map(|number| number * factor);
    let is_rate = |rate: &f64| rate.is_finite() && *rate > 0.0;
    let told = || "not a rate above 0 such as 200, 2.5k or 1M".to_owned();
    rate.ok().filter(is_rate).ok_or_else(told)
}
