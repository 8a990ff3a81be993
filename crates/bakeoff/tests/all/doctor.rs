//! `bakeoff doctor` on machines that have everything, something and nothing.
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use bakeoff_testing::Disk;

use crate::support::{Bench, Ended, READINGS, WORKLOAD};

const ENGINES: [&str; 11] = [
    "cassandra",
    "cassandra-4",
    "postgres",
    "timescale",
    "duckdb",
    "spark",
    "adbc",
    "local",
    "parquet",
    "memory",
    "dry",
];
/// Folders in which engines are looked for wherever the path leads.
const PLACES: [&str; 4] = [
    "/usr/lib/jvm",
    "/usr/lib/postgresql",
    "/opt/bakeoff-timescaledb",
    "/opt/bakeoff-duckdb",
];

fn bench() -> Bench {
    let designs = "\"cassandra/wide\", \"cassandra/blob\", \"memory\"";
    let with_cassandra = WORKLOAD.replace(
        "\"parquet?codec=zstd\", \"parquet?codec=snappy\", \"memory\"",
        designs,
    );
    assert!(with_cassandra.contains(designs));
    Bench::new(&with_cassandra, READINGS)
}

/// The line of an engine.
fn line<'a>(told: &'a str, engine: &str) -> &'a str {
    let start = format!("  {engine} ");
    let mut engines = told.lines().skip_while(|line| *line != "Engines:");
    let found = engines.find(|line| line.starts_with(&start));
    found.unwrap_or_else(|| panic!("no {engine} in {told}"))
}

#[test]
fn it_says_of_each_engine_what_the_list_says() {
    let bench = bench();
    let doctor = bench.bakeoff(&["doctor"]);
    let list = bench.bakeoff(&["list"]).expect(0).stdout;
    let mut missing = Vec::new();
    for engine in ENGINES {
        let said = line(&list, engine)
            .trim_start()
            .strip_prefix(engine)
            .unwrap()
            .trim();
        match said.strip_prefix("not available: ") {
            Some(reason) => {
                doctor.says(&format!(": {reason}\n"));
                assert!(line(&doctor.stdout, engine).ends_with("cannot be used"));
                missing.push(engine);
            }
            None => assert!(line(&doctor.stdout, engine).ends_with(said), "{said}"),
        }
    }
    let first = doctor.stdout.lines().next().unwrap();
    let (code, answer) = match &missing[..] {
        [] => (0, "Ready: every engine can be used.".to_owned()),
        ["cassandra"] => (3, "Not ready: cassandra cannot be used.".to_owned()),
        ["cassandra", others @ ..] => (
            3,
            format!(
                "Not ready: cassandra cannot be used; also missing: {}.",
                others.join(", ")
            ),
        ),
        _ => (0, format!("Ready, but without {}.", missing.join(" and "))),
    };
    assert_eq!((doctor.code, first), (Some(code), answer.as_str()));
    assert!(
        !bench.path("home").exists() && !bench.path("runs").exists(),
        "it makes nothing"
    );
}

/// The program on a machine that has no engines, which needs a mount namespace of its own and so
/// root.
fn without_engines(bench: &Bench, arguments: &[&str]) -> Command {
    let hidden = PLACES.map(|place| format!("test ! -d {place} || mount -t tmpfs none {place}"));
    let script = format!("{}; exec env PATH=/nowhere \"$@\"", hidden.join("; "));
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c", &script, "sh"])
        .arg(env!("CARGO_BIN_EXE_bakeoff"))
        .args(arguments)
        .current_dir(bench.dir.path())
        .env("BAKEOFF_HOME", bench.path("home"))
        .env("XDG_DATA_HOME", bench.path("data"))
        .env_remove("BAKEOFF_POSTGRES_BIN")
        .env_remove("BAKEOFF_DUCKDB_LIBRARY")
        .env_remove("BAKEOFF_SPARK_PYTHON")
        .env_remove("JAVA_HOME");
    command
}

