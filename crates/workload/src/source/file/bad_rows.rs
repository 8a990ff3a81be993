//! Rows of a text file that are set aside, since they cannot be read, lack their key or have that of an earlier row.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use super::fields::{FieldReader, Fields, FieldsError};
use super::input::TextInput;
use super::joined::{lines_before, place_after};
use super::{data_error, diagnose, read_error, split_times, values};
use crate::csv;
use crate::{Result, Table, TextForm};

/// Rows that are described in messages.
const SHOWN: usize = 5;

/// Most rows that are set aside, whose places are kept in memory.
pub const MOST: usize = 1_000_000;

/// What is wrong with a row that can be read.
const REPEATS: &str = "its key is that of an earlier row";

/// Rows of text files that are set aside.
pub struct BadRows {
    /// The whole text, with these rows.
    input: TextInput,
    /// Names of its fields.
    names: Vec<String>,
    judge: Judge,
    /// Numbers of the rows whose key an earlier row has, ascending and from 0 among those that can be read and have a
    /// key; none if they are kept.
    pub(super) repeats: Vec<u64>,
    /// Rows of the files in all.
    pub rows: u64,
    /// Those of them that are set aside.
    pub count: u64,
    /// The first ones: their lines, and what is wrong with each.
    pub first: Vec<String>,
}

/// Knows what a row has to have.
struct Judge {
    table: Table,
    /// Indexes of the fields of each column of the table: one, or those of the parts of a time.
    places: Vec<Vec<usize>>,
    /// Whether each column of the table is in the key.
    in_key: Vec<bool>,
    form: TextForm,
}

impl BadRows {
    /// Prepares to look for the rows of a text that cannot be loaded.
    pub(super) fn new(
        input: &TextInput,
        names: &[String],
        table: &Table,
        places_of_columns: &[Vec<usize>],
        form: &TextForm,
    ) -> BadRows {
        BadRows {
            input: input.clone(),
            names: names.to_vec(),
            judge: Judge {
                in_key: { table.columns.iter() }
                    .map(|column| table.is_key(&column.name))
                    .collect(),
                table: table.clone(),
                places: places_of_columns.to_vec(),
                form: form.clone(),
            },
            repeats: Vec::new(),
            rows: 0,
            count: 0,
            first: Vec::new(),
        }
    }

    /// Reads all rows, counts those that are set aside, and returns their places in the text.
    ///
    /// # Errors
    /// More than this share of the rows, in millionths, would be set aside; or the text cannot be read.
    pub(super) fn find(&mut self, share: u32) -> Result<Vec<Range<u64>>> {
        let (mut places, mut first) = (Vec::new(), Vec::new());
        let (mut rows, mut lost) = (0, 0);
        let read = self.visit(|fields, reason| {
            rows += 1;
            let Some(reason) = reason else { return Ok(()) };
            // A quote that is never closed takes in many lines, each of which was a row.
            lost += fields.lines();
            if first.len() < SHOWN {
                first.push((fields.line, reason));
            }
            places.push(fields.bytes.clone());
            if places.len() > MOST {
                return Err(io::Error::other(format!(
                    "more than {MOST} of its rows {}, which is the most that are set aside; mend them, or describe \
                     the file otherwise in [data]",
                    self.fault(places.len())
                )));
            }
            Ok(())
        });
        read.map_err(|error| error.about(self.input.path()))?;
        self.rows = rows;
        self.count = places.len() as u64;
        if !first.is_empty() {
            let starts = { self.starts() }.map_err(|error| read_error(self.input.path(), error))?;
            let shown = first.iter();
            let shown = shown.map(|(line, reason)| self.describe(&starts, *line, reason));
            self.first = shown.collect();
        }
        let in_all = self.rows - self.count + lost;
        if u128::from(lost) * 1_000_000 > u128::from(in_all) * u128::from(share) {
            let lines = if lost > self.count {
                format!(" and take {lost} lines (is a quote opened and never closed?)")
            } else {
                String::new()
            };
            let kept = if self.repeats.is_empty() {
                ""
            } else {
                "; with `repeated_keys = \"keep\"` those that repeat a key are loaded"
            };
            let message = format!(
                "{}{lines}, which is more than the {}% of `bad_rows`; mend them, or allow more{kept}",
                self.counted(),
                f64::from(share) / 10_000.0
            );
            return Err(data_error(self.input.path(), message));
        }
        Ok(places)
    }

