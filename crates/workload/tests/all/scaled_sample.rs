//! Data files that are a sample of a larger table, and what the rows beyond them keep of the whole one.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, StringArray, TimestampMillisecondArray,
};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Float64Type};
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{
    Error, RowSource, SampleAxis, SampleSize, ScaleSample, Stream, Workload, source,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

const TABLE: &str = "[table]\nname = 't'\npartition_key = ['sensor']\norder_key = ['time']\n\
                     [table.columns]\nsensor = 'text'\ntime = 'timestamp'\nvalue = 'double'\n";
const QUERY: &str = "[[queries]]\nname = 'q'\nsql = 'SELECT 1'\n";

pub fn parse(data: &str, table: &str) -> Result<Workload, Error> {
    let text = format!("title = 'x'\n[data]\n{data}\n{table}{QUERY}");
    Workload::parse(&text, Path::new("x.toml"))
}

fn error(data: &str) -> String {
    parse(data, TABLE).unwrap_err().to_string()
}

#[test]
fn rows_and_axis_or_words_say_how_a_sample_grows() {
    let by_rows = "file = 'x.csv'\nscale_sample = { rows = 10_000_000, along = 'time' }";
    let workload = parse(by_rows, TABLE).unwrap();
    let scaled = workload.scale_sample.unwrap();
    let rows = SampleSize::Rows(10_000_000);
    assert_eq!(scaled, ScaleSample::along(SampleAxis::Time, rows));
    assert_eq!(workload.scale.default_rows, 10_000_000);

    let by_words = "requires = '--data'\ngrow = '50 times the sensors'";
    let scaled = parse(by_words, TABLE).unwrap().scale_sample.unwrap();
    let times = SampleSize::Times(50.0);
    assert_eq!(scaled, ScaleSample::along(SampleAxis::Series, times));
    assert!(
        parse("file = 'x.csv'", TABLE)
            .unwrap()
            .scale_sample
            .is_none()
    );
}

#[test]
fn mistakes_in_how_a_sample_grows_are_refused_with_what_to_write() {
    let both = "file = 'x.csv'\ngrow = 'a year'\nscale_sample = { rows = 5, along = 'time' }";
    for (data, expected) in [
        (both, "keep one of them"),
        (
            "file = 'x.csv'\nscale_sample = { rows = 0, along = 'time' }",
            "has to be at least 1",
        ),
        (
            "file = 'x.csv'\nscale_sample = { rows = 9, along = 'tim' }",
            "did you mean `time`?",
        ),
        (
            "file = 'x.csv'\nscale_sample = { rows = 9 }",
            "the key `along` is missing here",
        ),
        (
            "file = 'x.csv'\nscale_sample = { rows = 9, alon = 'time' }",
            "unknown key `alon`",
        ),
        (
            "file = 'x.csv'\ngrow = 'much'",
            "Write a length of time (`three years`)",
        ),
    ] {
        let error = error(data);
        assert!(error.contains(expected), "{data}: {error}");
    }
    let generated = parse("generator = 'sensor'\ngrow = '2x sensors'", "")
        .unwrap_err()
        .to_string();
    assert!(generated.contains("it needs `file`"), "{generated}");
    let no_time = "[table]\nname = 't'\npartition_key = ['a']\n[table.columns]\na = 'text'\n";
    let data = "file = 'x.csv'\nscale_sample = { rows = 9, along = 'time' }";
    let by_both = "file = 'x.csv'\ngrow = '9 sensors, three years'";
    for data in [data, by_both] {
        let error = parse(data, no_time).unwrap_err().to_string();
        assert!(error.contains("cannot go on in time"), "{error}");
    }
}

#[test]
fn a_sample_from_the_command_line_goes_on_too_and_ends_where_it_is_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    std::fs::write(
        &path,
        "sensor,time,value\na-1,1000,1.5\na-1,2000,\na-2,1000,7\n",
    )
    .unwrap();
    let data = "requires = '--data'\nscale_sample = { rows = 10, along = 'series' }";
    let workload = parse(data, TABLE).unwrap();
    let rows = read(&*source::open(&workload, Some(path)).unwrap());
    assert_eq!(rows.num_rows(), 10);
    let sensors: Vec<_> = rows.column(0).as_string::<i32>().iter().flatten().collect();
    assert_eq!(
        sensors,
        [
            "a-1", "a-1", "a-2", "a-3", "a-3", "a-4", "a-5", "a-5", "a-6", "a-7"
        ]
    );
    // One of two rows of each copy of `a-1`, the last of which has one row.
    assert!((3..=4).contains(&rows.column(2).null_count()));
}

