//! Blobs of the columnar format.

use std::hint::black_box;

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use bakeoff_columnar::internals::Codec;
use bakeoff_columnar::{ColumnStats, Kind, Profile};
use bytes::Bytes;

use crate::input::Columns;
use crate::timing::{timed, timed_columns};
use crate::{Measured, Result};

pub fn measure(
    name: &'static str,
    profile: Profile,
    chunks: &[RecordBatch],
    columns: &Columns,
) -> Result<Measured> {
    let codec = Codec::shared();
    let kinds = kinds(&chunks[0])?;
    let encode = |chunk: &RecordBatch| -> Result<Vec<Bytes>> {
        let columns = chunk.columns().iter().zip(&kinds);
        columns
            .map(|(values, kind)| Ok(codec.encode(profile, *kind, values)?))
            .collect()
    };
    let (encode_seconds, blobs) = timed(|| chunks.iter().map(encode).collect::<Result<Vec<_>>>())?;
    let decode = |column: usize, views: bool| -> Result<()> {
        let kind = kinds[column];
        for (chunk, blobs) in chunks.iter().zip(&blobs) {
            let rows = chunk.num_rows();
            black_box(if views {
                codec.decode_views(&blobs[column], kind, rows, 0..rows)?
            } else {
                codec.decode(&blobs[column], kind, rows)?
            });
        }
        Ok(())
    };
    let decode_all = || (0..kinds.len()).try_for_each(|column| decode(column, false));
    let (decode_seconds, ()) = timed(decode_all)?;
    check(chunks, &blobs, &kinds)?;
    Ok(Measured {
        name,
        bytes: (0..kinds.len())
            .map(|column| blobs.iter().map(|blobs| blobs[column].len()).sum())
            .collect(),
        encode_seconds,
        decode_seconds,
        column_seconds: timed_columns(columns.each(), decode)?,
    })
}

fn kinds(rows: &RecordBatch) -> Result<Vec<Kind>> {
    let kind =
        |column: &ArrayRef| Kind::from_data_type(column.data_type()).ok_or("a column of no kind");
    Ok(rows
        .columns()
        .iter()
        .map(kind)
        .collect::<std::result::Result<_, _>>()?)
}

fn check(chunks: &[RecordBatch], blobs: &[Vec<Bytes>], kinds: &[Kind]) -> Result<()> {
    for (chunk, blobs) in chunks.iter().zip(blobs) {
        for (column, blob) in blobs.iter().enumerate() {
            let decoded = Codec::shared().decode(blob, kinds[column], chunk.num_rows())?;
            if &decoded != chunk.column(column) {
                let name = chunk.schema().field(column).name().clone();
                return Err(format!("{name} does not come back as it was").into());
            }
        }
    }
    Ok(())
}

/// Returns the seconds that the statistics of all columns take.
pub fn statistics(chunks: &[RecordBatch]) -> Result<f64> {
    let (seconds, ()) = timed(|| {
        for chunk in chunks {
            for (values, kind) in chunk.columns().iter().zip(kinds(chunk)?) {
                black_box(ColumnStats::new(kind, values, None)?);
            }
        }
        Ok(())
    })?;
    Ok(seconds)
}