/// Whether engines can be hidden; else the reason is printed, or is a failure in CI.
fn may_hide() -> bool {
    let tried = Command::new("unshare")
        .args(["--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
        .status();
    let may = tried.is_ok_and(|status| status.success());
    if !may {
        bakeoff_testing::skipped("hiding engines needs root");
    }
    may
}

#[test]
fn without_engines_each_has_a_reason_and_what_installs_it() {
    if !may_hide() {
        return;
    }
    let bench = bench();
    let ended = Ended::of(without_engines(&bench, &["doctor"]).output().unwrap()).expect(3);
    ended
        .says("Not ready: cassandra cannot be used; also missing: cassandra-4, postgres, timescale, duckdb, spark.")
        .says("! Java: Java 11 or 17 is needed to start Cassandra: install it with ")
        .says("! PostgreSQL: PostgreSQL's server is not in ")
        .says("! TimescaleDB: PostgreSQL's server is not in ")
        .says("apt-get install postgresql")
        .says("! DuckDB: DuckDB's library, libduckdb.so, is not installed: install it with ")
        .says("! pyspark: Spark 3.5.9 is not installed: install it with `python3 -m venv spark && ")
        .says("! Java: Java 11 or 17 is needed to start Spark: install it with ");
    for engine in &ENGINES[6..] {
        assert!(!line(&ended.stdout, engine).contains("cannot"), "{engine}");
    }
    // The Cassandra that cannot be started is told in the same words where it is skipped.
    let run = ["run", "w.toml", "--rounds", "1", "--out", "out"];
    let run = Ended::of(without_engines(&bench, &run).output().unwrap()).expect(3);
    let reason = ended
        .stdout
        .lines()
        .find_map(|line| line.trim().strip_prefix("! Java: "));
    let line = format!("cassandra: {}", reason.unwrap());
    assert_eq!(
        run.stderr.lines().filter(|told| *told == line).count(),
        1,
        "{}",
        run.stderr
    );
}

#[test]
fn a_java_of_another_release_is_named_and_not_taken() {
    if !may_hide() {
        return;
    }
    let bench = bench();
    let java = bench.path("jdk/bin/java");
    write_script(&java, "echo 'openjdk version \"25.0.1\" 2025-10-21' >&2");
    let mut command = without_engines(&bench, &["doctor"]);
    command.env("JAVA_HOME", bench.path("jdk"));
    let ended = Ended::of(command.output().unwrap()).expect(3);
    ended.says(&format!(
        "! Java: Java 11 or 17 is needed to start Cassandra; only Java 25 ({}) was found",
        java.display()
    ));
    write_script(&java, "echo 'openjdk version \"17.0.9\" 2023-10-17' >&2");
    let mut command = without_engines(&bench, &["doctor"]);
    command.env("JAVA_HOME", bench.path("jdk"));
    let ended = Ended::of(command.output().unwrap()).expect(3);
    ended
        .says(&format!("17.0.9, {}\n", java.display()))
        .says("! jars: ");
}

fn write_script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_folder_that_takes_no_run_is_the_first_thing_said() {
    let bench = bench();
    let not_ready = |folder: &Path| {
        let mut command = bench.command(&["doctor"]);
        command.current_dir(folder);
        let ended = Ended::of(command.output().unwrap()).expect(1);
        let first = format!("Not ready: cannot write to {}: ", folder.display());
        assert!(ended.stdout.starts_with(&first), "{}", ended.stdout);
        ended.says("change to a folder that can be written, or name one with --out");
        ended
    };
    not_ready(Path::new("/proc")).says("! disk: the disk of /proc is full");
    let Some(disk) = Disk::mount(bench.path("disk"), "ro") else {
        return;
    };
    not_ready(disk.folder()).says("Read-only file system");
}

#[test]
fn a_disk_without_room_for_a_server_leaves_the_other_designs() {
    let bench = bench();
    let Some(disk) = Disk::mount(bench.path("disk"), "size=64m") else {
        return;
    };
    let mut command = bench.command(&["doctor"]);
    command.current_dir(disk.folder());
    let ended = Ended::of(command.output().unwrap()).expect(3);
    ended.says("Not ready: ").says("! disk: ");
}

#[test]
fn without_any_home_designs_without_servers_are_measured() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let mut command = bench.command(&["run", "w.toml", "--rounds", "1", "--out", "out"]);
    for variable in ["HOME", "XDG_CACHE_HOME", "BAKEOFF_HOME"] {
        command.env_remove(variable);
    }
    Ended::of(command.output().unwrap()).expect(0);
}

#[test]
fn a_home_that_cannot_be_made_is_reported_with_the_remedy() {
    let bench = bench();
    let mut command = bench.command(&["doctor"]);
    command.env("BAKEOFF_HOME", bench.path("w.toml").join("home"));
    let ended = Ended::of(command.output().unwrap()).expect(3);
    ended
        .says("! home: cannot write to ")
        .says("set BAKEOFF_HOME to a folder that can be written");
}
