//! A node that joins a real cluster while a load runs, and while somebody looks at its nodes. Without Java, Maven or the
//! memory this prints why it is skipped and passes, unless `BAKEOFF_REQUIRE_ENGINES=1`.

use std::fs;
use std::net::Ipv4Addr;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::support::processes::{Going, PATIENCE, wait_until};
use crate::support::{Bench, READINGS, of_kind, records, sensors};
use bakeoff_engines::Cluster;
use bakeoff_engines::nodes::{NodeFigures, Reader};
use bakeoff_engines::servers::cassandra::login_at;
use bakeoff_engines::servers::{Home, list};
use bakeoff_testing::skipped;
use serde_json::Value;
use tokio::runtime::Builder;

const MIX: &str = r#"
[scale]
rows = 20_000

[mix]
[[mix.operations]]
name = "insert"
action = "insert"
weight = 50
[[mix.operations]]
name = "read"
action = "read-row"
keys = "uniform"
weight = 50
"#;

const DRIVE: [&str; 12] = [
    "drive",
    "w.toml",
    "--nodes",
    "2",
    "--replication",
    "2",
    "--rate",
    "100",
    "--for",
    "20m",
    "--add-node-after",
    "3s",
];
/// What Cassandra writes into its log when it has joined and takes clients.
const TAKES_CLIENTS: &str = "Starting listening for CQL clients";

fn workload() -> String {
    sensors(&["cassandra/wide"], MIX)
}

#[test]
fn a_node_joins_while_the_load_runs_and_is_stopped_with_the_others() {
    let Some(bench) = Bench::with_nodes_of_cassandra(&workload(), READINGS) else {
        return;
    };
    let arguments = [&DRIVE[..], &["--out", "out"]].concat();
    let mut going = Going::start(&mut bench.command(&arguments));
    let log = bench.path("out/cassandra/node3/logs/system.log");
    let mut runs = true;
    wait_until("the node is started, or there is an end", || {
        runs = going.is_running();
        !runs || log.exists()
    });
    if !runs {
        let ended = going.end();
        assert!(ended.stderr.contains("memory"), "{}", ended.stderr);
        skipped(ended.stderr);
        return;
    }
    let cluster = cluster(&bench);
    let looking = look_until_one_more(cluster.clone());
    going.wait_until("the node has joined", || {
        let text = fs::read_to_string(&log).unwrap_or_default();
        text.contains(TAKES_CLIENTS)
    });
    // Some seconds of the load belong to the time afterwards.
    std::thread::sleep(Duration::from_secs(10));
    it_is_seen(&bench, &cluster.address, &looking.join().unwrap());
    going.interrupt();
    let ended = going.end().expect(130);
    ended.says("A node that was added");

    let records = records(&bench.path("out/drive.jsonl"));
    let added: Vec<&Value> = of_kind(&records, "node-added").collect();
    let [added] = added[..] else {
        panic!("{added:?}");
    };
    assert!(added["failed"].is_null(), "{added}");
    let (began, joined) = (added["began"].as_f64(), added["ended"].as_f64());
    assert!(began.unwrap() >= 3.0 && joined > began, "{added}");
    // A third of the rows, with two copies of each.
    assert!(
        added["streamed_bytes"].as_u64().unwrap() > 10_000,
        "{added}"
    );
    let parts = added["parts"].as_array().unwrap();
    let names: Vec<&str> = parts.iter().filter_map(|p| p["part"].as_str()).collect();
    assert_eq!(names.last(), Some(&"after"), "{added}");
    assert!(names.contains(&"during"), "{added}");
    for part in parts {
        for operation in part["operations"].as_array().unwrap() {
            assert!(operation["successes"].as_u64().unwrap() > 0, "{added}");
        }
    }
    let left = bench.bakeoff(&["engines", "status"]).expect(0);
    left.says("no server that Bakeoff started");
}

