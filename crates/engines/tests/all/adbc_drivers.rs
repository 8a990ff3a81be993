//! Designs on ADBC drivers that their user names, here that of SQLite: answers are those of the rows themselves,
//! loading again changes nothing, and a library that cannot be used or a process that ends is told.
//!
//! Where `scripts/install-adbc` has not installed the driver this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float32Array, Float64Array};
use arrow::compute::concat_batches;
use arrow::datatypes::{Float32Type, Float64Type, Int64Type};
use arrow::record_batch::RecordBatch;
use bakeoff_driver::Design;
use bakeoff_engines::registry::engine;
use bakeoff_engines::{AdbcOptions, Context, DriverFile, EngineOptions, HostProgram};
use bakeoff_testing::{adbc_driver, skipped};
use bakeoff_workload::DesignId;
use futures::future::join_all;

use crate::adbc_host;
use crate::duckdb::{files, kill_who_has_open};
use crate::support::{Started, THREADS, Table, events, places, wrong_answers};

const EVENT_QUERIES: &[&str] = &[
    "SELECT * FROM events",
    "SELECT seen, flag, small, large FROM events",
    "SELECT 1 AS one FROM events",
    "SELECT count(*) AS n, count(label) AS labels, count(flag) AS flags FROM events",
    "SELECT series, min(time) AS time, max(large) AS most, avg(small) AS mean FROM events
     GROUP BY series ORDER BY series",
    "SELECT series, value FROM events WHERE value > 1.0 ORDER BY value, series, time",
    "SELECT * FROM events WHERE series IN ('a', 'it''s', 'nobody')",
    "SELECT * FROM events WHERE series = 'nobody'",
    "SELECT * FROM events ORDER BY time DESC, series LIMIT 5",
    "SELECT * FROM events WHERE flag IS NOT TRUE",
    "SELECT * FROM events WHERE label LIKE '%日本%'",
    "SELECT * FROM events WHERE series = 'a' AND time >= TIMESTAMP '1969-12-30T00:00:00'
     AND time < TIMESTAMP '1970-01-01T00:00:00.001'",
    "SELECT series, small FROM events WHERE time = TIMESTAMP '1970-01-01' ORDER BY series",
    "SELECT count(*) AS n FROM events WHERE time > TIMESTAMP '1969-12-31 23:59:59.999'",
];

const PLACE_QUERIES: &[&str] = &[
    "SELECT * FROM places",
    "SELECT \"order\" FROM places WHERE day BETWEEN -11 AND -1",
    "SELECT * FROM places WHERE region = '' AND id = -2147483648",
    "SELECT sum(amount) AS total, count(*) AS n FROM places WHERE region = 'north' AND id = 0",
    "SELECT * FROM places WHERE region = 'north' AND id = 0
     ORDER BY day DESC, \"order\" DESC LIMIT 4",
];

const FILE_QUERIES: &[&str] = &[
    "SELECT * FROM files",
    "SELECT name, data FROM files WHERE data IS NOT NULL ORDER BY name",
    "SELECT count(data) AS n FROM files",
];

/// Events without what SQLite cannot store: NaN, which becomes NULL there.
fn storable(mut table: Table) -> Table {
    let numbered = |column: &ArrayRef| -> ArrayRef {
        if let Some(numbers) = column.as_primitive_opt::<Float32Type>() {
            let number = |n: f32| if n.is_nan() { 0.5 } else { n };
            let numbers = numbers.iter().map(|n| n.map(number));
            return Arc::new(numbers.collect::<Float32Array>());
        }
        let Some(numbers) = column.as_primitive_opt::<Float64Type>() else {
            return Arc::clone(column);
        };
        let number = |n: f64| if n.is_nan() { 0.5 } else { n };
        let numbers = numbers.iter().map(|n| n.map(number));
        Arc::new(numbers.collect::<Float64Array>())
    };
    let columns = table.rows.columns().iter().map(numbered).collect();
    table.rows = RecordBatch::try_new(table.rows.schema(), columns).unwrap();
    table
}

