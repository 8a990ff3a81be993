//! A cluster of three real nodes of Cassandra: they find each other, are found as orphans, and
//! leave nothing behind.
//!
//! The test prints why it is skipped and passes if Java, Maven or the memory is missing, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::fs;
use std::process::Command;
use std::time::Duration;

use bakeoff_servers::cassandra::{Nodes, ServerOptions};
use bakeoff_servers::{Error, Home, list, stop_orphans};
use bakeoff_testing::skipped;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;

use crate::support::internode::is_taken_for_a_node;
use crate::support::{ALONE, folder_with_jars};

#[tokio::test]
async fn three_nodes_from_start_to_end() {
    let _alone = ALONE.lock().await;
    let Some(folder) = folder_with_jars().await else {
        return;
    };
    let home = Home::new(folder.path().join("home")).unwrap();
    let mut options = ServerOptions::new(home.clone(), folder.path().join("cluster")).unwrap();
    options.heap_mib = 512;
    options.tuning.settings = vec![("hinted_handoff_enabled".into(), "false".into())];
    let nodes = match Nodes::start(options, 3).await {
        Ok(nodes) => nodes,
        Err(Error::Refused(reason)) if reason.contains("memory") => {
            skipped(reason);
            return;
        }
        Err(error) => panic!("{error}"),
    };
    eprintln!("started in {:.1} s", nodes.start_seconds());
    see_each_other(&nodes).await;
    have_the_chosen_settings(&nodes);
    are_open_to_each_other(&nodes).await;
    assert!(nodes.cpu_seconds().unwrap() > 1.0);
    assert!(nodes.usage().resident_bytes.unwrap() > 3 * (512 << 20));
    let mut addresses: Vec<String> = list(&home)
        .unwrap()
        .iter()
        .map(|listed| listed.address.ip().to_string())
        .collect();
    addresses.sort();
    assert_eq!(addresses, ["127.0.0.1", "127.0.0.2", "127.0.0.3"]);

    a_killed_one_is_noticed(&nodes).await;
    give_to_an_owner_that_ended(&home);
    let done = stop_orphans(&home).await.unwrap();
    assert!(
        done.len() == 2
            && done
                .concat()
                .contains("'cassandra, node 3 of 3 at 127.0.0.3'"),
        "{done:?}"
    );
    assert_eq!(list(&home).unwrap(), []);
    let left = nodes.pids().into_iter().filter(|pid| runs(*pid)).count();
    assert_eq!(left, 0, "a node still runs");
}

fn have_the_chosen_settings(nodes: &Nodes) {
    for number in 1..=3 {
        let file = format!("node{number}/conf/cassandra.yaml");
        let yaml = fs::read_to_string(nodes.dir().join(file)).unwrap();
        let lines = yaml.lines();
        let handoff: Vec<&str> = { lines }
            .filter(|line| line.starts_with("hinted_handoff_enabled"))
            .collect();
        assert_eq!(handoff, ["hinted_handoff_enabled: false"], "node {number}");
    }
}

/// Their port for nodes is not encrypted, and takes any program for a node that speaks as one.
async fn are_open_to_each_other(nodes: &Nodes) {
    let yaml = fs::read_to_string(nodes.dir().join("node1/conf/cassandra.yaml")).unwrap();
    let port = yaml
        .lines()
        .find_map(|line| line.strip_prefix("storage_port: "));
    assert!(is_taken_for_a_node(port.unwrap().parse().unwrap()).await);
    assert!(!yaml.contains("server_encryption_options"));
}

async fn see_each_other(nodes: &Nodes) {
    let login = nodes.login();
    let builder = SessionBuilder::new()
        .known_node(nodes.address().to_string())
        .user(login.user(), login.password());
    let session: Session = builder.build().await.unwrap();
    let peers = session
        .query_unpaged("SELECT peer FROM system.peers_v2", ())
        .await;
    let peers = peers.unwrap().into_rows_result().unwrap();
    assert_eq!(peers.rows_num(), 2);
    assert_eq!(session.get_cluster_state().get_nodes_info().len(), 3);
}

async fn a_killed_one_is_noticed(nodes: &Nodes) {
    assert!(nodes.is_running());
    let second = nodes.pids()[1].to_string();
    assert!(
        Command::new("kill")
            .args(["-9", &second])
            .status()
            .unwrap()
            .success()
    );
    while nodes.is_running() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let why = nodes.why_stopped();
    assert!(
        why.starts_with("node 2 of 3 at 127.0.0.2 is gone: ") && why.contains("SIGKILL"),
        "{why}"
    );
}

fn give_to_an_owner_that_ended(home: &Home) {
    for entry in fs::read_dir(home.folder().join("engines"))
        .unwrap()
        .flatten()
    {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let mut record: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        record["owner"] = serde_json::json!({ "pid": std::process::id(), "start_ticks": 1 });
        fs::write(&path, record.to_string()).unwrap();
    }
}

/// Returns whether a process runs and is not a zombie.
fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}