pub fn read(source: &dyn RowSource) -> RecordBatch {
    let batches = source.read(0, 8_192).unwrap();
    let batches: Vec<RecordBatch> = batches.map(|batch| batch.unwrap().rows).collect();
    concat_batches(&source.schema(), &batches).unwrap()
}

const STEPS_OF_A_DAY: usize = 144;
const STEP_MILLISECONDS: i64 = 600_000;
const DAYS_OF_SAMPLE: usize = 3;
const SERIES_OF_SAMPLE: usize = 40;

const WIDE: &str = "[table]\nname = 't'\npartition_key = ['sensor']\norder_key = ['time']\n\
                    [table.columns]\nsensor = 'text'\nsite = 'text'\ntime = 'timestamp'\n\
                    temperature = 'double'\nload = 'double'\nstate = 'text'\ncomputed = 'double'\n";

/// Makes a whole table, time after time: a temperature with a daily cycle, a load that is near to the one before
/// it and has nulls, states that last for a while, and computed numbers.
fn whole(sensors: usize, days: usize) -> RecordBatch {
    let steps = days * STEPS_OF_A_DAY;
    let rows = sensors * steps;
    let (mut temperatures, mut loads) = (vec![0.0; rows], vec![None; rows]);
    let (mut states, mut computed) = (vec!["idle"; rows], vec![0.0; rows]);
    for sensor in 0..sensors {
        let mut draws = Stream::new(&[7, sensor as u64]);
        let mut noise = |deviation: f64| {
            let sum: f64 = (0..12).map(|_| draws.unit()).sum();
            (sum - 6.0) * deviation
        };
        let (mut warm, mut loaded) = (noise(1.6), noise(5.0));
        for step in 0..steps {
            let row = step * sensors + sensor;
            let day = step as f64 / STEPS_OF_A_DAY as f64 * std::f64::consts::TAU;
            warm = 0.95 * warm + noise(0.5);
            loaded = 0.8 * loaded + noise(3.0);
            temperatures[row] = ((20.0 + 8.0 * day.sin() + warm) * 100.0).round() / 100.0;
            let load = ((50.0 + loaded) * 10.0).round() / 10.0;
            loads[row] = (noise(1.0) < 0.84).then_some(load);
            computed[row] = (loaded / 10.0).exp();
            let before = row
                .checked_sub(sensors)
                .map_or("idle", |before| states[before]);
            let next = ["idle", "on", "off", "fault", "test"][(noise(1e6).abs() as usize) % 5];
            states[row] = if noise(1.0) < 0.5 { before } else { next };
        }
    }
    let of_row = |row: usize| row % sensors;
    let names = (0..rows).map(|row| format!("sensor-{:03}", of_row(row)));
    let sites = (0..rows).map(|row| ["north", "south", "east", "west"][of_row(row) % 4]);
    let times = (0..rows).map(|row| (row / sensors) as i64 * STEP_MILLISECONDS);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(names)),
        Arc::new(StringArray::from_iter_values(sites)),
        Arc::new(TimestampMillisecondArray::from_iter_values(times)),
        Arc::new(Float64Array::from(temperatures)),
        Arc::new(Float64Array::from(loads)),
        Arc::new(StringArray::from(states)),
        Arc::new(Float64Array::from(computed)),
    ];
    let workload = parse("file = 'x.parquet'", WIDE).unwrap();
    RecordBatch::try_new(workload.table.schema(), columns).unwrap()
}

