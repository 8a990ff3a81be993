//! Compares the encoder's profiles with Parquet zstd on the rows of a workload: bytes per row,
//! rows encoded and decoded per second, and the columns that come off worst.
//!
//! ```sh
//! cargo run --release --example encoders -- workloads/formats.toml 1000000 [--chunk 32768]
//!     [--int COLUMN] [--double COLUMN] [--string COLUMN]
//! ```
//!
//! All on one thread, from and to Arrow arrays in memory; times are processor time.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::{SortColumn, cast, concat_batches, lexsort_to_indices, take};
use arrow::datatypes::{Field, Schema};
use arrow::record_batch::RecordBatch;
use bakeoff_columnar::encoding::Codec;
use bakeoff_columnar::meta::ColumnStats;
use bakeoff_columnar::{Kind, Profile};
use bakeoff_workload::{Table, Workload, source};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const LEAST_SECONDS: f64 = 0.3;
const BATCH_ROWS: usize = 8_192;
const USAGE: &str = "usage: encoders WORKLOAD.toml ROWS [--chunk ROWS] [--int COLUMN] \
                     [--double COLUMN] [--string COLUMN]";

fn main() -> Result<()> {
    let arguments = Arguments::read()?;
    let workload = Workload::read(Path::new(&arguments.workload))?;
    let rows = sorted_rows(&workload, arguments.rows)?;
    let columns = Columns::choose(&arguments, &workload.table, &rows)?;
    let chunks = chunks(&rows, arguments.chunk);
    println!(
        "{} rows x {} columns in {} chunks of {}; int {}, double {}, string {}",
        rows.num_rows(),
        rows.num_columns(),
        chunks.len(),
        arguments.chunk,
        columns.name(&rows, columns.int),
        columns.name(&rows, columns.double),
        columns.name(&rows, columns.string),
    );
    let measured = [
        parquet("parquet zstd", std::slice::from_ref(&rows), &columns)?,
        parquet("parquet zstd, per chunk", &chunks, &columns)?,
        ours("fast", Profile::Fast, &chunks, &columns)?,
        ours("compact", Profile::Compact, &chunks, &columns)?,
    ];
    print_speeds(&measured, rows.num_rows());
    print_statistics(&chunks, rows.num_rows())?;
    let parquet = &measured[0];
    for encoder in &measured[2..] {
        print_worst(encoder, parquet, &rows);
    }
    Ok(())
}

struct Arguments {
    workload: String,
    rows: usize,
    chunk: usize,
    int: Option<String>,
    double: Option<String>,
    string: Option<String>,
}

impl Arguments {
    fn read() -> Result<Self> {
        let mut given = std::env::args().skip(1);
        let (Some(workload), Some(rows)) = (given.next(), given.next()) else {
            return Err(USAGE.into());
        };
        let mut arguments = Arguments {
            workload,
            rows: rows.parse()?,
            chunk: bakeoff_columnar::definition::CHUNK_ROWS as usize,
            int: None,
            double: None,
            string: None,
        };
        while let Some(flag) = given.next() {
            let value = given.next().ok_or(USAGE)?;
            match flag.as_str() {
                "--chunk" => arguments.chunk = value.parse::<usize>()?.max(1),
                "--int" => arguments.int = Some(value),
                "--double" => arguments.double = Some(value),
                "--string" => arguments.string = Some(value),
                _ => return Err(USAGE.into()),
            }
        }
        Ok(arguments)
    }
}

