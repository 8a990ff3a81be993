//! Checks `parameters` of a query, which are drawn for each round.

use std::fmt::Display;
use std::ops::Range;

use jiff::Timestamp;
use toml::value::Datetime;
use toml::{Spanned, Value};

use super::literal::plain;
use super::table::{identifier, suggest_column};
use super::text::{Text, quoted};
use crate::{ColumnType, Parameter, ParameterValues, Result, Table, wire};

/// Largest number of values in one list, since engines cannot cope with longer SQL texts.
const MOST_DISTINCT: i64 = 1000;
/// Longest window in milliseconds: a thousand years.
const LONGEST_WINDOW_MS: u64 = 1000 * 366 * 86_400_000;

/// Checks the parameters of a query, and returns them in the order of the file.
pub fn check(
    document: Text<'_>,
    wire: &wire::Names<Spanned<wire::Parameter>>,
    table: &Table,
) -> Result<Vec<Parameter>> {
    let mut written: Vec<_> = wire.iter().collect();
    written.sort_by_key(|(name, _)| name.span().start);
    written
        .into_iter()
        .map(|(name, values)| {
            identifier(document, name, "parameter")?;
            Ok(Parameter {
                name: name.get_ref().clone(),
                values: check_values(document, values, table)?,
            })
        })
        .collect()
}

fn check_values(
    document: Text<'_>,
    wire: &Spanned<wire::Parameter>,
    table: &Table,
) -> Result<ParameterValues> {
    let values = wire.get_ref();
    if let Some(distinct) = &values.distinct
        && (values.column.is_none() || values.window.is_some())
    {
        let message = "`distinct` is for values of a column: { column = \"..\", distinct = 8 }";
        return Err(document.error(distinct.span(), message));
    }
    match (
        &values.uniform,
        &values.choice,
        &values.column,
        &values.window,
    ) {
        (Some(uniform), None, None, None) => check_uniform(document, uniform),
        (None, Some(choice), None, None) => check_choice(document, choice),
        (None, None, Some(column), None) => check_column(document, column, values, table),
        (None, None, column, Some(window)) => {
            check_window(document, window, column.as_ref(), table)
        }
        _ => Err(document.error(
            wire.span(),
            "say what the parameter is drawn from with exactly one of `uniform = [1, 9]`, \
             `choice = [..]`, `column = \"..\"` and `window = \"12h\"`",
        )),
    }
}

/// Checks the bounds of numbers, which are whole if both bounds are.
fn check_uniform(document: Text<'_>, written: &Spanned<Vec<Value>>) -> Result<ParameterValues> {
    let refused = |message: &str| Err(document.error(written.span(), message));
    let reversed = |from: &dyn Display, to: &dyn Display| {
        refused(&format!(
            "`uniform` ends before it begins; did you mean [{to}, {from}]?"
        ))
    };
    let bounds = match written.get_ref().as_slice() {
        [Value::Integer(from), Value::Integer(to)] if from > to => return reversed(from, to),
        [Value::Integer(from), Value::Integer(to)] => {
            let (from, to) = (*from, *to);
            return Ok(ParameterValues::Uniform { from, to });
        }
        [from, to] => real(from).zip(real(to)),
        _ => None,
    };
    match bounds {
        Some((from, to)) if from > to => reversed(&from, &to),
        Some((from, to)) if (to - from).is_finite() => {
            Ok(ParameterValues::UniformReal { from, to })
        }
        _ => refused("`uniform` has two numbers, the least and the greatest: uniform = [1, 9]"),
    }
}

