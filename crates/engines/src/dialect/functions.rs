//! Functions of DataFusion in other dialects: those that have another name, those that are written otherwise, and those
//! that are not there.

use super::aggregates::{count_distinct, first_or_last, median, percentile};
use super::call::Call;
use super::sql_dialect::SqlDialect;
use super::times::{date_bin, date_trunc, part, to_timestamp, to_unixtime};
use super::types::cast;
use super::units::{find, trimmed};
use super::zones::local_time;

/// What a function is in another dialect.
#[derive(Clone, Copy)]
enum Is {
    /// The same.
    Same,
    /// One that only has another name.
    Called(&'static str),
    /// Nothing.
    Lacking,
}

use Is::{Called, Lacking, Same};

/// Functions of DataFusion, and what they are in PostgreSQL, DuckDB, Spark and SQLite. Functions that are not here
/// are the same everywhere, or not known.
const FUNCTIONS: &[(&str, [Is; 4])] = &[
    ("mean", [Called("avg"), Same, Same, Called("avg")]),
    (
        "var",
        [
            Called("var_samp"),
            Called("var_samp"),
            Called("var_samp"),
            Lacking,
        ],
    ),
    (
        "var_sample",
        [
            Called("var_samp"),
            Called("var_samp"),
            Called("var_samp"),
            Lacking,
        ],
    ),
    ("var_samp", [Same, Same, Same, Lacking]),
    (
        "var_population",
        [
            Called("var_pop"),
            Called("var_pop"),
            Called("var_pop"),
            Lacking,
        ],
    ),
    ("var_pop", [Same, Same, Same, Lacking]),
    ("stddev", [Same, Same, Same, Lacking]),
    ("stddev_samp", [Same, Same, Same, Lacking]),
    ("stddev_pop", [Same, Same, Same, Lacking]),
    (
        "covar",
        [
            Called("covar_samp"),
            Called("covar_samp"),
            Called("covar_samp"),
            Lacking,
        ],
    ),
    ("corr", [Same, Same, Same, Lacking]),
    ("bool_and", [Same, Same, Same, Called("min")]),
    ("bool_or", [Same, Same, Same, Called("max")]),
    ("strpos", [Same, Same, Called("instr"), Called("instr")]),
    ("instr", [Called("strpos"), Same, Same, Same]),
    ("starts_with", [Same, Same, Called("startswith"), Lacking]),
    ("ends_with", [Lacking, Same, Called("endswith"), Lacking]),
    ("btrim", [Same, Called("trim"), Same, Called("trim")]),
    ("split_part", [Same, Same, Same, Lacking]),
    ("initcap", [Same, Lacking, Same, Lacking]),
    ("levenshtein", [Lacking, Same, Same, Lacking]),
    (
        "nvl",
        [
            Called("coalesce"),
            Called("coalesce"),
            Same,
            Called("ifnull"),
        ],
    ),
    ("ifnull", [Called("coalesce"), Same, Same, Same]),
    ("nvl2", [Lacking, Lacking, Same, Lacking]),
    ("nanvl", [Lacking, Lacking, Same, Lacking]),
    ("greatest", [Same, Same, Same, Lacking]),
    ("least", [Same, Same, Same, Lacking]),
    (
        "signum",
        [Called("sign"), Called("sign"), Same, Called("sign")],
    ),
    ("trunc", [Same, Same, Lacking, Same]),
    ("log2", [Lacking, Same, Same, Same]),
    ("make_date", [Same, Same, Same, Lacking]),
    ("to_date", [Lacking, Lacking, Same, Lacking]),
    ("approx_percentile_cont_with_weight", [Lacking; 4]),
    ("arrow_cast", [Lacking; 4]),
    ("arrow_typeof", [Lacking; 4]),
    ("array_agg", [Same, Same, Lacking, Lacking]),
    ("string_agg", [Same, Same, Lacking, Lacking]),
    (
        "regexp_like",
        [Same, Called("regexp_matches"), Same, Lacking],
    ),
    ("regexp_match", [Same, Lacking, Lacking, Lacking]),
    ("regexp_count", [Same, Lacking, Same, Lacking]),
    ("regexp_replace", [Same, Same, Same, Lacking]),
    ("named_struct", [Lacking, Lacking, Same, Lacking]),
    (
        "substr_index",
        [Lacking, Lacking, Called("substring_index"), Lacking],
    ),
    ("substring_index", [Lacking, Lacking, Same, Lacking]),
    ("find_in_set", [Lacking, Lacking, Same, Lacking]),
];

/// Writes a call for a dialect. Returns `None` if it stays as it is.
///
/// # Errors
/// Returns what the dialect lacks.
pub fn write(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    match call.name.as_str() {
        "percentile_cont" | "quantile_cont" | "approx_percentile_cont" => percentile(dialect, call),
        "median" | "approx_median" => median(dialect, call),
        "approx_distinct" => Ok(count_distinct(call)),
        "first_value" | "last_value" => first_or_last(dialect, call),
        "date_bin" => date_bin(dialect, call),
        "date_trunc" | "datetrunc" => date_trunc(dialect, call),
        "date_part" | "datepart" | "extract" => part(dialect, call),
        "to_timestamp"
        | "to_timestamp_seconds"
        | "to_timestamp_millis"
        | "to_timestamp_micros"
        | "to_unixtime"
            if call.arguments().len() > 1 =>
        {
            Err(other_formats(call))
        }
        // Spark's takes texts, and numbers of seconds, too.
        "to_timestamp" if dialect == SqlDialect::Spark => Ok(None),
        "to_timestamp" | "to_timestamp_seconds" | "from_unixtime" => {
            Ok(to_timestamp(dialect, call, 1))
        }
        "to_timestamp_millis" => Ok(to_timestamp(dialect, call, 1_000)),
        "to_timestamp_micros" => Ok(to_timestamp(dialect, call, 1_000_000)),
        "to_unixtime" => Ok(to_unixtime(dialect, call)),
        "to_local_time" => local_time(dialect, call),
        "to_char" | "date_format" => formatted(dialect, call),
        "position" => Ok(position(dialect, call)),
        "contains" => Ok(contains(dialect, call)),
        // That of Spark is null if any part is, and others leave nulls out.
        "concat" if dialect == SqlDialect::Spark => {
            let parts = call.arguments().join(", ");
            Ok((!parts.is_empty()).then(|| format!("concat_ws('', {parts})")))
        }
        "regexp_replace" if dialect == SqlDialect::Spark => Err(
            "replaces every match by `regexp_replace`, and DataFusion only the first one unless told otherwise"
                .to_owned(),
        ),
        "round" => round(dialect, call),
        "log" => Ok(logarithm(dialect, call)),
        "isnan" => Ok(is_nan(dialect, call)),
        "cast" | "try_cast" => cast(dialect, call),
        name => named(dialect, name).map(|other| other.map(|other| call.renamed(other))),
    }
}

/// Returns the other name that a function has in a dialect.
fn named(dialect: SqlDialect, name: &str) -> Result<Option<&'static str>, String> {
    let column = match dialect {
        SqlDialect::Datafusion => return Ok(None),
        SqlDialect::Postgres => 0,
        SqlDialect::Duckdb | SqlDialect::DuckdbAlone => 1,
        SqlDialect::Spark => 2,
        SqlDialect::Sqlite => 3,
    };
    let known = FUNCTIONS.iter().find(|(function, _)| *function == name);
    match known.map(|(_, is)| is[column]) {
        Some(Called(other)) => Ok(Some(other)),
        Some(Lacking) => Err(format!("has no `{name}`")),
        Some(Same) | None => Ok(None),
    }
}

