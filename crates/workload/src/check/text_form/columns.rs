//! Checks what `[data]` says of single columns and cells: constants, names in the file, nulls, forms of times and
//! of numbers, bad rows and those whose key repeats.

use std::collections::BTreeMap;

use toml::Spanned;

use crate::check::table::suggest_column;
use crate::check::text::Text;
use crate::{
    Column, ColumnType, DecimalMark, NumberForm, RepeatedKeys, Result, Table, TextForm,
    ThousandsMark, TimeFormat, Zone, parse_percentage, wire,
};

/// Most words that stand for no value, each of which is compared with every cell.
const MOST_NULL_WORDS: usize = 64;
/// Columns of a file from which a time is put together: year, month, day, hour, minute, second, fraction and zone at
/// most.
const FEWEST_PARTS: usize = 2;
const MOST_PARTS: usize = 8;

/// Returns the words that stand for no value.
pub fn null(document: Text<'_>, data: &wire::Data) -> Result<Vec<String>> {
    let Some(written) = &data.null else {
        return Ok(Vec::new());
    };
    if written.get_ref().len() > MOST_NULL_WORDS {
        let message = format!("`null` has more than {MOST_NULL_WORDS} words");
        return Err(document.error(written.span(), message));
    }
    let words = written.get_ref().iter();
    // A cell is compared without the spaces around it.
    Ok(words.map(|word| word.get_ref().trim().to_owned()).collect())
}

/// Returns the values of columns that files do not have.
pub fn constants(
    document: Text<'_>,
    data: &wire::Data,
    table: &Table,
) -> Result<BTreeMap<String, String>> {
    let mut constants = BTreeMap::new();
    for (column, written) in by_column(document, data.constant.as_ref(), table)? {
        if column.kind != ColumnType::Text {
            let message = format!(
                "`constant` is for columns of the type `text`, but `{}` is a {}",
                column.name,
                column.kind.name()
            );
            return Err(document.error(written.span(), message));
        }
        if written.get_ref().is_empty() {
            let message = "the value is empty, which stands for none; say what all rows are about";
            return Err(document.error(written.span(), message));
        }
        constants.insert(column.name.clone(), written.get_ref().clone());
    }
    match &data.constant {
        Some(written) if constants.len() == table.columns.len() => {
            let message = "`constant` has all columns of the table; some have to be in its files";
            Err(document.error(written.span(), message))
        }
        _ => Ok(constants),
    }
}

