use super::*;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path()).unwrap();
    (folder, home)
}

fn spawn() -> (Child, ProcessId) {
    let child = Command::new("sleep")
        .arg("60")
        .process_group(0)
        .spawn()
        .unwrap();
    let id = ProcessId::from_pid(child.id()).unwrap();
    (child, id)
}

/// Returns a process that has ended, whose id another one may have by now.
fn ended() -> ProcessId {
    ProcessId {
        start_ticks: 1,
        ..ProcessId::this().unwrap()
    }
}

fn entry(server: ProcessId, owner: Option<ProcessId>) -> Entry {
    let record = Record {
        id: "cassandra-1".into(),
        name: "a test".into(),
        version: "5.0.9".into(),
        dir: "/d".into(),
        scope: ProcessScope::here().unwrap(),
        server,
        owner,
    };
    let details = serde_json::json!({
        "engine": "cassandra",
        "java": "/j/bin/java",
        "java_version": "17.0.1",
        "heap_mib": 1024,
        "memory_limit": null,
        "disk_limit": null,
        "disk_access": "standard",
        "ports": { "native": 20_001, "storage": 20_002, "ssl_storage": 20_003, "jmx": 20_004 },
    });
    Entry {
        record,
        details: serde_json::from_value(details).unwrap(),
    }
}

async fn write(home: &Home, entry: &Entry) {
    let register = Register::open(home).await.unwrap();
    register
        .write(&entry.record, entry.details.clone())
        .unwrap();
}

#[tokio::test]
async fn a_server_whose_owner_ended_is_stopped_and_forgotten() {
    let (_folder, home) = home();
    let (mut child, server) = spawn();
    write(&home, &entry(server, Some(ended()))).await;
    let done = stop_orphans(&home).await.unwrap();
    assert_eq!(done.len(), 1);
    assert!(
        done[0].contains(&format!("'a test' (process {})", server.pid)),
        "{done:?}"
    );
    assert!(!server.is_alive());
    child.wait().unwrap();
    assert_eq!(list(&home).unwrap(), []);
}

#[tokio::test]
async fn owned_and_kept_servers_stay() {
    for owner in [Some(ProcessId::this().unwrap()), None] {
        let (_folder, home) = home();
        let (mut child, server) = spawn();
        write(&home, &entry(server, owner)).await;
        assert!(stop_orphans(&home).await.unwrap().is_empty());
        let listed = list(&home).unwrap();
        assert!(listed[0].alive && !listed[0].elsewhere);
        assert_eq!(listed[0].owner_alive, owner.map(|_| true));
        stop(&home, "cassandra-1").await.unwrap();
        assert!(!server.is_alive());
        child.wait().unwrap();
    }
}

