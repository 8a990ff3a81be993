//! Tests the workload files of this repository, and files as they read them.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use arrow::array::AsArray;
use arrow::datatypes::Float64Type;
use bakeoff_workload::source;
use bakeoff_workload::{Concurrent, DuplicateKeys, ParameterValues, Workload};
use flate2::Compression;
use flate2::write::GzEncoder;

const ROWS_OF_METRICS: u64 = 321_206;

fn shipped(name: &str) -> Workload {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
    Workload::read(&folder.join(name)).unwrap()
}

/// Returns the real metrics if `BAKEOFF_SAMPLE_DATA` names their folder, or otherwise makes some up
/// in the given folder, with as many rows and series and as many repeated keys.
fn metrics(folder: &Path) -> PathBuf {
    match std::env::var_os("BAKEOFF_SAMPLE_DATA") {
        Some(samples) => PathBuf::from(samples).join("metrics.csv.gz"),
        None => made_up_metrics(&folder.join("metrics.csv.gz")),
    }
}

fn made_up_metrics(path: &Path) -> PathBuf {
    const SERIES: u64 = 47;
    // Three keys have twelve rows each and sixteen have two, far from the first and next to it.
    let repeated = |i: u64| (0..if i < 3 { 11 } else { 1 }).map(move |_| i * 9_001);
    let again: Vec<u64> = (0..19).flat_map(repeated).collect();
    let rows = 0..ROWS_OF_METRICS - again.len() as u64;
    let beside = |i: u64| std::iter::repeat_n(i, 1 + usize::from(i == 9 * 9_001));
    let apart = again.into_iter().filter(|i| *i != 9 * 9_001);
    let mut file = GzEncoder::new(File::create(path).unwrap(), Compression::fast());
    file.write_all(b"series,time,value\n").unwrap();
    for i in rows.flat_map(beside).chain(apart) {
        let (series, time) = (i % SERIES, 1_396_332_000_000 + i / SERIES * 300_000);
        writeln!(file, "metric {series},{time},{}", i * 37 % 1_001).unwrap();
    }
    file.finish().unwrap();
    path.to_owned()
}

#[test]
fn sensor_is_study_s4_and_its_expected_average_is_right() {
    let workload = shipped("sensor.toml");
    assert_eq!(
        (workload.name.as_str(), workload.scale.full_rows),
        ("sensor", 10_000_000)
    );
    let average = &workload.queries[0];
    let expect = average.expect.as_ref().unwrap();
    let source = source::open(&workload, None).unwrap();
    let batch = source.read(0, 10_000).unwrap().next().unwrap().unwrap();
    let values = batch.rows.column(2).as_primitive::<Float64Type>();
    let mean = values.values().iter().sum::<f64>() / values.len() as f64;
    let expected: f64 = expect.answer[0][0].parse().unwrap();
    assert!((mean - expected).abs() < 1e-9, "{mean}");
    assert_eq!(expect.rows, Some(10_000));
}

/// Each way to aggregate has to be there at each level, or the report would compare others with others.
#[test]
fn sensor_levels_has_each_way_to_aggregate_at_each_level() {
    let workload = shipped("sensor_levels.toml");
    let ways = |level: &str| -> Vec<String> {
        let chosen = format!("consistency={level}");
        let ids = workload.designs.iter().map(ToString::to_string);
        ids.filter(|id| id.ends_with(&chosen))
            .map(|id| id.replace(&chosen, ""))
            .collect()
    };
    assert_eq!(ways("one"), ways("quorum"));
    assert_eq!(2 * ways("one").len(), workload.designs.len());
    let [one, many] = &workload.queries[..] else {
        panic!("{:?}", workload.queries);
    };
    assert_eq!(
        (one.name.as_str(), many.name.as_str()),
        ("one_partition", "many_partitions")
    );
    // The values of the first rows do not depend on the number of sensors.
    let of_one_sensor = shipped("sensor.toml").queries[0].expect.clone().unwrap();
    assert_eq!(many.expect.as_ref().unwrap().answer, of_one_sensor.answer);
}

