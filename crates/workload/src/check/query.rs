//! Checks `[[queries]]`: SQL, its parameters, and the answers to expect.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::{Spanned, Value};

use super::parameter;
use super::table::identifier;
use super::text::{Text, suggestion};
use super::{literal, number, toml_string, unstable};
use crate::{
    Concurrent, DesignId, Expectation, Parameter, Query, Result, Table, parse_percentage, wire,
};

/// Names that reports show alongside queries, which therefore cannot be names of queries.
pub const RESERVED: [&str; 2] = ["load", "storage"];

/// Largest tolerance of an answer, in percent.
const LARGEST_TOLERANCE: f64 = 50.0;

/// Checks all queries.
pub fn check(document: Text<'_>, wire: &[wire::Query], table: &Table) -> Result<Vec<Query>> {
    let mut queries: Vec<Query> = Vec::with_capacity(wire.len());
    for written in wire {
        let query = check_query(document, written, table)?;
        if queries.iter().any(|q| q.name == query.name) {
            let message = format!("there is another query `{}`; names are unique", query.name);
            return Err(document.error(written.name.span(), message));
        }
        queries.push(query);
    }
    Ok(queries)
}

fn check_query(document: Text<'_>, wire: &wire::Query, table: &Table) -> Result<Query> {
    let name = identifier(document, &wire.name, "query")?;
    if RESERVED.contains(&name.as_str()) {
        let message = format!("`{name}` has another meaning in reports; choose another name");
        return Err(document.error(wire.name.span(), message));
    }
    let tolerance = match &wire.tolerance {
        Some(written) => Some(check_tolerance(document, written)?),
        None => None,
    };
    let parameters = parameter::check(document, &wire.parameters, table)?;
    let texts = || std::iter::once(&wire.sql).chain(wire.engine_sql.values());
    for sql in texts() {
        check_sql(document, sql, &parameters)?;
        unstable::check(document, sql, tolerance.is_some())?;
    }
    for parameter in &parameters {
        let names = parameter.placeholders();
        let uses = |sql: &Spanned<String>| {
            placeholders(sql.get_ref()).any(|(_, name)| names.iter().any(|n| n == name))
        };
        if !texts().any(uses) {
            let name = &parameter.name;
            let marks: Vec<_> = names.iter().map(|name| format!("${{{name}}}")).collect();
            let message = format!(
                "parameter `{name}` is never used; write {} in the SQL",
                marks.join(" and ")
            );
            let written = wire.parameters.keys().find(|key| key.get_ref() == name);
            return Err(document.error(written.map_or(0..0, Spanned::span), message));
        }
    }
    let expect = wire.expect.as_ref();
    let expected = expect.map(|e| check_expectation(document, e)).transpose()?;
    if let (Some(expect), false) = (expect, parameters.is_empty()) {
        let message = "a query with parameters has no single answer to expect; leave `expect` out";
        return Err(document.error(expect.span(), message));
    }
    let parameter_sets = parameter_sets(document, wire, &parameters)?;
    Ok(Query {
        name,
        sql: wire.sql.get_ref().clone(),
        engine_sql: check_engine_sql(document, &wire.engine_sql)?,
        parameters,
        parameter_sets,
        tolerance,
        expect: expected,
        position: document.line_and_column(toml_string::start(document, wire.sql.span().start)),
    })
}

/// Checks the number of sets of parameters with which several clients ask.
fn parameter_sets(
    document: Text<'_>,
    wire: &wire::Query,
    parameters: &[Parameter],
) -> Result<Option<u32>> {
    let (written, most) = (
        wire.parameter_sets.as_ref(),
        Concurrent::PARAMETER_SETS_AT_MOST,
    );
    let sets = number::up_to(document, written, "parameter_sets", most)?;
    match written {
        Some(written) if parameters.is_empty() => {
            let message = "the query has no parameters of which there could be several sets";
            Err(document.error(written.span(), message))
        }
        _ => Ok(sets),
    }
}

