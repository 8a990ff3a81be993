//! Describes the definition and the content of a columnar table.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;
use bakeoff_engines::tables::{Columnar, Definition, Kind, Location, Selection};
use bakeoff_report::units;

use super::places;
use crate::cmd::ingest::width_in_words;
use crate::cmd::to_cli_error;

/// Describes a table: its definition, its rows and chunks, and the bytes of each column.
pub async fn describe(location: &Location, table: &Columnar) -> Result<String> {
    let view = table.overview(&Selection::default()).await;
    let view = view.map_err(|error| to_cli_error(error.into()))?;
    let definition = table.definition();
    let chunks = || view.parts.iter().flat_map(|part| &part.chunks);
    let in_chunks: u64 = chunks().map(|c| u64::from(c.live_rows())).sum();
    let fresh: u64 = view.parts.iter().map(|part| part.fresh.len() as u64).sum();
    let bytes: u64 = chunks().map(|c| c.bytes()).sum();
    let merged = view
        .parts
        .iter()
        .filter(|part| part.exact().is_none())
        .count();
    let places: BTreeSet<_> = view.parts.iter().map(|part| part.place).collect();
    let mut text = head(location, definition);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "rows           {}{} in {} of {}",
        if merged > 0 { "at most " } else { "" },
        units::count(in_chunks),
        units::plural(chunks().count() as u64, "chunk", "chunks"),
        places::in_words(places.len() as u64, definition),
    );
    if fresh > 0 {
        let _ = writeln!(
            text,
            "in no chunk    {}",
            units::plural(fresh, "row", "rows")
        );
    }
    if merged > 0 {
        let _ = writeln!(
            text,
            "to be sealed   {}",
            match merged {
                1 => "1 part: keys of its chunks overlap, so every read merges it".to_owned(),
                parts => format!("{parts} parts: their keys overlap, so every read merges them"),
            }
        );
    }
    let row_bytes = |bytes: u64| bytes as f64 / in_chunks.max(1) as f64;
    let _ = writeln!(
        text,
        "bytes          {}, {:.1} B a row\n",
        units::bytes(bytes as f64),
        row_bytes(bytes)
    );
    let columns = definition.columns.iter().enumerate().map(|(i, column)| {
        let bytes: u64 = view.parts.iter().map(|part| part.bytes(&[i])).sum();
        (column.name.as_str(), column.kind, bytes)
    });
    text.push_str(&by_column(columns.collect(), row_bytes));
    Ok(text)
}

fn head(location: &Location, definition: &Definition) -> String {
    let none = || "none".to_owned();
    let order = if definition.order_key.is_empty() {
        none()
    } else {
        definition.order_key.join(", ")
    };
    let bucket = definition
        .bucket
        .map_or_else(none, |width| width_in_words(definition, width.get()));
    format!(
        "{location}\npartition key  {}\norder key      {order}\nbucket         {bucket}\nshards         \
         {}\nprofile        {}\n",
        definition.partition_key.join(", "),
        definition.shards,
        definition.profile,
    )
}

fn by_column(columns: Vec<(&str, Kind, u64)>, row_bytes: impl Fn(u64) -> f64) -> String {
    let width = columns.iter().map(|(name, ..)| name.chars().count()).max();
    let width = width.unwrap_or(0).max("column".len());
    let mut text = format!("{:width$}  {:9}  {:>9}\n", "column", "type", "B a row");
    for (name, kind, bytes) in columns {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:width$}  {:9}  {:>9.2}", kind, row_bytes(bytes));
    }
    text.trim_end().to_owned()
}
