//! The process that drivers are loaded into: this test program, started again.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bakeoff_engines::servers::DriverProcess;
use bakeoff_engines::{AdbcOptions, HostProgram, serve_driver};

/// Variable that is set in such a process.
const ROLE: &str = "BAKEOFF_TEST_ADBC_HOST";
/// Variable that is set in a process that starts such a process.
const STARTER: &str = "BAKEOFF_TEST_ADBC_STARTER";
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
    let (process, _socket) = started.unwrap();
    println!("\nstarted: {}", process.id());
    std::thread::sleep(PATIENCE);
}

#[test]
fn one_ends_when_its_starter_is_killed() {
    let mut starter = Command::new(std::env::current_exe().unwrap())
        .args(["adbc_host::starts_one_and_waits", "--exact", "--nocapture"])
        .env(STARTER, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(starter.stdout.take().unwrap());
    let mut lines = output.lines().map_while(Result::ok);
    let id = lines.find_map(|line| line.strip_prefix("started: ").map(str::to_owned));
    let process = PathBuf::from("/proc").join(id.unwrap());
    assert!(process.exists(), "{}", process.display());
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