/// Writes a time as a text, where the dialect has the formats of DataFusion.
fn formatted(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    let Some([at, format]) = call.exactly::<2>() else {
        return Ok(None);
    };
    let same = match dialect {
        SqlDialect::Datafusion => return Ok(None),
        SqlDialect::Duckdb | SqlDialect::DuckdbAlone => "YmdHMSjwyIpaAbB%",
        SqlDialect::Sqlite => "YmdHMSjw%",
        SqlDialect::Postgres | SqlDialect::Spark => "",
    };
    if !is_format_of(&format, same) {
        return Err(other_formats(call));
    }
    Ok(Some(match dialect {
        SqlDialect::Sqlite => format!("strftime({format}, {at})"),
        _ => format!("strftime({at}, {format})"),
    }))
}

/// Returns whether a format is a text with no other signs behind `%` than these, which mean the same.
fn is_format_of(format: &str, same: &str) -> bool {
    let inside = format
        .strip_prefix('\'')
        .and_then(|format| format.strip_suffix('\''));
    let Some(inside) = inside.filter(|_| !same.is_empty()) else {
        return false;
    };
    let mut signs = inside.chars();
    while let Some(sign) = signs.next() {
        if sign == '%' && !signs.next().is_some_and(|behind| same.contains(behind)) {
            return false;
        }
    }
    true
}

