//! Rows of files of text of which nothing is known yet.

use std::path::{Path, PathBuf};

use super::head::head;
use super::{Asked, sniff};
use crate::source::file::data_error;
use crate::source::file::fields::{FieldReader, FieldsError};
use crate::source::file::input::TextInput;
use crate::source::file::json_keys::{JsonKeys, JsonNumbers};
use crate::{Error, Result, TextForm};

/// Text whose lines are known to be rows, with what was found of them.
pub struct TextRows {
    pub input: TextInput,
    /// Names of its columns, as they are in the file; numbers from 1 where it has none.
    pub names: Vec<String>,
    /// Whether its first line is a row.
    pub no_header: bool,
    /// What separates fields, where the name of the file does not say it.
    pub delimiter: Option<u8>,
    pub skip_lines: u64,
    pub lines_after_names: u64,
    /// Columns that no table can have, with the reasons.
    pub left_out: Vec<String>,
    /// How lines of JSON have the numbers of each column; empty for other text.
    pub numbers: Vec<JsonNumbers>,
}

impl TextRows {
    /// Opens files, and finds out what separates their fields, where rows begin, and whether a line names the fields,
    /// unless that is given.
    ///
    /// # Errors
    /// They cannot be read, or have no rows, or differ in their columns.
    pub fn open(path: &Path, paths: &[PathBuf], asked: &Asked) -> Result<TextRows> {
        let named = TextInput::new(paths, &TextForm::default()).ok();
        if let Some(input) = named.as_ref().filter(|input| input.is_json) {
            return TextRows::of_json(path, input.clone(), asked);
        }
        let named = named.map(|input| input.delimiter);
        let failed = |error: FieldsError| error.about(path);
        let mut form = TextForm {
            no_header: true,
            delimiter: asked.delimiter.or(named).or(Some(b',')),
            skip_lines: asked.skip_lines.unwrap_or(0),
            ..TextForm::default()
        };
        let mut input = TextInput::new(paths, &form)?;
        let mut delimiter = asked
            .delimiter
            .or(sniff::delimiter(&input).map_err(failed)?);
        if delimiter.is_none() && sniff::words(&input).map_err(failed)?.is_some() {
            delimiter = Some(TextForm::SPACES);
        }
        let delimiter = delimiter.unwrap_or(input.delimiter);
        form.delimiter = Some(delimiter);
        input = TextInput::new(paths, &form)?;
        if asked.header != Some(false) {
            let head = head(&input).map_err(failed)?;
            if asked.skip_lines.is_none() {
                form.skip_lines = head.skipped;
            }
            if form.skip_lines >= head.skipped {
                form.lines_after_names = head.after_names;
            }
            input = TextInput::new(paths, &form)?;
        }
        let mut reader = FieldReader::new(input.open(), input.delimiter);
        let Some(first) = reader.read().map_err(failed)? else {
            return Err(data_error(path, "the file is empty"));
        };
        if !first.is_text() {
            let message = "the first line is not UTF-8 text: write the file in UTF-8";
            return Err(data_error(path, message));
        }
        let first = first.all();
        let second = reader.read().map_err(failed)?;
        let second = second.map(|fields| fields.all());
        // What comes before or after the line that names the columns is known only together with it.
        let is_found =
            form.lines_after_names > 0 || asked.skip_lines.is_none() && form.skip_lines > 0;
        let names_columns =
            || is_found || sniff::names_columns(&first, second.as_deref().unwrap_or_default());
        let no_header = !asked.header.unwrap_or_else(names_columns);
        if !no_header && second.is_none() {
            return Err(data_error(
                path,
                "the file names its columns, but has no rows",
            ));
        }
        if !no_header
            && asked.header.is_none()
            && let Some(unnamed) = sniff::unnamed_of_title(&first)
        {
            let message = format!(
                "{unnamed} of the {} fields of the first line are empty, as after a title: say --skip-lines 1 if it is \
                 one, or --header if it names the columns",
                first.len()
            );
            return Err(data_error(path, message));
        }
        input.header = !no_header;
        input.fields = first.len();
        if input.header {
            input.check_headings()?;
        }
        Ok(TextRows {
            input,
            names: if no_header {
                (1..=first.len()).map(|number| number.to_string()).collect()
            } else {
                first
            },
            no_header,
            delimiter: (named != Some(delimiter)).then_some(delimiter),
            skip_lines: form.skip_lines,
            lines_after_names: form.lines_after_names,
            left_out: Vec::new(),
            numbers: Vec::new(),
        })
    }

    /// Finds the names in lines of JSON.
    fn of_json(path: &Path, mut input: TextInput, asked: &Asked) -> Result<TextRows> {
        if asked.delimiter.is_some() || asked.header.is_some() || asked.skip_lines.is_some() {
            let message = "--delimiter, --header, --no-header and --skip-lines are for lines with fields, and each \
                           line of JSON has its names: leave them out";
            return Err(Error::Usage(format!("{}: {message}", path.display())));
        }
        let found = JsonKeys::read(&input.parts, &[])?;
        if let Some((line, why)) = &found.first_broken
            && found.broken * 2 > found.lines
        {
            let message = format!(
                "{} of its {} lines are no objects of JSON; the first is line {line}: {why}",
                found.broken, found.lines
            );
            return Err(data_error(path, message));
        }
        let (mut names, mut numbers, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for key in found.keys {
            match key.nested {
                None => {
                    names.push(key.name);
                    numbers.push(key.numbers);
                }
                Some((line, what)) => left_out.push(format!(
                    "`{}`, which is {what} in line {line}: no column of a workload can have it",
                    key.name
                )),
            }
        }
        if names.is_empty() {
            let message = "none of its names has a value that a column can have: numbers, texts, true or false";
            return Err(data_error(path, message));
        }
        let lower = names.iter().map(|name| name.trim().to_lowercase());
        input.read_json(lower.collect());
        Ok(TextRows {
            input,
            names,
            no_header: false,
            delimiter: None,
            skip_lines: 0,
            lines_after_names: 0,
            left_out,
            numbers,
        })
    }
}