fn check_tolerance(document: Text<'_>, written: &Spanned<String>) -> Result<f64> {
    match parse_percentage(written.get_ref()) {
        Some(percent) if percent > 0.0 && percent <= LARGEST_TOLERANCE => Ok(percent / 100.0),
        _ => {
            let message = format!(
                "`tolerance` is `{written}`, but has to be a percentage above 0% and at most \
                 {LARGEST_TOLERANCE}%: tolerance = \"2%\""
            );
            Err(document.error(written.span(), message))
        }
    }
}

/// Returns the byte range and name of each `${name}` in `sql`.
pub fn placeholders(sql: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    sql.match_indices("${").filter_map(move |(start, _)| {
        let name_length = sql[start + 2..].find('}')?;
        let name = &sql[start + 2..start + 2 + name_length];
        Some((start..start + name_length + 3, name))
    })
}

fn check_sql(document: Text<'_>, sql: &Spanned<String>, parameters: &[Parameter]) -> Result<()> {
    if sql.get_ref().trim().is_empty() {
        return Err(document.error(sql.span(), "the SQL is empty"));
    }
    let names: Vec<String> = parameters
        .iter()
        .flat_map(Parameter::placeholders)
        .collect();
    for (range, name) in placeholders(sql.get_ref()) {
        if !names.iter().any(|known| known == name) {
            let hint = if parameters.is_empty() {
                format!("; add parameters = {{ {name} = {{ uniform = [1, 9] }} }}")
            } else {
                suggestion(name, names.iter().map(String::as_str))
            };
            let offset = toml_string::offset_in(document, sql, range.start);
            let message = format!("the query has no parameter `{name}`{hint}");
            return Err(document.error(offset..offset, message));
        }
    }
    Ok(())
}

fn check_engine_sql(
    document: Text<'_>,
    wire: &wire::Names<Spanned<String>>,
) -> Result<BTreeMap<String, String>> {
    wire.iter()
        .map(|(design, sql)| Ok((engine_or_layout(document, design)?, sql.get_ref().clone())))
        .collect()
}

fn engine_or_layout(document: Text<'_>, written: &Spanned<String>) -> Result<String> {
    match written.get_ref().parse::<DesignId>() {
        Ok(id) if id.settings.is_empty() => Ok(id.to_string()),
        _ => {
            let message = format!(
                "`{written}` is neither an engine nor a layout: write postgres or postgres/plain"
            );
            Err(document.error(written.span(), message))
        }
    }
}

/// Checks that each expectation is about rows that exist, in a generator that makes `all` rows or
/// never ends.
pub fn check_rows_of_expectations(
    document: Text<'_>,
    wire: &[wire::Query],
    all: Option<u64>,
) -> Result<()> {
    for expect in wire.iter().filter_map(|query| query.expect.as_ref()) {
        match (&expect.get_ref().rows, all) {
            (None, None) => {
                let message = "the generator makes rows without end, so there is no \
                               answer over all of them: name their number, as in `expect = { rows = 10_000, ...`";
                return Err(document.error(expect.span(), message));
            }
            (Some(rows), Some(all)) if u64::try_from(*rows.get_ref()).is_ok_and(|r| r > all) => {
                let message = format!("the generator makes {all} rows and no more");
                return Err(document.error(rows.span(), message));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_expectation(document: Text<'_>, written: &Spanned<wire::Expect>) -> Result<Expectation> {
    let wire = written.get_ref();
    let rows = number::at_least(document, wire.rows.as_ref(), "rows", 1)?;
    let width = wire.answer.first().map_or(0, |row| row.get_ref().len());
    let mut answer = Vec::with_capacity(wire.answer.len());
    for row in &wire.answer {
        if row.get_ref().len() != width || width == 0 {
            let message = format!(
                "this row of the answer has {} cells, the first one has {width}; \
                 all rows have the same, at least 1",
                row.get_ref().len()
            );
            return Err(document.error(row.span(), message));
        }
        let cells = row.get_ref().iter().map(|cell| match cell.get_ref() {
            Value::String(text) => Ok(text.clone()),
            other => literal::plain(document, cell.span(), other),
        });
        answer.push(cells.collect::<Result<_>>()?);
    }
    Ok(Expectation {
        rows,
        answer,
        position: document.line_and_column(written.span().start),
    })
}
