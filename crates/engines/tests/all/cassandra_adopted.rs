//! Designs of rows in Cassandra that are made and filled outside of a run, by what their engine says of it: the
//! statements and the script are carried out on a real server. Where `cqlsh` is not installed, this test puts the rows
//! in its files into the tables that it is asked to fill.
//!
//! Where no server can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow::array::{Float64Array, StringArray, TimestampMillisecondArray};
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::cassandra::login_at;
use bakeoff_engines::{AdoptedRows, Context, EngineOptions};
use bakeoff_testing::skipped;
use bakeoff_workload::csv::Encoder;
use bakeoff_workload::{DesignId, Workload};
use scylla::client::session::Session;

use crate::support::load::session_at;
use crate::support::{DAY, Table, shared};

/// Stands in for `cqlsh`: notes the statement that it is given.
const STAND_IN: &str = "#!/bin/sh\nprintf '%s\\n' \"$2\" >>\"$SAID\"\n";

/// No statement of Cassandra says where its rows are.
const ROWS: AdoptedRows<'static> = AdoptedRows {
    from: "w.toml",
    from_in_script: "w.toml",
    usual: "all",
};

/// Rows on both sides of 1970, with nulls, a NaN and a text that has to be quoted.
fn readings(name: &str) -> Table {
    Table::new(
        name,
        r#"partition_key = ["series"]
order_key = ["time"]
columns = { series = "text", time = "timestamp", value = "double", kind = "text" }"#,
        vec![
            Arc::new(StringArray::from(vec!["a", "b, \"c\"\nd", "a"])),
            Arc::new(TimestampMillisecondArray::from(vec![-1, 0, 3 * DAY + 5])),
            Arc::new(Float64Array::from(vec![Some(1.5), None, Some(f64::NAN)])),
            Arc::new(StringArray::from(vec![Some("it's"), Some("x"), None])),
        ],
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn designs_of_rows_are_made_and_filled_by_their_own_statements() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    if Command::new("python3").arg("--version").output().is_err() {
        skipped("python3 is not on PATH");
        return;
    }
    let address = server.address();
    let session = session_at(&address.to_string()).await;
    let login = login_at(&Home::from_env().unwrap(), address).unwrap();
    let (host, port) = (address.ip().to_string(), address.port().to_string());
    let called_with = [
        host.as_str(),
        &port,
        "-u",
        login.user(),
        "-p",
        login.password(),
    ];
    for (id, name, tables) in [
        ("cassandra/wide", "adopted_wide", 1),
        (
            "cassandra/wide?bucket=1d&compressor=Zstd&order=desc",
            "adopted_buckets",
            1,
        ),
        ("cassandra/narrow", "adopted_narrow", 1),
        ("cassandra/wide?table_by=kind", "adopted_copies", 2),
        ("cassandra/wide?index=kind", "adopted_index", 1),
    ] {
        let mut table = readings(name);
        // The server is one node.
        let text = format!("{}\n[scale]\nreplication = 1\n", table.workload.text);
        table.workload = Workload::parse(&text, Path::new("w.toml")).unwrap();
        let id: DesignId = id.parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let context = Context {
            run_dir: folder.path().to_owned(),
            token: None,
            threads: 2,
            // No second table is filled with rows of which some replace others.
            keys_repeat: false,
            options: EngineOptions::default(),
        };
        let adoption = engine(&id)
            .unwrap()
            .adoption(&id, &table.workload, &context, &ROWS)
            .unwrap();
        for statement in adoption.schema.unwrap().statements {
            let made = session.query_unpaged(statement.as_str(), ()).await;
            made.unwrap_or_else(|error| panic!("{id}: {statement}: {error}"));
        }
        let mut encoder = Encoder::new(&table.workload.table);
        let mut rows = encoder.header();
        encoder.rows(&table.rows, &mut rows);
        std::fs::write(folder.path().join("rows.csv"), rows).unwrap();
        let load = adoption.load.unwrap().lines;
        let said = filled(folder.path(), &load, &called_with);
        for copy in &said {
            insert_as(&session, copy, folder.path()).await;
        }
        let into = format!("{name}.{name}");
        let counted = format!("SELECT count(*), count(value) FROM {into}");
        assert_eq!(numbers(&session, &counted).await, (3, 2), "{id}");
        let oldest = format!(
            "SELECT count(*), count(value) FROM {into} WHERE time = -1 AND value = 1.5 ALLOW FILTERING"
        );
        assert_eq!(numbers(&session, &oldest).await, (1, 1), "{id}");
        if id.to_string().contains("bucket=") {
            let before = format!(
                "SELECT count(*), count(value) FROM {into} WHERE series = 'a' AND bakeoff_bucket = -1"
            );
            assert_eq!(numbers(&session, &before).await, (1, 1), "{id}");
        }
        if tables == 2 {
            // It has the rows with a value there.
            let copied = format!("SELECT count(*), count(value) FROM {into}_by_1");
            assert_eq!(numbers(&session, &copied).await, (2, 1), "{id}");
        }
        let dropped = session.query_unpaged(format!("DROP KEYSPACE {name}"), ());
        dropped.await.unwrap();
    }
}

/// Runs the lines that fill tables. Returns what `cqlsh` was to do if it is not installed.
fn filled(folder: &Path, lines: &[String], called_with: &[&str]) -> BTreeSet<String> {
    let programs = folder.join("programs");
    let said = folder.join("said");
    std::fs::create_dir(&programs).unwrap();
    std::fs::write(&said, "").unwrap();
    let is_installed = Command::new("cqlsh").arg("--version").output().is_ok();
    if !is_installed {
        let stand_in = programs.join("cqlsh");
        std::fs::write(&stand_in, STAND_IN).unwrap();
        std::fs::set_permissions(&stand_in, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let script = format!("set -eu\nrows=$1\nshift\n{}\n", lines.join("\n"));
    let path = format!(
        "{}:{}",
        programs.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(folder)
        .args(called_with)
        .env("PATH", path)
        .env("SAID", &said)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let said = std::fs::read_to_string(said).unwrap();
    assert_eq!(said.is_empty(), is_installed, "{said}");
    said.lines().map(str::to_owned).collect()
}

/// Inserts the rows of a file as a COPY of `cqlsh` does.
async fn insert_as(session: &Session, copy: &str, folder: &Path) {
    let (into, from) = copy
        .strip_prefix("COPY ")
        .unwrap()
        .split_once(" FROM '")
        .unwrap();
    let (file, options) = from.split_once('\'').unwrap();
    assert_eq!(options, " WITH HEADER = TRUE AND ESCAPE = '\"'", "{copy}");
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let mut rows = rows_of(&text).into_iter();
    let names = rows.next().unwrap();
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let listed = format!("({})", quoted.join(", "));
    assert!(into.ends_with(&listed), "{copy}: {listed}");
    for row in rows {
        let values = names.iter().zip(&row).map(|(name, cell)| {
            let is_text = ["series", "kind"].contains(&name.as_str());
            match cell.as_str() {
                "" => "null".to_owned(),
                text if is_text => format!("'{}'", text.replace('\'', "''")),
                other => other.to_owned(),
            }
        });
        let values: Vec<String> = values.collect();
        let cql = format!("INSERT INTO {into} VALUES ({})", values.join(", "));
        let inserted = session.query_unpaged(cql.as_str(), ()).await;
        inserted.unwrap_or_else(|error| panic!("{cql}: {error}"));
    }
}

/// The cells of a CSV file.
fn rows_of(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                cell.push('"');
                characters.next();
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => {}
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other => cell.push(other),
        }
    }
    rows
}

/// The two numbers that a statement counts.
async fn numbers(session: &Session, cql: &str) -> (i64, i64) {
    let answer = session.query_unpaged(cql, ()).await;
    let answer = answer.unwrap_or_else(|error| panic!("{cql}: {error}"));
    let rows = answer.into_rows_result().unwrap();
    rows.single_row::<(i64, i64)>().unwrap()
}
