use std::collections::HashSet;
use std::path::Path;

use arrow::array::{Array, AsArray};
use arrow::compute::{concat_batches, take};
use arrow::datatypes::{DataType, Float64Type, TimestampMillisecondType};

use super::*;
use crate::source::RowSource;
use crate::{DevopsMeasurement, IotMeasurement, Workload, source};

fn workload(data: &str) -> Workload {
    let text = format!(
        "title = \"t\"\nseed = 7\n[data]\n{data}\n[[queries]]\nname = \"q\"\nsql = \"SELECT 1\""
    );
    Workload::parse(&text, Path::new("t.toml")).unwrap()
}

pub fn open(data: &str) -> Box<dyn RowSource> {
    source::open(&workload(data), None).unwrap()
}

/// Reads up to `rows` rows from number `from` on, in batches of `batch_rows`.
pub fn rows(source: &dyn RowSource, from: u64, rows: usize, batch_rows: usize) -> RecordBatch {
    let mut batches = Vec::new();
    let mut next = from;
    for batch in source.read(from, batch_rows).unwrap() {
        let batch = batch.unwrap();
        assert_eq!(batch.first_row, next);
        assert!((1..=batch_rows).contains(&batch.rows.num_rows()));
        next += batch.rows.num_rows() as u64;
        batches.push(batch.rows);
        if next - from >= rows as u64 {
            break;
        }
    }
    let all = concat_batches(&source.schema(), &batches).unwrap();
    all.slice(0, rows.min(all.num_rows()))
}

fn doubles<'a>(rows: &'a RecordBatch, column: &str) -> &'a [f64] {
    let column = rows.column_by_name(column).unwrap();
    column.as_primitive::<Float64Type>().values()
}

fn times(rows: &RecordBatch) -> &[i64] {
    let column = rows.column_by_name("time").unwrap();
    column.as_primitive::<TimestampMillisecondType>().values()
}

fn texts<'a>(rows: &'a RecordBatch, column: &str) -> Vec<Option<&'a str>> {
    let column = rows.column_by_name(column).unwrap();
    column.as_string::<i32>().iter().collect()
}

/// Opens a generator of each measurement.
pub fn all() -> Vec<(String, Box<dyn RowSource>)> {
    let devops = DevopsMeasurement::ALL
        .map(|(name, _)| format!("generator = \"devops\"\nmeasurement = \"{name}\"\nhosts = 7"));
    let iot = IotMeasurement::ALL
        .map(|(name, _)| format!("generator = \"iot\"\nmeasurement = \"{name}\"\ntrucks = 7"));
    let both = devops.into_iter().chain(iot);
    both.map(|data| (data.clone(), open(&data))).collect()
}

#[test]
fn rows_do_not_depend_on_batches_or_on_where_reading_starts() {
    for (name, source) in all() {
        let whole = rows(&*source, 0, 6000, 6000);
        assert_eq!(whole, rows(&*source, 0, 6000, 777), "{name}");
        assert_eq!(whole.slice(2500, 9), rows(&*source, 2500, 9, 1), "{name}");
        assert_eq!(
            whole.slice(1795, 900),
            rows(&*source, 1795, 900, 100),
            "{name}"
        );
    }
}

