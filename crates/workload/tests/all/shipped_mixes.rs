//! Tests the workload files of this repository that have a [mix], wherever they are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bakeoff_workload::{
    Action, CqlValue, DesignId, Keys, RowSource, RowValues, Value, Version, Workload, source,
};

/// Returns every workload file of the repository, including those in sub-folders and of the
/// benches.
fn all_shipped() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("workloads"), root.join("benches")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn every_shipped_file_is_a_workload_whose_mix_has_rows() {
    let mut mixes = 0;
    for path in all_shipped() {
        let workload = Workload::read(&path).unwrap_or_else(|e| panic!("{e}"));
        let Some(mix) = &workload.mix else { continue };
        mixes += 1;
        let as_written = workload.designs[0].layout.as_deref() == Some("as-written");
        assert_eq!(!mix.schema.is_empty(), as_written, "{}", path.display());
        let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
        let loaded = workload.scale.default_rows;
        let rows = source::row_values(&workload, source, loaded).unwrap();
        for column in 0..workload.table.columns.len() {
            let value = rows.value(column, 7, Version::First);
            assert_ne!(value, Value::Null, "{}", path.display());
        }
    }
    assert_eq!(mixes, 39);
}

/// Tests the parts of a file that are comments for its user to enable.
#[test]
fn operations_in_comments_can_be_switched_on() {
    let mut switched_on = 0;
    for path in all_shipped() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut more = String::new();
        let mut inside = false;
        for line in text.lines() {
            inside = line == "# [[mix.operations]]" || inside && line.starts_with("# ");
            if inside {
                more = more + &line[2..] + "\n";
            }
        }
        let optional = more.matches("weight = 1\n").count();
        if optional == 0 {
            continue;
        }
        switched_on += optional;
        let (all, writes) = text.rsplit_once("\nname = \"mutation\"\n").unwrap();
        let (before, after) = writes.split_once("weight = ").unwrap();
        let (weight, rest) = after.split_once('\n').unwrap();
        let weight = weight.parse::<usize>().unwrap() - optional;
        let text = format!("{all}\nname = \"mutation\"\n{before}weight = {weight}\n{rest}\n{more}");
        Workload::parse(&text, &path).unwrap_or_else(|e| panic!("{e}"));
    }
    assert_eq!(switched_on, 17);
}

#[test]
fn compression_is_study_s2() {
    for name in ["compression.toml", "compression_words.toml"] {
        let path = all_shipped()
            .into_iter()
            .find(|p| p.ends_with(name))
            .unwrap();
        let workload = Workload::read(&path).unwrap();
        assert_eq!(workload.scale.full_rows, 10_000_000);
        let limit = ("compaction_throughput".to_owned(), "160MiB/s".to_owned());
        assert_eq!(workload.server.cassandra, [limit]);
        for kib in [4, 16, 64, 256] {
            for compressor in ["LZ4", "Zstd", "Deflate"] {
                let id = format!("cassandra/wide?chunk={kib}KiB&compressor={compressor}");
                let id: DesignId = id.parse().unwrap();
                assert!(workload.designs.contains(&id), "{id}");
            }
        }
        assert_eq!(workload.designs.len(), 13);
        let shares: Vec<f64> = workload
            .mix
            .as_ref()
            .map(|mix| mix.operations.iter().map(|o| o.weight).collect())
            .unwrap();
        assert_eq!(shares, [0.5, 0.5]);
        let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
        let rows = source::row_values(&workload, source, 1000).unwrap();
        let mut bytes = 0;
        for row in 0..1000 {
            let Value::Text(value) = rows.value(1, row, Version::First) else {
                panic!("a value is text");
            };
            let words = value.split_whitespace().count();
            assert!((100..=200).contains(&words), "{words}");
            bytes += value.len();
        }
        // What the files say of the size of a value.
        assert!((740_000..820_000).contains(&bytes), "{bytes}");
    }
}

/// Returns a shipped workload by the end of its path.
fn shipped(name: &str) -> Workload {
    let path = all_shipped().into_iter().find(|p| p.ends_with(name));
    Workload::read(&path.unwrap()).unwrap()
}

