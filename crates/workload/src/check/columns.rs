//! Checks `[data.columns]`, which has a generator for each column of the table.

mod doubles;
mod sequence;
mod values;

use std::ops::Range;

use toml::Spanned;

use super::table::suggest_column;
use super::text::{Text, quoted};
use crate::{Column, ColumnGenerator, ColumnType, Result, Table, source, wire};

/// Generators, with the types of columns that they can fill.
const KINDS: [(&str, &[ColumnType]); 11] = {
    use ColumnType::{Bigint, Blob, Boolean, Double, Float, Int, Text, Timestamp, Uuid};
    [
        ("sequence", &[Int, Bigint, Timestamp, Text, Uuid]),
        ("uniform", &[Int, Bigint, Float, Double]),
        ("normal", &[Int, Bigint, Float, Double]),
        ("zipf", &[Int, Bigint, Text, Uuid]),
        (
            "choice",
            &[Boolean, Int, Bigint, Float, Double, Text, Timestamp, Uuid],
        ),
        ("characters", &[Text]),
        ("words", &[Text]),
        ("passages", &[Text]),
        ("json", &[Text]),
        ("bytes", &[Blob, Text]),
        ("doubles", &[Blob]),
    ]
};

/// Largest number of bytes of a value, since Cassandra takes no more in one write by default.
const MOST_BYTES: u32 = 16 << 20;
/// Largest number of words of a value.
const MOST_WORDS: u32 = 1_000_000;
/// Largest number of members of a JSON document.
const MOST_MEMBERS: u32 = 10_000;

/// Returns the generators in the order of the table's columns. `rows` is the largest number of rows
/// that the file mentions.
pub fn check(
    document: Text<'_>,
    data: &Spanned<wire::Data>,
    table: &Table,
    rows: u64,
) -> Result<Vec<ColumnGenerator>> {
    let Some(written) = &data.get_ref().columns else {
        let message = "`generator = \"columns\"` needs [data.columns] with a generator for each \
                       column of the table, for example: value = { words = [100, 200] }";
        return Err(document.error(data.span(), message));
    };
    for name in written.get_ref().keys() {
        if table.column(&name.get_ref().to_lowercase()).is_none() {
            let hint = suggest_column(table, name.get_ref());
            let message = format!("column `{name}` is not in the table{hint}");
            return Err(document.error(name.span(), message));
        }
    }
    let generator = |column: &Column| {
        let named = |name: &Spanned<String>| name.get_ref().to_lowercase() == column.name;
        let mut all = written.get_ref().iter().filter(|(name, _)| named(name));
        match (all.next(), all.next()) {
            (Some((_, generator)), None) => Checked { document, column }.check(generator, rows),
            (None, _) => {
                let message = format!("column `{}` has no generator here", column.name);
                Err(document.error(written.span(), message))
            }
            (_, Some((name, _))) => {
                let message = format!("column `{}` has two generators", column.name);
                Err(document.error(name.span(), message))
            }
        }
    };
    table.columns.iter().map(generator).collect()
}

/// Checks the generator of one column.
struct Checked<'a> {
    document: Text<'a>,
    column: &'a Column,
}

impl Checked<'_> {
    fn check(&self, wire: &Spanned<wire::ColumnGenerator>, rows: u64) -> Result<ColumnGenerator> {
        let (kind, generator) = (self.only_kind(wire)?, wire.get_ref());
        let prefix = self.prefix(kind, generator.prefix.as_ref())?;
        if let Some(sequence) = &generator.sequence {
            return self.sequence(sequence, prefix, rows);
        }
        if let Some(uniform) = &generator.uniform {
            return self.uniform(uniform);
        }
        if let Some(normal) = &generator.normal {
            let (mean, deviation) = self.normal(normal.get_ref())?;
            return Ok(ColumnGenerator::Normal { mean, deviation });
        }
        if let Some(zipf) = &generator.zipf {
            return self.zipf(zipf.get_ref(), prefix);
        }
        if let Some(choice) = &generator.choice {
            return self.choice(choice);
        }
        if let Some(bytes) = &generator.bytes {
            return self.bytes(bytes.get_ref());
        }
        if let Some(doubles) = &generator.doubles {
            return self.doubles(doubles);
        }
        let range = |written: &Option<Spanned<Vec<i64>>>, key, most| {
            let written = written.as_ref();
            written.map(|w| self.range(w, key, most)).transpose()
        };
        if let Some(range) = range(&generator.characters, "characters", MOST_BYTES)? {
            return Ok(ColumnGenerator::Characters(range));
        }
        if let Some(range) = range(&generator.words, "words", MOST_WORDS)? {
            return Ok(ColumnGenerator::Words(range));
        }
        let most_words = source::MOST_WORDS_OF_A_PASSAGE;
        if let Some(range) = range(&generator.passages, "passages", most_words)? {
            return Ok(ColumnGenerator::Passages(range));
        }
        match range(&generator.json, "json", MOST_MEMBERS)? {
            Some(range) => Ok(ColumnGenerator::Json(range)),
            None => Err(self.not_one_kind(wire)),
        }
    }

    /// Returns the one key that is given, if it suits the column.
    fn only_kind(&self, wire: &Spanned<wire::ColumnGenerator>) -> Result<&'static str> {
        let w = wire.get_ref();
        let given = [
            w.sequence.as_ref().map(Spanned::span),
            w.uniform.as_ref().map(Spanned::span),
            w.normal.as_ref().map(Spanned::span),
            w.zipf.as_ref().map(Spanned::span),
            w.choice.as_ref().map(Spanned::span),
            w.characters.as_ref().map(Spanned::span),
            w.words.as_ref().map(Spanned::span),
            w.passages.as_ref().map(Spanned::span),
            w.json.as_ref().map(Spanned::span),
            w.bytes.as_ref().map(Spanned::span),
            w.doubles.as_ref().map(Spanned::span),
        ];
        let mut given = KINDS
            .iter()
            .zip(given)
            .filter_map(|(kind, span)| Some((kind, span?)));
        let (Some(((name, types), span)), None) = (given.next(), given.next()) else {
            return Err(self.not_one_kind(wire));
        };
        if types.contains(&self.column.kind) {
            Ok(name)
        } else {
            Err(self.unfit(name, span))
        }
    }

    fn not_one_kind(&self, wire: &Spanned<wire::ColumnGenerator>) -> crate::Error {
        let message = format!(
            "a {} column has exactly one of the generators {}",
            self.column.kind.name(),
            quoted(&self.fitting())
        );
        self.document.error(wire.span(), message)
    }

    fn unfit(&self, name: &str, span: Range<usize>) -> crate::Error {
        let kind = self.column.kind.name();
        let message = format!(
            "`{name}` makes no {kind}; for column `{}` there are {}",
            self.column.name,
            quoted(&self.fitting())
        );
        self.document.error(span, message)
    }

    /// Returns the generators for the column's type.
    fn fitting(&self) -> Vec<&'static str> {
        let fits = |(name, types): &(&'static str, &[ColumnType])| {
            types.contains(&self.column.kind).then_some(*name)
        };
        KINDS.iter().filter_map(fits).collect()
    }

    fn prefix(&self, kind: &str, written: Option<&Spanned<String>>) -> Result<String> {
        let is_numbered =
            self.column.kind == ColumnType::Text && ["sequence", "zipf"].contains(&kind);
        match written {
            Some(written) if !is_numbered => Err(self.document.error(
                written.span(),
                "`prefix` is text before the number of a `sequence` or `zipf` in a text column",
            )),
            Some(written) => Ok(written.get_ref().clone()),
            None => Ok(String::new()),
        }
    }
}
