//! Printing the results.

use arrow::record_batch::RecordBatch;

use crate::Measured;

pub fn speeds(measured: &[Measured], rows: usize) {
    let rows = rows as f64;
    println!(
        "\n{:26}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}  (million rows/s)",
        "", "bytes/row", "encode", "decode", "int", "double", "string", "as views"
    );
    let speed = |seconds: f64| format!("{:.3}", rows / seconds / 1e6);
    for m in measured {
        let bytes = m.bytes.iter().sum::<usize>() as f64 / rows;
        let [int, double, string, views] = m
            .column_seconds
            .map(|seconds| seconds.map_or("-".to_owned(), speed));
        println!(
            "{:26}{bytes:>10.3}{:>10}{:>10}{int:>10}{double:>10}{string:>10}{views:>10}",
            m.name,
            speed(m.encode_seconds),
            speed(m.decode_seconds),
        );
    }
}

pub fn statistics(seconds: f64, rows: usize) {
    let speed = rows as f64 / seconds / 1e6;
    println!("\nstatistics of all columns: {speed:.3} million rows/s");
}

/// Prints the columns that exceed Parquet the most.
pub fn worst(encoder: &Measured, parquet: &Measured, rows: &RecordBatch) {
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