#[test]
fn models_is_study_s5_with_the_same_numbers_in_each_model() {
    let workload = shipped("workloads/models.toml");
    let mix = workload.mix.as_ref().unwrap();
    let bins = workload.table.columns.iter();
    let bins = { bins }.position(|column| column.name == "bins").unwrap();
    let values_of = |name: &str| {
        let operation = mix.operations.iter().find(|o| o.name == name).unwrap();
        let Action::Cql(cql) = &operation.action else {
            panic!("{name}: {operation:?}");
        };
        assert_eq!(cql.statements.len(), 1, "{name}");
        let values = cql.statements[0].values.iter();
        let (whole, item): (Vec<&CqlValue>, Vec<&CqlValue>) = values
            .filter(|value| !matches!(value, CqlValue::Column { .. }))
            .partition(|value| matches!(value, CqlValue::Doubles { .. }));
        (
            whole.into_iter().cloned().collect::<Vec<_>>(),
            item.into_iter().cloned().collect::<Vec<_>>(),
        )
    };
    for (action, second_version) in [("write", false), ("update", true)] {
        let whole = CqlValue::Doubles {
            column: bins,
            second_version,
            items: 100,
        };
        for model in ["list", "frozen", "vector", "blob"] {
            let wanted = (vec![whole.clone()], Vec::new());
            assert_eq!(values_of(&format!("{action}_{model}")), wanted);
        }
        let item = |item| CqlValue::Item {
            column: bins,
            second_version,
            item,
        };
        let wanted = (Vec::new(), (0..100).map(item).collect());
        assert_eq!(values_of(&format!("{action}_columns")), wanted);
    }
    assert_eq!(mix.populate.len(), 5);
}

#[test]
fn a_partition_of_partitions_has_a_day() {
    let workload = shipped("workloads/partitions.toml");
    let loaded = workload.scale.default_rows;
    assert_eq!(loaded, 5 * 86_400);
    let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
    let rows = source::row_values(&workload, source, loaded).unwrap();
    let time = workload.table.columns.iter();
    let time = { time }.position(|column| column.name == "time").unwrap();
    let day = |row| match rows.value(time, row, Version::First) {
        Value::Timestamp(milliseconds) => milliseconds.div_euclid(86_400_000),
        other => panic!("{other:?}"),
    };
    assert_eq!(day(0), day(loaded - 1));
    assert_eq!(day(loaded), day(0) + 1);
}

/// Returns a shipped workload's rows, as operations know them.
fn rows_of(workload: &Workload) -> Arc<dyn RowValues> {
    let source: Arc<dyn RowSource> = source::open(workload, None).unwrap().into();
    source::row_values(workload, source, workload.scale.default_rows).unwrap()
}

/// Counts the rows of a row's partition from that row on.
fn rows_from(rows: &dyn RowValues, row: u64) -> u64 {
    let from = std::iter::successors(Some(row), |row| rows.next_in_partition(*row));
    from.count() as u64
}

#[test]
fn compression_ranges_reads_more_and_more_rows_with_each_chunk_length() {
    let workload = shipped("workloads/compression_ranges.toml");
    let of_study = shipped("workloads/compression.toml");
    let ids: Vec<String> = workload.designs.iter().map(ToString::to_string).collect();
    let wanted = [4, 16, 64].map(|kib| format!("cassandra/wide?chunk={kib}KiB&compressor=LZ4"));
    assert_eq!(ids, wanted);
    assert!(
        workload
            .designs
            .iter()
            .all(|id| of_study.designs.contains(id))
    );
    assert_eq!(workload.server, of_study.server);
    let mix = workload.mix.as_ref().unwrap();
    let actions: Vec<&Action> = mix.operations.iter().map(|o| &o.action).collect();
    let whole = Action::ReadPartition {
        limit: None,
        newest_first: false,
    };
    let [hundred, thousand] = [100, 1_000].map(|rows| Action::ReadRange { rows });
    assert_eq!(actions, [&Action::ReadRow, &hundred, &thousand, &whole]);
    let rows = rows_of(&workload);
    assert_eq!(rows_from(&*rows, 0), 4_000);
    assert_eq!(rows_from(&*rows, 4_000), 4_000);
}

