//! Compares the encoder's profiles with Parquet zstd on the rows of a workload: bytes per row,
//! rows encoded and decoded per second, and the columns that do worst.
//!
//! ```sh
//! cargo run --release --example encoders -- workloads/formats.toml 1000000 [--chunk 32768]
//!     [--int COLUMN] [--double COLUMN] [--string COLUMN]
//! ```
//!
//! All work is on one thread, from and to Arrow arrays in memory. Times are processor time.

mod input;
mod ours;
mod parquet_files;
mod report;
mod timing;

use std::error::Error;
use std::path::Path;

use bakeoff_columnar::Profile;
use bakeoff_workload::Workload;
use input::{Arguments, Columns};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments = Arguments::read()?;
    let workload = Workload::read(Path::new(&arguments.workload))?;
    let rows = input::sorted_rows(&workload, arguments.rows)?;
    let columns = Columns::choose(&arguments, &workload.table, &rows)?;
    let chunks = input::chunks(&rows, arguments.chunk);
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
        parquet_files::measure("parquet zstd", std::slice::from_ref(&rows), &columns)?,
        parquet_files::measure("parquet zstd, per chunk", &chunks, &columns)?,
        ours::measure("fast", Profile::Fast, &chunks, &columns)?,
        ours::measure("compact", Profile::Compact, &chunks, &columns)?,
    ];
    report::speeds(&measured, rows.num_rows());
    report::statistics(ours::statistics(&chunks)?, rows.num_rows());
    let parquet = &measured[0];
    for encoder in &measured[2..] {
        report::worst(encoder, parquet, &rows);
    }
    Ok(())
}

/// The bytes and times that one encoder needs.
struct Measured {
    name: &'static str,
    /// The bytes of each column.
    bytes: Vec<usize>,
    encode_seconds: f64,
    decode_seconds: f64,
    /// The seconds for the int, the double, the string, and the string as views.
    column_seconds: [Option<f64>; 4],
}