#[test]
fn threads_make_the_rows_that_one_makes() {
    for (name, source) in all() {
        let whole = rows(&*source, 0, 8000, 1000);
        let parts: Vec<RecordBatch> = std::thread::scope(|scope| {
            let source = &source;
            let part = |part: u64| scope.spawn(move || rows(&**source, part * 2000, 2000, 512));
            let threads: Vec<_> = (0..4).map(part).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let parts = concat_batches(&source.schema(), &parts).unwrap();
        assert_eq!(whole, parts, "{name}");
    }
}

#[test]
fn rows_depend_on_the_seed() {
    for (name, source) in all() {
        let data = format!("{name}\n[table]\nname = \"other\"");
        let mut other = workload(&data);
        other.seed = 8;
        let other = source::open(&other, None).unwrap();
        assert_ne!(
            rows(&*source, 0, 100, 100),
            rows(&*other, 0, 100, 100),
            "{name}"
        );
    }
}

#[test]
fn all_measurements_have_101_metrics_of_10_tags_or_more() {
    let (mut metrics, mut tags) = (0, Vec::new());
    for (_, source) in all().iter().take(9) {
        let schema = source.schema();
        let of = |kind: &DataType| {
            schema
                .fields()
                .iter()
                .filter(|f| f.data_type() == kind)
                .count()
        };
        metrics += of(&DataType::Float64);
        tags.push(of(&DataType::Utf8));
    }
    assert_eq!(metrics, 101);
    assert_eq!(tags, [10, 11, 12, 10, 10, 11, 12, 10, 12]);
}

#[test]
fn hosts_are_read_in_turn_every_interval_for_days() {
    let source = open("generator = \"devops\"\nhosts = 3\ninterval = \"6h\"\ndays = 2");
    assert_eq!(source.known_rows(), Some(24));
    let all = rows(&*source, 0, 100, 10);
    assert_eq!(all.num_rows(), 24);
    let hosts = texts(&all, "hostname");
    for row in 0..24 {
        let expected = START_MS + row as i64 / 3 * 21_600_000;
        assert_eq!(times(&all)[row], expected);
        assert_eq!(hosts[row], Some(["host_0", "host_1", "host_2"][row % 3]));
    }
    assert_eq!(rows(&*source, 23, 9, 9).num_rows(), 1);
    assert!(source.read(24, 10).unwrap().next().is_none());
    assert!(source.read(u64::MAX, 10).unwrap().next().is_none());
    // Nothing is read in a last interval that is not whole, as in TSBS.
    let uneven = open("generator = \"devops\"\nhosts = 1\ninterval = \"7h\"\ndays = 1");
    assert_eq!(uneven.known_rows(), Some(3));
    let study = open("generator = \"devops\"\nhosts = 4000\ndays = 3");
    assert_eq!(study.known_rows(), Some(4000 * 3 * 8640));
    assert_eq!(open("generator = \"devops\"").known_rows(), None);
}

#[test]
fn the_days_of_a_workload_are_its_time_span() {
    let three_days = "generator = \"devops\"\nhosts = 1\ninterval = \"1h\"\ndays = 3";
    let span = workload(three_days).data.time_span().unwrap();
    assert_eq!(span.end - span.start, 3 * 86_400_000);
    let all = rows(&*open(three_days), 0, 100, 100);
    assert_eq!(times(&all)[0], span.start);
    assert!(times(&all).iter().all(|time| span.contains(time)));
    let trucks = workload("generator = \"iot\"\ntrucks = 2\ndays = 3");
    assert_eq!(trucks.data.time_span(), Some(span));
    assert_eq!(
        workload("generator = \"devops\"\nhosts = 1")
            .data
            .time_span(),
        None
    );
    assert_eq!(workload("generator = \"sensor\"").data.time_span(), None);
}

#[test]
fn tags_belong_to_their_host() {
    let source = open("generator = \"devops\"\nhosts = 1500\nmeasurement = \"disk\"");
    let all = rows(&*source, 0, 4500, 1700);
    let cpu = open("generator = \"devops\"\nhosts = 1500");
    let cpu = rows(&*cpu, 0, 1500, 1500);
    for tag in hosts::tag_names(DevopsMeasurement::Disk) {
        let values = texts(&all, tag);
        assert_eq!(values[..1500], values[1500..3000], "{tag}");
        assert_eq!(values[..1500], values[3000..], "{tag}");
        if cpu.column_by_name(tag).is_some() {
            assert_eq!(values[..1500], texts(&cpu, tag), "{tag}");
        }
        let distinct: HashSet<_> = values.iter().collect();
        let expected = match tag {
            "hostname" => 1500,
            "region" => 9,
            "datacenter" => 23,
            "rack" => 100,
            "service" => 20,
            "path" => 10,
            "team" => 4,
            "os" | "service_environment" | "fstype" => 3,
            _ => 2,
        };
        assert_eq!(distinct.len(), expected, "{tag}");
    }
    let regions = texts(&all, "region").into_iter().flatten();
    for (region, datacenter) in regions.zip(texts(&all, "datacenter")) {
        assert!(datacenter.unwrap().starts_with(region));
    }
}

/// Tests that values are whole numbers in 0 to 100 whose steps are those of a walk with deviation
/// 1.
#[test]
fn cpu_walks_in_percent() {
    const HOSTS: usize = 20;
    let source = open("generator = \"devops\"\nhosts = 20");
    let all = rows(&*source, 0, HOSTS * 5000, 8192);
    for column in all.schema().fields().iter().skip(11) {
        let values = doubles(&all, column.name());
        assert!(
            values
                .iter()
                .all(|v| (0.0..=100.0).contains(v) && v.fract() == 0.0)
        );
        let steps: Vec<f64> = values[..values.len() - HOSTS]
            .iter()
            .zip(&values[HOSTS..])
            .filter(|(from, _)| (10.0..90.0).contains(*from))
            .map(|(from, to)| to - from)
            .collect();
        let square = steps.iter().map(|s| s * s).sum::<f64>() / steps.len() as f64;
        // Cutting off both ends of a step adds a sixth to the variance of 1.
        assert!((square - 7.0 / 6.0).abs() < 0.03, "{column}: {square}");
        assert!(steps.iter().all(|step| step.abs() <= 7.0), "{column}");
    }
}

#[test]
fn what_follows_from_another_metric_fits_it() {
    let disk = open("generator = \"devops\"\nmeasurement = \"disk\"\nhosts = 5");
    let disk = rows(&*disk, 0, 5000, 5000);
    let mem = open("generator = \"devops\"\nmeasurement = \"mem\"\nhosts = 5");
    let mem = rows(&*mem, 0, 5000, 5000);
    for row in 0..5000 {
        let of = |name| doubles(&disk, name)[row];
        assert_eq!(of("free") + of("used"), of("total"));
        assert_eq!(of("inodes_free"), (of("free") / 4096.0).floor());
        assert_eq!(of("inodes_free") + of("inodes_used"), of("inodes_total"));
        let of = |name| doubles(&mem, name)[row];
        assert_eq!(of("available") + of("used"), of("total"));
        assert_eq!(of("free"), of("available"));
        assert!((of("used_percent") + of("available_percent") - 100.0).abs() < 1e-9);
        assert_eq!(of("used_percent"), 100.0 * (of("used") / of("total")));
        assert_eq!(
            of("buffered_percent"),
            100.0 * (of("buffered") / of("total"))
        );
        for part in ["used", "free", "cached", "buffered"] {
            assert!((0.0..=of("total")).contains(&of(part)), "{part}");
        }
        assert_eq!(of("total"), doubles(&mem, "total")[row % 5]);
    }
    let redis = open("generator = \"devops\"\nmeasurement = \"redis\"\nhosts = 1");
    let redis = rows(&*redis, 0, 3, 3);
    assert_eq!(doubles(&redis, "uptime_in_seconds"), [0.0, 10.0, 20.0]);
}

#[test]
fn trucks_lose_delay_and_lack_as_much_as_in_tsbs() {
    let source = open("generator = \"iot\"\ntrucks = 100");
    let all = rows(&*source, 0, 90_000, 10_000);
    let keys: HashSet<_> = texts(&all, "name").into_iter().zip(times(&all)).collect();
    assert_eq!(keys.len(), 90_000, "names and times are unique");
    // 100,000 readings of 100 trucks: 900 in 1,000 arrived.
    let last = times(&all).iter().max().unwrap();
    assert_eq!(*last, START_MS + 999 * 10_000);
    let nulls = |from: usize, to: usize| -> usize {
        all.columns()[from..to].iter().map(|c| c.null_count()).sum()
    };
    let share = |nulls: usize| nulls as f64 / 90_000.0;
    assert_eq!(nulls(0, 2), 0, "time and name");
    assert!(
        (0.0065..0.0093).contains(&share(nulls(2, 9))),
        "{}",
        nulls(2, 9)
    );
    assert!(
        (0.087..0.093).contains(&share(nulls(9, 16))),
        "{}",
        nulls(9, 16)
    );
    let backwards = times(&all).windows(2).filter(|pair| pair[1] < pair[0]);
    assert!(backwards.count() > 200);
}

/// Tests readings in the order in which they were made.
#[test]
fn trucks_drive_and_drain() {
    let by_time = |measurement: &str| {
        let data = format!("generator = \"iot\"\ntrucks = 1\nmeasurement = \"{measurement}\"");
        let all = rows(&*open(&data), 0, 9000, 9000);
        let mut order: Vec<u32> = (0..9000).collect();
        order.sort_by_key(|row| times(&all)[*row as usize]);
        let order = arrow::array::UInt32Array::from(order);
        let columns = all.columns().iter().map(|c| take(c, &order, None).unwrap());
        RecordBatch::try_new(all.schema(), columns.collect()).unwrap()
    };
    let ranges = [
        ("latitude", -90.0, 90.0),
        ("longitude", -180.0, 180.0),
        ("elevation", 0.0, 5000.0),
        ("velocity", 0.0, 100.0),
        ("heading", 0.0, 360.0),
        ("grade", 0.0, 100.0),
        ("fuel_consumption", 0.0, 50.0),
    ];
    let readings = by_time("readings");
    for (name, low, high) in ranges {
        let values = doubles(&readings, name);
        assert!(values.iter().all(|v| (low..=high).contains(v)), "{name}");
        let distinct: HashSet<u64> = values.iter().map(|v| v.to_bits()).collect();
        assert!(distinct.len() > 50, "{name}: {}", distinct.len());
    }
    let diagnostics = by_time("diagnostics");
    let fuel = diagnostics.column_by_name("fuel_state").unwrap();
    let fuel: Vec<f64> = fuel
        .as_primitive::<Float64Type>()
        .iter()
        .flatten()
        .collect();
    assert!(fuel.iter().all(|v| (0.0..=1.0).contains(v)));
    let filled = fuel
        .windows(2)
        .filter(|pair| pair[1] - pair[0] > 0.5)
        .count();
    assert!((4..=6).contains(&filled), "{filled}");
    let load = diagnostics.column_by_name("current_load").unwrap();
    let load: Vec<f64> = load
        .as_primitive::<Float64Type>()
        .iter()
        .flatten()
        .collect();
    let changed = load.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let share = changed as f64 / load.len() as f64;
    assert!((0.04..0.08).contains(&share), "{share}");
    assert!(load.iter().all(|v| (0.0..5000.0).contains(v)));
    let status: HashSet<u64> = doubles(&diagnostics, "status")
        .iter()
        .map(|v| *v as u64)
        .collect();
    assert_eq!(status, (0..=5).collect());
}

/// Tests a late row, which would take days if rows were made one after another.
#[test]
fn far_rows_are_made_without_those_before_them() {
    for (name, source) in all() {
        for from in [1 << 20, 1 << 35, 7 * 900 * 1_000_000] {
            assert_eq!(rows(&*source, from, 2, 1).num_rows(), 2, "{name}");
        }
    }
}
