//! Makes the definition of a new table, and compares the options with that of an existing one.

use std::num::NonZeroI64;

use anyhow::{Result, anyhow, bail};
use bakeoff_engines::tables::{CHUNK_ROWS, Column, Definition, Keys, Kind, Source, SourceColumn};
use bakeoff_report::units;
use bakeoff_workload::suggestion;

use super::Ingest;

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// Defines the table that is made for the rows of a source.
pub fn new(options: &Ingest, source: &Source) -> Result<Definition> {
    let wanted = wanted(options, source)?;
    let columns: Vec<Column> = wanted
        .iter()
        .map(|column| typed(options, column))
        .collect::<Result<_>>()?;
    let keys = keys(options, source)?;
    for (flag, names) in [
        ("--partition-key", &keys.partition),
        ("--order-key", &keys.order),
    ] {
        for name in names {
            check_name(name, flag, columns.iter().map(|c| c.name.as_str()))?;
        }
    }
    let bucket = bucket(options, &columns, &keys)?;
    let definition = Definition {
        columns,
        partition_key: keys.partition,
        order_key: keys.order,
        bucket,
        shards: options.shards.unwrap_or(1),
        profile: options.profile.unwrap_or_default(),
        chunk_rows: options.chunk_rows.unwrap_or(CHUNK_ROWS),
    };
    definition.check()?;
    Ok(definition)
}

/// Returns the columns of an existing table that the source fills. Options that are given have to agree with
/// the table.
pub fn filled(options: &Ingest, source: &Source, table: &Definition) -> Result<Vec<Column>> {
    check_same(options, table)?;
    let known = |name: &str| table.columns.iter().find(|c| c.name.to_lowercase() == name);
    let mut columns = Vec::new();
    for column in wanted(options, source)? {
        match known(&column.name) {
            Some(known) => columns.push(known.clone()),
            None => bail!(
                "{} has no column `{}`{}; --columns names those to take",
                options.into,
                column.name,
                suggestion(&column.name, table.columns.iter().map(|c| c.name.as_str()))
            ),
        }
    }
    for key in table.partition_key.iter().chain(&table.order_key) {
        if !columns.iter().any(|c| c.name == *key) {
            bail!(
                "`{key}` is in the key of {}, and the source has no such column",
                options.into
            );
        }
    }
    Ok(columns)
}

/// Returns the columns of the source that were asked for, in its order.
fn wanted<'a>(options: &Ingest, source: &'a Source) -> Result<Vec<&'a SourceColumn>> {
    let names = || source.columns().iter().map(|c| c.name.as_str());
    for name in &options.columns {
        check_name(&name.to_lowercase(), "--columns", names())?;
    }
    for (name, _) in &options.types {
        check_name(name, "--types", names())?;
    }
    let is_wanted = |c: &&SourceColumn| options.takes(&c.name);
    Ok(source.columns().iter().filter(is_wanted).collect())
}

fn check_name<'a>(name: &str, flag: &str, there: impl Iterator<Item = &'a str>) -> Result<()> {
    let there: Vec<&str> = there.collect();
    if there.contains(&name) {
        Ok(())
    } else {
        bail!(
            "{flag} {name}: there is no such column{}",
            suggestion(name, there)
        )
    }
}

fn typed(options: &Ingest, column: &SourceColumn) -> Result<Column> {
    let said = options.types.iter().find(|(name, _)| *name == column.name);
    let kind = said.map(|(_, kind)| *kind).or(column.kind).ok_or_else(|| {
        let (name, stored) = (&column.name, &column.stored_as);
        anyhow!(
            "column `{name}` is {stored}, which a columnar table cannot keep as it is: choose its \
             type, for example --types {name}=double or {name}=text, or leave it out with --columns"
        )
    })?;
    Ok(Column {
        name: column.name.clone(),
        kind,
    })
}

