//! A folder of its own for each test, with a small workload and its data, and the built program.

pub mod exporter;
pub mod going_on;
pub mod kept;
pub mod postgres;
pub mod processes;
pub mod server;
pub mod shards;
pub mod turns;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

use bakeoff_testing::skipped;
use tempfile::TempDir;
use turns::Turn;

/// Readings of two series; `series,time,value`.
pub const READINGS: &str = "\
series,time,value
a,2024-01-01T00:00:00,1.5
a,2024-01-01T00:01:00,2.5
b,2024-01-01T00:00:00,
b,2024-01-02T00:00:00,NaN
";

pub const WORKLOAD: &str = r#"
title = "Readings of a test"
designs = ["parquet?codec=zstd", "parquet?codec=snappy", "memory"]

[table]
name = "readings"
partition_key = ["series"]
order_key = ["time"]
[table.columns]
series = "text"
time = "timestamp"
value = "double"

[data]
file = "readings.csv"

[[queries]]
name = "all"
sql = "SELECT series, time, value FROM readings"

[[queries]]
name = "by_series"
sql = """
SELECT series, count(*) AS n, avg(value) AS mean
FROM readings WHERE series = ${series}
GROUP BY series ORDER BY series
"""
parameters = { series = { column = "series" } }

[scale]
rows = 1000
full_rows = 1000000
"#;

/// Reads of rows, on the engine that does nothing.
pub const READS: &str = r#"
designs = ["dry"]

[table]
name = "keyvalue"
columns = { key = "text", value = "text" }
partition_key = ["key"]

[data]
generator = "columns"
[data.columns]
key = { sequence = {}, prefix = "k" }
value = { characters = [10, 20] }

[scale]
rows = 1000

[mix]
[[mix.operations]]
name = "read"
action = "read-row"
weight = 100
"#;

/// Readings of fifty sensors in turn.
const SENSORS: &str = r#"
[table]
name = "readings"
columns = { sensor = "text", time = "bigint", value = "double", note = "text" }
partition_key = ["sensor"]
order_key = ["time"]

[data]
generator = "columns"
[data.columns]
sensor = { sequence = { cycle = 50 }, prefix = "s" }
time = { sequence = { every = 50 } }
value = { normal = { mean = 20.0, deviation = 5.0 } }
note = { words = [2, 10] }
"#;

/// Hosts whose highest figure is asked for.
pub const HOSTS: &str = r#"
title = "t"
[data]
generator = "devops"
hosts = 5
days = 30
[[queries]]
name = "highest"
sql = "SELECT max(usage_user) AS highest FROM cpu"
"#;

/// Hosts with a query that reads all rows, and one that reads those of a host.
pub const SCANS: &str = r#"
title = "Scans of a test"
designs = ["local/columnar?rows=50", "parquet"]
[data]
generator = "devops"
hosts = 5
[scale]
rows = 4_000
full_rows = 16_000
[[queries]]
name = "mean"
sql = "SELECT hostname, avg(usage_user) AS mean FROM cpu GROUP BY hostname ORDER BY hostname"
[[queries]]
name = "few"
sql = "SELECT count(usage_user) AS n FROM cpu WHERE hostname = 'host_1' AND usage_idle > 1.0"
"#;

/// Most of what a start takes grows with the heap.
pub const SMALL_SERVER: &str = "[server]\nheap = \"512MiB\"\n";

pub struct Bench {
    pub dir: TempDir,
    /// Home of the program.
    pub home: PathBuf,
    /// Of those that start servers.
    _turn: Option<Turn>,
}

impl Bench {
    /// With a workload `w.toml` and its data `readings.csv`.
    pub fn new(workload: &str, readings: &str) -> Bench {
        let dir = TempDir::new().unwrap();
        let bench = Bench {
            home: dir.path().join("home"),
            dir,
            _turn: None,
        };
        std::fs::write(bench.path("w.toml"), workload).unwrap();
        std::fs::write(bench.path("readings.csv"), readings).unwrap();
        bench
    }

    /// As [`new`](Self::new) with the readings of all tests. `None`, with the reason printed, where the engine is not
    /// available; a failure in CI.
    pub fn with_engine(workload: &str, engine: &str) -> Option<Bench> {
        let bench = Bench::new(workload, READINGS);
        bench.has(engine).then_some(bench)
    }

    /// With a home of its own that shares the user's jars of Cassandra. `None`, with the reason
    /// printed, where Cassandra is not available; a failure in CI.
    pub fn with_cassandra(workload: &str, readings: &str) -> Option<Bench> {
        Bench::with_servers(workload, readings, Turn::of_one_server())
    }

    /// As [`with_cassandra`](Self::with_cassandra), for a cluster of several nodes.
    pub fn with_nodes_of_cassandra(workload: &str, readings: &str) -> Option<Bench> {
        Bench::with_servers(workload, readings, Turn::of_all_servers())
    }

    fn with_servers(workload: &str, readings: &str, turn: Turn) -> Option<Bench> {
        let workload = format!("{workload}\n{SMALL_SERVER}");
        let mut bench = Bench::beside_cassandra(&workload, readings)?;
        bench._turn = Some(turn);
        Some(bench)
    }

