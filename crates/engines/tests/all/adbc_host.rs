//! The process that drivers are loaded into: this test program, started again.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bakeoff_engines::servers::{DriverProcess, find_duckdb};
use bakeoff_engines::{AdbcOptions, HostProgram, serve_driver};
use serde_json::json;

use crate::support::has_duckdb;

/// Variable that is set in such a process.
const ROLE: &str = "BAKEOFF_TEST_ADBC_HOST";
/// Variable that is set in a process that starts such a process.
const STARTER: &str = "BAKEOFF_TEST_ADBC_STARTER";
/// Variable with the library that such a process is to be busy with.
const BUSY_WITH: &str = "BAKEOFF_TEST_ADBC_BUSY_WITH";
/// A statement that nobody sees the end of.
const ENDLESS: &str = "CREATE TABLE t AS SELECT sum(a.range + b.range) AS s
    FROM range(10000000) a, range(10000000) b";
/// Ticks of CPU time after which a process is busy: more than starting and loading a library take.
const BUSY_TICKS: u64 = 300;
/// What no test waits for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Options with which engines start this program to load drivers.
pub fn options() -> AdbcOptions {
    let program = std::env::current_exe().unwrap();
    let role = format!("{ROLE}=1");
    let words = [
        role.as_str(),
        program.to_str().unwrap(),
        "adbc_host::serves_a_driver",
        "--exact",
        "--nocapture",
    ];
    AdbcOptions {
        host: Some(HostProgram {
            program: PathBuf::from("/usr/bin/env"),
            arguments: words.map(str::to_owned).to_vec(),
        }),
        ..AdbcOptions::default()
    }
}

/// Serves a driver in such a process; tests nothing.
#[test]
fn serves_a_driver() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    serve_driver().unwrap();
    std::process::exit(0);
}

/// Starts a process that loads drivers as a program would that is killed then: tests nothing by itself.
#[test]
fn starts_one_and_waits() {
    if std::env::var_os(STARTER).is_none() {
        return;
    }
    let host = options().host.unwrap();
    let started = DriverProcess::start(&host.program, &host.arguments);
    let (process, mut socket) = started.unwrap();
    println!("\nstarted: {}", process.id());
    if let Ok(library) = std::env::var(BUSY_WITH) {
        let database = json!({
            "library": library,
            "entrypoint": "duckdb_adbc_init",
            "options": [["path", ":memory:"]],
            "setup": [],
        });
        for request in [
            json!({"id": 0, "request": {"open": database}}),
            json!({"id": 1, "request": {"execute": {"statements": [ENDLESS]}}}),
        ] {
            writeln!(socket, "{request}").unwrap();
        }
    }
    std::thread::sleep(PATIENCE);
}

/// Starts such a starter, and returns it with the folder of what it has started below /proc.
fn starter(busy_with: Option<&Path>) -> (Child, PathBuf) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["adbc_host::starts_one_and_waits", "--exact", "--nocapture"])
        .env(STARTER, "1")
        .stdout(Stdio::piped());
    if let Some(library) = busy_with {
        command.env(BUSY_WITH, library);
    }
    let mut starter = command.spawn().unwrap();
    let output = BufReader::new(starter.stdout.take().unwrap());
    let mut lines = output.lines().map_while(Result::ok);
    let id = lines.find_map(|line| line.strip_prefix("started: ").map(str::to_owned));
    let process = PathBuf::from("/proc").join(id.unwrap());
    assert!(process.exists(), "{}", process.display());
    (starter, process)
}

#[track_caller]
fn ends_with_its_starter(mut starter: Child, process: &Path) {
    starter.kill().unwrap();
    starter.wait().unwrap();
    let began = Instant::now();
    // Whoever inherits it may take its time to wait for it: then it is a zombie.
    let is_running = || {
        let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
        !status.is_empty() && !status.contains("State:\tZ")
    };
    while is_running() {
        assert!(began.elapsed() < PATIENCE, "{} is left", process.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn one_ends_when_its_starter_is_killed() {
    let (starter, process) = starter(None);
    ends_with_its_starter(starter, &process);
}

#[test]
fn one_that_is_busy_ends_when_its_starter_is_killed() {
    if !has_duckdb() {
        return;
    }
    let library = find_duckdb().unwrap().path;
    let (starter, process) = starter(Some(&library));
    let began = Instant::now();
    while ticks(&process) < BUSY_TICKS {
        assert!(began.elapsed() < PATIENCE, "it does nothing");
        std::thread::sleep(Duration::from_millis(20));
    }
    ends_with_its_starter(starter, &process);
}

/// Returns the CPU time of a process in the ticks of /proc, 100 a second.
fn ticks(process: &Path) -> u64 {
    let stat = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
    // Behind the name, which may have blanks, user time is the twelfth field and system time the next one.
    let behind = stat.rsplit(')').next().unwrap_or_default();
    let fields = behind.split_whitespace().skip(11).take(2);
    fields.map(|field| field.parse::<u64>().unwrap_or(0)).sum()
}
