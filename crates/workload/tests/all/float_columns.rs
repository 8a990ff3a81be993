//! Columns of floats of 32 bits: what is read into them, what is refused, and when a file becomes one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float32Array, Float64Array, Int64Array};
use arrow::datatypes::{DataType, Float32Type};
use bakeoff_workload::infer::{Asked, infer};
use bakeoff_workload::{ColumnType, Workload, source};

use crate::scaled_sample::{parse, read};
use crate::typed_columns::{assert_refused, error, made, parquet_of_series};

const TABLE: &str = "[table]\nname = 't'\npartition_key = ['sensor']\norder_key = ['time']\n\
                     [table.columns]\nsensor = 'text'\ntime = 'timestamp'\nvalue = 'float'\n";

/// Writes a Parquet file of three series with these values.
fn parquet(folder: &Path, values: ArrayRef) -> PathBuf {
    parquet_of_series(folder, (3, 60_000), ("value", values))
}

#[test]
fn stored_floats_stay_and_doubles_have_to_fit() {
    let folder = tempfile::tempdir().unwrap();
    let workload = parse("requires = '--data'", TABLE).unwrap();
    let stored = Float32Array::from(vec![Some(0.1), None, Some(f32::NAN), Some(-0.0)]);
    let path = parquet(folder.path(), Arc::new(stored));
    let rows = read(&*source::open(&workload, Some(path)).unwrap());
    assert_eq!(rows.schema().field(2).data_type(), &DataType::Float32);
    let bits = |value: Option<f32>| value.map(f32::to_bits);
    let values = rows.column(2).as_primitive::<Float32Type>();
    let values: Vec<_> = values.iter().map(bits).collect();
    let expected = [Some(0.1), None, Some(f32::NAN), Some(-0.0)].map(bits);
    assert_eq!(values, expected);

    let halves = Float64Array::from(vec![0.5, -2.0, f64::INFINITY]);
    let path = parquet(folder.path(), Arc::new(halves));
    let rows = read(&*source::open(&workload, Some(path)).unwrap());
    let values = rows
        .column(2)
        .as_primitive::<Float32Type>()
        .values()
        .to_vec();
    assert_eq!(values, [0.5, -2.0, f32::INFINITY]);

    let tenth = Float64Array::from(vec![0.5, 0.1]);
    let tenth = error(&workload, parquet(folder.path(), Arc::new(tenth)));
    assert!(
        tenth.ends_with("row 2: column `value`: `0.1` (Float64) is not exactly a float"),
        "{tenth}"
    );
    let odd = Int64Array::from(vec![1, (1 << 24) + 1]);
    let odd = error(&workload, parquet(folder.path(), Arc::new(odd)));
    assert!(odd.contains("is not exactly a float"), "{odd}");
}

#[test]
fn texts_become_the_nearest_floats() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    std::fs::write(&path, "sensor,time,value\na,0,0.1\na,1,\na,2,16777217\n").unwrap();
    let workload = parse("requires = '--data'", TABLE).unwrap();
    let rows = read(&*source::open(&workload, Some(path.clone())).unwrap());
    let values: Vec<_> = rows
        .column(2)
        .as_primitive::<Float32Type>()
        .iter()
        .collect();
    assert_eq!(values, [Some(0.1), None, Some(16_777_216.0)]);
    std::fs::write(&path, "sensor,time,value\na,0,1e39\n").unwrap();
    let large = error(&workload, path);
    assert!(
        large.contains("`1e39` is not a float (a number of up to 3.4e38)"),
        "{large}"
    );
    assert!(large.contains("make the column `double`"), "{large}");
}

#[test]
fn a_file_with_floats_keeps_them_and_texts_become_doubles() {
    let folder = tempfile::tempdir().unwrap();
    let values = (0..60_u16).map(|row| f32::from(row) / 10.0);
    let values = Float32Array::from_iter_values(values);
    let path = parquet(folder.path(), Arc::new(values));
    let found = infer(&path, &Asked::default()).unwrap();
    assert_eq!(found.columns[2].kind, ColumnType::Float);
    let text = found.workload("rows.parquet", &["memory".to_owned()], &[]);
    assert!(text.contains("value = \"float\""), "{text}");
    assert!(text.contains("avg(value)"), "{text}");
    let workload = Workload::parse(&text, Path::new("x.toml")).unwrap();
    assert_eq!(workload.table.columns[2].kind, ColumnType::Float);

    let path = folder.path().join("rows.csv");
    std::fs::write(
        &path,
        "sensor,time,value\na,2024-01-01,1.5\na,2024-01-02,2\n",
    )
    .unwrap();
    let found = infer(&path, &Asked::default()).unwrap();
    assert_eq!(found.columns[2].kind, ColumnType::Double);
}

#[test]
fn generated_floats_are_the_same_in_batches_and_one_by_one() {
    let table = "[table]\nname = 't'\npartition_key = ['k']\n[table.columns]\nk = 'text'\n\
                 n = 'float'\nu = 'float'\nc = 'float'\n";
    let data = "generator = 'columns'\n[data.columns]\nk = { sequence = {}, prefix = 'k' }\n\
                n = { normal = { mean = 100, deviation = 5 } }\nu = { uniform = [0, 0.5] }\n\
                c = { choice = [0.1, 2] }";
    let workload = parse(data, table).unwrap();
    let (rows, _) = made(&workload, 1..4, ColumnType::Float);
    let drawn = rows.column(1).as_primitive::<Float32Type>().values();
    assert!(drawn.iter().any(|value| value.fract() != 0.0));
    let refused = [
        (
            "[0.1, 2]",
            "[1e39]",
            "is not a value of column `c`, which is float",
        ),
        (
            "[0, 0.5]",
            "[0, 1e39]",
            "1e39 does not fit column `u`, which is float (up to 3.4e38); make it double",
        ),
        (
            "mean = 100",
            "mean = -1e39",
            "-1e39 does not fit column `n`, which is float",
        ),
    ];
    assert_refused(data, table, &refused);
}

#[test]
fn a_sample_of_floats_grows_with_the_decimals_that_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let values = (0..600_u32).map(|row| (row * 103 % 977) as f32 / 10.0);
    let values = Float32Array::from_iter_values(values);
    let path = parquet(folder.path(), Arc::new(values));
    let data = "requires = '--data'\nscale_sample = { rows = 3_000, along = 'time' }";
    let workload = parse(data, TABLE).unwrap();
    let rows = read(&*source::open(&workload, Some(path)).unwrap());
    assert_eq!(rows.num_rows(), 3_000);
    let values = rows.column(2).as_primitive::<Float32Type>().values();
    for value in values.iter() {
        let written = value.to_string();
        let decimals = written
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        assert!(decimals <= 1, "{value}");
        assert!((0.0..97.7).contains(value), "{value}");
    }
    assert!(values[600..].iter().zip(values.iter()).any(|(a, b)| a != b));
}

#[test]
fn counters_of_floats_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let values = (0..300_u16).map(|row| f32::from(row / 3) / 4.0);
    let values = Float32Array::from_iter_values(values);
    let path = parquet(folder.path(), Arc::new(values));
    let data = "requires = '--data'\nscale_sample = { rows = 600, along = 'time' }";
    let workload = parse(data, TABLE).unwrap();
    let rows = read(&*source::open(&workload, Some(path)).unwrap());
    let values = rows.column(2).as_primitive::<Float32Type>().values();
    let most = values.iter().copied().fold(0.0, f32::max);
    assert!((49.0..=50.0).contains(&most), "{most}");
}
