//! Writes rows as CSV, and as one JSON object per line.

use anyhow::{Result, anyhow};
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::csv;
use arrow::datatypes::{DataType, Float16Type, Float32Type, Float64Type, SchemaRef};
use arrow::json::LineDelimitedWriter;
use arrow::json::writer::{LineDelimited, WriterBuilder};

use super::{Rows, Sink};
use crate::exit::Misuse;
use crate::terminal::json;

pub struct Csv {
    to: Box<dyn Sink>,
}

impl Csv {
    /// Writes the names of the columns, even if no row follows.
    ///
    /// # Errors
    /// Fails for a column whose values have parts, since a cell of CSV holds one value.
    pub fn new(mut to: Box<dyn Sink>, schema: &SchemaRef) -> Result<Self> {
        let nested = schema.fields().iter().find(|f| f.data_type().is_nested());
        if let Some(field) = nested {
            let (name, kind) = (field.name(), field.data_type());
            return Err(Misuse::new(anyhow!(
                "column `{name}` is {kind}, which a cell of CSV cannot hold; --format json can"
            ))
            .into());
        }
        let mut text = Vec::new();
        csv::Writer::new(&mut text).write(&RecordBatch::new_empty(schema.clone()))?;
        to.write_all(&text)?;
        Ok(Csv { to })
    }
}

impl Rows for Csv {
    fn write(&mut self, rows: &RecordBatch) -> Result<usize> {
        // Rows are encoded in memory first, so that an error of the output is not hidden in one of CSV.
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
    /// Whether what a terminal would act on is escaped.
    escapes: bool,
    /// Whether there was a NaN or an infinity, which JSON cannot express.
    was_not_finite: bool,
}

impl Json {
    pub fn new(to: Box<dyn Sink>, escapes: bool) -> Self {
        Json {
            to,
            escapes,
            was_not_finite: false,
        }
    }
}

impl Rows for Json {
    fn write(&mut self, rows: &RecordBatch) -> Result<usize> {
        let builder = WriterBuilder::new().with_explicit_nulls(true);
        let mut writer: LineDelimitedWriter<Vec<u8>> =
            builder.build::<_, LineDelimited>(Vec::new());
        writer.write(rows)?;
        writer.finish()?;
        let lines = writer.into_inner();
        if self.escapes {
            let escaped = json(&String::from_utf8_lossy(&lines));
            self.to.write_all(escaped.as_bytes())?;
        } else {
            self.to.write_all(&lines)?;
        }
        self.was_not_finite |= rows.columns().iter().any(has_not_finite);
        Ok(rows.num_rows())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<String>> {
        self.to.complete()?;
        const NOTE: &str = "JSON has no NaN and no infinities: they are written as null; --format \
                            csv and parquet keep them";
        if self.was_not_finite {
            Ok(vec![NOTE.to_owned()])
        } else {
            Ok(Vec::new())
        }
    }
}

/// Returns whether there is a NaN or an infinity, also in lists and structs.
fn has_not_finite(array: &ArrayRef) -> bool {
    match array.data_type() {
        DataType::Float16 => array
            .as_primitive::<Float16Type>()
            .iter()
            .any(|v| v.is_some_and(|v| !v.is_finite())),
        DataType::Float32 => array
            .as_primitive::<Float32Type>()
            .iter()
            .any(|v| v.is_some_and(|v| !v.is_finite())),
        DataType::Float64 => array
            .as_primitive::<Float64Type>()
            .iter()
            .any(|v| v.is_some_and(|v| !v.is_finite())),
        DataType::List(_) => has_not_finite(array.as_list::<i32>().values()),
        DataType::LargeList(_) => has_not_finite(array.as_list::<i64>().values()),
        DataType::FixedSizeList(..) => has_not_finite(array.as_fixed_size_list().values()),
        DataType::Struct(_) => array.as_struct().columns().iter().any(has_not_finite),
        _ => false,
    }
}
