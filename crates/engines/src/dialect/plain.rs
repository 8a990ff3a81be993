//! Functions of other systems in the SQL of DataFusion, which knows the workload's right answers.

use super::call::Call;
use super::literals::{Interval, content, interval};
use super::tokens::Kind;
use super::units::{find, meaning, units};

/// The origin of `time_bucket` in TimescaleDB and DuckDB, a Monday.
const BUCKET_ORIGIN: &str = "TIMESTAMP '2000-01-03'";
/// Its origin there for months and years.
const MONTHS_ORIGIN: &str = "TIMESTAMP '2000-01-01'";

/// Writes a call of a function that DataFusion does not have. Returns `None` if it stays as it is.
pub fn write(call: &Call) -> Option<String> {
    match call.name.as_str() {
        "time_bucket" => time_bucket(call),
        "max_by" | "arg_max" => by_key(call, "last_value", "NULLS FIRST"),
        "min_by" | "arg_min" => by_key(call, "first_value", "NULLS LAST"),
        "last" => by_time(call, "last_value", "NULLS FIRST"),
        "first" => by_time(call, "first_value", "NULLS LAST"),
        "percentile" => percentile(call),
        "variance" => Some(call.renamed("var_samp")),
        "every" => Some(call.renamed("bool_and")),
        "startswith" => Some(call.renamed("starts_with")),
        "endswith" => Some(call.renamed("ends_with")),
        _ => None,
    }
}

/// Writes the bucket of time that a time is in.
fn time_bucket(call: &Call) -> Option<String> {
    let mut arguments = call.arguments().into_iter();
    let (width, at) = (arguments.next()?, arguments.next()?);
    let origin = arguments.next();
    if arguments.next().is_some() {
        return None;
    }
    let all = units(&width)?;
    let words = meaning(&all);
    let is_text = words.len() == 1 && words[0].is_a(Kind::Text) && content(words[0]).is_some();
    let width = if is_text {
        format!("INTERVAL {width}")
    } else {
        width
    };
    let usual = match interval(&width) {
        Some(Interval::Months(_)) => MONTHS_ORIGIN,
        _ => BUCKET_ORIGIN,
    };
    let origin = origin.unwrap_or_else(|| usual.to_owned());
    Some(format!("date_bin({width}, {at}, {origin})"))
}

/// Writes the value in the row with the greatest or least key.
fn by_key(call: &Call, name: &str, nulls: &str) -> Option<String> {
    let [value, key] = call.exactly::<2>()?;
    let filter = &call.filter;
    (!call.is_window).then(|| format!("{name}({value} ORDER BY {key} {nulls}){filter}"))
}

/// Writes the value in the row with the greatest or least time, as TimescaleDB has it. What is called so elsewhere has
/// an order inside, as in DuckDB, or says as a second argument whether nulls are left out, as in Spark.
fn by_time(call: &Call, name: &str, nulls: &str) -> Option<String> {
    let [_, time] = call.exactly::<2>()?;
    let is_flag = ["true", "false"].contains(&time.to_ascii_lowercase().as_str());
    if is_flag || call.is_distinct() || find(&call.inside, 0, &["order", "by"]).is_some() {
        return None;
    }
    by_key(call, name, nulls)
}

/// Writes a percentile as Spark has it.
fn percentile(call: &Call) -> Option<String> {
    let [value, share] = call.exactly::<2>()?;
    let filter = &call.filter;
    Some(format!(
        "percentile_cont({share}) WITHIN GROUP (ORDER BY {value}){filter}"
    ))
}