/// Returns the cluster of the load, with the login of who started it.
fn cluster(bench: &Bench) -> Cluster {
    let home = Home::new(&bench.home).unwrap();
    let servers = list(&home).unwrap();
    let mut servers = servers.iter();
    let first = servers.find(|server| server.address.ip() == Ipv4Addr::LOCALHOST);
    let address = first.unwrap().address;
    let login = login_at(&home, address).unwrap();
    Cluster {
        address: address.to_string(),
        username: Some(login.user().to_owned()),
        password: Some(login.password().to_owned()),
        ..Cluster::default()
    }
}

/// Reads the nodes again and again, as `bakeoff nodes` does once, and returns what was read when there was one more of
/// them. There is no pause in between, so that the node joins while the others are read.
fn look_until_one_more(cluster: Cluster) -> JoinHandle<Vec<NodeFigures>> {
    std::thread::spawn(move || {
        let mut threads = Builder::new_multi_thread();
        let runtime = threads.worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let reader = Reader::connect(&cluster).await.unwrap();
            let before = reader.read(&[]).await.len();
            let began = Instant::now();
            loop {
                let nodes = reader.read(&[]).await;
                if nodes.len() > before {
                    return nodes;
                }
                assert!(began.elapsed() < PATIENCE, "{nodes:?}");
            }
        })
    })
}

/// Checks what was read when the node joined, and what commands say of it afterwards.
fn it_is_seen(bench: &Bench, address: &str, when_it_joined: &[NodeFigures]) {
    let is_new = |node: &NodeFigures| {
        let why = node.why("anything from before");
        why == "the node joined the cluster while the others were read"
    };
    let seen = { when_it_joined.iter() }.map(|node| (node.host.as_str(), is_new(node)));
    let seen: Vec<(&str, bool)> = seen.collect();
    let new_comes_last = [
        ("127.0.0.1", false),
        ("127.0.0.2", false),
        ("127.0.0.3", true),
    ];
    assert_eq!(seen, new_comes_last, "{when_it_joined:?}");

    let at = ["--cassandra", address];
    let nodes = bench.bakeoff(&[&["nodes"][..], &at].concat()).expect(0);
    nodes.says("3 nodes of Cassandra 5.0.");
    let diagnose = ["diagnose", "--cluster", "--json"];
    let ended = bench.bakeoff(&[&diagnose[..], &at].concat());
    assert!(matches!(ended.code, Some(0 | 3)), "{}", ended.stderr);
    let diagnosis: Value = serde_json::from_str(&ended.stdout).unwrap();
    let mut checks = diagnosis["checks"].as_array().unwrap().iter();
    let ring = checks.find(|check| check["rule"] == "ring-address");
    assert_eq!(ring.unwrap()["outcome"], "healthy", "{ring:?}");
}

#[test]
fn what_a_node_cannot_be_added_to_is_a_wrong_command_line() {
    let bench = Bench::new(&workload(), READINGS);
    for (options, words) in [
        (&["--cassandra", "db1"][..], "cannot be used with"),
        (&["--nodes", "1"], "start at least --nodes 2"),
        (&["--nodes", "2"], "a longer --for"),
        (&["--nodes", "2", "--design", "dry"], "stores nothing"),
        (
            &["--nodes", "2", "--within", "p99<1s"],
            "cannot be used with",
        ),
        (&[], "--nodes"),
    ] {
        let command = ["drive", "w.toml", "--for", "1m", "--add-node-after", "1m"];
        let ended = bench.bakeoff(&[&command[..], options].concat());
        ended.expect(2).says(words);
    }
    let engines = ["run", "w.toml", "--nodes", "2", "--add-node-after", "1m"];
    bench.bakeoff(&engines).expect(2).says("--add-node-after");
    assert!(!bench.path("runs").exists());
}

#[test]
fn a_dry_run_says_when_and_where_a_node_is_added() {
    let bench = Bench::new(&workload(), READINGS);
    let dry = bench.bakeoff(&[&DRIVE[..], &["--dry-run"]].concat());
    dry.expect(0)
        .says("3 s into the load one more node of Cassandra is started at 127.0.0.3");
}