/// Each design has its like in the other release, or the report would compare settings with others.
#[test]
fn versions_has_each_design_in_both_releases() {
    let workload = shipped("versions.toml");
    let of = |engine: &str| -> Vec<String> {
        let ids = workload.designs.iter().map(ToString::to_string);
        ids.filter_map(|id| id.strip_prefix(engine).map(str::to_owned))
            .collect()
    };
    assert_eq!(of("cassandra/"), of("cassandra-4/"));
    assert_eq!(2 * of("cassandra/").len(), workload.designs.len());
    assert!(workload.mix.is_some());
    let many = workload.queries.last().unwrap().expect.clone().unwrap();
    let of_one_sensor = shipped("sensor.toml").queries[0].expect.clone().unwrap();
    assert_eq!(many.answer, of_one_sensor.answer);
}

/// The first run of a newcomer stays short: what is about indexes has a workload of its own.
#[test]
fn formats_has_twelve_designs_and_none_for_a_column_outside_the_key() {
    let workload = shipped("formats.toml");
    assert_eq!(workload.designs.len(), 12);
    let settings = workload.designs.iter().flat_map(|id| id.settings.keys());
    let about_columns = [
        "index",
        "table_by",
        "view",
        "index_table",
        "sort",
        "partition",
    ];
    let found: Vec<&String> = settings
        .filter(|name| about_columns.contains(&name.as_str()))
        .collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn formats_indexes_asks_the_rows_of_formats_with_each_kind_of_index_and_without() {
    let (workload, formats) = (shipped("formats_indexes.toml"), shipped("formats.toml"));
    assert_eq!(workload.data, formats.data);
    assert_eq!(workload.scale.full_rows, formats.scale.full_rows);
    let ids: Vec<String> = workload.designs.iter().map(ToString::to_string).collect();
    for layout in ["cassandra/narrow", "cassandra/wide"] {
        for index in [
            "",
            "?index=actor1countrycode",
            "?index=actor1countrycode:2i",
        ] {
            let id = format!("{layout}{index}");
            assert!(ids.contains(&id), "{id} is not in {ids:?}");
        }
    }
    for setting in ["table_by", "view", "index_table"] {
        let id = format!("cassandra/wide?{setting}=actor1countrycode");
        assert!(ids.contains(&id), "{id} is not in {ids:?}");
    }
    let [scan, filters @ ..] = &workload.queries[..] else {
        panic!("{:?}", workload.queries);
    };
    assert!(scan.name == "scan" && !scan.sql.contains("WHERE"));
    assert_eq!(filters.len(), 3);
    for filter in filters {
        let mut same = formats.queries.iter();
        match same.find(|query| query.name == filter.name) {
            Some(same) => {
                assert_eq!(filter.sql, same.sql);
                let answers = [filter, same].map(|query| query.expect.as_ref().unwrap());
                assert_eq!(answers[0].answer, answers[1].answer);
            }
            None => assert_eq!(filter.name, "japan"),
        }
    }
}

/// A chart over the number of columns needs three of them, and questions that the smallest table answers.
#[test]
fn formats_widths_has_each_design_in_four_numbers_of_columns() {
    let workload = shipped("formats_widths.toml");
    assert_eq!(workload.data, shipped("formats.toml").data);
    let ids: Vec<String> = workload.designs.iter().map(ToString::to_string).collect();
    for whole in [
        "cassandra/wide",
        "cassandra/columnar",
        "local/columnar",
        "parquet?codec=zstd",
    ] {
        let sign = if whole.contains('?') { '&' } else { '?' };
        assert!(ids.contains(&whole.to_owned()), "{whole} is not in {ids:?}");
        for columns in [5, 10, 20] {
            let id = format!("{whole}{sign}columns={columns}");
            assert!(ids.contains(&id), "{id} is not in {ids:?}");
        }
    }
    assert!(ids.contains(&"cassandra/wide?names=short".to_owned()));
    let first: Vec<&str> = { workload.table.columns.iter().take(5) }
        .map(|column| column.name.as_str())
        .collect();
    assert!(workload.table.key().all(|name| first.contains(&name)));
    let others = { workload.table.columns.iter().skip(5) }.map(|column| &column.name);
    for name in others {
        let reads = |sql: &str| {
            sql.split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| word == name)
        };
        assert!(
            workload.queries.iter().all(|query| !reads(&query.sql)),
            "{name}"
        );
    }
}