fn real(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

fn check_choice(
    document: Text<'_>,
    written: &Spanned<Vec<Spanned<Value>>>,
) -> Result<ParameterValues> {
    if written.get_ref().is_empty() {
        return Err(document.error(written.span(), "`choice` has no values"));
    }
    let literals = written.get_ref().iter().map(|value| match value.get_ref() {
        Value::String(text) => Ok(crate::literal::text(text)),
        Value::Datetime(time) => instant(document, value.span(), time),
        Value::Float(number) => Ok(crate::literal::double(*number)),
        number => plain(document, value.span(), number),
    });
    Ok(ParameterValues::Choice(literals.collect::<Result<_>>()?))
}

/// Returns a time as an SQL literal in UTC, since some engines ignore an offset in a literal.
fn instant(document: Text<'_>, span: Range<usize>, time: &Datetime) -> Result<String> {
    if time.offset.is_none() {
        return Ok(format!("TIMESTAMP '{time}'"));
    }
    let parsed: Option<Timestamp> = time.to_string().parse().ok();
    parsed
        .and_then(|time| crate::literal::timestamp(time.as_millisecond()))
        .ok_or_else(|| {
            document.error(
                span,
                format!("`{time}` is not a time between the years 0 and 9999"),
            )
        })
}

fn check_column(
    document: Text<'_>,
    written: &Spanned<String>,
    wire: &wire::Parameter,
    table: &Table,
) -> Result<ParameterValues> {
    let column = column_name(document, written, table)?;
    let Some(distinct) = &wire.distinct else {
        return Ok(ParameterValues::Column(column));
    };
    let count = *distinct.get_ref();
    match u32::try_from(count) {
        Ok(number) if (1..=MOST_DISTINCT).contains(&count) => Ok(ParameterValues::Distinct {
            column,
            count: number,
        }),
        _ => {
            let message = format!("`distinct` is {count}, but has to be from 1 to {MOST_DISTINCT}");
            Err(document.error(distinct.span(), message))
        }
    }
}

fn column_name(document: Text<'_>, written: &Spanned<String>, table: &Table) -> Result<String> {
    let name = written.get_ref().to_lowercase();
    match table.column(&name) {
        Some(_) => Ok(name),
        None => {
            let hint = suggest_column(table, &name);
            let message = format!("column `{written}` is not in the table{hint}");
            Err(document.error(written.span(), message))
        }
    }
}

fn check_window(
    document: Text<'_>,
    written: &Spanned<String>,
    column: Option<&Spanned<String>>,
    table: &Table,
) -> Result<ParameterValues> {
    let error = |problem: String| {
        let message = format!("`window` is `{written}`, {problem}: window = \"12h\"");
        document.error(written.span(), message)
    };
    let duration = humantime::parse_duration(written.get_ref())
        .map_err(|e| error(format!("which is not a duration ({e})")))?;
    let milliseconds = u64::try_from(duration.as_millis())
        .ok()
        .filter(|ms| (1..=LONGEST_WINDOW_MS).contains(ms))
        .filter(|_| duration.subsec_nanos() % 1_000_000 == 0)
        .ok_or_else(|| {
            error("but has to be whole milliseconds, from 1ms to 1000 years".to_owned())
        })?;
    Ok(ParameterValues::Window {
        column: match column {
            Some(column) => time_column(document, column, table)?,
            None => only_time_column(document, written, table)?,
        },
        milliseconds,
    })
}

fn time_column(document: Text<'_>, written: &Spanned<String>, table: &Table) -> Result<String> {
    let name = column_name(document, written, table)?;
    match table.column(&name).map(|column| column.kind) {
        Some(ColumnType::Timestamp) => Ok(name),
        _ => {
            let message = format!("column `{name}` is not a timestamp, so it has no windows");
            Err(document.error(written.span(), message))
        }
    }
}

fn only_time_column(document: Text<'_>, window: &Spanned<String>, table: &Table) -> Result<String> {
    let times = table
        .columns
        .iter()
        .filter(|c| c.kind == ColumnType::Timestamp);
    let times: Vec<&str> = times.map(|column| column.name.as_str()).collect();
    match times[..] {
        [only] => Ok(only.to_owned()),
        [] => Err(document.error(
            window.span(),
            "the table has no timestamp column that could have a window",
        )),
        _ => {
            let columns = quoted(&times);
            let message = format!(
                "the table has the timestamp columns {columns}; say which one with `column`"
            );
            Err(document.error(window.span(), message))
        }
    }
}
