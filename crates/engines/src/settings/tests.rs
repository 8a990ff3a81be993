//! Layouts take exactly the settings that `bakeoff list` shows.

use std::path::Path;
use std::sync::Arc;

use bakeoff_workload::Workload;

use super::{COLUMNS, names};
use crate::registry::ENGINES;
use crate::{AdbcOptions, Context, DriverFile, Engine, EngineOptions};

/// The drivers that designs of ADBC name, by the name with which their layout is listed.
const DRIVERS: &str =
    "[NAME]\nlibrary = \"/lib/libdriver.so\"\noptions = { path = \"${folder}\" }\n";

/// A workload whose table fits every layout, with more columns than the smallest table that is listed.
const TABLE: &str = r#"
title = "t"

[table]
name = "readings"
partition_key = ["series"]
order_key = ["time"]

[table.columns]
series = "text"
time = "timestamp"
value = "double"
country = "text"
m1 = "double"
m2 = "double"
m3 = "double"
m4 = "double"
m5 = "double"
m6 = "double"
m7 = "double"
m8 = "double"

[data]
requires = "--data"
"#;

/// A workload that states the time span of its data, for settings that need it.
const OF_DAYS: &str = r#"
title = "t"

[data]
generator = "devops"
hosts = 1
days = 3
"#;

const QUERY: &str = r#"
[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM readings"
"#;

/// The mix for the layout whose tables are those of a mix.
const MIX: &str = r#"
[mix]
schema = ["CREATE TABLE ${keyspace}.readings (series text PRIMARY KEY)"]

[[mix.operations]]
name = "read"
action = "cql"
keys = "uniform"
weight = 100
statements = ["SELECT * FROM ${keyspace}.readings WHERE series = :series"]
"#;

fn context() -> Context {
    let folder = tempfile::tempdir().unwrap();
    let drivers = folder.path().join("drivers.toml");
    std::fs::write(&drivers, DRIVERS).unwrap();
    Context {
        run_dir: "/nowhere/run".into(),
        token: None,
        threads: 1,
        keys_repeat: false,
        options: EngineOptions {
            adbc: AdbcOptions {
                drivers: Some(Arc::new(DriverFile::read(&drivers).unwrap())),
                ..AdbcOptions::default()
            },
            ..EngineOptions::default()
        },
    }
}

fn describe(engine: &dyn Engine, id: &str) -> Result<(), String> {
    let asked = if id.contains("/as-written") {
        MIX
    } else {
        QUERY
    };
    let table = if id.contains("?chunks=") {
        OF_DAYS
    } else {
        TABLE
    };
    let text = format!("{table}{asked}");
    let workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
    let described = engine.describe(&id.parse().unwrap(), &workload, &context());
    described.map(drop).map_err(|error| error.0)
}

/// Returns each setting of a description with the first of its values, and with the other setting
/// that it needs: `level=3 (with compressor=Zstd)`.
fn examples(description: &'static str) -> impl Iterator<Item = String> {
    description.split(", ").filter(|s| !s.is_empty()).map(|s| {
        let end = s.find(['|', ' ']).unwrap_or(s.len());
        let needed = s.split_once(" (with ").map(|(_, rest)| rest);
        match needed {
            Some(needed) => format!("{}&{}", &s[..end], needed.trim_end_matches(')')),
            None => s[..end].to_owned(),
        }
    })
}

#[test]
fn a_layout_takes_each_setting_that_it_is_listed_with_and_no_other() {
    let mut taken = 0;
    for engine in ENGINES {
        for layout in engine.layouts() {
            for setting in examples(layout.settings) {
                let id = format!("{}?{setting}", layout.name);
                assert_eq!(describe(*engine, &id), Ok(()), "{id}");
                taken += 1;
            }
            let id = format!("{}?colour=red", layout.name);
            let error = describe(*engine, &id).unwrap_err();
            let words = format!("design {id}: unknown setting `colour`; there are: ");
            assert!(error.starts_with(&words), "{error}");
            assert!(error.ends_with(layout.settings), "{error}");
        }
    }
    assert!(taken >= 30, "{taken}");
}

#[test]
fn a_setting_that_is_nearly_right_is_named() {
    let [cassandra, ..] = ENGINES else {
        panic!("no engines");
    };
    let error = describe(*cassandra, "cassandra/wide?oder=desc").unwrap_err();
    assert!(error.contains("did you mean `order`?"), "{error}");
    for setting in ["order=desc", "bucket=1d"] {
        let error = describe(*cassandra, &format!("cassandra/narrow?{setting}")).unwrap_err();
        assert!(error.contains("one row per partition"), "{error}");
    }
}

#[test]
fn a_layout_without_the_setting_stores_all_columns() {
    for engine in ENGINES {
        for layout in engine.layouts() {
            if !names(layout.settings).any(|name| name == COLUMNS) {
                let id = format!("{}?columns=10", layout.name);
                let error = describe(*engine, &id).unwrap_err();
                assert!(error.starts_with(&format!("design {id}: ")), "{error}");
            }
        }
    }
    let [cassandra, ..] = ENGINES else {
        panic!("no engines");
    };
    assert_eq!(
        describe(*cassandra, "cassandra/series?columns=10").unwrap_err(),
        "design cassandra/series?columns=10: this layout always stores all columns of the table: leave columns= out"
    );
}

#[test]
fn names_stand_before_the_equals_sign() {
    let found: Vec<_> = names("bucket=1d (or a number), order=asc|desc, cache=0 (MiB)").collect();
    assert_eq!(found, ["bucket", "order", "cache"]);
    let found: Vec<_> = names("level=3 (with compressor=Zstd), ttl=30d").collect();
    assert_eq!(found, ["level", "ttl"]);
    assert_eq!(names("").count(), 0);
}