fn other_formats(call: &Call) -> String {
    format!("has other formats than `{}` of DataFusion", call.name)
}

/// Writes `position(part IN text)` for SQLite.
fn position(dialect: SqlDialect, call: &Call) -> Option<String> {
    let (place, behind) = find(&call.inside, 0, &["in"])?;
    let (part, text) = (
        trimmed(&call.inside[..place]),
        trimmed(&call.inside[behind..]),
    );
    (dialect == SqlDialect::Sqlite).then(|| format!("instr({text}, {part})"))
}

/// Writes whether a text is in another one.
fn contains(dialect: SqlDialect, call: &Call) -> Option<String> {
    let [text, part] = call.exactly::<2>()?;
    match dialect {
        SqlDialect::Postgres => Some(format!("(strpos({text}, {part}) > 0)")),
        SqlDialect::Sqlite => Some(format!("(instr({text}, {part}) > 0)")),
        _ => None,
    }
}

/// Writes rounding to some decimals, halves away from zero, for PostgreSQL, which rounds no floating-point number to
/// decimals, and halves to even numbers.
fn round(dialect: SqlDialect, call: &Call) -> Result<Option<String>, String> {
    if dialect != SqlDialect::Postgres {
        return Ok(None);
    }
    let mut arguments = call.arguments().into_iter();
    let (value, decimals) = (arguments.next(), arguments.next());
    let (Some(value), None) = (value, arguments.next()) else {
        return Ok(None);
    };
    let Some(decimals) = decimals else {
        return Ok(Some(format!("(sign({value}) * floor(abs({value}) + 0.5))")));
    };
    match decimals.parse::<u8>() {
        Ok(decimals) if decimals <= 15 => Ok(Some(format!(
            "(sign({value}) * floor(abs({value}) * 1e{decimals} + 0.5) / 1e{decimals})"
        ))),
        _ => Err(
            "has no `round` of floating-point numbers to decimals unless their number is a literal"
                .to_owned(),
        ),
    }
}

/// Writes a logarithm to base 10 for Spark, whose `log` is the natural one.
fn logarithm(dialect: SqlDialect, call: &Call) -> Option<String> {
    let [_] = call.exactly::<1>()?;
    (dialect == SqlDialect::Spark).then(|| call.renamed("log10"))
}

/// Writes whether a number is none for PostgreSQL.
fn is_nan(dialect: SqlDialect, call: &Call) -> Option<String> {
    let [value] = call.exactly::<1>()?;
    (dialect == SqlDialect::Postgres).then(|| format!("(({value}) = 'NaN')"))
}