fn keys(options: &Ingest, source: &Source) -> Result<Keys> {
    let of_source = source.keys().cloned().unwrap_or_default();
    let said_or = |said: &[String], own: Vec<String>| {
        if said.is_empty() {
            own
        } else {
            said.iter().map(|name| name.to_lowercase()).collect()
        }
    };
    let keys = Keys {
        partition: said_or(&options.partition_key, of_source.partition),
        order: said_or(&options.order_key, of_source.order),
    };
    if keys.partition.is_empty() {
        bail!(
            "{} does not exist yet: name the columns whose rows belong together with --partition-key COLUMN,... \
             and those that order them with --order-key COLUMN,...",
            options.into
        );
    }
    // With one half from the options and the other from the source, a column may be in both.
    let half_said = options.partition_key.is_empty() != options.order_key.is_empty();
    let twice = keys.order.iter().find(|name| keys.partition.contains(name));
    match twice.filter(|_| half_said && source.keys().is_some()) {
        Some(name) => bail!(
            "`{name}` is in the other half of the source's key: name both halves, with \
             --partition-key and --order-key"
        ),
        None => Ok(keys),
    }
}

fn bucket(options: &Ingest, columns: &[Column], keys: &Keys) -> Result<Option<NonZeroI64>> {
    let Some(width) = &options.bucket else {
        return Ok(None);
    };
    let first = keys.order.first();
    let column = first.and_then(|first| columns.iter().find(|c| c.name == *first));
    let Some(column) = column else {
        bail!("--bucket needs an order key: --order-key COLUMN,...");
    };
    let units = width_in_units(width, column.kind).map_err(|why| {
        anyhow!(
            "--bucket {width}: {why}, as the order key `{}` requires",
            column.name
        )
    })?;
    Ok(NonZeroI64::new(units))
}

/// Reads the width of a bucket, more than 0, in the units of the order key.
fn width_in_units(width: &str, kind: Kind) -> Result<i64, &'static str> {
    let duration = humantime::parse_duration(width).ok();
    let not_a_duration = "it is not a duration such as 1d or 6h";
    let units = match kind {
        Kind::Int | Kind::Bigint => {
            return match width.parse() {
                Ok(width) if width > 0 => Ok(width),
                _ => Err("it is not a whole number above 0"),
            };
        }
        Kind::Timestamp => duration.ok_or(not_a_duration)?.as_millis(),
        Kind::Nanotime => duration.ok_or(not_a_duration)?.as_nanos(),
        Kind::Date => {
            let duration = duration.ok_or(not_a_duration)?;
            if duration.as_secs() % DAY_SECONDS != 0 || duration.subsec_nanos() != 0 {
                return Err("it is not a number of days such as 7d");
            }
            u128::from(duration.as_secs() / DAY_SECONDS)
        }
        _ => return Err("buckets need an order key of integers, dates or times"),
    };
    match i64::try_from(units) {
        Ok(units) if units > 0 => Ok(units),
        _ => Err(not_a_duration),
    }
}

/// Writes the width of a bucket, as a duration if the order key is a time.
pub fn width_in_words(definition: &Definition, width: i64) -> String {
    let first = definition.order_key.first();
    let kind = first
        .and_then(|name| definition.columns.iter().find(|c| c.name == *name))
        .map(|column| column.kind);
    let width = width.unsigned_abs();
    let duration = match kind {
        Some(Kind::Timestamp) => std::time::Duration::from_millis(width),
        Some(Kind::Nanotime) => std::time::Duration::from_nanos(width),
        Some(Kind::Date) => std::time::Duration::from_secs(width.saturating_mul(DAY_SECONDS)),
        _ => return units::count(width),
    };
    as_option(duration)
}

