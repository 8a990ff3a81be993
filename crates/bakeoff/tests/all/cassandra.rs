//! Whole runs on a real Cassandra: results, servers that die, runs that are killed, other people's
//! clusters.

mod clean;

use std::path::PathBuf;
use std::process::Command;

use bakeoff_testing::times;

use crate::support::processes::{Going, signal};
use crate::support::server::Server;
use crate::support::turns::Turn;
use crate::support::{
    Bench, Ended, READINGS, SMALL_SERVER, WORKLOAD, has_engine, of_kind, share_jars,
};

/// Cassandra beside Parquet on enough rows for a kill to hit.
fn workload() -> String {
    "title = \"t\"\ndesigns = [\"cassandra/wide\", \"cassandra/blob\", \"parquet\"]\n[data]\n\
     generator = \"sensor\"\n[[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) FROM sensor \
     WHERE sensor_id = 10\"\n[[queries]]\nname = \"few\"\nsql = \"SELECT time, value FROM sensor \
     WHERE sensor_id = 10 AND time BETWEEN 50 AND 99 ORDER BY time\"\n"
        .to_owned()
}

/// Each has a home with the user's jars and a register of servers of its own: any run stops the servers that a killed one
/// has left in its home, be it one of another test.
struct Cluster {
    bench: Bench,
    home: PathBuf,
    _turn: Turn,
}

impl Cluster {
    /// `None`, with the reason printed, where Cassandra is not available; a failure in CI.
    fn new(workload: &str) -> Option<Cluster> {
        let bench = Bench::new(&format!("{workload}\n{SMALL_SERVER}"), READINGS);
        let home = bench.path("home-with-jars");
        share_jars(&home);
        let cluster = Cluster {
            bench,
            home,
            _turn: Turn::of_one_server(),
        };
        has_engine("cassandra", &cluster.home).then_some(cluster)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.bench.command(arguments);
        command.env("BAKEOFF_HOME", &self.home);
        command
    }

    fn bakeoff(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().unwrap())
    }

    /// Starts a run and waits until a record of this kind is there of the table of rows.
    #[track_caller]
    fn start_until(&self, arguments: &[&str], kind: &str) -> Running<'_> {
        let mut run = Running {
            going: Some(Going::start(&mut self.command(arguments))),
            cluster: self,
        };
        let is_it = |record: &serde_json::Value| record["design"] == "cassandra/wide";
        let going = run.going.as_mut().unwrap();
        going.wait_until(kind, || {
            of_kind(&self.bench.journal("out"), kind).any(is_it)
        });
        run
    }

    /// Process id of the server whose data are in this test's folder.
    fn server(&self) -> Option<String> {
        let status = self.bakeoff(&["engines", "status"]).expect(0).stdout;
        let mut process = None;
        for line in status.lines() {
            match line.split_once(", process ") {
                Some((_, rest)) => process = rest.split(',').next().map(str::to_owned),
                None if line.contains(&*self.bench.dir.path().to_string_lossy()) => return process,
                None => {}
            }
        }
        None
    }

    fn kill_server(&self) {
        signal("-KILL", &self.server().unwrap());
    }

    fn failed(&self) -> Vec<String> {
        failed(&self.bench)
    }
}

/// The designs that failed.
fn failed(bench: &Bench) -> Vec<String> {
    let records = bench.journal("out");
    let mut failed: Vec<String> = of_kind(&records, "failed")
        .map(|r| r["design"].as_str().unwrap().to_owned())
        .collect();
    failed.sort();
    failed
}

/// A run whose server ends with it when its test fails.
struct Running<'a> {
    going: Option<Going>,
    cluster: &'a Cluster,
}

impl Running<'_> {
    fn end(mut self) -> Ended {
        self.going.take().unwrap().end()
    }

    fn signal(&self, name: &str) {
        self.going.as_ref().unwrap().signal(name);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(going) = self.going.take() {
            drop(going);
            if let Some(pid) = self.cluster.server() {
                signal("-KILL", &pid);
            }
        }
    }
}

const RUN: [&str; 8] = [
    "run", "w.toml", "--rounds", "3", "--rows", "20k", "--out", "out",
];