/// Options with the drivers of a file with this text, of which one is wanted.
pub fn options(folder: &Path, wanted: &str, text: &str, adbc: AdbcOptions) -> EngineOptions {
    let path = folder.join("drivers.toml");
    std::fs::write(&path, text).unwrap();
    EngineOptions {
        adbc: AdbcOptions {
            drivers: Some(Arc::new(DriverFile::read(&path).unwrap())),
            wanted: [wanted.to_owned()].into(),
            ..adbc
        },
        ..EngineOptions::default()
    }
}

/// The file that names the driver of SQLite.
fn sqlite_file(library: &Path, more: &str) -> String {
    format!(
        r#"[sqlite]
library = "{}"
dialect = "sqlite"
{more}
[sqlite.options]
uri = "file:${{folder}}/table.db"
[sqlite.questions]
uri = "file:${{folder}}/table.db?mode=ro"
[sqlite.statements]
"adbc.sqlite.query.batch_rows" = 65536
"#,
        library.display()
    )
}

async fn sqlite(folder: &Path) -> Option<Started> {
    let text = sqlite_file(&adbc_driver("sqlite")?, "");
    let options = options(folder, "sqlite", &text, adbc_host::options());
    Some(Started::with("adbc", folder.join("run"), options).await)
}

async fn count(design: &dyn Design, table: &str) -> i64 {
    let sql = format!("SELECT count(*) AS n FROM {table}");
    let answer = design.answer(&sql).await.unwrap();
    answer.batches[0]
        .column(0)
        .as_primitive::<Int64Type>()
        .value(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_type_goes_in_and_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    let Some(sqlite) = sqlite(folder.path()).await else {
        return;
    };
    let info = sqlite.running.info();
    assert!(
        info.version.starts_with("sqlite: ADBC SQLite Driver"),
        "{}",
        info.version
    );
    assert!(info.settings[0].1.ends_with("libadbc_driver_sqlite.so"));
    for (table, queries) in [
        (storable(events()), EVENT_QUERIES),
        (places(), PLACE_QUERIES),
        (files(), FILE_QUERIES),
    ] {
        let oracle = table.oracle(table.rows.clone()).await;
        for id in ["adbc/sqlite", "adbc/sqlite?index=on"] {
            let design = sqlite.loaded(id, &table).await;
            let settled = design.settle().await.unwrap();
            assert!(settled.ends_with("ANALYZE"), "{settled}");
            assert_eq!(settled.contains("CREATE INDEX"), id.contains("index"));
            let wrong = wrong_answers(design.as_ref(), &oracle, queries).await;
            assert_eq!(wrong, [""; 0]);
            let footprint = design.footprint().await.unwrap();
            assert_eq!(footprint.files, Some(1), "{id}");
            assert!(footprint.file_bytes.unwrap() > 4096);
            assert!(design.survives().await);
            assert!(design.server_cpu_seconds().unwrap() > 0.0);
            assert_eq!(design.dead(), None);
        }
    }
    sqlite.running.finish(false).await.unwrap();
    assert!(!folder.path().join("run/adbc").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loading_again_changes_nothing_and_repeated_keys_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let Some(sqlite) = sqlite(folder.path()).await else {
        return;
    };
    let (id, table) = ("adbc/sqlite", storable(events()));
    let rows = table.rows.num_rows();
    // As a run that was stopped and goes on.
    drop(sqlite.loaded(id, &table).await);
    let design = sqlite.design(id, &table).await;
    assert!(design.survives().await);
    let half = table.rows.slice(0, rows / 2);
    design.load(0, &half).await.unwrap();
    let one = table.rows.slice(0, 1);
    let twice = concat_batches(&one.schema(), [&one, &one]).unwrap();
    design.load(7, &twice).await.unwrap();
    design.settle().await.unwrap();
    assert_eq!(count(design.as_ref(), "events").await, rows as i64 + 2);
    // Settling again, after a crash, finds all done.
    design.settle().await.unwrap();
    design.create().await.unwrap();
    design.settle().await.unwrap();
    assert_eq!(count(design.as_ref(), "events").await, 0);
    drop(design);
    let run = folder.path().join("run/adbc");
    std::fs::remove_dir_all(&run).unwrap();
    assert!(!sqlite.design(id, &table).await.survives().await);
    assert!(!run.exists(), "looking makes nothing");
    sqlite.running.finish(false).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_only_read_and_their_errors_are_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let Some(sqlite) = sqlite(folder.path()).await else {
        return;
    };
    let table = storable(events());
    let design = sqlite.loaded("adbc/sqlite", &table).await;
    design.settle().await.unwrap();
    for (sql, why) in [
        ("DROP TABLE events", "not a query"),
        ("PRAGMA journal_mode = WAL", "not a query"),
        ("SELECT 1; DELETE FROM events", "several statements"),
        ("SELECT nothing FROM events", "sqlite: "),
        ("SELECT nothing FROM events", "nothing"),
    ] {
        let error = design.answer(sql).await.unwrap_err().to_string();
        assert!(error.contains(why), "{sql}: {error}");
    }
    assert_eq!(design.dead(), None);
    // Several clients ask at the same time.
    let oracle = table.oracle(table.rows.clone()).await;
    let asks = (0..4).map(|_| wrong_answers(design.as_ref(), &oracle, EVENT_QUERIES));
    assert_eq!(join_all(asks).await.concat(), [""; 0]);
    sqlite.running.finish(false).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_dies_in_a_load_or_a_question_is_the_end_of_its_design_alone() {
    let folder = tempfile::tempdir().unwrap();
    let Some(sqlite) = sqlite(folder.path()).await else {
        return;
    };
    let table = storable(events());
    let file = folder.path().join("run/adbc/adbc-sqlite/table.db");
    let design = sqlite.loaded("adbc/sqlite", &table).await;
    kill_who_has_open(&file);
    let error = design.load(2, &table.rows).await.unwrap_err().to_string();
    assert!(error.contains("the database's driver is gone"), "{error}");
    let why = design.dead().unwrap();
    assert!(why.contains("signal: 9 (SIGKILL)"), "{why}");
    drop(design);
    let design = sqlite.loaded("adbc/sqlite", &table).await;
    design.settle().await.unwrap();
    count(design.as_ref(), "events").await;
    kill_who_has_open(&file);
    let asked = design.answer("SELECT count(*) AS n FROM events").await;
    let error = asked.unwrap_err().to_string();
    assert!(error.contains("the database's driver is gone"), "{error}");
    let why = design.dead().unwrap();
    assert!(why.contains("signal: 9 (SIGKILL)"), "{why}");
    let other = sqlite.loaded("adbc/sqlite?index=on", &table).await;
    other.settle().await.unwrap();
    assert!(count(other.as_ref(), "events").await > 0);
    assert_eq!(other.dead(), None);
    sqlite.running.finish(false).await.unwrap();
}

/// Says why a design cannot run, before anything is started.
async fn obstacle(id: &str, options: EngineOptions) -> String {
    let context = Context {
        run_dir: PathBuf::from("/nowhere/run"),
        token: None,
        threads: THREADS,
        keys_repeat: true,
        options,
    };
    let id: DesignId = id.parse().unwrap();
    let checked = engine(&id).unwrap().check_design(&id, &context).await;
    checked.unwrap_err().0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_driver_that_cannot_be_used_is_told_before_anything_is_started() {
    let Some(library) = adbc_driver("sqlite") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = |more: &str| sqlite_file(&library, more);
    let refused = file("").replace("[sqlite.options]", "[sqlite.options]\nnothing = 1");
    let nowhere = file("").replace("file:${folder}/", "file:${folder}/no/such/");
    for (text, words) in [
        (file("entrypoint = \"NothingInit\""), "NothingInit"),
        (refused, "nothing"),
        (nowhere, "[sqlite] cannot be used: "),
        (
            file("").replace("_sqlite.so", "_none.so"),
            "cannot be read: No such file",
        ),
    ] {
        let options = options(folder.path(), "sqlite", &text, adbc_host::options());
        let why = obstacle("adbc/sqlite", options).await;
        assert!(why.contains(words), "{words}: {why}");
        assert!(why.contains("[sqlite]"), "{why}");
    }
    let known = options(folder.path(), "sqlite", &file(""), adbc_host::options());
    let why = obstacle("adbc/sqlit", known).await;
    assert!(why.contains("did you mean `sqlite`?"), "{why}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_library_of_something_else_is_told() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mut mapped = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    let Some(libc) = mapped.find(|file| file.contains("/libc.so") || file.contains("/libc-"))
    else {
        skipped("the C library of this system is not a file of its own, as with musl");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let text = sqlite_file(Path::new(libc), "");
    let options = options(folder.path(), "sqlite", &text, adbc_host::options());
    let why = obstacle("adbc/sqlite", options).await;
    let words = format!("{libc} cannot be loaded as an ADBC driver");
    assert!(why.contains(&words), "{why}");
}

#[tokio::test]
async fn a_process_that_ends_while_it_loads_a_library_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("some.so");
    std::fs::write(&library, "\x7fELF and more").unwrap();
    for (script, words) in [
        ("exit 3", "exit status: 3"),
        (
            "echo it is broken >&2; kill -SEGV $$",
            "signal: 11 (SIGSEGV)",
        ),
        ("echo it is broken; kill -SEGV $$", "it is broken"),
        (
            "echo this is no frame of bytes >&0; exec sleep 600",
            "has ended",
        ),
    ] {
        let adbc = AdbcOptions {
            host: Some(HostProgram {
                program: PathBuf::from("/bin/sh"),
                arguments: vec!["-c".to_owned(), format!("read -r line; {script}")],
            }),
            ..AdbcOptions::default()
        };
        let text = sqlite_file(&library, "");
        let options = options(folder.path(), "sqlite", &text, adbc);
        let why = obstacle("adbc/sqlite", options).await;
        assert!(why.contains(words), "{script}: {why}");
        assert!(why.contains("[sqlite] cannot be used"), "{why}");
    }
}

/// A program in place of a driver's process that repeats what it is asked, and so every option, in an error.
const REPEATS: &str = r#"read -r line; n=${#line}; printf '\0\0\0\0\0\0\0\0\003' >&0
printf "$(printf '\\%03o\\%03o' $((n % 256)) $((n / 256)))\0\0%s" "$line" >&0; exec sleep 600"#;

#[tokio::test]
async fn a_driver_that_repeats_the_value_of_a_variable_is_not_repeated() {
    let secret = std::env::var("PATH").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("some.so");
    std::fs::write(&library, "\x7fELF and more").unwrap();
    let text = sqlite_file(&library, "").replace(
        "[sqlite.options]",
        "[sqlite.options]\n\"adbc.x.search_env\" = \"PATH\"",
    );
    for script in [
        REPEATS,
        "read -r line; echo \"$line\"; kill -SEGV $$",
        "read -r line; echo \"$line\" >&2; exit 3",
    ] {
        let adbc = AdbcOptions {
            host: Some(HostProgram {
                program: PathBuf::from("/bin/sh"),
                arguments: vec!["-c".to_owned(), script.to_owned()],
            }),
            ..AdbcOptions::default()
        };
        let options = options(folder.path(), "sqlite", &text, adbc);
        let why = obstacle("adbc/sqlite", options).await;
        assert!(why.contains("[sqlite] cannot be used"), "{why}");
        assert!(
            why.contains("[\"adbc.x.search\",\"the value of PATH\"]"),
            "{why}"
        );
        assert!(!why.contains(&secret), "{why}");
    }
}
