//! Checks what `[data]` says of the lines of its files.

mod columns;

use std::ops::Range;

use toml::Spanned;

use super::text::{Text, suggestion};
use crate::{Result, Table, TextForm, wire};

/// The name in `fields` that stands for all columns of the table that are not named there.
const ALL_OTHERS: &str = "*";

/// Returns how the data files are read.
pub fn check(document: Text<'_>, data: &wire::Data, table: &Table) -> Result<TextForm> {
    check_there_are_files(document, data)?;
    let constants = columns::constants(document, data, table)?;
    let joined = columns::joined(document, data, table, &constants)?;
    let in_files = table.without(|name| constants.contains_key(name) || joined.contains_key(name));
    let no_header = data.header.as_ref().is_some_and(|header| !header.get_ref());
    let fields = match &data.fields {
        Some(fields) if !no_header => {
            let message = "`fields` names the columns of a file without a header; it needs \
                           `header = false`";
            return Err(document.error(fields.span(), message));
        }
        Some(fields) => check_fields(document, fields, &in_files)?,
        None => Vec::new(),
    };
    let delimiter = data.delimiter.as_ref().map(|written| {
        let byte = TextForm::parse_delimiter(written.get_ref());
        byte.map_err(|message| document.error(written.span(), message))
    });
    if let (Some(from), true) = (&data.from, no_header) {
        let message = "`from` says what columns are called in the first line; a file without such a line has \
                       `fields`";
        return Err(document.error(from.span(), message));
    }
    if let (Some(join), true, None) = (&data.join, no_header, &data.fields) {
        let message =
            "`join` names columns of the file; one without a header needs `fields` for their names";
        return Err(document.error(join.span(), message));
    }
    let delimiter = delimiter.transpose()?;
    let decimal = columns::decimal(document, data)?;
    let thousands = columns::thousands(document, data, decimal, delimiter)?;
    Ok(TextForm {
        no_header,
        fields,
        delimiter,
        skip_lines: skip_lines(document, data)?,
        lines_after_names: lines_after_names(document, data, no_header)?,
        null: columns::null(document, data)?,
        from: columns::from(document, data, table, &constants)?,
        formats: columns::formats(document, data, table, &joined)?,
        joined,
        constants,
        zone: columns::zone(document, data)?,
        decimal,
        thousands,
        signs: columns::signs(document, data, table, (decimal, thousands))?,
        bad_rows: columns::bad_rows(document, data)?,
        repeated_keys: columns::repeated_keys(document, data)?,
    })
}

/// Returns the number of lines that are skipped.
fn skip_lines(document: Text<'_>, data: &wire::Data) -> Result<u64> {
    number_of_lines(document, data.skip_lines.as_ref(), "skip_lines")
}

/// Returns the number of lines after the one that names the columns that are no rows.
fn lines_after_names(document: Text<'_>, data: &wire::Data, no_header: bool) -> Result<u64> {
    let lines = number_of_lines(
        document,
        data.lines_after_names.as_ref(),
        "lines_after_names",
    )?;
    let of_units = data.units_line.as_ref().filter(|units| *units.get_ref());
    let of_both = data.lines_after_names.as_ref().filter(|_| lines > 0);
    let (written, key) = match (of_units, of_both) {
        (None, None) => return Ok(0),
        (Some(units), None) => (units.span(), "units_line"),
        (None, Some(lines)) => (lines.span(), "lines_after_names"),
        (Some(_), Some(lines)) => {
            let message = "`units_line` is `lines_after_names = 1`: leave one of them out";
            return Err(document.error(lines.span(), message));
        }
    };
    if no_header {
        let message = format!(
            "`{key}` is about what comes after the line that names the columns, which a file without a header does \
             not have: skip it with `skip_lines`"
        );
        return Err(document.error(written, message));
    }
    Ok(lines.max(1))
}