#[test]
fn a_drawn_range_lies_in_the_loaded_rows() {
    let workload = shipped("sensor.toml");
    let query = workload
        .queries
        .iter()
        .find(|q| q.name == "average_range")
        .unwrap();
    let source = source::open(&workload, None).unwrap();
    for round in 0..50 {
        let drawn = workload.draw(query, round, 500, &*source).unwrap();
        let from: u64 = drawn[0].1.parse().unwrap();
        assert!((1..=500).contains(&from));
        let sql = query.bind("cassandra", &drawn);
        assert!(
            sql.contains(&format!("time >= {from} AND time < {from} + ")),
            "{sql}"
        );
    }
}

#[test]
fn metrics_needs_a_file() {
    let workload = shipped("metrics.toml");
    let error = source::open(&workload, None).err().unwrap().to_string();
    assert_eq!(
        error,
        "workload metrics needs a data file: name it with --data PATH"
    );
}

#[test]
fn nineteen_repeated_keys_of_metrics_are_found_in_any_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = metrics(folder.path());
    let workload = shipped("metrics.toml");
    let source = source::open(&workload, Some(path)).unwrap();
    let find = |limit| DuplicateKeys::find(&*source, &workload.table, None, limit).unwrap();
    let once = find(256 << 20);
    // Three of the keys have twelve rows each, so there are more rows than keys.
    assert_eq!((once.keys(), once.count()), (19, 49));
    assert_eq!(
        find(24 << 20).rows().collect::<Vec<_>>(),
        once.rows().collect::<Vec<_>>()
    );
    let kept: usize = source
        .read(0, 8192)
        .unwrap()
        .map(|batch| once.filter(batch.unwrap()).unwrap().num_rows())
        .sum();
    assert_eq!(kept as u64, ROWS_OF_METRICS - 49);
}

#[test]
fn drawing_series_of_metrics_reads_them_once_or_row_by_row_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = metrics(folder.path());
    let workload = shipped("metrics.toml");
    let source = source::open(&workload, Some(path)).unwrap();
    let query = workload
        .queries
        .iter()
        .find(|q| q.name == "daily_max")
        .unwrap();
    let all = workload
        .draw_all(query, 0..40, ROWS_OF_METRICS, &*source)
        .unwrap();
    assert_eq!(
        all[3],
        workload.draw(query, 3, ROWS_OF_METRICS, &*source).unwrap()
    );
    let mut series: Vec<&String> = all.iter().map(|drawn| &drawn[0].1).collect();
    series.sort();
    series.dedup();
    assert!(series.len() > 15, "47 series, 40 draws: {series:?}");
    assert!(
        series
            .iter()
            .all(|s| s.starts_with('\'') && s.ends_with('\''))
    );
}

#[test]
fn timeseries_is_study_s3_with_every_query_of_the_suite() {
    for (file, source_rows, queries) in [
        ("timeseries.toml", 864_000, 16),
        ("timeseries_readings.toml", 777_600, 8),
        ("timeseries_diagnostics.toml", 933_124, 5),
    ] {
        let workload = shipped(file);
        let source = source::open(&workload, None).unwrap();
        assert_eq!(source.known_rows(), Some(source_rows), "{file}");
        assert_eq!(workload.scale.default_rows, source_rows, "{file}");
        assert_eq!(workload.queries.len(), queries, "{file}");
        let full = |sources: &str| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
            let settings = [format!("{sources}=4000"), "days=3".to_owned()];
            Workload::read_with(&folder.join(file), &settings)
                .unwrap()
                .scale
        };
        let scale = match file {
            "timeseries.toml" => full("hosts"),
            _ => full("trucks"),
        };
        assert_eq!(scale.default_rows, workload.scale.full_rows, "{file}");
    }
}

