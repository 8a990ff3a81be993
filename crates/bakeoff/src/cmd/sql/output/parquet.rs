//! Writes rows as a Parquet file.

use anyhow::Result;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::Rows;
use crate::out_file::OutFile;

/// Size at which a row group is written; until then it is held in memory.
const ROW_GROUP_BYTES: usize = 64 << 20;

pub struct Parquet {
    writer: ArrowWriter<OutFile>,
}

impl Parquet {
    pub fn new(file: OutFile, schema: &SchemaRef) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))?;
        Ok(Parquet { writer })
    }
}

impl Rows for Parquet {
    fn write(&mut self, rows: &RecordBatch) -> Result<usize> {
        self.writer.write(rows)?;
        if self.writer.memory_size() > ROW_GROUP_BYTES {
            self.writer.flush()?;
        }
        Ok(rows.num_rows())
    }

    fn finish(self: Box<Self>) -> Result<Vec<String>> {
        self.writer.into_inner()?.complete()?;
        Ok(Vec::new())
    }
}
