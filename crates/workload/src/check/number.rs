//! Checks numbers with a lower bound.

use std::ops::Range;

use toml::Spanned;

use super::text::Text;
use crate::Result;

/// Returns the value of `key` if it is given.
pub fn at_least(
    document: Text<'_>,
    value: Option<&Spanned<i64>>,
    key: &str,
    least: u64,
) -> Result<Option<u64>> {
    let Some(written) = value else {
        return Ok(None);
    };
    u64::try_from(*written.get_ref())
        .ok()
        .filter(|v| *v >= least)
        .map(Some)
        .ok_or_else(|| {
            document.error(
                written.span(),
                format!("`{key}` is {written}, but has to be at least {least}"),
            )
        })
}

/// Returns the value of `key`, from 1 to the largest 32-bit number, if it is given.
pub fn small(document: Text<'_>, value: Option<&Spanned<i64>>, key: &str) -> Result<Option<u32>> {
    let Some(written) = value else {
        return Ok(None);
    };
    u32::try_from(*written.get_ref())
        .ok()
        .filter(|v| *v >= 1)
        .map(Some)
        .ok_or_else(|| {
            let message = format!("`{key}` is {written}, but has to be from 1 to {}", u32::MAX);
            document.error(written.span(), message)
        })
}

/// Returns the value of `key`, from 1 to `most`, if it is given.
pub fn up_to(
    document: Text<'_>,
    value: Option<&Spanned<i64>>,
    key: &str,
    most: u32,
) -> Result<Option<u32>> {
    let Some(written) = value else {
        return Ok(None);
    };
    match u32::try_from(*written.get_ref()) {
        Ok(value) if (1..=most).contains(&value) => Ok(Some(value)),
        _ => {
            let message = format!("`{key}` is {written}, but has to be from 1 to {most}");
            Err(document.error(written.span(), message))
        }
    }
}

/// Checks that a real number is above 0.
pub fn positive(document: Text<'_>, number: f64, span: Range<usize>, key: &str) -> Result<f64> {
    if number > 0.0 && number.is_finite() {
        Ok(number)
    } else {
        let message = format!("`{key}` is {number}, but has to be above 0");
        Err(document.error(span, message))
    }
}
