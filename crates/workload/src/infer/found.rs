//! Puts together what was found of a file.

use std::path::Path;

use super::columns::{SeenColumn, SeenColumns};
use super::declared::UUID_IN_ORDER;
use super::evidence::shown_word;
use super::key::Key;
use super::names;
use super::rows::FileRows;
use super::{Inferred, InferredColumn};
use crate::{ColumnType, NumberForm};

/// Most columns of the table; few engines take more.
const MOST_COLUMNS: usize = 500;

/// Name and value of the column that is added where no column names a series.
const SERIES: &str = "series";
const ALL_ROWS: &str = "all";

/// What is said of the time that was taken since questions name it.
const ONLY_NAMED: &str = "of the times, the only one that questions name";

/// What is said of the column that says which rows belong together since questions find rows by its values.
const ASKED: &str = "questions find rows by it";

/// Returns what was found of a file.
pub fn inferred(path: &Path, rows: &FileRows, mut seen: SeenColumns, key: Key) -> Inferred {
    let time = key.time.map(|place| seen.columns[place].index);
    let fields = std::mem::take(&mut seen.fields);
    keep_some(&mut seen, &key);
    let name_of = |index: &usize| {
        let mut columns = seen.columns.iter();
        let found = columns.find(|column| column.index == *index);
        found.map(|column| column.name.clone()).unwrap_or_default()
    };
    let of_time = { seen.columns.iter() }.find(|column| Some(column.index) == time);
    let span = of_time.and_then(|column| column.decision.time.as_ref());
    let first = key.found.partition.first();
    let series = { seen.columns.iter() }
        .find(|column| Some(&column.index) == first && Some(column.index) != time);
    let nulls_in_key = { seen.columns.iter() }
        .filter(|column| key.has(column.index))
        .map(|column| column.nulls(&seen.null));
    let misfits = seen.columns.iter().map(|column| column.decision.misfits);
    let bad_rows = seen.broken + nulls_in_key.sum::<u64>() + misfits.sum::<u64>();
    let added = key.is_one_series.then(|| column_of_all_rows(&seen));
    let mut partition_key: Vec<String> = key.found.partition.iter().map(name_of).collect();
    let of_file = seen.columns.iter();
    // Where they are the time of the rows, days stay times.
    let is_time = |index: usize| Some(index) == time || key.found.order.contains(&index);
    let of_file = of_file.map(|column| {
        let mut found = found(column, &seen, rows);
        if rows.has_days(column.index) && !is_time(column.index) {
            found.kind = ColumnType::Date;
        }
        if rows.kinds().is_none() && !is_time(column.index) {
            found.days = found.days.or_else(|| column.whole_days());
        }
        if key.is_time_named && Some(column.index) == time {
            found.evidence.push_str("; ");
            found.evidence.push_str(ONLY_NAMED);
        }
        if key.is_series_asked && first == Some(&column.index) {
            found.evidence.push_str("; ");
            found.evidence.push_str(ASKED);
        }
        found
    });
    let mut columns: Vec<InferredColumn> = of_file.collect();
    let order_key: Vec<String> = key.found.order.iter().map(name_of).collect();
    for column in &mut columns {
        if column.kind == ColumnType::Uuid && order_key.contains(&column.name) {
            column.kind = ColumnType::Text;
            column.evidence.push_str("; ");
            column.evidence.push_str(UUID_IN_ORDER);
        }
    }
    if let Some(added) = added {
        seen.notes.push(format!(
            "no column says which rows belong together, so all are one series, and column `{}` with `{ALL_ROWS}` in \
             every row is added; if a column does, say --key COLUMN",
            added.name
        ));
        partition_key.push(added.name.clone());
        columns.insert(0, added);
    }
    if let (true, [series, ..]) = (key.is_series_asked, partition_key.as_slice()) {
        seen.notes.push(format!(
            "each row has a time of its own, and questions find rows by `{series}`, so that rows with the same \
             `{series}` belong together; if another column says which do, say --key COLUMN"
        ));
    }
    if let Some(time) = &time {
        let of_key = { seen.columns.iter() }
            .filter(|column| key.found.order.contains(&column.index) && column.is_part_of_time());
        let names: Vec<String> = of_key.map(|column| format!("`{}`", column.name)).collect();
        if !names.is_empty() {
            seen.notes.push(format!(
                "{}, as a part of the time, orders rows behind `{}`: with both in one column, such as 2024-02-14 \
                 14:30, or put together by `join` in [data], questions can ask for hours",
                names.join(", "),
                name_of(time)
            ));
        }
    }
    Inferred {
        table: table_name(path),
        bad_rows: bad_rows.min(seen.rows),
        partition_key,
        order_key,
        time: time.as_ref().map(name_of),
        span: span.map(|time| time.first..time.last.saturating_add(1)),
        series: series.map_or(1, |column| column.evidence.different().max(1)),
        repeated: key.found.repeated,
        counted_one_in: key.found.share,
        rows: seen.rows,
        decimal_comma: seen.decimal_comma,
        thousands: seen.thousands,
        zone: seen.zone,
        delimiter: rows.delimiter,
        spaced_quotes: rows.has_spaced_quotes(),
        no_header: rows.no_header,
        skip_lines: rows.skip_lines,
        lines_after_names: rows.lines_after_names,
        files: rows.files,
        fields,
        is_typed: rows.kinds().is_some(),
        columns,
        left_out: seen.left_out,
        null: seen.null,
        notes: seen.notes,
        origin: None,
        made: None,
        grown: None,
        mix: None,
    }
}

