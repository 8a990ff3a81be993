//! CSV, TSV and JSON files as sources of rows.

mod keys;

use std::collections::HashSet;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::csv::reader::Decoder;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use super::bad_rows::BadRows;
use super::decode::{DecodeError, FirstRecord, MAX_HEADER_BYTES, Records, decoder, first_record};
use super::input::TextInput;
use super::json_keys::JsonKeys;
use super::{BadCell, data_error, diagnose, header, read_error, split_times, table_batch, values};
use crate::source::{RowBatch, RowBatches, RowSource};
use crate::{Column, RepeatedKeys, Result, Table, TextForm};

/// Largest number of columns of a file, each of which takes memory in every batch.
const MAX_FIELDS: usize = 1 << 16;

/// Divisor of the number of rows in a batch where they are too long to be read together.
const FEWER_ROWS: usize = 16;

/// Text files whose rows follow each other. All fields are read as text, so that an error can show the text
/// of the file, and are then converted to the types of the table.
#[derive(Clone)]
pub struct TextFile {
    input: TextInput,
    table: Table,
    /// Indexes of the fields of each column of the table: one, or those of the parts of a time.
    places: Vec<Vec<usize>>,
    form: TextForm,
    /// Rows that are left out, if any may be.
    bad_rows: Option<Arc<BadRows>>,
}

impl TextFile {
    /// Opens files and checks that they have the columns of the table and a row.
    pub fn open(paths: &[PathBuf], table: &Table, form: &TextForm) -> Result<Self> {
        let mut file = TextFile {
            input: TextInput::new(paths, form)?,
            table: table.clone(),
            places: Vec::new(),
            form: form.clone(),
            bad_rows: None,
        };
        let names = if file.input.is_json {
            file.names_in_json()?
        } else if form.no_header {
            file.names_of_fields(form)
        } else {
            file.header()?
        };
        file.input.fields = names.len();
        file.places = header::locate_parts(file.input.path(), &names, table, form)?;
        if form.no_header && !file.input.is_json {
            file.check_first_lines(&names)?;
        }
        if let Some(share) = form.bad_rows {
            let mut bad = BadRows::new(&file.input, &names, table, &file.places, form);
            file.input.left_out = bad.find(share)?.into();
            if form.repeated_keys == RepeatedKeys::SetAside {
                bad.repeats = file.later_of_keys(bad.rows - bad.count)?;
            }
            if !bad.repeats.is_empty() {
                file.input.left_out = bad.find(share)?.into();
            }
            file.bad_rows = Some(Arc::new(bad));
        }
        file.check_not_empty()?;
        Ok(file)
    }

    /// Returns the names of the table's columns in the objects of JSON, of which nothing else is read.
    fn names_in_json(&mut self) -> Result<Vec<String>> {
        let form = &self.form;
        let of_lines = TextForm {
            null: form.null.clone(),
            from: form.from.clone(),
            joined: form.joined.clone(),
            formats: form.formats.clone(),
            zone: form.zone.clone(),
            decimal: form.decimal,
            thousands: form.thousands,
            signs: form.signs.clone(),
            bad_rows: form.bad_rows,
            repeated_keys: form.repeated_keys,
            ..TextForm::default()
        };
        if *form != of_lines {
            let message = "each line of JSON has its names: leave `header`, `fields`, `delimiter`, `skip_lines`, \
                           `units_line` and `lines_after_names` out, and --no-header and --delimiter";
            return Err(data_error(self.input.path(), message));
        }
        let columns = self.table.columns.iter();
        let mut wanted = Vec::new();
        let mut known = HashSet::new();
        for name in columns.flat_map(|column| form.names_in_file(&column.name)) {
            // A column that is read itself may be a part of a time, too.
            if known.insert(name.clone()) {
                wanted.push(name);
            }
        }
        let found = JsonKeys::read(&self.input.parts, &wanted)?;
        if let Some((line, why)) = found.first_broken.filter(|_| found.keys.is_empty()) {
            let message = format!("no line has an object of JSON; line {line}: {why}");
            return Err(data_error(self.input.path(), message));
        }
        let names: Vec<String> = found.keys.into_iter().map(|key| key.name).collect();
        header::locate_parts(self.input.path(), &names, &self.table, form)?;
        self.input.read_json(wanted.clone());
        Ok(wanted)
    }

