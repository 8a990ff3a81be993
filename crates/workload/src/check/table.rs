//! Checks `[table]`: columns and key.

use std::ops::Range;

use toml::Spanned;

use super::latin::in_ascii_letters;
use super::text::{Text, quoted, suggestion};
use crate::{Column, ColumnType, Data, Generator, Result, Table, source, wire};

/// Type names of other systems, with those of Bakeoff.
const SYNONYMS: [(&str, &str); 19] = [
    ("binary", "blob"),
    ("bool", "boolean"),
    ("bytea", "blob"),
    ("bytes", "blob"),
    ("datetime", "timestamp"),
    ("float32", "float"),
    ("float4", "float"),
    ("float64", "double"),
    ("int32", "int"),
    ("int64", "bigint"),
    ("integer", "int"),
    ("long", "bigint"),
    ("real", "float"),
    ("smallint", "int"),
    ("str", "text"),
    ("string", "text"),
    ("timestamptz", "timestamp"),
    ("varbinary", "blob"),
    ("varchar", "text"),
];

/// Checks the table, or returns the generator's own one.
pub fn check(
    document: Text<'_>,
    wire: Option<&Spanned<wire::Table>>,
    data: &Data,
    data_span: Range<usize>,
) -> Result<Table> {
    let columns_of = wire.and_then(|wire| wire.get_ref().columns_of.as_ref());
    let own = match (data, columns_of) {
        (Data::Generator(_), Some(name)) => {
            let message = "`columns_of` is for rows from a file; leave it out";
            return Err(document.error(name.span(), message));
        }
        (Data::Generator(generator), None) => source::generator_table(generator),
        (Data::Files(_) | Data::FileFromCommandLine, Some(name)) => {
            Some(table_of_generator(document, name)?)
        }
        (Data::Files(_) | Data::FileFromCommandLine, None) => None,
    };
    match (own, wire) {
        (Some(own), None) => Ok(own),
        (Some(own), Some(wire)) => change_key(document, wire.get_ref(), own),
        (None, Some(wire)) => whole_table(document, wire),
        (None, None) => {
            let rows = match data {
                Data::Generator(_) => "rows that are generated column by column",
                _ => "rows from a file",
            };
            let message =
                format!("{rows} need a [table] with `name`, `partition_key` and [table.columns]");
            Err(document.error(data_span, message))
        }
    }
}

/// Suggests the column whose name is nearest to `word`, as the end of a message.
pub fn suggest_column(table: &Table, word: &str) -> String {
    suggestion(word, table.columns.iter().map(|c| c.name.as_str()))
}

/// Returns the table of the generator that `columns_of` names.
fn table_of_generator(document: Text<'_>, name: &Spanned<String>) -> Result<Table> {
    let generator = match name.get_ref().as_str() {
        "gdelt" => Some(Generator::Gdelt),
        "sensor" => Some(Generator::Sensor { sensors: 1 }),
        _ => None,
    };
    let table = generator.as_ref().and_then(source::generator_table);
    table.ok_or_else(|| {
        let hint = suggestion(name.get_ref(), ["gdelt", "sensor"]);
        let message = format!("`{name}` is no generator with columns for a file{hint}");
        document.error(name.span(), message)
    })
}

/// Returns a generator's table with the name and key that the workload gives.
fn change_key(document: Text<'_>, wire: &wire::Table, mut table: Table) -> Result<Table> {
    if let Some(columns) = &wire.columns {
        let message = "a generator brings its own columns; leave [table.columns] out";
        return Err(document.error(columns.span(), message));
    }
    if let Some(name) = &wire.name {
        table.name = identifier(document, name, "table")?;
    }
    if let Some(partition_key) = &wire.partition_key {
        table.partition_key = check_partition_key(document, partition_key, &table)?;
        table.order_key.clear();
    }
    if let Some(order_key) = &wire.order_key {
        table.order_key = check_order_key(document, order_key, &table)?;
    }
    Ok(table)
}

fn whole_table(document: Text<'_>, wire: &Spanned<wire::Table>) -> Result<Table> {
    let missing =
        |key: &str| document.error(wire.span(), format!("the key `{key}` is missing here"));
    let wire = wire.get_ref();
    let name = wire.name.as_ref().ok_or_else(|| missing("name"))?;
    let columns = wire.columns.as_ref().ok_or_else(|| missing("columns"))?;
    let partition_key = wire
        .partition_key
        .as_ref()
        .ok_or_else(|| missing("partition_key"))?;
    let mut table = Table {
        name: identifier(document, name, "table")?,
        columns: check_columns(document, columns)?,
        partition_key: Vec::new(),
        order_key: Vec::new(),
    };
    table.partition_key = check_partition_key(document, partition_key, &table)?;
    if let Some(order_key) = &wire.order_key {
        table.order_key = check_order_key(document, order_key, &table)?;
    }
    Ok(table)
}