/// Writes a sample, lets it grow to ten times its rows, and returns all.
fn grown(sample: &RecordBatch, along: &str) -> RecordBatch {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, sample.schema(), None).unwrap();
    writer.write(sample).unwrap();
    writer.close().unwrap();
    let rows = 10 * sample.num_rows();
    let data =
        format!("requires = '--data'\nscale_sample = {{ rows = {rows}, along = '{along}' }}");
    let workload = parse(&data, WIDE).unwrap();
    read(&*source::open(&workload, Some(path)).unwrap())
}

/// Cells of a column as text, series after series; `null` for nulls.
fn cells(rows: &RecordBatch, column: usize, sensors: usize) -> Vec<Vec<String>> {
    let texts = cast(rows.column(column), &DataType::Utf8).unwrap();
    let texts = texts.as_string::<i32>();
    let steps = rows.num_rows() / sensors;
    let cell = |row: usize| {
        let text = (!texts.is_null(row)).then(|| texts.value(row));
        text.unwrap_or("null").to_owned()
    };
    (0..sensors)
        .map(|sensor| {
            (0..steps)
                .map(|step| cell(step * sensors + sensor))
                .collect()
        })
        .collect()
}

fn different(series: &[Vec<String>]) -> f64 {
    series.iter().flatten().collect::<HashSet<_>>().len() as f64
}

fn mean_length(series: &[Vec<String>]) -> f64 {
    let cells = series.iter().flatten();
    cells.clone().map(String::len).sum::<usize>() as f64 / cells.count() as f64
}

/// Returns the number of runs of equal cells for each row.
fn runs(series: &[Vec<String>]) -> f64 {
    let breaks = |cells: &Vec<String>| cells.windows(2).filter(|w| w[0] != w[1]).count() + 1;
    let rows: usize = series.iter().map(Vec::len).sum();
    series.iter().map(breaks).sum::<usize>() as f64 / rows as f64
}

/// Returns the correlation of neighbours in series, in pairs of which neither is null.
fn autocorrelation(series: &[Vec<String>]) -> f64 {
    let pairs: Vec<(f64, f64)> = { series.iter().flat_map(|cells| cells.windows(2)) }
        .filter_map(|pair| number(&pair[0]).zip(number(&pair[1])))
        .collect();
    let count = pairs.len() as f64;
    let mean = pairs.iter().map(|pair| pair.0).sum::<f64>() / count;
    let product = |(a, b): &(f64, f64)| (a - mean) * (b - mean);
    let square = |(a, _): &(f64, f64)| (a - mean) * (a - mean);
    pairs.iter().map(product).sum::<f64>() / pairs.iter().map(square).sum::<f64>()
}

/// Returns the correlation of two columns of doubles, in rows in which neither is null.
fn correlation(rows: &RecordBatch, one: usize, other: usize) -> f64 {
    let column = |column: usize| rows.column(column).as_primitive::<Float64Type>().iter();
    let pairs = column(one).zip(column(other));
    let pairs: Vec<(f64, f64)> = pairs.filter_map(|(a, b)| a.zip(b)).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let (a, b) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        pairs.iter().map(|pair| of(pair.0 - a, pair.1 - b)).sum()
    };
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok()
}

/// Returns the share of rows of a column of doubles that are in a range.
fn share(rows: &RecordBatch, column: usize, from: f64, to: f64) -> f64 {
    let cells = rows
        .column(column)
        .as_primitive::<Float64Type>()
        .iter()
        .flatten();
    cells.filter(|value| (from..to).contains(value)).count() as f64 / rows.num_rows() as f64
}

/// Returns the bytes of a Parquet file of these rows.
fn parquet_bytes(rows: &RecordBatch) -> f64 {
    let properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
    let properties = Some(properties.build());
    let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), properties).unwrap();
    writer.write(rows).unwrap();
    writer.into_inner().unwrap().len() as f64
}

fn near(name: &str, grown: f64, whole: f64, tolerance: f64) {
    let difference = (grown / whole - 1.0).abs();
    assert!(
        difference <= tolerance,
        "{name}: {grown}, in the whole table {whole}"
    );
}