#[tokio::test]
async fn a_stranger_with_the_servers_old_pid_is_left_alone() {
    let (_folder, home) = home();
    let (mut child, stranger) = spawn();
    let server = ProcessId {
        start_ticks: stranger.start_ticks - 1,
        ..stranger
    };
    write(&home, &entry(server, Some(ended()))).await;
    assert!(!list(&home).unwrap()[0].alive);
    assert!(stop_orphans(&home).await.unwrap().is_empty());
    assert!(stranger.is_alive());
    assert_eq!(list(&home).unwrap(), []);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn another_machines_server_is_left_alone() {
    let (_folder, home) = home();
    let mut elsewhere = serde_json::to_value(entry(ended(), Some(ended()))).unwrap();
    elsewhere["place"]["host"] = "another".into();
    elsewhere["place"]["boot"] = "another".into();
    write(&home, &serde_json::from_value(elsewhere).unwrap()).await;
    assert!(stop_orphans(&home).await.unwrap().is_empty());
    assert!(list(&home).unwrap()[0].elsewhere);
    assert!(
        stop(&home, "cassandra-1")
            .await
            .unwrap_err()
            .to_string()
            .contains("stop it there")
    );
}

#[tokio::test]
async fn what_a_reboot_ended_is_forgotten() {
    let (_folder, home) = home();
    let mut earlier = serde_json::to_value(entry(ProcessId::this().unwrap(), None)).unwrap();
    earlier["place"]["boot"] = "earlier".into();
    write(&home, &serde_json::from_value(earlier).unwrap()).await;
    assert!(stop_orphans(&home).await.unwrap().is_empty());
    assert_eq!(list(&home).unwrap(), []);
}

#[tokio::test]
async fn what_a_killed_postgresql_left_goes_with_its_record() {
    let (_folder, home) = home();
    let mut left = Command::new("sleep")
        .arg0("postgres: bakeoff-left: checkpointer ")
        .arg("60")
        .spawn()
        .unwrap();
    let process = ProcessId::from_pid(left.id()).unwrap();
    let details = serde_json::json!({
        "engine": "postgres", "port": 20_001, "cluster": "bakeoff-left",
    });
    let mut orphan = entry(ended(), Some(ended()));
    orphan.details = serde_json::from_value(details).unwrap();
    write(&home, &orphan).await;
    let listed = list(&home).unwrap();
    assert_eq!(
        (listed[0].engine, listed[0].alive),
        (Engine::Postgres, false)
    );
    assert_eq!(listed[0].log, Path::new("/d/postgresql.log"));
    stop_orphans(&home).await.unwrap();
    assert!(!process.is_alive());
    left.wait().unwrap();
    assert_eq!(list(&home).unwrap(), []);
}

#[tokio::test]
async fn the_control_groups_of_an_ended_server_go_with_its_record() {
    let (folder, home) = home();
    let groups = ["memory", "disk"].map(|name| folder.path().join(name));
    groups
        .iter()
        .for_each(|group| fs::create_dir(group).unwrap());
    let mut bounded = serde_json::to_value(entry(ended(), Some(ended()))).unwrap();
    bounded["memory_limit"] = serde_json::json!({ "bytes": 1 << 30, "group": groups[0] });
    bounded["disk_limit"] =
        serde_json::json!({ "read_bytes_per_second": 50_000_000, "group": groups[1] });
    write(&home, &serde_json::from_value(bounded).unwrap()).await;
    stop_orphans(&home).await.unwrap();
    assert!(groups.iter().all(|group| !group.exists()));
    assert_eq!(list(&home).unwrap(), []);
}

#[test]
fn records_from_before_other_engines_and_memory_limits_are_understood() {
    let written = entry(ended(), None);
    let mut earlier = serde_json::to_value(&written).unwrap();
    for new in ["engine", "memory_limit", "disk_limit", "disk_access"] {
        earlier.as_object_mut().unwrap().remove(new).unwrap();
    }
    let read = Entry::parse(&earlier.to_string()).unwrap();
    assert_eq!(read.record, written.record);
    assert_eq!(read.details.engine(), Engine::Cassandra);
    let read = serde_json::to_value(read).unwrap();
    assert_eq!(read["disk_access"], "mmap_index_only");
    assert_eq!(read["ports"]["jmx"], 20_004);
}

#[tokio::test]
async fn ids_ports_and_folders_in_use_are_not_given_again() {
    let (_folder, home) = home();
    let (mut child, server) = spawn();
    let entry = entry(server, None);
    write(&home, &entry).await;
    let register = Register::open(&home).await.unwrap();
    assert_eq!(register.free_id(Engine::Cassandra), "cassandra-2");
    let taken = register.taken_ports(Ipv4Addr::LOCALHOST);
    assert_eq!(taken, HashSet::from_iter(20_001..=20_004));
    let error = register
        .check_unused(Path::new("/d"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("in use by the server 'cassandra-1'"),
        "{error}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    register.check_unused(Path::new("/d")).unwrap();
}

#[tokio::test]
async fn damaged_records_and_unknown_ids_do_no_harm() {
    let (_folder, home) = home();
    fs::create_dir_all(home.engines()).unwrap();
    fs::write(home.engines().join("cassandra-1.json"), "{\"id\":").unwrap();
    assert_eq!(list(&home).unwrap(), []);
    assert!(matches!(
        stop(&home, "cassandra-1").await,
        Err(Error::Unknown { .. })
    ));
    assert!(stop_orphans(&home).await.unwrap().is_empty());
    assert!(home.engines().join("cassandra-1.json").exists());
}
