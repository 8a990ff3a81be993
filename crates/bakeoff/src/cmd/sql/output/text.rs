//! Rows as CSV, and as one JSON object per line.

use anyhow::Result;
use arrow::array::RecordBatch;
use arrow::csv;
use arrow::datatypes::SchemaRef;
use arrow::json::LineDelimitedWriter;
use arrow::json::writer::{LineDelimited, WriterBuilder};

use super::{Rows, Sink};

pub struct Csv {
    to: Box<dyn Sink>,
}

impl Csv {
    /// Names of the columns are there even if no row is.
    pub fn new(mut to: Box<dyn Sink>, schema: &SchemaRef) -> Result<Self> {
        let mut text = Vec::new();
        csv::Writer::new(&mut text).write(&RecordBatch::new_empty(schema.clone()))?;
        to.write_all(&text)?;
        Ok(Csv { to })
    }
}

impl Rows for Csv {
    fn write(&mut self, rows: &RecordBatch) -> Result<usize> {
        // To memory first: a reader that went away is then told from all other errors.
        let mut text = Vec::new();
        let builder = csv::WriterBuilder::new().with_header(false);
        builder.build(&mut text).write(rows)?;
        self.to.write_all(&text)?;
        Ok(rows.num_rows())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<String>> {
        self.to.complete()?;
        Ok(Vec::new())
    }
}

pub struct Json {
    to: Box<dyn Sink>,
}

impl Json {
    pub fn new(to: Box<dyn Sink>) -> Self {
        Json { to }
    }
}

impl Rows for Json {
    fn write(&mut self, rows: &RecordBatch) -> Result<usize> {
        let builder = WriterBuilder::new().with_explicit_nulls(true);
        let mut writer: LineDelimitedWriter<Vec<u8>> =
            builder.build::<_, LineDelimited>(Vec::new());
        writer.write(rows)?;
        writer.finish()?;
        self.to.write_all(&writer.into_inner())?;
        Ok(rows.num_rows())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<String>> {
        self.to.complete()?;
        Ok(Vec::new())
    }
}