/// Compares a table that grew with the whole one, of which the sample was a tenth.
fn compare(grown: &RecordBatch, whole: &RecordBatch, sensors: usize) {
    assert_eq!(grown.num_rows(), whole.num_rows());
    for (column, field) in whole.schema().fields().iter().enumerate() {
        let name = field.name().as_str();
        let (ours, real) = (cells(grown, column, sensors), cells(whole, column, sensors));
        // How many rare numbers there are beyond those of the sample is known least.
        let tolerance = match name {
            "temperature" | "load" => 0.2,
            _ => 0.05,
        };
        near(
            &format!("different values of {name}"),
            different(&ours),
            different(&real),
            tolerance,
        );
        near(
            &format!("length of {name}"),
            mean_length(&ours),
            mean_length(&real),
            0.05,
        );
        near(&format!("runs of {name}"), runs(&ours), runs(&real), 0.05);
        if field.data_type() == &DataType::Float64 {
            let (ours, real) = (autocorrelation(&ours), autocorrelation(&real));
            near(&format!("autocorrelation of {name}"), ours, real, 0.05);
        }
    }
    // One column follows from the other one in the whole table, and a temperature from neither.
    let of_computed = correlation(whole, 4, 6);
    assert!(of_computed > 0.9, "{of_computed}");
    near(
        "correlation of load and computed",
        correlation(grown, 4, 6),
        of_computed,
        0.05,
    );
    let of_others = correlation(grown, 3, 4);
    assert!(of_others.abs() < 0.15, "{of_others}");
    let nulls = |rows: &RecordBatch| rows.column(4).null_count() as f64;
    near("nulls", nulls(grown), nulls(whole), 0.05);
    near("bytes", parquet_bytes(grown), parquet_bytes(whole), 0.05);
    for (column, from, to) in [
        (3, 26.0, 99.0),
        (3, 10.0, 16.0),
        (4, 45.0, 55.0),
        (4, 52.0, 99.0),
    ] {
        let (ours, real) = (
            share(grown, column, from, to),
            share(whole, column, from, to),
        );
        near(
            &format!("share of column {column} from {from}"),
            ours,
            real,
            0.10,
        );
    }
}

#[test]
fn a_sample_of_a_tenth_of_the_time_grows_to_what_the_whole_table_is() {
    let whole = whole(SERIES_OF_SAMPLE, 10 * DAYS_OF_SAMPLE);
    let sample = whole.slice(0, whole.num_rows() / 10);
    let grown = grown(&sample, "time");
    assert_eq!(grown.slice(0, sample.num_rows()), sample);
    for column in [0, 2] {
        assert_eq!(
            grown.column(column),
            whole.column(column),
            "names and times go on"
        );
    }
    compare(&grown, &whole, SERIES_OF_SAMPLE);
}

#[test]
fn a_sample_of_a_tenth_of_the_series_grows_to_what_the_whole_table_is() {
    let sample = whole(SERIES_OF_SAMPLE, DAYS_OF_SAMPLE);
    let whole = whole(10 * SERIES_OF_SAMPLE, DAYS_OF_SAMPLE);
    let grown = grown(&sample, "series");
    // Copies follow each other, so the rows of a time are not together as they are in the whole table.
    let copies = (0..10).map(|copy| {
        let rows = sample.num_rows();
        grown.slice(copy * rows, rows)
    });
    let steps = DAYS_OF_SAMPLE * STEPS_OF_A_DAY;
    let copies: Vec<RecordBatch> = copies.collect();
    let by_time: Vec<RecordBatch> = (0..steps)
        .flat_map(|step| copies.iter().map(move |rows| (step, rows)))
        .map(|(step, rows)| rows.slice(step * SERIES_OF_SAMPLE, SERIES_OF_SAMPLE))
        .collect();
    let by_time = concat_batches(&grown.schema(), &by_time).unwrap();
    assert_eq!(by_time.column(0), whole.column(0), "names go on");
    assert_eq!(
        by_time.column(2),
        whole.column(2),
        "times are those of the sample"
    );
    compare(&by_time, &whole, 10 * SERIES_OF_SAMPLE);
}
