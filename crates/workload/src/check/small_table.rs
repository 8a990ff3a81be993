//! Checks `[[small_tables]]`, reads them, and puts them before the queries that name them.

use std::collections::HashSet;

use super::data::check_file;
use super::table::{check_columns, identifier};
use super::text::{Text, suggestion};
use crate::small_table::{SmallTable, bring_along};
use crate::{Column, ColumnType, Query, Result, RowSource, Table, TextForm, literal, source, wire};

/// Rows that are read at a time.
const BATCH_ROWS: usize = 1_024;
/// Types that are the same in the SQL of all engines when they are written as values.
const KINDS: [ColumnType; 3] = [ColumnType::Text, ColumnType::Bigint, ColumnType::Boolean];
/// The lowest number of a bigint, as it is written.
const LOWEST: &str = "-9223372036854775808";

/// Checks all small tables, and reads their files.
pub fn check(
    document: Text<'_>,
    wire: &[wire::SmallTable],
    table: &Table,
) -> Result<Vec<SmallTable>> {
    let mut tables: Vec<SmallTable> = Vec::with_capacity(wire.len());
    let mut names: HashSet<String> = table.columns.iter().map(|c| c.name.clone()).collect();
    names.insert(table.name.clone());
    for written in wire {
        let name = identifier(document, &written.name, "table")?;
        let columns = columns(document, written)?;
        if !names.insert(name.clone()) {
            let message =
                format!("there is another table or a column `{name}`; choose another name");
            return Err(document.error(written.name.span(), message));
        }
        let key = key(document, written, &columns)?;
        let small = Table {
            name,
            columns,
            partition_key: vec![key],
            order_key: Vec::new(),
        };
        tables.push(read(document, written, &small)?);
    }
    Ok(tables)
}

/// Puts the small tables before the SQL of the queries that name them.
pub fn bring(
    document: Text<'_>,
    wire: &[wire::Query],
    tables: &[SmallTable],
    queries: &mut [Query],
) -> Result<()> {
    for (query, written) in queries.iter_mut().zip(wire) {
        let refused = |why: &str| document.error(written.sql.span(), why);
        query.sql = bring_along(tables, &query.sql).map_err(refused)?;
        for sql in query.engine_sql.values_mut() {
            *sql = bring_along(tables, sql).map_err(refused)?;
        }
    }
    Ok(())
}

fn columns(document: Text<'_>, wire: &wire::SmallTable) -> Result<Vec<Column>> {
    let columns = check_columns(document, &wire.columns)?;
    let other = columns.iter().find(|column| !KINDS.contains(&column.kind));
    match other {
        Some(column) => {
            let message = format!(
                "column `{}` of a small table has to be text, bigint or boolean, which all engines write alike",
                column.name
            );
            Err(document.error(wire.columns.span(), message))
        }
        None => Ok(columns),
    }
}

fn key(document: Text<'_>, wire: &wire::SmallTable, columns: &[Column]) -> Result<String> {
    let key = wire.key.get_ref().to_lowercase();
    if columns.iter().any(|column| column.name == key) {
        return Ok(key);
    }
    let hint = suggestion(&key, columns.iter().map(|column| column.name.as_str()));
    let message = format!("the key `{}` is no column of the table{hint}", wire.key);
    Err(document.error(wire.key.span(), message))
}

/// Reads a table's file into an item of a WITH clause.
fn read(document: Text<'_>, wire: &wire::SmallTable, table: &Table) -> Result<SmallTable> {
    let refused = |message: String| document.error(wire.file.span(), message);
    let path = check_file(document, &wire.file)?;
    let file = source::open_files(&[path], table, &TextForm::default())?;
    let rows = rows(file.as_ref(), table)?;
    let Rows::All(rows) = rows else {
        return Err(refused(format!(
            "`{}` has more than {} rows: a small table is written into each question that names it",
            wire.file,
            SmallTable::ROWS_AT_MOST
        )));
    };
    check_key(&rows, table).map_err(refused)?;
    for (place, column) in table.columns.iter().enumerate() {
        if rows.iter().all(|row| row[place].is_none()) {
            let why = format!("column `{}` has no value in `{}`", column.name, wire.file);
            return Err(refused(why));
        }
    }
    let columns = table.columns.iter();
    let names: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
    let values: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(place, row)| in_parentheses(table, row, place == 0))
        .collect();
    let item = format!(
        "{}({}) AS (VALUES {})",
        table.name,
        names.join(", "),
        values.join(", ")
    );
    if let Some(why) = complaint(&item) {
        return Err(refused(format!("`{}` {why}", wire.file)));
    }
    Ok(SmallTable {
        name: table.name.clone(),
        rows: rows.len(),
        item,
    })
}

/// Rows of a table as SQL literals; `None` is null.
enum Rows {
    All(Vec<Vec<Option<String>>>),
    TooMany,
}

fn rows(file: &dyn RowSource, table: &Table) -> Result<Rows> {
    let mut rows = Vec::new();
    for batch in file.read(0, BATCH_ROWS)? {
        let batch = batch?.rows;
        for index in 0..batch.num_rows() {
            if rows.len() == SmallTable::ROWS_AT_MOST {
                return Ok(Rows::TooMany);
            }
            let cells = table.columns.iter().zip(batch.columns());
            let cells = cells.map(|(column, cells)| literal::of_cell(column.kind, cells, index));
            rows.push(cells.collect());
        }
    }
    Ok(Rows::All(rows))
}

/// Checks that there are rows, and that no two have the same key, so that a join repeats no row of the large table.
fn check_key(rows: &[Vec<Option<String>>], table: &Table) -> Result<(), String> {
    if rows.is_empty() {
        return Err(format!("the small table `{}` has no rows", table.name));
    }
    let key = table.partition_key.concat();
    let place = table.columns.iter().position(|column| column.name == key);
    let mut seen = HashSet::new();
    for row in rows {
        match place.and_then(|place| row[place].as_deref()) {
            None => return Err(format!("a row of `{}` has no `{key}`, its key", table.name)),
            Some(value) if !seen.insert(value) => {
                return Err(format!(
                    "two rows of `{}` have the key {value}: a join would repeat rows",
                    table.name
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Writes a row. The first one says which type whole numbers have, which else would be another one in each engine. So
/// does the lowest number, whose digits without the sign are those of a wider type.
fn in_parentheses(table: &Table, row: &[Option<String>], is_first: bool) -> String {
    let cells = row.iter().zip(&table.columns).map(|(cell, column)| {
        let cell = cell.as_deref().unwrap_or("NULL");
        let says_type = is_first || cell == LOWEST;
        if says_type && column.kind == ColumnType::Bigint {
            format!("CAST({cell} AS BIGINT)")
        } else {
            cell.to_owned()
        }
    });
    format!("({})", cells.collect::<Vec<_>>().join(", "))
}

/// Returns what keeps a table from being written into a question.
fn complaint(item: &str) -> Option<String> {
    if item.len() > SmallTable::BYTES_AT_MOST {
        return Some(format!(
            "has more than {} KiB: a small table is written into each question that names it",
            SmallTable::BYTES_AT_MOST >> 10
        ));
    }
    if item.contains(char::is_control) {
        return Some("has a text with a line break or another control character".to_owned());
    }
    item.contains("${")
        .then(|| "has a text with `${`, which would be taken for a parameter".to_owned())
}