pub fn check_columns(
    document: Text<'_>,
    wire: &Spanned<wire::Names<Spanned<String>>>,
) -> Result<Vec<Column>> {
    let mut written: Vec<_> = wire.get_ref().iter().collect();
    written.sort_by_key(|(name, _)| name.span().start);
    let mut columns: Vec<Column> = Vec::with_capacity(written.len());
    for (name, kind) in written {
        let column = Column {
            name: identifier(document, name, "column")?,
            kind: column_type(document, kind)?,
        };
        if columns.iter().any(|c| c.name == column.name) {
            let message = format!("column `{}` appears twice (case is ignored)", column.name);
            return Err(document.error(name.span(), message));
        }
        columns.push(column);
    }
    if columns.is_empty() {
        Err(document.error(
            wire.span(),
            "a table needs columns, for example: time = \"timestamp\"",
        ))
    } else {
        Ok(columns)
    }
}

fn column_type(document: Text<'_>, written: &Spanned<String>) -> Result<ColumnType> {
    let word = written.get_ref().to_lowercase();
    if let Some((_, kind)) = ColumnType::ALL.iter().find(|(name, _)| *name == word) {
        return Ok(*kind);
    }
    let names = ColumnType::ALL.map(|(name, _)| name);
    if word == "date" {
        let message = format!(
            "there is no type `date`: a date is a `timestamp`, at midnight UTC, and is written \
             1958-03-29 in a file. Types are {}",
            quoted(&names)
        );
        return Err(document.error(written.span(), message));
    }
    let hint = match SYNONYMS.iter().find(|(synonym, _)| *synonym == word) {
        Some((_, name)) => format!("; did you mean `{name}`?"),
        None => suggestion(&word, names),
    };
    let list = if hint.contains("did you mean") {
        format!(" Types are {}", quoted(&names))
    } else {
        String::new()
    };
    Err(document.error(
        written.span(),
        format!("unknown type `{written}`{hint}{list}"),
    ))
}

fn check_partition_key(
    document: Text<'_>,
    wire: &Spanned<Vec<Spanned<String>>>,
    table: &Table,
) -> Result<Vec<String>> {
    if wire.get_ref().is_empty() {
        let message =
            "`partition_key` is empty; name the column that says which rows belong together";
        return Err(document.error(wire.span(), message));
    }
    key_columns(document, wire.get_ref(), &[], table)
}

fn check_order_key(
    document: Text<'_>,
    wire: &[Spanned<String>],
    table: &Table,
) -> Result<Vec<String>> {
    let key = key_columns(document, wire, &table.partition_key, table)?;
    let is_uuid = |name: &str| {
        let column = table.column(name);
        column.is_some_and(|column| column.kind == ColumnType::Uuid)
    };
    match wire.iter().zip(&key).find(|(_, name)| is_uuid(name)) {
        Some((written, name)) => {
            let message = format!(
                "column `{name}` of `order_key` is a uuid, by which not all engines order rows alike: make it `text`"
            );
            Err(document.error(written.span(), message))
        }
        None => Ok(key),
    }
}

/// Returns the columns that `wire` names, none of them twice or in the other part of the key.
fn key_columns(
    document: Text<'_>,
    wire: &[Spanned<String>],
    other_part: &[String],
    table: &Table,
) -> Result<Vec<String>> {
    let mut key: Vec<String> = Vec::with_capacity(wire.len());
    for written in wire {
        let name = written.get_ref().to_lowercase();
        if table.column(&name).is_none() {
            let hint = suggest_column(table, &name);
            let message = format!("key column `{written}` is not in the table{hint}");
            return Err(document.error(written.span(), message));
        }
        if key.contains(&name) || other_part.contains(&name) {
            let message = format!("column `{name}` is in the key twice");
            return Err(document.error(written.span(), message));
        }
        key.push(name);
    }
    Ok(key)
}

/// Returns a name in lower case: every engine folds unquoted SQL names to lower case (PostgreSQL,
/// CQL and DataFusion alike), so `AvgTone` and `avgtone` are the same column everywhere.
pub fn identifier(document: Text<'_>, written: &Spanned<String>, what: &str) -> Result<String> {
    let name = written.get_ref().to_lowercase();
    let mut chars = name.chars();
    let valid = chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if valid {
        Ok(name)
    } else {
        let instead = match usable_name(&name) {
            Some(usable) if what == "column" => format!(
                ": call it `{usable}`, and say `{usable} = {:?}` in [data.from] if a file has it",
                written.get_ref()
            ),
            Some(usable) => format!(": call it `{usable}`"),
            None => String::new(),
        };
        let message = format!(
            "{what} name `{written}` has to be a letter followed by letters, digits and \
                 _{instead}"
        );
        Err(document.error(written.span(), message))
    }
}

/// Returns the nearest name that SQL accepts without quotes: `Cost Total $` becomes `cost_total`, and `Größe` `grosse`.
pub fn usable_name(name: &str) -> Option<String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let lower = name.to_lowercase();
    let name: String = in_ascii_letters(&lower).chars().map(plain).collect();
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let usable = words.join("_");
    usable
        .starts_with(|c: char| c.is_ascii_lowercase())
        .then_some(usable)
}
