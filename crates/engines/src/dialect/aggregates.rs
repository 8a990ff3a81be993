//! Aggregates: percentiles, counts of different values, and the first and the last value in an order.

use super::call::Call;
use super::order::{Key, written};
use super::sql_dialect::SqlDialect;
use super::units::find;

/// Writes a percentile. All dialects compute it exactly and between two values, as `percentile_cont` does, also where
/// an approximate one is asked for: that is within any tolerance.
pub fn percentile(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    if call.is_window {
        return Ok(None);
    }
    let is_exact = call.name == "percentile_cont";
    if dialect == SqlDialect::Sqlite {
        return Err(lacks_percentiles());
    }
    if call.within.is_some() {
        // An approximate one may have a number of centroids behind the share.
        let share = call.arguments().into_iter().next();
        let ordered = call
            .within
            .as_deref()
            .and_then(|within| find(within, 0, &["order", "by"]));
        let (Some(share), Some((_, behind)), Some(within)) = (share, ordered, &call.within) else {
            return Ok(None);
        };
        let by = written(&Key::list(&within[behind..]));
        let plain = format!(
            "percentile_cont({share}) WITHIN GROUP (ORDER BY {by}){}",
            call.filter
        );
        return Ok((!is_exact).then_some(plain));
    }
    let mut arguments = call.arguments().into_iter();
    let (Some(value), Some(share)) = (arguments.next(), arguments.next()) else {
        return Ok(None);
    };
    let name = match dialect {
        SqlDialect::Duckdb | SqlDialect::DuckdbAlone if call.name == "quantile_cont" => {
            return Ok(None);
        }
        SqlDialect::Duckdb | SqlDialect::DuckdbAlone => "quantile_cont",
        SqlDialect::Spark => "percentile",
        _ if call.is_distinct() => return Err(distinct_percentile(call)),
        _ => {
            return Ok(Some(format!(
                "percentile_cont({share}) WITHIN GROUP (ORDER BY {value}){}",
                call.filter
            )));
        }
    };
    Ok(Some(format!("{name}({value}, {share}){}", call.filter)))
}

/// Writes a median.
pub fn median(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    if call.is_window {
        return Ok(None);
    }
    let Some([value]) = call.exactly::<1>() else {
        return Ok(None);
    };
    match dialect {
        SqlDialect::Sqlite => Err(lacks_percentiles()),
        SqlDialect::Postgres if call.is_distinct() => Err(distinct_percentile(call)),
        SqlDialect::Postgres => Ok(Some(format!(
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY {value}){}",
            call.filter
        ))),
        _ => Ok((call.name != "median").then(|| call.renamed("median"))),
    }
}

fn lacks_percentiles() -> String {
    "has neither percentiles nor medians".to_owned()
}

fn distinct_percentile(call: &Call) -> String {
    format!("has no `{}` of different values alone", call.name)
}

/// Writes the number of different values, exactly.
pub fn count_distinct(call: &Call) -> Option<String> {
    let [value] = call.exactly::<1>()?;
    let filter = &call.filter;
    (!call.is_window).then(|| format!("count(DISTINCT {value}){filter}"))
}

/// Writes the first or the last value in an order.
pub fn first_or_last(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    let Some((value, order)) = call.ordered() else {
        return Ok(None);
    };
    if call.is_window {
        return Ok(None);
    }
    let is_last = call.name == "last_value";
    let keys = Key::list(order);
    match dialect {
        SqlDialect::Datafusion => Ok(None),
        SqlDialect::Duckdb | SqlDialect::DuckdbAlone => {
            let name = if is_last { "last" } else { "first" };
            let is_elsewhere = |key: &Key| key.is_descending && key.nulls_first.is_none();
            if dialect == SqlDialect::Duckdb || !keys.iter().any(is_elsewhere) {
                return Ok(Some(call.renamed(name)));
            }
            // It has nulls last in descending order, too.
            let keys: Vec<Key> = { keys.into_iter() }
                .map(|key| Key {
                    nulls_first: key.nulls_first.or(key.is_descending.then_some(true)),
                    ..key
                })
                .collect();
            let (by, filter) = (written(&keys), &call.filter);
            Ok(Some(format!("{name}({value} ORDER BY {by}){filter}")))
        }
        SqlDialect::Postgres => {
            let keys = if is_last {
                keys.iter().map(Key::reversed).collect()
            } else {
                keys
            };
            let by = written(&keys);
            let filter = &call.filter;
            Ok(Some(format!(
                "(array_agg({value} ORDER BY {by}){filter})[1]"
            )))
        }
        SqlDialect::Spark => by_extreme(call, &value, &keys, is_last).map(Some),
        SqlDialect::Sqlite => Err(format!("has no `{}`", call.name)),
    }
}

/// Writes the value with the greatest or the least key, as Spark has it. It leaves out rows whose key is null.
fn by_extreme(call: &Call, value: &str, keys: &[Key], is_last: bool) -> Result<String, String> {
    let Some(first) = keys.first() else {
        return Err(format!("has no `{}` without an order", call.name));
    };
    if keys
        .iter()
        .any(|key| key.is_descending != first.is_descending)
    {
        return Err(format!(
            "has no `{}` whose order is ascending in one expression and descending in another",
            call.name
        ));
    }
    let name = if is_last == first.is_descending {
        "min_by"
    } else {
        "max_by"
    };
    let expressions: Vec<&str> = keys.iter().map(|key| key.expression.as_str()).collect();
    let by = match expressions.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("struct({})", several.join(", ")),
    };
    Ok(format!("{name}({value}, {by}){}", call.filter))
}