/// Returns the names in the file of the parts of times that stand in several columns there.
pub fn joined(
    document: Text<'_>,
    data: &wire::Data,
    table: &Table,
    constants: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Vec<String>>> {
    let from = by_column(document, data.from.as_ref(), table)?;
    let mut joined = BTreeMap::new();
    for (column, written) in by_column(document, data.join.as_ref(), table)? {
        let name = &column.name;
        if column.kind != ColumnType::Timestamp {
            let message = format!(
                "`join` is for columns of the type `timestamp`, but `{name}` is a {}",
                column.kind.name()
            );
            return Err(document.error(written.span(), message));
        }
        let is_named = from.iter().any(|(other, _)| other.name == *name);
        if is_named || constants.contains_key(name) {
            let key = if is_named { "from" } else { "constant" };
            let message = format!("`{name}` is in `{key}`, too: leave it out of one of them");
            return Err(document.error(written.span(), message));
        }
        let parts = written.get_ref();
        if !(FEWEST_PARTS..=MOST_PARTS).contains(&parts.len()) {
            let message = format!(
                "a time is put together from {FEWEST_PARTS} to {MOST_PARTS} columns of the file, but `{name}` has {}; \
                 `from` names a single one",
                parts.len()
            );
            return Err(document.error(written.span(), message));
        }
        let lower = |part: &Spanned<String>| part.get_ref().trim().to_lowercase();
        for (index, part) in parts.iter().enumerate() {
            if lower(part).is_empty() {
                let message = "a column of the file needs a name to be a part of a time";
                return Err(document.error(part.span(), message));
            }
            if parts[..index]
                .iter()
                .any(|other| lower(other) == lower(part))
            {
                let message = format!("`{}` is a part of `{name}` twice", part.get_ref());
                return Err(document.error(part.span(), message));
            }
        }
        let parts = parts.iter().map(|part| part.get_ref().clone());
        joined.insert(name.clone(), parts.collect());
    }
    Ok(joined)
}

/// Returns the names of columns in the file, which those in `constants` do not have.
pub fn from(
    document: Text<'_>,
    data: &wire::Data,
    table: &Table,
    constants: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>> {
    let names = by_column(document, data.from.as_ref(), table)?;
    let mut from = BTreeMap::new();
    for (column, written) in names {
        if constants.contains_key(&column.name) {
            let message = format!(
                "`{}` is in `constant`, too, and so in no file: leave it out of one of them",
                column.name
            );
            return Err(document.error(written.span(), message));
        }
        let in_file = written.get_ref().trim().to_lowercase();
        let same = |other: &String| other.trim().to_lowercase() == in_file;
        if from.values().any(same) {
            let message = format!("`{written}` of the file is the source of two columns");
            return Err(document.error(written.span(), message));
        }
        from.insert(column.name.clone(), written.get_ref().clone());
    }
    Ok(from)
}

/// Returns the forms of the times of columns, of which those in `joined` have several parts.
pub fn formats(
    document: Text<'_>,
    data: &wire::Data,
    table: &Table,
    joined: &BTreeMap<String, Vec<String>>,
) -> Result<BTreeMap<String, TimeFormat>> {
    let mut formats = BTreeMap::new();
    for (column, written) in by_column(document, data.format.as_ref(), table)? {
        if !matches!(column.kind, ColumnType::Timestamp | ColumnType::Date) {
            let message = format!(
                "`format` is for columns of the types `timestamp` and `date`, but `{}` is a {}",
                column.name,
                column.kind.name()
            );
            return Err(document.error(written.span(), message));
        }
        let format = TimeFormat::parse(written.get_ref());
        let format = format.map_err(|message| document.error(written.span(), message))?;
        if matches!(format, TimeFormat::Epoch(_)) && joined.contains_key(&column.name) {
            let message = format!(
                "`{written}` is a single number, but `{}` has several parts in `join`: say a pattern such as \
                 `%d/%m/%Y %H:%M:%S`, with a space between the parts",
                column.name
            );
            return Err(document.error(written.span(), message));
        }
        formats.insert(column.name.clone(), format);
    }
    Ok(formats)
}

/// Returns the zone of times that say none.
pub fn zone(document: Text<'_>, data: &wire::Data) -> Result<Option<Zone>> {
    let Some(written) = &data.zone else {
        return Ok(None);
    };
    let zone = Zone::parse(written.get_ref());
    let zone = zone.map_err(|message| document.error(written.span(), message))?;
    Ok(Some(zone))
}

/// Returns what is before the decimals of numbers.
pub fn decimal(document: Text<'_>, data: &wire::Data) -> Result<DecimalMark> {
    let Some(written) = &data.decimal else {
        return Ok(DecimalMark::Point);
    };
    let mark = DecimalMark::parse(written.get_ref());
    mark.map_err(|message| document.error(written.span(), message))
}

/// Returns what is before each three digits of numbers, whose decimals are behind this mark, in fields with this byte
/// between them.
pub fn thousands(
    document: Text<'_>,
    data: &wire::Data,
    decimal: DecimalMark,
    delimiter: Option<u8>,
) -> Result<Option<ThousandsMark>> {
    let Some(written) = &data.thousands else {
        return Ok(None);
    };
    let mark = ThousandsMark::parse(written.get_ref());
    let mark = mark.and_then(|mark| mark.check(decimal).map(|()| mark));
    let mark = mark.map_err(|message| document.error(written.span(), message))?;
    // Fields between other bytes may be in quotes.
    if mark == ThousandsMark::Space && delimiter == Some(TextForm::SPACES) {
        let message = "spaces are between the fields, so that none is in a number: leave `thousands` out, or say \
                       another `delimiter`";
        return Err(document.error(written.span(), message));
    }
    Ok(Some(mark))
}

/// Returns the signs in numbers of columns, in a file with these marks before decimals and before each three digits.
pub fn signs(
    document: Text<'_>,
    data: &wire::Data,
    table: &Table,
    (decimal, thousands): (DecimalMark, Option<ThousandsMark>),
) -> Result<BTreeMap<String, NumberForm>> {
    let mut signs = BTreeMap::new();
    for (column, written) in by_column(document, data.signs.as_ref(), table)? {
        if !column.kind.is_number() {
            let message = format!(
                "`signs` is for columns of numbers (int, bigint, float or double), but `{}` is a {}",
                column.name,
                column.kind.name()
            );
            return Err(document.error(written.span(), message));
        }
        let form = NumberForm::parse(written.get_ref());
        let form = form.and_then(|form| form.in_file(decimal, thousands));
        let form = form.map_err(|message| document.error(written.span(), message))?;
        signs.insert(column.name.clone(), form);
    }
    Ok(signs)
}

/// Returns the largest share of rows that are set aside, in millionths.
pub fn bad_rows(document: Text<'_>, data: &wire::Data) -> Result<Option<u32>> {
    let Some(written) = &data.bad_rows else {
        return Ok(None);
    };
    let percent = parse_percentage(written.get_ref());
    match percent.filter(|percent| (0.0..100.0).contains(percent)) {
        Some(percent) => Ok(Some((percent * 10_000.0).round() as u32)),
        None => {
            let message = format!(
                "`bad_rows` is `{written}`, but has to be a percentage from 0% to below 100%: bad_rows = \"1%\""
            );
            Err(document.error(written.span(), message))
        }
    }
}

/// Returns what becomes of rows whose key an earlier row has.
pub fn repeated_keys(document: Text<'_>, data: &wire::Data) -> Result<RepeatedKeys> {
    let Some(written) = &data.repeated_keys else {
        return Ok(RepeatedKeys::Keep);
    };
    let message = match RepeatedKeys::parse(written.get_ref()) {
        Some(RepeatedKeys::SetAside) if data.bad_rows.is_none() => {
            "`repeated_keys = \"set aside\"` needs the largest share of the rows that may be set aside: \
             bad_rows = \"1%\""
                .to_owned()
        }
        Some(repeated) => return Ok(repeated),
        None => format!(
            "`repeated_keys` is `{}`, but has to be \"keep\", or \"set aside\" for the rows whose key an earlier row \
             has",
            written.get_ref()
        ),
    };
    Err(document.error(written.span(), message))
}

/// Returns what is written for each column of the table, in any order.
fn by_column<'t, 'w, T>(
    document: Text<'_>,
    names: Option<&'w Spanned<wire::Names<Spanned<T>>>>,
    table: &'t Table,
) -> Result<Vec<(&'t Column, &'w Spanned<T>)>> {
    let names = names.into_iter().flat_map(|names| names.get_ref());
    let mut found: Vec<(&Column, &Spanned<T>)> = Vec::new();
    for (name, written) in names {
        let lower = name.get_ref().to_lowercase();
        let Some(column) = table.column(&lower) else {
            let hint = suggest_column(table, &lower);
            let message = format!("column `{name}` is not in the table{hint}");
            return Err(document.error(name.span(), message));
        };
        if found.iter().any(|(other, _)| other.name == column.name) {
            let message = format!("column `{name}` is here twice");
            return Err(document.error(name.span(), message));
        }
        found.push((column, written));
    }
    Ok(found)
}