/// The workload's first rows as a columnar table keeps them: each column of a kind, by key.
fn sorted_rows(workload: &Workload, rows: usize) -> Result<RecordBatch> {
    let source = source::open(workload, None)?;
    let mut batches = Vec::new();
    let mut missing = rows;
    for batch in source.read(0, BATCH_ROWS)? {
        let batch = batch?.rows;
        let batch = batch.slice(0, batch.num_rows().min(missing));
        missing -= batch.num_rows();
        batches.push(batch);
        if missing == 0 {
            break;
        }
    }
    let unsorted = concat_batches(&source.schema(), &batches)?;
    let sort_columns = key_names(&workload.table).map(|name| {
        let values = unsorted.column_by_name(name).ok_or("a key without column");
        Ok(SortColumn {
            values: values?.clone(),
            options: None,
        })
    });
    let order = lexsort_to_indices(&sort_columns.collect::<Result<Vec<_>>>()?, None)?;
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, values) in unsorted.schema().fields().iter().zip(unsorted.columns()) {
        let kind = Kind::of(field.data_type()).ok_or("a column of no kind")?;
        fields.push(Field::new(field.name(), kind.data_type(), true));
        columns.push(take(&cast(values, &kind.data_type())?, &order, None)?);
    }
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

fn key_names(table: &Table) -> impl Iterator<Item = &String> {
    table.partition_key.iter().chain(&table.order_key)
}

fn chunks(rows: &RecordBatch, chunk_rows: usize) -> Vec<RecordBatch> {
    let starts = (0..rows.num_rows()).step_by(chunk_rows);
    starts
        .map(|start| rows.slice(start, chunk_rows.min(rows.num_rows() - start)))
        .collect()
}

/// Numbers of the columns that are decoded on their own.
struct Columns {
    int: Option<usize>,
    double: Option<usize>,
    string: Option<usize>,
}

impl Columns {
    /// The named ones, or the first of each kind outside the key.
    fn choose(arguments: &Arguments, table: &Table, rows: &RecordBatch) -> Result<Self> {
        let schema = rows.schema();
        let choose = |name: &Option<String>, kinds: &[Kind]| match name {
            Some(name) => schema.index_of(name).map(Some),
            None => Ok(schema.fields().iter().position(|field| {
                kinds
                    .iter()
                    .any(|kind| &kind.data_type() == field.data_type())
                    && !key_names(table).any(|key| key == field.name())
            })),
        };
        Ok(Columns {
            int: choose(&arguments.int, &[Kind::Int, Kind::Bigint])?,
            double: choose(&arguments.double, &[Kind::Double, Kind::Float])?,
            string: choose(&arguments.string, &[Kind::Text])?,
        })
    }

    fn each(&self) -> [Option<usize>; 3] {
        [self.int, self.double, self.string]
    }

    fn name(&self, rows: &RecordBatch, column: Option<usize>) -> String {
        column.map_or("-".to_owned(), |i| rows.schema().field(i).name().clone())
    }
}

struct Measured {
    name: &'static str,
    /// Of each column.
    bytes: Vec<usize>,
    encode_seconds: f64,
    decode_seconds: f64,
    /// Of the int, the double and the string.
    column_seconds: [Option<f64>; 3],
}

/// Mean processor time of this thread, in seconds, over so many runs that it means something.
fn timed<T>(mut run: impl FnMut() -> Result<T>) -> Result<(f64, T)> {
    let start = processor_seconds()?;
    let mut runs = 0.0;
    loop {
        let value = black_box(run()?);
        runs += 1.0;
        let seconds = processor_seconds()? - start;
        if seconds >= LEAST_SECONDS {
            return Ok((seconds / runs, value));
        }
    }
}

/// What Linux has counted of this thread, which other load on the machine does not change.
fn processor_seconds() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split(' ').next().ok_or("no processor time")?;
    Ok(nanoseconds.parse::<f64>()? / 1e9)
}

fn ours(
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
    let decode = |column: usize| -> Result<()> {
        for (chunk, blobs) in chunks.iter().zip(&blobs) {
            black_box(codec.decode(&blobs[column], kinds[column], chunk.num_rows())?);
        }
        Ok(())
    };
    let (decode_seconds, ()) = timed(|| (0..kinds.len()).try_for_each(decode))?;
    check(chunks, &blobs, &kinds)?;
    let mut column_seconds = [None; 3];
    for (seconds, column) in column_seconds.iter_mut().zip(columns.each()) {
        *seconds = column
            .map(|column| timed(|| decode(column)))
            .transpose()?
            .map(|(seconds, ())| seconds);
    }
    Ok(Measured {
        name,
        bytes: (0..kinds.len())
            .map(|column| blobs.iter().map(|blobs| blobs[column].len()).sum())
            .collect(),
        encode_seconds,
        decode_seconds,
        column_seconds,
    })
}

