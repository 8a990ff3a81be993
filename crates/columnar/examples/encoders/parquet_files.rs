//! Parquet files with zstd, for comparison.

use std::hint::black_box;
use std::sync::Arc;

use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::input::Columns;
use crate::timing::{timed, timed_columns};
use crate::{Measured, Result};

/// The number of rows in a batch, which is that of DataFusion.
const READ_ROWS: usize = 8_192;

/// Measures one file for each batch, with one row group.
pub fn measure(name: &'static str, batches: &[RecordBatch], columns: &Columns) -> Result<Measured> {
    let write = |batch: &RecordBatch| -> Result<(Bytes, Vec<usize>)> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_max_row_group_row_count(Some(batch.num_rows()))
            .build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
        writer.write(batch)?;
        let metadata = writer.finish()?;
        let bytes = |column: usize| {
            let groups = metadata.row_groups().iter();
            let sizes = groups.map(|group| group.column(column).compressed_size());
            usize::try_from(sizes.sum::<i64>())
        };
        let bytes = (0..batch.num_columns()).map(bytes);
        let bytes = bytes.collect::<std::result::Result<_, _>>()?;
        Ok((Bytes::from(std::mem::take(writer.inner_mut())), bytes))
    };
    let (encode_seconds, files) = timed(|| batches.iter().map(write).collect::<Result<Vec<_>>>())?;
    let read = |column: Option<usize>, views: bool| -> Result<()> {
        for (file, _) in &files {
            let options = if views {
                ArrowReaderOptions::new().with_schema(with_views(batches[0].schema()))
            } else {
                ArrowReaderOptions::new()
            };
            let reader =
                ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options)?;
            let mask = match column {
                Some(column) => ProjectionMask::roots(reader.parquet_schema(), [column]),
                None => ProjectionMask::all(),
            };
            let reader = reader.with_projection(mask).with_batch_size(READ_ROWS);
            for batch in reader.build()? {
                black_box(batch?);
            }
        }
        Ok(())
    };
    let (decode_seconds, ()) = timed(|| read(None, false))?;
    let decode = |column: usize, views: bool| read(Some(column), views);
    let column_seconds = timed_columns(columns.each(), decode)?;
    let mut bytes = vec![0; batches[0].num_columns()];
    for (_, sizes) in &files {
        bytes.iter_mut().zip(sizes).for_each(|(sum, b)| *sum += b);
    }
    Ok(Measured {
        name,
        bytes,
        encode_seconds,
        decode_seconds,
        column_seconds,
    })
}

/// Returns the schema of the same columns with texts as views.
fn with_views(schema: SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Utf8 => field.as_ref().clone().with_data_type(DataType::Utf8View),
        _ => field.as_ref().clone(),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
