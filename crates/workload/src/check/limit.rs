//! Checks limits of a decision: `month < 50ms`, `load > 20k rows/s`, `storage < 2TiB`.

use toml::Spanned;

use super::text::{Text, suggestion};
use super::toml_string::offset_in;
use crate::{Concurrent, Limit, LimitOf, Query, Result, parse_percentile};

const STORAGE: &str = "storage";
const LOAD: &str = "load";

/// Forms of a limit, for messages.
const FORM: &str = "write a limit as `storage < 2TiB`, `load > 20k rows/s` or `QUERY < 50ms`";

/// Number of answers that have to be expected beyond a quantile for it to be judged.
const FEWEST_SLOWER: f64 = 10.0;

/// Units of storage in bytes. The longer ones come first, since all end with `B`.
const SIZES: [(&str, f64); 6] = [
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("PiB", 1_125_899_906_842_624.0),
    ("B", 1.0),
];

/// Suffixes of rates, with their factors.
const THOUSANDS: [(&str, f64); 3] = [("k", 1e3), ("M", 1e6), ("G", 1e9)];

/// Parts of a limit.
struct Parts<'a> {
    /// Figure, with the statistic of a query if there is one.
    left: &'a str,
    is_at_most: bool,
    bound: &'a str,
}

/// Parses a limit. Only the clients of `[concurrent]` get enough answers for a quantile other than
/// the median.
pub fn check(
    document: Text<'_>,
    written: &Spanned<String>,
    queries: &[Query],
    concurrent: Option<&Concurrent>,
) -> Result<Limit> {
    let text = written.get_ref().trim();
    let parts = split(text).ok_or_else(|| {
        let message = format!("`{text}` is not a limit; {FORM}");
        document.error(written.span(), message)
    })?;
    let of = figure(document, written, &parts, queries)?;
    if of.is_at_most() != parts.is_at_most {
        let (right, what) = match of {
            LimitOf::Load => (">", "minimum"),
            LimitOf::Storage | LimitOf::Query { .. } => ("<", "maximum"),
        };
        let message = format!(
            "the limit on `{}` is a {what}: {} {right} {}",
            parts.left, parts.left, parts.bound
        );
        return Err(document.error(written.span(), message));
    }
    let bound = bound(&of, parts.bound).ok_or_else(|| {
        let example = match of {
            LimitOf::Storage => "a size above 0 in B, KiB, MiB, GiB, TiB or PiB: storage < 2TiB",
            LimitOf::Load => "a rate above 0 in rows/s: load > 20k rows/s",
            LimitOf::Query { .. } => "a time above 0 with its unit: p99 < 50ms",
        };
        let message = format!(
            "`{}` in the limit `{text}` has to be {example}",
            parts.bound
        );
        document.error(written.span(), message)
    })?;
    if let LimitOf::Query {
        quantile: Some(quantile),
        ..
    } = of
        && let Some(reason) = too_few_answers(quantile, concurrent)
    {
        let message = format!("the limit `{text}` cannot be judged: {reason}");
        return Err(document.error(written.span(), message));
    }
    Ok(Limit {
        text: text.to_owned(),
        of,
        bound,
    })
}

fn split(text: &str) -> Option<Parts<'_>> {
    let at = text.find(['<', '>'])?;
    let (left, right) = text.split_at(at);
    let bound = right[1..].trim_start_matches('=').trim();
    let left = left.trim();
    (!left.is_empty() && !bound.is_empty()).then_some(Parts {
        left,
        is_at_most: right.starts_with('<'),
        bound,
    })
}

fn figure(
    document: Text<'_>,
    written: &Spanned<String>,
    parts: &Parts<'_>,
    queries: &[Query],
) -> Result<LimitOf> {
    let mut words = parts.left.split_whitespace();
    let name = words.next().unwrap_or_default().to_lowercase();
    let statistic = words.next();
    let of = match name.as_str() {
        STORAGE => LimitOf::Storage,
        LOAD => LimitOf::Load,
        _ if queries.iter().any(|q| q.name == name) => LimitOf::Query {
            name,
            quantile: quantile(document, written, statistic)?,
        },
        _ => {
            let known = queries.iter().map(|q| q.name.as_str());
            let hint = suggestion(&name, known.chain([STORAGE, LOAD]));
            let at = offset_in(
                document,
                written,
                written.get_ref().find(parts.left).unwrap_or(0),
            );
            let message = format!("`{name}` is not measured, so it cannot have a limit{hint}");
            return Err(document.error(at..at, message));
        }
    };
    let is_query = matches!(of, LimitOf::Query { .. });
    let superfluous = words.next().or(statistic.filter(|_| !is_query));
    if let Some(word) = superfluous {
        let message = format!(
            "`{word}` is superfluous in the limit `{}`; {FORM}",
            written.get_ref()
        );
        return Err(document.error(written.span(), message));
    }
    Ok(of)
}

/// Returns why there will be too few answers to judge a quantile, and what to change.
fn too_few_answers(quantile: f64, concurrent: Option<&Concurrent>) -> Option<String> {
    // No error of rounding may ask for one answer more.
    let needed = (FEWEST_SLOWER / (1.0 - quantile) - 1e-6).ceil();
    let most = Concurrent::PERMUTATIONS_AT_MOST;
    let otherwise = "limit the median, which is that of the rounds";
    if needed > f64::from(most) {
        return Some(format!(
            "it needs {needed} answers, and clients give at most {most}; limit a lower quantile, \
             or {otherwise}"
        ));
    }
    match concurrent {
        None => Some(format!(
            "rounds are too few for a quantile, which is that of several clients; add [concurrent] with \
             permutations = {needed}, or {otherwise}"
        )),
        Some(asked) if f64::from(asked.permutations) < needed => Some(format!(
            "it needs {needed} answers, and [concurrent] has {} permutations, each with one; set \
             permutations = {needed}, or {otherwise}",
            asked.permutations
        )),
        Some(_) => None,
    }
}

/// Returns the quantile that a statistic names, such as 0.99 for `p99`; `None` for the median, which is the
/// default.
fn quantile(
    document: Text<'_>,
    written: &Spanned<String>,
    statistic: Option<&str>,
) -> Result<Option<f64>> {
    let Some(statistic) = statistic.filter(|s| *s != "median") else {
        return Ok(None);
    };
    match parse_percentile(statistic) {
        Some(50.0) => Ok(None),
        Some(percent) if percent > 0.0 && percent < 100.0 => Ok(Some(percent / 100.0)),
        _ => {
            let message = format!(
                "`{statistic}` in the limit `{}` is not a quantile such as p50 or p99.9; without one, \
                 the limit is on the median",
                written.get_ref()
            );
            Err(document.error(written.span(), message))
        }
    }
}

/// Parses a bound in seconds, bytes or rows per second, which has to be above 0.
fn bound(of: &LimitOf, text: &str) -> Option<f64> {
    let bound = match of {
        LimitOf::Storage => with_unit(text, &SIZES)?,
        LimitOf::Load => rows_a_second(text)?,
        LimitOf::Query { .. } => humantime::parse_duration(text).ok()?.as_secs_f64(),
    };
    (bound > 0.0 && bound.is_finite()).then_some(bound)
}

fn rows_a_second(text: &str) -> Option<f64> {
    let number = text.strip_suffix("rows/s")?.trim_end();
    with_unit(number, &THOUSANDS).or_else(|| number.parse().ok())
}

fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    units.iter().find_map(|(unit, times)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * times)
    })
}
