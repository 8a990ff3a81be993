//! Kills and interruptions at every stage of a run on a real Cassandra, and a cluster that goes
//! away. Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.
use std::collections::BTreeSet;
use std::path::Path;

use crate::support::processes::{Going, signal};
use crate::support::{Bench, Ended, READINGS, of_kind, records};
use bakeoff_testing::times;
use serde_json::Value;

/// A folder with a home of its own that shares the user's jars. Its servers end with it.
struct Desk(Bench);

impl Desk {
    /// `None`, with the reason printed, where Cassandra is not available; a failure in CI.
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

    /// Starts a run and waits until a record of this kind is there, of a Cassandra table where it is of
    /// a table.
    #[track_caller]
    fn start_until(&self, arguments: &[&str], kind: &str) -> Going {
        let mut going = Going::start(&mut self.0.command(arguments));
        let is_it = |record: &Value| {
            let design = record["design"].as_str();
            design.is_none_or(|d| d.starts_with("cassandra"))
        };
        going.wait_until(kind, || self.records(kind).iter().any(is_it));
        going
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
    let (rows, loaded_at_last) = times(("60k", 60_000), ("150k", 150_000));
    let run = [
        "run", "w.toml", "--rows", rows, "--rounds", "20", "--budget", "2s", "--out", "out",
    ];
    let going = desk.start_until(&run, "loaded");
    assert_eq!(going.kill().code, None);
    let orphan = desk.servers().pop().unwrap();

    let going = desk.start_until(&run, "timed");
    assert!(!runs(&orphan), "the server left behind was not stopped");
    going.interrupt();
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
    assert_eq!(desk.records("loading-done")[0]["rows"], loaded_at_last);
    assert_eq!(desk.records("resumed").len(), 2);
    desk.is_complete(2, 20);
}

#[test]
fn a_cluster_that_goes_away_fails_its_designs_at_once_and_no_others() {
    let Some(desk) = Desk::new("\"cassandra/wide\", \"parquet\"") else {
        return;
    };
    let data = desk.0.path("data");
    let data = data.to_str().unwrap();
    let started = ["engines", "start", "--heap-mib", "512", "--dir", data];
    let mut command = desk.0.command(&started);
    command.env("BAKEOFF_CASSANDRA_PASSWORD", "of another one");
    let started = Ended::of(command.output().unwrap()).expect(0).stdout;
    let address = started.rsplit("--cassandra ").next().unwrap().trim();
    let server = desk.servers().pop().unwrap();
    let environment = std::fs::read_to_string(format!("/proc/{server}/environ")).unwrap();
    assert!(!environment.contains("BAKEOFF_"), "{environment}");

    let (rounds, asked) = times(("30", 30), ("60", 60));
    let run = [
        "run",
        "w.toml",
        "--rows",
        "20k",
        "--rounds",
        rounds,
        "--budget",
        "1s",
        "--out",
        "out",
        "--cassandra",
        address,
    ];
    let going = desk.start_until(&run, "timed");
    signal("-KILL", &server);
    let ended = going.end().expect(3);
    ended.says("reading from Cassandra failed");
    let timed = desk.records("timed");
    let right = |t: &&Value| t["design"] == "parquet" && t["outcome"]["outcome"] == "right";
    assert_eq!(timed.iter().filter(right).count(), 2 * asked);
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

#[test]
fn a_load_ends_when_its_server_is_killed_and_says_so() {
    let mix = "\n[mix]\n[[mix.operations]]\naction = \"read-row\"\nweight = 100\n";
    let Some(desk) = Desk::new("\"cassandra/wide\"") else {
        return;
    };
    let workload = std::fs::read_to_string(desk.0.path("w.toml")).unwrap();
    std::fs::write(desk.0.path("w.toml"), workload + mix).unwrap();
    // Nothing waits that long: the load ends with its server.
    let drive = [
        "drive", "w.toml", "--rows", "10k", "--rate", "200", "--for", "1h", "--out", "out",
    ];
    let mut going = Going::start(&mut desk.0.command(&drive));
    let measured = || {
        let records = records(&desk.0.path("out/drive.jsonl"));
        let warms_up = |trial: &&Value| trial["warm_up"] == true;
        let mut trials = of_kind(&records, "trial-started").filter(|t| !warms_up(t));
        let trial = trials.next().map(|t| t["trial"].clone());
        let seconds = of_kind(&records, "second").filter(|s| Some(&s["trial"]) == trial.as_ref());
        trial.is_some() && seconds.count() > 2
    };
    going.wait_until("two seconds of the load", measured);
    signal("-KILL", &desk.servers().pop().unwrap());
    let ended = going.end().expect(3);
    ended
        .says("its server ended during the load: ")
        .says("it was killed (SIGKILL)");
    let page = std::fs::read_to_string(desk.0.path("out/report.html")).unwrap();
    assert!(page.contains("its server ended during the load"), "{page}");
}
