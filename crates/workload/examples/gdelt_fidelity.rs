//! Compares generated GDELT events with a sample of real ones, column by column: distinct values,
//! share of nulls, and bytes per row in Parquet with zstd.
//!
//! `cargo run --release -p bakeoff-workload --example gdelt_fidelity -- SAMPLE.tsv`

use std::collections::HashSet;
use std::error::Error;
use std::path::{Path, PathBuf};

use arrow::array::Array;
use arrow::compute::concat_batches;
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use bakeoff_workload::{RowSource, Workload, source};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

const BATCH_ROWS: usize = 8_192;

/// First rows of the stretches of generated rows that are compared: the first stretch column by
/// column, the others in total, since a stretch as short as the sample differs from the next one.
const STRETCHES: [u64; 10] = [
    0, 710, 100_000, 500_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000, 3_000_000, 4_000_000,
];

fn main() -> Result<(), Box<dyn Error>> {
    let sample = std::env::args_os()
        .nth(1)
        .ok_or("usage: gdelt_fidelity SAMPLE.tsv")?;
    let workload = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads/formats.toml");
    let workload = Workload::read(&workload)?;

    let sample = source::open(&workload, Some(PathBuf::from(sample)))?;
    let sample = read_rows(sample.as_ref(), 0, usize::MAX)?;
    let generator = source::open(&workload, None)?;
    let stretch = |from| profile(&read_rows(generator.as_ref(), from, sample.num_rows())?);
    let stretches = STRETCHES
        .map(stretch)
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;

    let sample_profile = profile(&sample)?;
    println!("{} rows, sample / generated", sample.num_rows());
    print_columns(&sample_profile, &stretches[0]);
    print_totals(&sample_profile, &stretches);
    Ok(())
}

fn read_rows(
    source: &dyn RowSource,
    from: u64,
    rows: usize,
) -> Result<RecordBatch, Box<dyn Error>> {
    let mut batches = Vec::new();
    let mut missing = rows;
    for batch in source.read(from, BATCH_ROWS)? {
        let batch = batch?.rows;
        let batch = batch.slice(0, batch.num_rows().min(missing));
        missing -= batch.num_rows();
        batches.push(batch);
        if missing == 0 {
            break;
        }
    }
    Ok(concat_batches(&source.schema(), &batches)?)
}

/// Measures of one column that are compared.
struct Profile {
    name: String,
    distinct: usize,
    nulls: f64,
    bytes_per_row: f64,
}

fn profile(rows: &RecordBatch) -> Result<Vec<Profile>, Box<dyn Error>> {
    let bytes = parquet_bytes(rows)?;
    let columns = rows
        .schema_ref()
        .fields()
        .iter()
        .zip(rows.columns())
        .zip(bytes);
    columns
        .map(|((field, values), bytes)| {
            Ok(Profile {
                name: field.name().clone(),
                distinct: distinct(values)?,
                nulls: values.null_count() as f64 / rows.num_rows() as f64,
                bytes_per_row: bytes as f64 / rows.num_rows() as f64,
            })
        })
        .collect()
}

fn distinct(values: &dyn Array) -> Result<usize, Box<dyn Error>> {
    let options = FormatOptions::default();
    let texts = ArrayFormatter::try_new(values, &options)?;
    let present = (0..values.len()).filter(|row| values.is_valid(*row));
    Ok(present
        .map(|row| texts.value(row).to_string())
        .collect::<HashSet<_>>()
        .len())
}

/// Returns the compressed bytes of each column.
fn parquet_bytes(rows: &RecordBatch) -> Result<Vec<i64>, Box<dyn Error>> {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let properties = WriterProperties::builder().set_compression(zstd).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties))?;
    writer.write(rows)?;
    let metadata = writer.finish()?;
    let columns = rows.num_columns();
    let bytes = |column| {
        metadata
            .row_groups()
            .iter()
            .map(|group| group.column(column).compressed_size())
            .sum()
    };
    Ok((0..columns).map(bytes).collect())
}

fn print_columns(sample: &[Profile], generated: &[Profile]) {
    println!(
        "{:22}{:>15}{:>19}{:>19}",
        "column", "distinct", "null share", "bytes per row"
    );
    for (sample, generated) in sample.iter().zip(generated) {
        println!(
            "{:22}{:>7} /{:>6}{:>10.3} /{:>7.3}{:>10.2} /{:>7.2}",
            sample.name,
            sample.distinct,
            generated.distinct,
            sample.nulls,
            generated.nulls,
            sample.bytes_per_row,
            generated.bytes_per_row,
        );
    }
}

fn print_totals(sample: &[Profile], stretches: &[Vec<Profile>]) {
    let total = |columns: &[Profile]| -> f64 { columns.iter().map(|c| c.bytes_per_row).sum() };
    let sample = total(sample);
    println!("total bytes per row of the sample: {sample:.1}");
    for (from, stretch) in STRETCHES.iter().zip(stretches) {
        let generated = total(stretch);
        let percent = (generated / sample - 1.0) * 100.0;
        println!("total from generated row {from:>9}: {generated:.1}, {percent:+.1} %");
    }
}