/// Writes a duration as options take it: `7d`, `1d 12h`.
fn as_option(duration: std::time::Duration) -> String {
    let days = duration.as_secs() / DAY_SECONDS;
    let rest = duration.saturating_sub(std::time::Duration::from_secs(days * DAY_SECONDS));
    match (days, rest.is_zero()) {
        (0, _) => humantime::format_duration(rest).to_string(),
        (days, true) => format!("{days}d"),
        (days, false) => format!("{days}d {}", humantime::format_duration(rest)),
    }
}

/// Refuses options that differ from the existing table.
fn check_same(options: &Ingest, table: &Definition) -> Result<()> {
    let into = &options.into;
    let there = |what: &str, is: &dyn std::fmt::Display| {
        Err(anyhow!(
            "{into} already exists, and its {what} is {is}: leave the option out, or remove the \
             table with `bakeoff table drop {into}`"
        ))
    };
    let differs = |said: &[String], is: &[String]| {
        let lower = |names: &[String]| -> Vec<String> {
            names.iter().map(|name| name.to_lowercase()).collect()
        };
        !said.is_empty() && lower(said) != lower(is)
    };
    if differs(&options.partition_key, &table.partition_key) {
        return there("partition key", &table.partition_key.join(","));
    }
    if differs(&options.order_key, &table.order_key) {
        return if table.order_key.is_empty() {
            Err(anyhow!(
                "{into} already exists, and has no order key: leave the option out, or remove the \
                 table with `bakeoff table drop {into}`"
            ))
        } else {
            there("order key", &table.order_key.join(","))
        };
    }
    if let Some((name, _)) = options.types.iter().find(|(name, kind)| {
        let same = |c: &&Column| c.name.to_lowercase() == *name && c.kind != *kind;
        table.columns.iter().any(|c| same(&c))
    }) {
        let column = table
            .columns
            .iter()
            .find(|c| c.name.to_lowercase() == *name);
        return there(
            &format!("column `{name}`"),
            &column.map_or("", |c| c.kind.name()),
        );
    }
    if options.shards.is_some_and(|shards| shards != table.shards) {
        return there("number of shards", &table.shards);
    }
    if options
        .chunk_rows
        .is_some_and(|rows| rows != table.chunk_rows)
    {
        return there("number of rows of a chunk", &table.chunk_rows);
    }
    if options
        .profile
        .is_some_and(|profile| profile != table.profile)
    {
        return there("profile", &table.profile);
    }
    let keys = Keys {
        partition: table.partition_key.clone(),
        order: table.order_key.clone(),
    };
    if options.bucket.is_some() && bucket(options, &table.columns, &keys)? != table.bucket {
        let width = table.bucket.map_or("none".to_owned(), |width| {
            width_in_words(table, width.get())
        });
        return there("bucket", &width);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_options_take_them() {
        let written = |hours: u64| as_option(std::time::Duration::from_secs(hours * 3600));
        assert_eq!([1, 24, 36, 168].map(written), ["1h", "1d", "1d 12h", "7d"]);
        for hours in [1, 24, 36, 168, 24 * 400] {
            let read = humantime::parse_duration(&written(hours)).unwrap();
            assert_eq!(read.as_secs(), hours * 3600);
        }
    }

    #[test]
    fn widths_are_in_units_of_the_order_key() {
        let day = |kind| width_in_units("1d", kind);
        assert_eq!(day(Kind::Timestamp), Ok(86_400_000));
        assert_eq!(day(Kind::Nanotime), Ok(86_400_000_000_000));
        assert_eq!(day(Kind::Date), Ok(1));
        assert_eq!(width_in_units("1000", Kind::Bigint), Ok(1000));
        for (width, kind) in [
            ("1d", Kind::Int),
            ("0", Kind::Int),
            ("-5", Kind::Bigint),
            ("soon", Kind::Timestamp),
            ("0s", Kind::Timestamp),
            ("36h", Kind::Date),
            ("1d", Kind::Text),
            ("100000000000y", Kind::Nanotime),
        ] {
            assert!(width_in_units(width, kind).is_err(), "{width} of {kind:?}");
        }
    }
}
