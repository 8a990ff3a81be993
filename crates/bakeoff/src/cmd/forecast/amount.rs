//! Reads amounts of bytes with their units.

/// Reads a number with one of these units behind it, and returns it times the factor of its unit; `None` for what is no
/// such number, or less than 1.
pub fn amount(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (unit, factor) = units.iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
    let amount = number * factor;
    (amount.is_finite() && amount >= 1.0).then_some(amount)
}