    /// Returns the names that the workload gives to the fields of files without a header.
    fn names_of_fields(&mut self, form: &TextForm) -> Vec<String> {
        if form.fields.is_empty() {
            self.input.counted_by = "columns of the table";
            let columns = self.table.columns.iter();
            columns.map(|column| column.name.clone()).collect()
        } else {
            self.input.counted_by = "names in `fields`";
            form.fields.clone()
        }
    }

    /// Checks the first lines of files without a header, so that mistakes in how they are described are
    /// known before anything is loaded.
    fn check_first_lines(&self, names: &[String]) -> Result<()> {
        for part in self.input.parts.iter() {
            let failed = |error| read_error(&part.path, error);
            let mut records = Records::new(part.open().map_err(failed)?, part.record_end());
            records.skip_line_ends().map_err(failed)?;
            // Lines that are no records are reported where they are read as rows.
            if let FirstRecord::Fields(first) = first_record(&self.input.format, records.input)
                && let Some(mistake) = self.mistake_in_first_line(&first, names)
            {
                let line = records.line;
                return Err(diagnose::error_in(&self.input, part, line, mistake));
            }
        }
        Ok(())
    }

    fn mistake_in_first_line(&self, first: &[String], names: &[String]) -> Option<String> {
        let is_name = |(field, name): (&String, &String)| field.trim().to_lowercase() == *name;
        if first.is_empty() {
            return None;
        }
        if first.len() == names.len() {
            let are_names = first.iter().zip(names).all(is_name);
            return are_names.then(|| {
                "it names the columns and is no row: leave out `header = false` in [data], or --no-header"
                    .to_owned()
            });
        }
        let fits = |fields: &[&str]| fields.len() == names.len();
        let advice = header::other_delimiter(first, fits);
        let advice = advice.map(|advice| format!(": {advice}"));
        Some(format!(
            "{}{}",
            diagnose::wrong_number(first.len(), &self.input),
            advice.unwrap_or_default()
        ))
    }

    /// Returns the names in the first line, which is the same in all parts.
    fn header(&self) -> Result<Vec<String>> {
        self.input.check_headings()?;
        let names = self.first_names()?;
        header::check_names(self.input.path(), &names, &self.table, &self.form)?;
        let has_line_break = names.iter().any(|name| name.contains('\n'));
        if has_line_break && self.input.parts.len() > 1 {
            let message = "a name in the first line has a line break, so that nothing can be read together with it";
            return Err(data_error(self.input.path(), message));
        }
        Ok(names)
    }

    fn first_names(&self) -> Result<Vec<String>> {
        let mut input = self.input.open();
        let is_empty = input
            .fill_buf()
            .map_err(|error| read_error(self.input.path(), error))?
            .is_empty();
        if is_empty {
            return Err(data_error(
                self.input.path(),
                "the file is empty; its first line has to name the columns",
            ));
        }
        let reason = match first_record(&self.input.format, input) {
            FirstRecord::Fields(names) if names.len() <= MAX_FIELDS => return Ok(names),
            FirstRecord::Fields(names) => {
                let count = names.len();
                format!("the first line names {count} columns, and {MAX_FIELDS} are possible")
            }
            FirstRecord::NotUtf8 => {
                "the first line is not UTF-8 text that names the columns".to_owned()
            }
            FirstRecord::TooLong => format!(
                "the first line takes more than {} MiB; is a quote opened and never closed?",
                MAX_HEADER_BYTES >> 20
            ),
        };
        Err(data_error(self.input.path(), reason))
    }

    fn check_not_empty(&self) -> Result<()> {
        let mut rows = self.rows(0, 1)?;
        let mut decoder = self.decoder(1);
        match rows.records.read(&mut decoder) {
            Ok(None) => {
                let message = if self.input.header {
                    "the file names its columns, but has no rows"
                } else {
                    "the file has no rows"
                };
                Err(data_error(self.input.path(), message))
            }
            Ok(Some(_)) => Ok(()),
            Err(error) => Err(diagnose::decode_error(
                &self.input,
                self.input.record_of(0),
                error,
            )),
        }
    }

    fn decoder(&self, batch_rows: usize) -> Decoder {
        decoder(
            &self.input.format,
            self.input.fields,
            &self.places.concat(),
            batch_rows,
        )
    }

    fn rows(&self, from: u64, batch_rows: usize) -> Result<TextRows> {
        let mut records = Records::new(self.input.open(), self.input.record_end());
        let before = self.input.record_of(from);
        records
            .skip(&self.input.format, self.input.fields, before)
            .map_err(|error| diagnose::decode_error(&self.input, 0, error))?;
        let decoder = self.decoder(batch_rows);
        Ok(TextRows {
            file: self.clone(),
            records,
            batch_rows,
            decoder,
            next_row: from,
            failed: false,
        })
    }

