//! `[[queries]]`: SQL, its parameters, and the answers to expect.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::{Spanned, Value};

use super::table::{identifier, suggest_column};
use super::text::{Text, suggestion};
use super::{number, toml_string};
use crate::{Expectation, Parameter, ParameterValues, Query, Result, Table, wire};

/// What a report shows beside the queries; not free as names of queries.
pub const RESERVED: [&str; 2] = ["load", "storage"];

pub fn check(
    place: Text<'_>,
    wire: &[wire::Query],
    table: &Table,
    has_mix: bool,
) -> Result<Vec<Query>> {
    if wire.is_empty() && !has_mix {
        return Err(place.error(
            0..0,
            "a workload asks something: add [[queries]] with name and sql, or a [mix]",
        ));
    }
    let mut queries: Vec<Query> = Vec::with_capacity(wire.len());
    for written in wire {
        let query = check_query(place, written, table)?;
        if queries.iter().any(|q| q.name == query.name) {
            let message = format!("there is another query `{}`; names are unique", query.name);
            return Err(place.error(written.name.span(), message));
        }
        queries.push(query);
    }
    Ok(queries)
}

fn check_query(place: Text<'_>, wire: &wire::Query, table: &Table) -> Result<Query> {
    let name = identifier(place, &wire.name, "query")?;
    if RESERVED.contains(&name.as_str()) {
        let message = format!("`{name}` has another meaning in reports; choose another name");
        return Err(place.error(wire.name.span(), message));
    }
    let parameters = check_parameters(place, &wire.parameters, table)?;
    let texts = || std::iter::once(&wire.sql).chain(wire.engine_sql.values());
    for sql in texts() {
        check_sql(place, sql, &parameters)?;
    }
    for parameter in wire.parameters.keys() {
        if !texts().any(|sql| placeholders(sql.get_ref()).any(|(_, n)| n == parameter.get_ref())) {
            let message =
                format!("parameter `{parameter}` is never used; write ${{{parameter}}} in the SQL");
            return Err(place.error(parameter.span(), message));
        }
    }
    let expect = wire.expect.as_ref();
    let expected = expect
        .map(|e| check_expectation(place, e.get_ref()))
        .transpose()?;
    if let (Some(expect), false) = (expect, parameters.is_empty()) {
        let message = "a query with parameters has no one answer to expect; leave `expect` out";
        return Err(place.error(expect.span(), message));
    }
    Ok(Query {
        name,
        sql: wire.sql.get_ref().clone(),
        engine_sql: check_engine_sql(place, &wire.engine_sql)?,
        parameters,
        expect: expected,
        position: place.line_and_column(toml_string::start(place, wire.sql.span().start)),
    })
}

/// Byte range and name of each `${name}` in `sql`.
pub fn placeholders(sql: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    sql.match_indices("${").filter_map(move |(start, _)| {
        let name_length = sql[start + 2..].find('}')?;
        let name = &sql[start + 2..start + 2 + name_length];
        Some((start..start + name_length + 3, name))
    })
}

fn check_sql(place: Text<'_>, sql: &Spanned<String>, parameters: &[Parameter]) -> Result<()> {
    if sql.get_ref().trim().is_empty() {
        return Err(place.error(sql.span(), "the SQL is empty"));
    }
    for (range, name) in placeholders(sql.get_ref()) {
        if !parameters.iter().any(|p| p.name == name) {
            let hint = suggestion(name, parameters.iter().map(|p| p.name.as_str()));
            let hint = match parameters.is_empty() {
                true => format!("; add parameters = {{ {name} = {{ uniform = [1, 9] }} }}"),
                false => hint,
            };
            let offset = offset_in(place, sql, range.start);
            let message = format!("the query has no parameter `{name}`{hint}");
            return Err(place.error(offset..offset, message));
        }
    }
    Ok(())
}

/// Byte offset in the file of the byte `at` of the string `sql`.
pub fn offset_in(place: Text<'_>, sql: &Spanned<String>, at: usize) -> usize {
    let (line, column) = Text {
        path: place.path,
        text: sql.get_ref(),
    }
    .line_and_column(at);
    let start = toml_string::start(place, sql.span().start);
    toml_string::offset(place, start, line, column)
}