/// Returns a column that the file does not have and that is the same in all rows, with a name that no other one has.
fn column_of_all_rows(seen: &SeenColumns) -> InferredColumn {
    let is_taken = |name: &str| seen.columns.iter().any(|column| column.name == name);
    let (mut name, mut number) = (SERIES.to_owned(), 1);
    while is_taken(&name) {
        number += 1;
        name = format!("{SERIES}_{number}");
    }
    InferredColumn {
        name,
        from: None,
        joined: Vec::new(),
        constant: Some(ALL_ROWS.to_owned()),
        kind: ColumnType::Text,
        format: None,
        signs: None,
        evidence: "not in the file: the same in all rows, which no column divides into series"
            .to_owned(),
        days: None,
        distinct: 1,
        high_value: None,
    }
}

/// Leaves columns out if there are very many.
fn keep_some(seen: &mut SeenColumns, key: &Key) {
    let all = seen.columns.len();
    if all <= MOST_COLUMNS {
        return;
    }
    let is_key = |column: &SeenColumn| key.has(column.index);
    let in_key = { seen.columns.iter() }
        .filter(|column| is_key(column))
        .count();
    let mut others = MOST_COLUMNS.saturating_sub(in_key);
    seen.columns.retain(|column| {
        if is_key(column) {
            return true;
        }
        let keeps = others > 0;
        others = others.saturating_sub(1);
        keeps
    });
    seen.left_out.push(format!(
        "{} of all {all} columns, the last ones, since few engines take more than {MOST_COLUMNS}",
        all - seen.columns.len()
    ));
}

fn found(column: &SeenColumn, seen: &SeenColumns, rows: &FileRows) -> InferredColumn {
    let is_other = column.written.trim().to_lowercase() != column.name;
    let joined = { rows.join.as_ref() }.filter(|_| column.index == rows.names.len());
    InferredColumn {
        name: column.name.clone(),
        from: (is_other && !rows.no_header).then(|| column.written.clone()),
        joined: joined.map_or(Vec::new(), |join| join.called.clone()),
        constant: None,
        kind: column.decision.kind,
        format: column.decision.format.clone(),
        signs: column.decision.signs.as_ref().map(NumberForm::written),
        evidence: evidence(column, seen, rows),
        days: column.days(),
        distinct: column.evidence.different(),
        high_value: match seen.decimal_comma {
            Some(_) => column.evidence.high_value_with_comma(),
            None => column.evidence.high_value(),
        },
    }
}

/// Says in a few words what the values of a column are.
fn evidence(column: &SeenColumn, seen: &SeenColumns, rows: &FileRows) -> String {
    let distinct = &column.evidence.distinct;
    let mut parts = vec![column.decision.why.clone()];
    parts.extend(column.offsets());
    if column.evidence.values > 0 {
        let about = if distinct.share() > 1 { "about " } else { "" };
        parts.push(format!("{about}{} different", column.evidence.different()));
    }
    if column.evidence.empty > 0 {
        parts.push(format!(
            "{} of {} are empty",
            column.evidence.empty, seen.rows
        ));
    }
    for (word, times) in &column.evidence.words {
        let is_null = seen.null.iter().any(|(null, _)| null == word);
        let kept = if is_null {
            ""
        } else {
            ", which is kept as text"
        };
        let word = shown_word(word);
        parts.push(format!("{times} of {} are {word}{kept}", seen.rows));
    }
    if column.evidence.quoted_after_spaces > 0 && rows.has_delimiter() {
        parts.push(format!(
            "{} keep the spaces before their quotes, and the quotes",
            column.evidence.quoted_after_spaces
        ));
    }
    if column.decision.misfits > 0 {
        parts.push(format!("{} do not fit the type", column.decision.misfits));
    }
    parts.join("; ")
}

/// Returns a name for the table, of the file's name.
fn table_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    names::name(stem, "data")
}