    /// Converts text to the table's types.
    fn convert(&self, text: &RecordBatch) -> Result<RecordBatch, BadCell> {
        let mut converted = Vec::with_capacity(text.num_columns());
        let mut first_bad: Option<BadCell> = None;
        let mut fields = text.columns().iter();
        for (column, places) in self.table.columns.iter().zip(&self.places) {
            let parts = fields.by_ref().take(places.len());
            let parts: Vec<&StringArray> = parts.map(|cells| cells.as_string()).collect();
            match self.parse(column, &parts) {
                Ok(array) => converted.push(array),
                Err(bad) if first_bad.as_ref().is_none_or(|first| bad.row < first.row) => {
                    first_bad = Some(bad);
                }
                Err(_) => {}
            }
        }
        match first_bad {
            Some(bad) => Err(bad),
            None => table_batch(&self.table, converted),
        }
    }

    /// Converts the cells of a column, or those of the parts of a time.
    fn parse(&self, column: &Column, parts: &[&StringArray]) -> Result<ArrayRef, BadCell> {
        for part in parts {
            utf8(column, part)?;
        }
        match parts {
            [cells] => values::parse(column, cells, &self.form),
            parts => values::parse(column, &split_times::column(parts, &self.form), &self.form),
        }
    }
}

/// Checks that each cell is text for itself. The decoder checks the bytes of all cells together, and takes
/// the two halves of a character for whole if one is the end of a cell and the other the beginning of the
/// next.
fn utf8(column: &Column, cells: &StringArray) -> Result<(), BadCell> {
    if cells.to_data().validate_full().is_ok() {
        return Ok(());
    }
    let bytes = cells.value_data();
    let is_text = |cell: &[i32]| {
        let cell = bytes.get(cell[0] as usize..cell[1] as usize);
        cell.is_some_and(|cell| std::str::from_utf8(cell).is_ok())
    };
    let bad = cells
        .value_offsets()
        .windows(2)
        .position(|cell| !is_text(cell));
    let message = format!("not UTF-8 text; {}", diagnose::WRITE_UTF8);
    Err(BadCell::new(bad.unwrap_or(0), &column.name, message))
}

impl RowSource for TextFile {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn count_rows(&self, most: u64) -> Result<Option<u64>> {
        let mut records = Records::new(self.input.open(), self.input.record_end());
        let most = self.input.record_of(most);
        let counted = records
            .skip(&self.input.format, self.input.fields, most)
            .map_err(|error| diagnose::decode_error(&self.input, 0, error))?;
        let before_rows = self.input.record_of(0);
        Ok(Some(counted.saturating_sub(before_rows)))
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        Ok(Box::new(self.rows(from, batch_rows)?))
    }

    fn may_repeat_keys(&self) -> bool {
        self.bad_rows.is_none() || self.form.repeated_keys == RepeatedKeys::Keep
    }

    fn seeks(&self) -> bool {
        false
    }

    fn bad_rows(&self) -> Option<&BadRows> {
        self.bad_rows.as_deref()
    }
}

struct TextRows {
    file: TextFile,
    records: Records,
    batch_rows: usize,
    decoder: Decoder,
    next_row: u64,
    failed: bool,
}

impl TextRows {
    fn next_batch(&mut self) -> Result<Option<RowBatch>> {
        let first_row = self.next_row;
        let mut text = self.records.read(&mut self.decoder);
        while matches!(text, Err(DecodeError::TooLongTogether)) {
            *self = self.file.rows(first_row, self.batch_rows / FEWER_ROWS)?;
            text = self.records.read(&mut self.decoder);
        }
        let input = &self.file.input;
        let text =
            text.map_err(|error| diagnose::decode_error(input, input.record_of(first_row), error))?;
        let Some(text) = text else { return Ok(None) };
        self.next_row += text.num_rows() as u64;
        let rows = self
            .file
            .convert(&text)
            .map_err(|bad| diagnose::bad_cell(&self.file.input, first_row, bad))?;
        Ok(Some(RowBatch { first_row, rows }))
    }
}

impl Iterator for TextRows {
    type Item = Result<RowBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let batch = self.next_batch();
        self.failed = batch.is_err();
        batch.transpose()
    }
}