fn kinds(rows: &RecordBatch) -> Result<Vec<Kind>> {
    let kind = |column: &ArrayRef| Kind::of(column.data_type()).ok_or("a column of no kind");
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

/// One file for each batch, with one row group.
fn parquet(name: &'static str, batches: &[RecordBatch], columns: &Columns) -> Result<Measured> {
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
    let read = |column: Option<usize>| -> Result<()> {
        for (file, _) in &files {
            let reader = ParquetRecordBatchReaderBuilder::try_new(file.clone())?;
            let mask = match column {
                Some(column) => ProjectionMask::roots(reader.parquet_schema(), [column]),
                None => ProjectionMask::all(),
            };
            let reader = reader.with_projection(mask).with_batch_size(BATCH_ROWS);
            for batch in reader.build()? {
                black_box(batch?);
            }
        }
        Ok(())
    };
    let (decode_seconds, ()) = timed(|| read(None))?;
    let mut column_seconds = [None; 3];
    for (seconds, column) in column_seconds.iter_mut().zip(columns.each()) {
        *seconds = column
            .map(|column| timed(|| read(Some(column))))
            .transpose()?
            .map(|(seconds, ())| seconds);
    }
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

fn print_speeds(measured: &[Measured], rows: usize) {
    let rows = rows as f64;
    println!(
        "\n{:26}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}  (million rows/s)",
        "", "bytes/row", "encode", "decode", "int", "double", "string"
    );
    let speed = |seconds: f64| format!("{:.3}", rows / seconds / 1e6);
    for m in measured {
        let bytes = m.bytes.iter().sum::<usize>() as f64 / rows;
        let [int, double, string] = m
            .column_seconds
            .map(|seconds| seconds.map_or("-".to_owned(), speed));
        println!(
            "{:26}{bytes:>10.3}{:>10}{:>10}{int:>10}{double:>10}{string:>10}",
            m.name,
            speed(m.encode_seconds),
            speed(m.decode_seconds),
        );
    }
}

fn print_statistics(chunks: &[RecordBatch], rows: usize) -> Result<()> {
    let (seconds, ()) = timed(|| {
        for chunk in chunks {
            for (values, kind) in chunk.columns().iter().zip(kinds(chunk)?) {
                black_box(ColumnStats::of(kind, values, None)?);
            }
        }
        Ok(())
    })?;
    let speed = rows as f64 / seconds / 1e6;
    println!("\nstatistics of all columns: {speed:.3} million rows/s");
    Ok(())
}

fn print_worst(encoder: &Measured, parquet: &Measured, rows: &RecordBatch) {
    let count = rows.num_rows() as f64;
    let mut columns: Vec<usize> = (0..encoder.bytes.len()).collect();
    let ratio = |column: usize| encoder.bytes[column] as f64 / parquet.bytes[column] as f64;
    let excess = |column: usize| encoder.bytes[column] as f64 - parquet.bytes[column] as f64;
    columns.sort_by(|a, b| excess(*b).total_cmp(&excess(*a)));
    println!(
        "\n{:26}{:>10}{:>10}{:>10}",
        format!("{}: most in excess", encoder.name),
        "bytes/row",
        "parquet",
        "ratio"
    );
    for column in columns.into_iter().take(10) {
        println!(
            "{:26}{:>10.3}{:>10.3}{:>10.2}",
            rows.schema().field(column).name(),
            encoder.bytes[column] as f64 / count,
            parquet.bytes[column] as f64 / count,
            ratio(column),
        );
    }
}
