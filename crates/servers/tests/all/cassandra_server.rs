//! A real Cassandra, started, queried, killed, restarted on its data, orphaned and stopped.
//!
//! A test prints why it is skipped and passes if no Cassandra can be started, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::fs;
use std::path::Path;
use std::process::Command;

use bakeoff_servers::cassandra::{Server, ServerOptions};
use bakeoff_servers::{Error, Home, Owner, list, stop_orphans};

use crate::support::{ALONE, folder_with_jars};

#[tokio::test]
async fn a_server_from_start_to_end() {
    let _alone = ALONE.lock().await;
    let Some(folder) = folder_with_jars().await else {
        return;
    };
    let home = Home::new(folder.path().join("home")).unwrap();
    let mut options = ServerOptions::new(home.clone(), folder.path().join("server 1")).unwrap();
    options.heap_mib = 1024;

    refuses_to_start_on_a_damaged_folder(&home, folder.path()).await;
    let server = Server::start(options.clone()).await.unwrap();
    let host_id = answers_and_works(&server).await;
    let error = Server::start(options.clone()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("in use by the server 'cassandra-1'"),
        "{error}"
    );
    a_kill_is_noticed(server).await;
    assert_eq!(list(&home).unwrap(), [], "a dropped server is forgotten");

    options.owner = Owner::NoProcess;
    let kept = Server::start(options).await.unwrap();
    let (id, pid) = (kept.id().to_owned(), kept.pid());
    drop(kept);
    let attached = Server::attach(home.clone(), &id).unwrap();
    assert_eq!(
        host_id_of(&attached).await,
        host_id,
        "started again on the same data"
    );
    drop(attached);
    assert!(
        stop_orphans(&home).await.unwrap().is_empty(),
        "a kept server is no orphan"
    );

    let orphan = Server::attach(home.clone(), &id).unwrap();
    give_to_an_owner_that_ended(&home, &id);
    let done = stop_orphans(&home).await.unwrap();
    assert!(
        done.len() == 1 && done[0].contains(&pid.to_string()),
        "{done:?}"
    );
    assert!(!orphan.is_running());
    assert_eq!(list(&home).unwrap(), []);
}

async fn refuses_to_start_on_a_damaged_folder(home: &Home, parent: &Path) {
    let dir = parent.join("damaged");
    fs::create_dir_all(dir.join("conf")).unwrap();
    fs::write(dir.join("commitlog"), "not a folder").unwrap();
    let mut options = ServerOptions::new(home.clone(), dir.clone()).unwrap();
    options.heap_mib = 1024;
    let error = Server::start(options.clone()).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "not ours: {error}");
    let ours = "cluster_name: bakeoff\ndata_file_directories: []\n";
    fs::write(dir.join("conf/cassandra.yaml"), ours).unwrap();
    let error = Server::start(options).await.unwrap_err();
    assert!(matches!(error, Error::Died { .. }), "{error}");
    assert!(error.to_string().contains("commitlog"), "{error}");
    assert_eq!(list(home).unwrap(), []);
}

async fn answers_and_works(server: &Server) -> String {
    eprintln!("started in {:.1} s", server.start_seconds().unwrap());
    let before = server.cpu_seconds().unwrap();
    assert!(
        server
            .nodetool(&["version"])
            .await
            .unwrap()
            .contains(server.version())
    );
    server.nodetool(&["flush", "system"]).await.unwrap();
    let complaint = server
        .nodetool(&["flush", "nowhere"])
        .await
        .unwrap_err()
        .to_string();
    assert!(
        complaint.contains("`nodetool flush nowhere` failed: "),
        "{complaint}"
    );
    assert!(
        complaint.contains("nowhere") && !complaint.contains("\tat "),
        "{complaint}"
    );
    let limit = server
        .nodetool_within(&["version"], 0)
        .await
        .unwrap_err()
        .to_string();
    assert!(limit.contains("within 0 s"), "{limit}");
    assert!(server.cpu_seconds().unwrap() > before);
    assert!(server.resident_bytes().unwrap() > 100 << 20);
    assert!(server.data_dir().join("system").is_dir());
    assert!(
        server
            .settings()
            .contains(&("heap".into(), "1024 MiB".into()))
    );
    host_id_of(server).await
}

async fn a_kill_is_noticed(server: Server) {
    let killed = Command::new("kill")
        .args(["-9", &server.pid().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    while server.is_running() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(
        server.why_stopped().contains("SIGKILL"),
        "{}",
        server.why_stopped()
    );
    assert!(server.cpu_seconds().is_err());
    let error = server.nodetool(&["version"]).await.unwrap_err().to_string();
    assert!(
        error.contains("Cassandra has ended: it was killed"),
        "{error}"
    );
}

async fn host_id_of(server: &Server) -> String {
    let info = server.nodetool(&["info"]).await.unwrap();
    info.lines()
        .find(|line| line.starts_with("ID"))
        .unwrap()
        .to_owned()
}

fn give_to_an_owner_that_ended(home: &Home, id: &str) {
    let path = home.folder().join("engines").join(format!("{id}.json"));
    let mut record: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    record["owner"] = serde_json::json!({ "pid": std::process::id(), "start_ticks": 1 });
    fs::write(&path, record.to_string()).unwrap();
}
