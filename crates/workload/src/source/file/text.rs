//! CSV and TSV files as sources of rows.

use std::io::BufRead;
use std::path::Path;

use arrow::array::AsArray;
use arrow::csv::reader::{Decoder, Format};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use super::decode::{Records, decoder, first_record};
use super::input::TextInput;
use super::{BadCell, data_error, diagnose, header, read_error, table_batch, values};
use crate::source::{RowBatch, RowBatches, RowSource};
use crate::{Result, Table};

/// A text file with a header. All fields are read as text, so that an error can show the text of
/// the file, and are then converted to the types of the table.
#[derive(Clone)]
pub struct TextFile {
    input: TextInput,
    table: Table,
    /// Index of the field of each column of the table.
    projection: Vec<usize>,
}

impl TextFile {
    /// Opens a file and checks that it has the columns of the table and a row.
    pub fn open(path: &Path, format: Format, gzip: bool, table: &Table) -> Result<Self> {
        let mut file = TextFile {
            input: TextInput {
                path: path.to_owned(),
                format,
                gzip,
                fields: 0,
            },
            table: table.clone(),
            projection: Vec::new(),
        };
        let names = file.header()?;
        file.input.fields = names.len();
        file.projection = header::locate_columns(path, &names, table)?;
        file.check_not_empty()?;
        Ok(file)
    }

    fn header(&self) -> Result<Vec<String>> {
        let mut input = self.input.open()?;
        let is_empty = input
            .fill_buf()
            .map_err(|error| read_error(&self.input.path, error))?
            .is_empty();
        if is_empty {
            return Err(data_error(
                &self.input.path,
                "the file is empty; its first line has to name the columns",
            ));
        }
        first_record(&self.input.format, input).ok_or_else(|| {
            data_error(
                &self.input.path,
                "the first line is not UTF-8 text that names the columns",
            )
        })
    }

    fn check_not_empty(&self) -> Result<()> {
        let mut rows = self.rows(0, 1)?;
        let mut decoder = self.decoder(1);
        match rows.records.read(&mut decoder) {
            Ok(None) => Err(data_error(
                &self.input.path,
                "the file names its columns, but has no rows",
            )),
            Ok(Some(_)) => Ok(()),
            Err(error) => Err(diagnose::decode_error(&self.input, 1, error)),
        }
    }

    fn decoder(&self, batch_rows: usize) -> Decoder {
        decoder(
            &self.input.format,
            self.input.fields,
            &self.projection,
            batch_rows,
        )
    }

    fn rows(&self, from: u64, batch_rows: usize) -> Result<TextRows> {
        let mut records = Records::new(self.input.open()?);
        // The header is the record before row 0.
        records
            .skip(&self.input.format, self.input.fields, from + 1)
            .map_err(|error| diagnose::decode_error(&self.input, 0, error))?;
        let decoder = self.decoder(batch_rows);
        Ok(TextRows {
            file: self.clone(),
            records,
            decoder,
            next_row: from,
            failed: false,
        })
    }

    /// Converts text to the table's types.
    fn convert(&self, text: &RecordBatch) -> Result<RecordBatch, BadCell> {
        let mut converted = Vec::with_capacity(text.num_columns());
        let mut first_bad: Option<BadCell> = None;
        for (column, cells) in self.table.columns.iter().zip(text.columns()) {
            match values::parse(column, cells.as_string()) {
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
}

impl RowSource for TextFile {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn known_rows(&self) -> Option<u64> {
        None
    }

    fn count_rows(&self, most: u64) -> Result<Option<u64>> {
        let mut records = Records::new(self.input.open()?);
        // The header is a record, too.
        let counted = records
            .skip(
                &self.input.format,
                self.input.fields,
                most.saturating_add(1),
            )
            .map_err(|error| diagnose::decode_error(&self.input, 0, error))?;
        Ok(Some(counted.saturating_sub(1)))
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        Ok(Box::new(self.rows(from, batch_rows)?))
    }

    fn may_repeat_keys(&self) -> bool {
        true
    }

    fn seeks(&self) -> bool {
        false
    }
}

struct TextRows {
    file: TextFile,
    records: Records,
    decoder: Decoder,
    next_row: u64,
    failed: bool,
}

impl TextRows {
    fn next_batch(&mut self) -> Result<Option<RowBatch>> {
        let first_row = self.next_row;
        let text = self
            .records
            .read(&mut self.decoder)
            .map_err(|error| diagnose::decode_error(&self.file.input, first_row + 1, error))?;
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