/// Returns a number of lines at the beginning of a file; 0 if it is not given.
fn number_of_lines(document: Text<'_>, written: Option<&Spanned<i64>>, key: &str) -> Result<u64> {
    let Some(written) = written else {
        return Ok(0);
    };
    let lines = u64::try_from(*written.get_ref());
    let lines = lines.ok().filter(|lines| *lines <= TextForm::MOST_SKIPPED);
    lines.ok_or_else(|| {
        let message = format!(
            "`{key}` is {}, but has to be from 0 to {}",
            written.get_ref(),
            TextForm::MOST_SKIPPED
        );
        document.error(written.span(), message)
    })
}

fn check_there_are_files(document: Text<'_>, data: &wire::Data) -> Result<()> {
    if data.file.is_some() || data.files.is_some() || data.requires.is_some() {
        return Ok(());
    }
    let given: [(&str, Option<Range<usize>>); 17] = [
        ("header", data.header.as_ref().map(Spanned::span)),
        ("fields", data.fields.as_ref().map(Spanned::span)),
        ("delimiter", data.delimiter.as_ref().map(Spanned::span)),
        ("skip_lines", data.skip_lines.as_ref().map(Spanned::span)),
        ("units_line", data.units_line.as_ref().map(Spanned::span)),
        (
            "lines_after_names",
            data.lines_after_names.as_ref().map(Spanned::span),
        ),
        ("null", data.null.as_ref().map(Spanned::span)),
        ("from", data.from.as_ref().map(Spanned::span)),
        ("join", data.join.as_ref().map(Spanned::span)),
        ("constant", data.constant.as_ref().map(Spanned::span)),
        ("format", data.format.as_ref().map(Spanned::span)),
        ("zone", data.zone.as_ref().map(Spanned::span)),
        ("decimal", data.decimal.as_ref().map(Spanned::span)),
        ("thousands", data.thousands.as_ref().map(Spanned::span)),
        ("signs", data.signs.as_ref().map(Spanned::span)),
        ("bad_rows", data.bad_rows.as_ref().map(Spanned::span)),
        (
            "repeated_keys",
            data.repeated_keys.as_ref().map(Spanned::span),
        ),
    ];
    for (key, span) in given {
        if let Some(span) = span {
            let message = format!(
                "`{key}` says how files are read; it needs `file`, `files` or `requires = \"--data\"`"
            );
            return Err(document.error(span, message));
        }
    }
    Ok(())
}

/// Returns the names of the fields in lower case. Each column of the table is one of them.
fn check_fields(
    document: Text<'_>,
    wire: &Spanned<Vec<Spanned<String>>>,
    table: &Table,
) -> Result<Vec<String>> {
    let written = wire.get_ref();
    let lower = |name: &Spanned<String>| name.get_ref().trim().to_lowercase();
    let named: Vec<String> = written.iter().map(lower).collect();
    let is_named = |name: &str| named.iter().any(|named| named == name);
    let others = { table.columns.iter() }.filter(|column| !is_named(&column.name));
    let others: Vec<&str> = others.map(|column| column.name.as_str()).collect();
    let mut fields = Vec::with_capacity(table.columns.len());
    for (name, written) in named.iter().zip(written) {
        let is_needed = name == ALL_OTHERS || table.column(name).is_some();
        if is_needed && named.iter().filter(|other| *other == name).count() > 1 {
            let message = format!("`{name}` is in `fields` twice");
            return Err(document.error(written.span(), message));
        }
        if name == ALL_OTHERS {
            fields.extend(others.iter().map(|other| (*other).to_owned()));
        } else {
            fields.push(name.clone());
        }
    }
    match others.first() {
        Some(missing) if !is_named(ALL_OTHERS) => {
            let unknown = { named.iter() }.filter(|name| table.column(name).is_none());
            let hint = suggestion(missing, unknown.map(String::as_str));
            let message = format!(
                "`fields` lacks column `{missing}` of the table{hint}; \"*\" stands for all columns that are \
                 not named"
            );
            Err(document.error(wire.span(), message))
        }
        _ => Ok(fields),
    }
}