    /// As [`with_cassandra`](Self::with_cassandra), but for the shared server only.
    pub fn beside_cassandra(workload: &str, readings: &str) -> Option<Bench> {
        let bench = Bench::new(workload, readings);
        share_jars(&bench.home);
        bench.has("cassandra").then_some(bench)
    }

    /// Whether an engine is available; else the reason is printed, or is a failure in CI.
    pub fn has(&self, engine: &str) -> bool {
        has_engine(engine, &self.home)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The program in this folder, with a home of its own. A run loads no twins and no smaller tables
    /// unless it asks for them, since few tests are about these.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
        command
            .current_dir(self.dir.path())
            .env("BAKEOFF_HOME", &self.home)
            .args(arguments);
        let is_run = arguments.first() == Some(&"run");
        let asks = |argument: &&str| ["--scales", "--no-twins"].contains(argument);
        if is_run && !arguments.iter().any(asks) {
            command.args(["--scales", "1", "--no-twins"]);
        }
        command
    }

    /// As [`command`](Self::command) where no server and no library of an engine is found.
    pub fn command_without_servers(&self, arguments: &[&str]) -> Command {
        let none = self.path("none");
        std::fs::create_dir_all(&none).unwrap();
        let mut command = self.command(arguments);
        command
            .env("PATH", &none)
            .env("BAKEOFF_POSTGRES_BIN", &none)
            .env("BAKEOFF_DUCKDB_LIBRARY", none.join("libduckdb.so"))
            .env_remove("JAVA_HOME");
        command
    }

    pub fn without_servers(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command_without_servers(arguments).output().unwrap())
    }

    pub fn bakeoff(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().unwrap())
    }

    /// Loads the engine that does nothing for 2 s, into the folder `load`.
    #[track_caller]
    pub fn short_load(&self) {
        let length = ["--in-flight", "4", "--for", "2s", "--out", "load"];
        let load = ["drive", "readings", "--designs", "dry", "--rows", "1000"];
        self.bakeoff(&[load, length].concat()).expect(0);
    }

    pub fn journal(&self, run: &str) -> Vec<serde_json::Value> {
        journal(&self.path(run))
    }
}

/// What the program says of the engines here, with jars of Cassandra in its home or without. It looks at all of them
/// for a second, and they stay as they are.
static LISTED: Mutex<BTreeMap<bool, String>> = Mutex::new(BTreeMap::new());

/// Whether an engine is available with this home; else the reason is printed, or is a failure in CI.
pub fn has_engine(engine: &str, home: &Path) -> bool {
    let list = || {
        let mut list = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
        list.arg("list").env("BAKEOFF_HOME", home);
        Ended::of(list.output().unwrap()).expect(0).stdout
    };
    let mut listed = LISTED.lock().unwrap();
    let listed_now = listed.entry(home.join("jars").exists());
    let all = listed_now.or_insert_with(list).clone();
    drop(listed);
    let name = format!("{engine} ");
    let of_engine = |line: &&str| line.trim_start().starts_with(&name);
    let mut told = all.lines().filter(of_engine);
    let Some(reason) = told.find(|line| line.contains("not available")) else {
        return true;
    };
    skipped(reason);
    false
}

/// A workload of readings of fifty sensors, which these designs store, and with what else its text says.
pub fn sensors(designs: &[&str], rest: &str) -> String {
    format!("title = \"Readings of a test\"\ndesigns = {designs:?}\n{SENSORS}{rest}")
}

/// Makes a home that shares the user's jars of Cassandra, if there are any.
pub fn share_jars(home: &Path) {
    let cache = std::env::home_dir().unwrap().join(".cache/bakeoff/jars");
    if cache.is_dir() {
        std::fs::create_dir(home).unwrap();
        std::os::unix::fs::symlink(cache, home.join("jars")).unwrap();
    }
}

pub fn journal(run: &Path) -> Vec<serde_json::Value> {
    records(&run.join("journal.jsonl"))
}

/// The whole lines of a file of records; none if it is not there yet.
pub fn records(file: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Records of a kind.
pub fn of_kind<'a>(
    records: &'a [serde_json::Value],
    kind: &'a str,
) -> impl Iterator<Item = &'a serde_json::Value> {
    records.iter().filter(move |r| r["record"] == kind)
}

pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(output: Output) -> Ended {
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Checks the exit code, showing everything when it is another.
    #[track_caller]
    pub fn expect(self, code: i32) -> Ended {
        assert_eq!(
            self.code,
            Some(code),
            "stdout: {}\nstderr: {}",
            self.stdout,
            self.stderr
        );
        self
    }

    #[track_caller]
    pub fn lacks(&self, words: &str) -> &Ended {
        let all = format!("{}{}", self.stdout, self.stderr);
        assert!(!all.contains(words), "`{words}` is in: {all}");
        self
    }

    #[track_caller]
    pub fn says(&self, words: &str) -> &Ended {
        let all = format!("{}{}", self.stdout, self.stderr);
        assert!(all.contains(words), "`{words}` is not in: {all}");
        self
    }
}