fn check_engine_sql(
    place: Text<'_>,
    wire: &wire::Names<Spanned<String>>,
) -> Result<BTreeMap<String, String>> {
    wire.iter()
        .map(|(engine, sql)| Ok((identifier(place, engine, "engine")?, sql.get_ref().clone())))
        .collect()
}

fn check_parameters(
    place: Text<'_>,
    wire: &wire::Names<Spanned<wire::Parameter>>,
    table: &Table,
) -> Result<Vec<Parameter>> {
    let mut written: Vec<_> = wire.iter().collect();
    written.sort_by_key(|(name, _)| name.span().start);
    written
        .into_iter()
        .map(|(name, values)| {
            identifier(place, name, "parameter")?;
            Ok(Parameter {
                name: name.get_ref().clone(),
                values: check_values(place, values, table)?,
            })
        })
        .collect()
}

fn check_values(
    place: Text<'_>,
    wire: &Spanned<wire::Parameter>,
    table: &Table,
) -> Result<ParameterValues> {
    let values = wire.get_ref();
    match (&values.uniform, &values.choice, &values.column) {
        (Some(uniform), None, None) => check_uniform(place, uniform),
        (None, Some(choice), None) => check_choice(place, choice),
        (None, None, Some(column)) => check_column(place, column, table),
        _ => Err(place.error(
            wire.span(),
            "say what the parameter is drawn from with exactly one of `uniform = [1, 9]`, \
             `choice = [..]` and `column = \"..\"`",
        )),
    }
}

fn check_uniform(place: Text<'_>, written: &Spanned<Vec<i64>>) -> Result<ParameterValues> {
    match written.get_ref()[..] {
        [from, to] if from <= to => Ok(ParameterValues::Uniform { from, to }),
        [from, to] => {
            let message = format!("`uniform` ends before it begins; did you mean [{to}, {from}]?");
            Err(place.error(written.span(), message))
        }
        _ => Err(place.error(
            written.span(),
            "`uniform` has two whole numbers, the least and the greatest: uniform = [1, 9]",
        )),
    }
}

fn check_choice(
    place: Text<'_>,
    written: &Spanned<Vec<Spanned<Value>>>,
) -> Result<ParameterValues> {
    if written.get_ref().is_empty() {
        return Err(place.error(written.span(), "`choice` has no values"));
    }
    let literals = written.get_ref().iter().map(|value| match value.get_ref() {
        Value::String(text) => Ok(crate::literal::text(text)),
        Value::Datetime(time) => Ok(format!("TIMESTAMP '{time}'")),
        number => plain(place, value.span(), number),
    });
    Ok(ParameterValues::Choice(literals.collect::<Result<_>>()?))
}

fn check_column(
    place: Text<'_>,
    written: &Spanned<String>,
    table: &Table,
) -> Result<ParameterValues> {
    let name = written.get_ref().to_lowercase();
    match table.column(&name) {
        Some(_) => Ok(ParameterValues::Column(name)),
        None => {
            let hint = suggest_column(table, &name);
            let message = format!("column `{written}` is not in the table{hint}");
            Err(place.error(written.span(), message))
        }
    }
}

fn check_expectation(place: Text<'_>, wire: &wire::Expect) -> Result<Expectation> {
    let rows = number::at_least(place, wire.rows.as_ref(), "rows", 1)?;
    let width = wire.answer.first().map_or(0, |row| row.get_ref().len());
    let mut answer = Vec::with_capacity(wire.answer.len());
    for row in &wire.answer {
        if row.get_ref().len() != width || width == 0 {
            let message = format!(
                "this row of the answer has {} cells, the first one has {width}; \
                 all rows have the same, at least 1",
                row.get_ref().len()
            );
            return Err(place.error(row.span(), message));
        }
        let cells = row.get_ref().iter().map(|cell| match cell.get_ref() {
            Value::String(text) => Ok(text.clone()),
            other => plain(place, cell.span(), other),
        });
        answer.push(cells.collect::<Result<_>>()?);
    }
    Ok(Expectation { rows, answer })
}

/// A number or boolean as SQL writes it.
fn plain(place: Text<'_>, span: Range<usize>, value: &Value) -> Result<String> {
    match value {
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(format!("{number:?}")),
        Value::Boolean(value) => Ok(value.to_string()),
        _ => Err(place.error(span, "expected a string, a number or a boolean")),
    }
}