    /// Says what is wrong with so many rows.
    fn fault(&self, count: usize) -> &'static str {
        match self.repeats.len() {
            0 => "cannot be read or lack their key",
            repeats if repeats == count => "have the key of an earlier row",
            _ => "cannot be read, lack their key or have that of an earlier row",
        }
    }

    /// Describes how many rows are bad, and the first ones.
    pub fn counted(&self) -> String {
        let BadRows { rows, count, .. } = self;
        let first = self.first.join("; ");
        let more = if self.first.len() < *count as usize {
            "; ..."
        } else {
            ""
        };
        let fault = self.fault(*count as usize);
        format!("{count} of {rows} rows {fault} ({first}{more})")
    }

    /// Writes the rows as CSV, each after its line and what is wrong with it; of several files, each with its file.
    ///
    /// # Errors
    /// They cannot be read any more, or written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let parts = &self.input.parts;
        let starts = self.starts()?;
        let file = (!starts.is_empty()).then_some("file");
        let mut line = Vec::new();
        let names = self.names.iter().map(String::as_str);
        let about = file.into_iter().chain(["line", "reason"]);
        put_line(about.chain(names), &mut line);
        out.write_all(&line)?;
        let visited = self.visit(|fields, reason| {
            let Some(reason) = reason else { return Ok(()) };
            line.clear();
            let place = place_after(&starts, parts, fields.line);
            let file = place.map(|(part, _)| part.name());
            let in_file = place.map_or(fields.line, |(_, line)| line);
            let (number, mut cells) = (in_file.to_string(), fields.all());
            if self.input.is_json && cells.len() != self.input.fields {
                // The first one says what is wrong, the second one is the line.
                cells = cells.into_iter().skip(1).take(1).collect();
            }
            let cells = cells.iter().map(String::as_str);
            let about = file.as_deref().into_iter();
            let about = about.chain([number.as_str(), reason.as_str()]);
            put_line(about.chain(cells), &mut line);
            out.write_all(&line)
        });
        match visited {
            Ok(()) => Ok(()),
            Err(FieldsError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error.about(self.input.path()))),
        }
    }

    /// Shows each row, with what is wrong with it if anything is.
    fn visit(
        &self,
        mut see: impl FnMut(&Fields<'_>, Option<String>) -> io::Result<()>,
    ) -> Result<(), FieldsError> {
        let mut reader = FieldReader::new(self.input.open(), self.input.delimiter);
        if self.input.header {
            reader.read()?;
        }
        let mut repeats = self.repeats.iter().copied().peekable();
        let mut readable: u64 = 0;
        while let Some(fields) = reader.read()? {
            let mut reason = self.judge.reason(&fields, &self.input);
            if reason.is_none() {
                let is_repeat = repeats.next_if_eq(&readable).is_some();
                reason = is_repeat.then(|| REPEATS.to_owned());
                readable += 1;
            }
            see(&fields, reason).map_err(FieldsError::Io)?;
        }
        Ok(())
    }

    /// Returns how many lines come before each file, and how many of its own are left out; nothing for a single one.
    fn starts(&self) -> io::Result<Vec<(u64, u64)>> {
        match self.input.parts.len() {
            1 => Ok(Vec::new()),
            _ => lines_before(&self.input.parts, self.input.header, u64::MAX),
        }
    }

    /// Returns what is wrong with the row at a line of the whole text, with the line in its file.
    fn describe(&self, starts: &[(u64, u64)], line: u64, reason: &str) -> String {
        match place_after(starts, &self.input.parts, line) {
            Some((part, line)) => format!("{}, line {line}: {reason}", part.path.display()),
            None => format!("line {line}: {reason}"),
        }
    }
}

impl Judge {
    /// Returns why a row cannot be loaded.
    fn reason(&self, fields: &Fields<'_>, input: &TextInput) -> Option<String> {
        if fields.len() != input.fields {
            let first = fields.get(0).unwrap_or_default();
            return Some(diagnose::wrong_record(first, fields.len(), input));
        }
        if !fields.is_text() {
            return Some("not UTF-8 text".to_owned());
        }
        let columns = self.table.columns.iter().zip(&self.places);
        columns
            .zip(&self.in_key)
            .find_map(|((column, places), in_key)| {
                let Some(cell) = self.cell(fields, places) else {
                    return Some(format!("column `{}`: not UTF-8 text", column.name));
                };
                if *in_key && (cell.is_empty() || self.form.is_null(&cell)) {
                    return Some(format!(
                        "column `{}`: no value, but it is in the key",
                        column.name
                    ));
                }
                values::misfit(column, &cell, &self.form)
            })
    }

    /// Returns the cell of a column whose fields are at these places; `None` if it is no text.
    fn cell<'f>(&self, fields: &'f Fields<'_>, places: &[usize]) -> Option<Cow<'f, str>> {
        if let [place] = places {
            return fields.get(*place).map(Cow::Borrowed);
        }
        let parts: Vec<&str> = { places.iter() }
            .map(|place| fields.get(*place))
            .collect::<Option<_>>()?;
        let time = split_times::together(parts, |cell| self.form.is_null(cell));
        Some(Cow::Owned(time))
    }
}

fn put_line<'a>(cells: impl Iterator<Item = &'a str>, line: &mut Vec<u8>) {
    for cell in cells {
        csv::text(cell, line);
        line.push(b',');
    }
    if let Some(last) = line.last_mut() {
        *last = b'\n';
    }
}