#[test]
fn timeseries_summary_asks_the_hosts_of_timeseries_with_summaries_and_without() {
    let (workload, hosts) = (
        shipped("timeseries_summary.toml"),
        shipped("timeseries.toml"),
    );
    assert_eq!(workload.data, hosts.data);
    assert_eq!(workload.scale.default_rows, hosts.scale.default_rows);
    assert_eq!(workload.scale.full_rows, hosts.scale.full_rows);
    let ids: Vec<String> = workload.designs.iter().map(ToString::to_string).collect();
    for setting in ["", "?summary=1h", "?summary=1d"] {
        assert!(ids.contains(&format!("cassandra/wide{setting}")), "{ids:?}");
    }
    let names: Vec<&str> = workload.queries.iter().map(|q| q.name.as_str()).collect();
    assert_eq!(
        names,
        ["hours", "hours_of_a_host", "days", "minutes_of_a_host"]
    );
    // Keys that repeat would be counted twice.
    let source = source::open(&workload, None).unwrap();
    assert!(!source.may_repeat_keys());
}

#[test]
fn timeseries_asks_as_the_study_did_with_fewer_sets_of_parameters_by_default() {
    let workload = shipped("timeseries.toml");
    let plan = workload.concurrent.unwrap();
    assert!(plan.per_node && plan.one_query_at_a_time);
    assert_eq!(plan.clients, 4);
    let study = Concurrent {
        parameter_sets: Some(1_000),
        ..plan
    };
    for query in &workload.queries {
        let (questions, sets) = match query.name.as_str() {
            "lastpoint" => (100, 100),
            name if name.starts_with("single_groupby") => (1_000, 20),
            _ => (100, 20),
        };
        assert_eq!(study.questions_of(query), questions, "{}", query.name);
        if query.name != "lastpoint" {
            assert_eq!(plan.sets_of(query), Some(sets), "{}", query.name);
        }
    }
}

/// Tests that the names of the queries match how many hosts and hours they ask for.
#[test]
fn queries_of_timeseries_ask_for_as_much_as_they_say() {
    let workload = shipped("timeseries.toml");
    let asked = |name: &str| {
        let query = workload.queries.iter().find(|q| q.name == name).unwrap();
        let values: Vec<_> = query.parameters.iter().map(|p| &p.values).collect();
        match values[..] {
            [
                ParameterValues::Distinct { column, count },
                ParameterValues::Window { milliseconds, .. },
            ] if column == "hostname" => (*count, milliseconds / 3_600_000),
            [ParameterValues::Window { milliseconds, .. }] => (0, milliseconds / 3_600_000),
            _ => panic!("{values:?}"),
        }
    };
    for (name, hosts, hours) in [
        ("single_groupby_1_1_1", 1, 1),
        ("single_groupby_1_1_12", 1, 12),
        ("single_groupby_1_8_1", 8, 1),
        ("single_groupby_5_1_1", 1, 1),
        ("single_groupby_5_1_12", 1, 12),
        ("single_groupby_5_8_1", 8, 1),
        ("cpu_max_all_1", 1, 8),
        ("cpu_max_all_8", 8, 8),
        ("cpu_max_all_32_24", 32, 24),
        ("double_groupby_1", 0, 12),
        ("double_groupby_5", 0, 12),
        ("double_groupby_all", 0, 12),
        ("high_cpu_1", 1, 12),
        ("high_cpu_all", 0, 12),
        ("groupby_orderby_limit", 0, 1),
    ] {
        assert_eq!(asked(name), (hosts, hours), "{name}");
    }
}