#[test]
fn every_layout_answers_alike() {
    let designs = "\"cassandra/narrow\", \"cassandra/wide?bucket=1d\", \"cassandra/blob\", \
                   \"cassandra/compact?compressor=Zstd\", \"memory\"";
    let line = WORKLOAD.lines().find(|l| l.starts_with("designs")).unwrap();
    let workload = WORKLOAD.replace(line, &format!("designs = [{designs}]"));
    let Some(server) = Server::shared_for(&workload) else {
        return;
    };
    let twice = format!("{READINGS}a,2024-01-01T00:00:00,9.5\n");
    std::fs::write(server.bench.path("readings.csv"), twice).unwrap();
    let run = server
        .bakeoff(&["run", "w.toml", "--rounds", "3", "--out", "out"])
        .expect(0);
    run.says("layouts with that key keep the last");
    let records = server.bench.journal("out");
    let rows = |design: &str| {
        let answered = of_kind(&records, "answered");
        let all = answered.filter(|r| r["query"] == "all" && r["design"] == design);
        all.map(|r| r["outcome"]["rows"].as_u64()).next().unwrap()
    };
    assert_eq!(rows("cassandra/narrow"), Some(4));
    assert_eq!(rows("cassandra/compact?compressor=Zstd"), Some(4));
    assert_eq!(rows("memory"), Some(5));

    // Of a cluster that was there only CQL tells something, and only of Cassandra's designs.
    let sampled: Vec<_> = of_kind(&records, "server").collect();
    let samples = || {
        sampled
            .iter()
            .flat_map(|r| r["samples"].as_array().unwrap())
    };
    assert!(samples().any(|sample| sample["server"]["coordinator_writes"].is_u64()));
    assert!(samples().all(|sample| sample["server"]["cpu_seconds"].is_null()));
    assert!(sampled.iter().all(|r| r["design"] != "memory"));
    let html = std::fs::read_to_string(server.bench.path("out/report.html")).unwrap();
    assert!(html.contains("Not available over CQL: CPU, memory, disk"));
}

#[test]
fn a_server_that_dies_fails_its_designs_and_no_others() {
    for (step, kind) in [("loading", "loaded"), ("measuring", "timed")] {
        let Some(cluster) = Cluster::new(&workload()) else {
            return;
        };
        let (rows, rounds) = match step {
            "loading" => (times("200k", "2M"), "3"),
            _ => ("20k", times("30", "200")),
        };
        let arguments = [
            "run", "w.toml", "--rounds", rounds, "--rows", rows, "--out", "out",
        ];
        let run = cluster.start_until(&arguments, kind);
        run.signal("-STOP"); // It gets no further while its server is looked up.
        cluster.kill_server();
        run.signal("-CONT");
        let ended = run.end().expect(3);
        ended.says("cassandra/wide").says("killed (SIGKILL)");
        assert_eq!(
            cluster.failed(),
            ["cassandra/blob", "cassandra/wide"],
            "{step}"
        );
        let records = cluster.bench.journal("out");
        let timed = of_kind(&records, "timed").filter(|r| r["design"] == "parquet");
        assert_eq!(
            timed.count(),
            2 * rounds.parse::<usize>().unwrap(),
            "{step}"
        );
        assert_eq!(of_kind(&records, "finished").count(), 1);
    }
}

/// Each value is one that a workload may set; together Cassandra refuses them.
#[test]
fn settings_that_cassandra_refuses_are_named() {
    let settings = "[server.cassandra]\npage_size_warn_threshold = 3000\n\
                    page_size_fail_threshold = 2000\n";
    let Some(cluster) = Cluster::new(&format!("{}{settings}", workload())) else {
        return;
    };
    cluster.bakeoff(&RUN).expect(3);
    assert_eq!(cluster.failed(), ["cassandra/blob", "cassandra/wide"]);
    let records = cluster.bench.journal("out");
    for failed in of_kind(&records, "failed") {
        let reason = failed["reason"].as_str().unwrap();
        for part in [
            "[server.cassandra] page_size_fail_threshold = 2000, page_size_warn_threshold = 3000",
            "change it or leave it out",
            "The warn threshold 3000 for page_size_warn_threshold should be lower",
        ] {
            assert!(reason.contains(part), "{reason}");
        }
    }
}

#[test]
fn a_killed_run_leaves_a_server_that_the_next_one_stops_and_goes_on_without_loading_again() {
    let Some(cluster) = Cluster::new(&workload()) else {
        return;
    };
    let (rounds, asked) = times(("12", 12), ("40", 40));
    let arguments = [
        "run", "w.toml", "--rounds", rounds, "--rows", "20k", "--out", "out",
    ];
    let run = cluster.start_until(&arguments, "timed");
    run.signal("-STOP"); // It gets no further while its server is looked up.
    let orphan = cluster.server().unwrap();
    run.signal("-KILL");
    assert_eq!(run.end().code, None);
    assert_eq!(
        cluster.server(),
        Some(orphan.clone()),
        "the server is on record"
    );
    let loaded = of_kind(&cluster.bench.journal("out"), "loaded").count();
    let ended = cluster.bakeoff(&arguments).expect(0);
    ended.says("left behind").says("going on");
    is_told_who_runs_the_server(&cluster.bench, &ended);
    assert!(!std::path::Path::new(&format!("/proc/{orphan}/cmdline")).exists());
    let records = cluster.bench.journal("out");
    assert_eq!(
        of_kind(&records, "loaded").count(),
        loaded,
        "rows were loaded again"
    );
    assert_eq!(of_kind(&records, "timed").count(), 3 * 2 * asked);
    assert!(cluster.failed().is_empty());
    assert!(cluster.server().is_none());
    let first = of_kind(&records, "server").next().unwrap();
    assert_eq!(first["during"]["what"], "load", "{first}");
    let html = std::fs::read_to_string(cluster.bench.path("out/report.html")).unwrap();
    assert!(html.contains("Server CPU, cores in use"));
    let data = cluster.bench.path("out/cassandra");
    assert!(!data.exists(), "its data are still there");
}