/// A strategy has to have its like with rows that stay, or the report would compare it with another one.
#[test]
fn retention_compares_strategies_with_a_time_to_live_and_without() {
    let workload = shipped("workloads/retention.toml");
    let ids: Vec<String> = workload.designs.iter().map(ToString::to_string).collect();
    for strategy in ["TWCS:1m&ttl=1d", "STCS&ttl=1d", "UCS&ttl=1d", "STCS", "UCS"] {
        let id = format!("cassandra/wide?compaction={strategy}");
        assert!(ids.contains(&id), "{id} is not in {ids:?}");
    }
    let mix = workload.mix.as_ref().unwrap();
    let writes = mix.operations.iter().filter(|o| o.action.writes());
    let writes: Vec<_> = writes.map(|o| (o.keys, o.ttl_seconds)).collect();
    assert_eq!(writes, [(Keys::New, None)]);
    // What is loaded and what the mix inserts are one series of times.
    let loaded = workload.scale.default_rows;
    let last_of_series = loaded - 1_000;
    let rows = rows_of(&workload);
    assert_eq!(rows.next_in_partition(last_of_series), Some(loaded));
}

#[test]
fn compactions_changes_one_thing_each_and_has_the_same_rows_and_operations_with_bti() {
    let big = shipped("workloads/compactions.toml");
    let bti = shipped("workloads/compactions_bti.toml");
    let base: DesignId = "cassandra/wide?compaction=UCS:T4".parse().unwrap();
    assert_eq!((&big.designs[0], &bti.designs[0]), (&base, &base));
    for id in ["UCS:L10", "UCS:T4+T8", "STCS", "LCS"] {
        let id = format!("cassandra/wide?compaction={id}").parse().unwrap();
        assert!(big.designs.contains(&id), "{id}");
    }
    assert!(bti.designs.iter().all(|id| big.designs.contains(id)));
    for further in [
        "compressor=Zstd&level=1",
        "compressor=Zstd&level=9",
        "caching=none",
    ] {
        let id = format!("{base}&{further}").parse().unwrap();
        assert!(big.designs.contains(&id), "{id}");
    }
    let set = |workload: &Workload| -> Vec<String> {
        let keys = workload.server.cassandra.iter();
        keys.map(|(key, value)| format!("{key} {value}")).collect()
    };
    let small = "memtable_heap_space 64MiB";
    let with_cache = ["key_cache_size 4MiB", small, "sstable_format big"];
    assert_eq!(set(&big), with_cache);
    assert_eq!(set(&bti), [small, "sstable_format bti"]);
    let rest = |w: &Workload| format!("{:?}", (&w.table, &w.data, &w.mix, &w.scale));
    assert_eq!(rest(&big), rest(&bti));
    assert_eq!(rows_from(&*rows_of(&big), 0), 20);
}

#[test]
fn row_cache_has_each_layout_with_and_without_it_and_partitions_longer_than_what_is_kept() {
    let workload = shipped("workloads/row_cache.toml");
    let ids: Vec<String> = workload.designs.iter().map(ToString::to_string).collect();
    let layouts = [("narrow", "rows:all"), ("wide", "rows:100")];
    let wanted = layouts.map(|(layout, kept)| {
        let plain = format!("cassandra/{layout}");
        let cached = format!("{plain}?caching={kept}");
        [plain, cached]
    });
    assert_eq!(ids, wanted.concat());
    let size = ("row_cache_size".to_owned(), "128MiB".to_owned());
    assert_eq!(workload.server.cassandra, [size]);
    assert_eq!(rows_from(&*rows_of(&workload), 0), 500);
    let mix = workload.mix.as_ref().unwrap();
    let beginning = Action::ReadPartition {
        limit: Some(50),
        newest_first: false,
    };
    assert_eq!(mix.operations[0].action, beginning);
    assert!(mix.operations.iter().any(|o| o.action.writes()));
}
