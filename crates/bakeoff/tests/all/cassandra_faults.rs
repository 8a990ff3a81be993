//! Kills and interruptions at every stage of a run on a real Cassandra, and a cluster that goes
//! away. Without Java or Maven this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Bench, Ended, READINGS, of_kind};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(120);

/// A folder with a home of its own that shares the user's jars. Its servers end with it.
struct Desk(Bench);

impl Desk {
    /// `None`, with the reason printed, where Cassandra cannot be had; a failure in CI.
    fn new(designs: &str) -> Option<Desk> {
        let workload = format!(
            "title = \"t\"\ndesigns = [{designs}]\n[data]\ngenerator = \"sensor\"\n\
             [[queries]]\nname = \"mean\"\n\
             sql = \"SELECT avg(value) FROM sensor WHERE sensor_id = 10\"\n\
             [[queries]]\nname = \"few\"\n\
             sql = \"SELECT time, value FROM sensor WHERE sensor_id = 10 AND time < 50\"\n"
        );
        Bench::with_cassandra(&workload, READINGS).map(Desk)
    }

    fn start(&self, arguments: &[&str]) -> Going<'_> {
        let mut command = self.0.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Going {
            child: command.spawn().unwrap(),
            desk: self,
        }
    }

    fn records(&self, kind: &str) -> Vec<Value> {
        of_kind(&self.0.journal("out"), kind).cloned().collect()
    }

    /// Process ids of the servers on record that run.
    fn servers(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path("home/engines"));
        let files = entries.into_iter().flatten().flatten();
        let record = |path: &Path| {
            let text = std::fs::read_to_string(path).ok()?;
            let record: Value = serde_json::from_str(&text).ok()?;
            Some(record["server"]["pid"].as_u64()?.to_string())
        };
        let pids = files.filter_map(|file| record(&file.path()));
        pids.filter(|pid| runs(pid)).collect()
    }

    /// Every query of every design has its rounds, each once, and all are right.
    #[track_caller]
    fn is_complete(&self, designs: usize, rounds: u64) {
        let timed = self.records("timed");
        let asked: BTreeSet<String> = timed
            .iter()
            .map(|t| format!("{} {} {}", t["design"], t["query"], t["round"]))
            .collect();
        assert_eq!(
            (timed.len(), asked.len() as u64),
            (asked.len(), designs as u64 * 2 * rounds)
        );
        let mut wrong = [timed, self.records("answered")].concat();
        wrong.retain(|r| r["outcome"]["outcome"] != "right");
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(self.records("failed"), [Value::Null; 0]);
        assert_eq!(self.records("finished").len(), 1);
        assert_eq!(self.servers(), [""; 0], "a server still runs");
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        for pid in self.servers() {
            signal("-KILL", &pid);
        }
    }
}

/// The program while it runs; killed when its test fails.
struct Going<'a> {
    child: Child,
    desk: &'a Desk,
}

impl Going<'_> {
    /// Waits until a record of this kind is there, of a Cassandra table where it is of a table.
    fn wait_for(&self, kind: &str) {
        let began = Instant::now();
        let found = |record: &Value| {
            let design = record["design"].as_str();
            design.is_none_or(|d| d.starts_with("cassandra"))
        };
        while !self.desk.records(kind).iter().any(found) {
            assert!(began.elapsed() < PATIENCE, "no {kind}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn signal(&self, name: &str) {
        signal(name, &self.child.id().to_string());
    }

    fn end(mut self) -> Ended {
        use std::io::Read;
        let (mut stdout, mut stderr) = (String::new(), String::new());
        let out = self.child.stdout.take();
        out.unwrap().read_to_string(&mut stdout).unwrap();
        let err = self.child.stderr.take();
        err.unwrap().read_to_string(&mut stderr).unwrap();
        Ended {
            code: self.child.wait().unwrap().code(),
            stdout,
            stderr,
        }
    }
}

impl Drop for Going<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn signal(name: &str, pid: &str) {
    let _ = Command::new("kill").args([name, pid]).status();
}

/// Whether a Cassandra has this process id.
fn runs(pid: &str) -> bool {
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&command).contains("CassandraDaemon")
}

#[test]
fn a_run_that_is_stopped_at_every_stage_still_comes_to_its_end() {
    let Some(desk) = Desk::new("\"cassandra/wide\", \"parquet\"") else {
        return;
    };
    let run = [
        "run", "w.toml", "--rows", "150k", "--rounds", "20", "--budget", "2s", "--out", "out",
    ];
    let going = desk.start(&run);
    going.wait_for("loaded");
    going.signal("-KILL");
    assert_eq!(going.end().code, None);
    let orphan = desk.servers().pop().unwrap();
    assert_eq!(desk.records("loading-done").len(), 0, "too late");

    let going = desk.start(&run);
    going.wait_for("timed");
    assert!(!runs(&orphan), "the server left behind was not stopped");
    going.signal("-INT");
    let ended = going.end().expect(130);
    ended.says("left behind").says("going on with the run");
    ended.says("interrupted").says("Report:");
    assert_eq!(desk.servers(), [""; 0], "Ctrl-C left a server");
    assert!(desk.0.path("out/cassandra").exists(), "rows were not kept");
    let loaded = desk.records("loaded").len();

    desk.0.bakeoff(&run).expect(0).says("going on with the run");
    assert_eq!(
        desk.records("loaded").len(),
        loaded,
        "rows were loaded twice"
    );
    assert_eq!(desk.records("loading-done")[0]["rows"], 150_000);
    assert_eq!(desk.records("resumed").len(), 2);
    desk.is_complete(2, 20);
}

#[test]
fn a_cluster_that_goes_away_fails_its_designs_at_once_and_no_others() {
    let Some(desk) = Desk::new("\"cassandra/wide\", \"parquet\"") else {
        return;
    };
    let data = desk.0.path("data");
    let started = ["engines", "start", "--dir", data.to_str().unwrap()];
    let started = desk.0.bakeoff(&started).expect(0).stdout;
    let address = started.rsplit("--cassandra ").next().unwrap().trim();
    let server = desk.servers().pop().unwrap();

    let rounds = 60;
    let run = [
        "run",
        "w.toml",
        "--rows",
        "20k",
        "--rounds",
        "60",
        "--budget",
        "1s",
        "--out",
        "out",
        "--cassandra",
        address,
    ];
    let going = desk.start(&run);
    going.wait_for("timed");
    signal("-KILL", &server);
    let ended = going.end().expect(3);
    ended.says("reading from Cassandra failed");
    let timed = desk.records("timed");
    let right = |t: &&Value| t["design"] == "parquet" && t["outcome"]["outcome"] == "right";
    assert_eq!(timed.iter().filter(right).count(), 2 * rounds);
    // A query that failed is not asked again in later rounds.
    let failed = timed.iter().filter(|t| t["outcome"]["outcome"] == "error");
    assert!((1..=2).contains(&failed.count()));
    assert_eq!(desk.records("finished").len(), 1);

    let status = desk.0.bakeoff(&["engines", "status"]).expect(0);
    status.says("has ended");
    desk.0
        .bakeoff(&["engines", "stop"])
        .expect(0)
        .says("stopped");
    let status = desk.0.bakeoff(&["engines", "status"]).expect(0);
    status.says("no server");
}