/// A run says on the terminal, too, if its server runs as root, which its settings say.
#[track_caller]
fn is_told_who_runs_the_server(bench: &Bench, ended: &Ended) {
    let journal = std::fs::read_to_string(bench.path("out/journal.jsonl")).unwrap();
    let is_root = journal.contains(r#"["user of the system","root, since "#);
    let told = ended.stderr.matches("note: cassandra runs as root, since ");
    assert_eq!(told.count(), usize::from(is_root), "{}", ended.stderr);
}

#[test]
fn ctrl_c_stops_the_server() {
    let Some(cluster) = Cluster::new(&workload()) else {
        return;
    };
    let arguments = [
        "run", "w.toml", "--rounds", "3", "--rows", "2M", "--out", "out",
    ];
    let run = cluster.start_until(&arguments, "loaded");
    let pid = cluster.server().unwrap();
    run.signal("-INT");
    run.end().expect(130).says("interrupted");
    assert!(cluster.server().is_none());
    assert!(!std::path::Path::new(&format!("/proc/{pid}/cmdline")).exists());
    assert!(
        cluster.bench.path("out/cassandra").exists(),
        "what is loaded is kept"
    );
}

#[test]
fn without_maven_the_other_designs_run() {
    let Some(cluster) = Cluster::new(&workload()) else {
        return;
    };
    let mut command = cluster.bench.command(&RUN);
    // Maven is what fetches the jars, and a new home has none.
    let ended = Ended::of(command.env("PATH", "/nowhere").output().unwrap());
    ended.expect(3).says("install");
    assert_eq!(cluster.failed(), ["cassandra/blob", "cassandra/wide"]);
}

#[test]
fn that_jars_are_fetched_is_said_before() {
    let Some(cluster) = Cluster::new(&workload()) else {
        return;
    };
    let programs = cluster.bench.path("programs");
    std::fs::create_dir(&programs).unwrap();
    let maven = programs.join("mvn");
    std::fs::write(&maven, "#!/bin/sh\necho '[ERROR] no network'; exit 1\n").unwrap();
    std::fs::set_permissions(&maven, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut path = programs.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = cluster.bench.command(&RUN);
    command.env("PATH", path);
    command.env("BAKEOFF_HOME", cluster.bench.path("home without jars"));
    let ended = Ended::of(command.output().unwrap()).expect(3);
    ended.says("fetching Cassandra's jars with Maven (67 MB, once)");
    ended.says("no network");
}

/// The first keyspace that statements in this text make.
fn keyspace_in(text: &str) -> String {
    let made = text.split("CREATE KEYSPACE IF NOT EXISTS ").nth(1).unwrap();
    made.split(' ').next().unwrap().to_owned()
}

#[test]
fn on_a_cluster_that_runs_only_our_own_keyspace_is_touched() {
    let Some(server) = Server::shared_for(&workload()) else {
        return;
    };
    let out = server.bench.path("out");
    let dry = server
        .bakeoff(&[&RUN[..], &["--dry-run"]].concat())
        .expect(0);
    let keyspace = keyspace_in(&dry.stdout);
    assert!(!server.has_keyspace(&keyspace), "a dry run made a keyspace");

    server.bakeoff(&RUN).expect(0);
    let journal = out.join("journal.jsonl");
    let journal = || std::fs::read_to_string(&journal).unwrap();
    let keyspace = keyspace_in(&journal());
    assert!(!server.has_keyspace(&keyspace), "ours was not dropped");

    // As if a kill had come when the keyspace was there and its marker was not.
    let begun = journal().lines().next().unwrap().to_owned() + "\n";
    let begin = || std::fs::write(out.join("journal.jsonl"), &begun).unwrap();
    begin();
    server.cql(&format!(
        "CREATE KEYSPACE {keyspace} WITH replication = \
         {{'class': 'SimpleStrategy', 'replication_factor': 1}};\n\
         CREATE TABLE {keyspace}.theirs (id int PRIMARY KEY)"
    ));
    let refused = server.bakeoff(&RUN).expect(3);
    refused.says("does not carry Bakeoff's marker");
    assert!(
        server.has_keyspace(&keyspace),
        "one that others use was dropped"
    );
    assert_eq!(failed(&server.bench), ["cassandra/blob", "cassandra/wide"]);

    clean::what_a_killed_run_has_left_is_found_and_dropped(&server, &begun, &keyspace);
    begin();
    server.cql(&format!("DROP TABLE {keyspace}.theirs"));
    server.bakeoff(&RUN).expect(0).says("going on with the run");
    assert!(!server.has_keyspace(&keyspace), "ours was not dropped");

    std::fs::remove_dir_all(&out).unwrap();
    let nobody = [&RUN[..], &["--cassandra", "127.0.0.1:1"]].concat();
    server
        .bench
        .bakeoff(&nobody)
        .expect(3)
        .says("cannot connect to Cassandra at 127.0.0.1:1");
}
