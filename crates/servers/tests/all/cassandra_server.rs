//! A real Cassandra, started, queried, killed, restarted on its data, orphaned and stopped.
//!
//! A test prints why it is skipped and passes if no Cassandra can be started, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bakeoff_servers::cassandra::{Ports, Server, ServerOptions, find_java};
use bakeoff_servers::{Error, Home, Owner, list, stop_orphans};
use bakeoff_testing::skipped;
use scylla::client::session_builder::SessionBuilder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::internode::{is_taken_for_a_node, talks_to_itself};
use crate::support::{ALONE, folder_with_jars, open_folder_with_jars};

/// The table has a single row.
async fn tells_how_rows_are_stored(server: &Server) {
    let stored = server.stored_rows("system", "local", 3).await.unwrap();
    let stored = stored.unwrap();
    assert!(stored.starts_with("[local]@"), "{stored}");
    assert_eq!(server.stored_rows("system", "gone", 3).await.unwrap(), None);
    assert!(server.stored_rows("gone", "local", 3).await.is_err());
}

#[tokio::test]
async fn a_server_from_start_to_end() {
    let _alone = ALONE.lock().await;
    // Others can reach the server's folder.
    let Some(folder) = open_folder_with_jars().await else {
        return;
    };
    let home = Home::new(folder.path().join("home")).unwrap();
    let mut options = ServerOptions::new(home.clone(), folder.path().join("server 1")).unwrap();
    options.heap_mib = 1024;
    // The others start quickly.
    options.tuning.as_released = true;

    refuses_to_start_on_a_damaged_folder(&home, folder.path()).await;
    let server = Server::start(options.clone()).await.unwrap();
    no_password_waits_for_another(&server);
    let host_id = answers_and_works(&server).await;
    is_closed_to_others(&server).await;
    let error = Server::start(options.clone()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("in use by the server 'cassandra-1'"),
        "{error}"
    );
    // It still reaches its files.
    server.nodetool(&["flush", "system"]).await.unwrap();
    tells_how_rows_are_stored(&server).await;
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

/// Whoever logs in with the password that everybody knows, before it is changed, spoils the server. Where Bakeoff was
/// faster, the server is closed, and another one is started, until a stranger was.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_fails_if_a_stranger_was_faster() {
    const STARTS: usize = 10;
    let _alone = ALONE.lock().await;
    let Some(folder) = folder_with_jars().await else {
        return;
    };
    let home = Home::new(folder.path().join("home")).unwrap();
    for start in 0..STARTS {
        let dir = folder.path().join(format!("server {start}"));
        if start_beside_a_stranger(&home, &dir).await {
            return;
        }
    }
    panic!("no stranger was faster in {STARTS} starts");
}

/// Starts a server while a stranger tries to log in. Returns whether the stranger did, and so the start failed.
async fn start_beside_a_stranger(home: &Home, dir: &Path) -> bool {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let mut options = ServerOptions::new(home.clone(), dir).unwrap();
    options.heap_mib = 1024;
    options.ports = Some(Ports::for_clients(address.port()));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let stranger = tokio::spawn(async move {
        let got_in = async {
            loop {
                match log_in_as_default(address).await {
                    Ok(stream) => return stream,
                    Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
                }
            }
        };
        let stream = tokio::select! {
            stream = got_in => stream,
            _ = stopped => return,
        };
        // It stays until the start is over.
        tokio::time::sleep(Duration::from_secs(120)).await;
        drop(stream);
    });
    let started = Server::start(options).await;
    let was_faster = stop.send(()).is_err();
    println!("the stranger was faster: {was_faster}");
    match started {
        Ok(server) => {
            assert!(!was_faster);
            server.stop().await.unwrap();
        }
        Err(error) => {
            assert!(was_faster, "{error}");
            let said = error.to_string();
            assert!(said.contains("another program, at 127.0.0.1:"), "{said}");
        }
    }
    stranger.abort();
    assert_eq!(list(home).unwrap(), []);
    was_faster
}

/// Between the choice of a port and its use lie seconds in which any program can take it.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_chooses_other_ports_if_one_is_taken_before_it_listens() {
    let _alone = ALONE.lock().await;
    let Some(folder) = folder_with_jars().await else {
        return;
    };
    let home = Home::new(folder.path().join("home")).unwrap();
    let mut options = ServerOptions::new(home.clone(), folder.path().join("server")).unwrap();
    options.heap_mib = 1024;
    let strangers = tokio::spawn({
        let home = home.clone();
        async move {
            let mut taken = Vec::new();
            for name in ["jmx", "storage", "native"] {
                taken.push(take_chosen_port(&home, name, &taken).await);
            }
            taken
        }
    });
    let server = Server::start(options).await.unwrap();
    assert!(strangers.is_finished(), "a port was not taken in time");
    let taken = strangers.await.unwrap();
    let pids: Vec<_> = taken.iter().map(|(pid, _)| *pid).collect();
    assert!(!pids.contains(&server.pid()), "{pids:?}");
    host_id_of(&server).await;
    server.stop().await.unwrap();
    assert_eq!(list(&home).unwrap(), []);
}

/// Listens on the port of that name of the next server on record, as soon as it is there.
async fn take_chosen_port(
    home: &Home,
    name: &str,
    earlier: &[(u32, TcpListener)],
) -> (u32, TcpListener) {
    loop {
        for server in list(home).unwrap() {
            if earlier.iter().any(|(pid, _)| *pid == server.pid) {
                continue;
            }
            let path = home.folder().join("engines").join(server.id + ".json");
            let Ok(text) = fs::read_to_string(path) else {
                continue;
            };
            let record: serde_json::Value = serde_json::from_str(&text).unwrap();
            let port = record["ports"][name].as_u64().unwrap() as u16;
            let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
            return (server.pid, listener);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Logs in as the superuser that a new Cassandra has.
async fn log_in_as_default(address: SocketAddr) -> io::Result<TcpStream> {
    const STARTUP: u8 = 1;
    const AUTHENTICATE: u8 = 3;
    const AUTH_RESPONSE: u8 = 15;
    const AUTH_SUCCESS: u8 = 16;
    let mut stream = TcpStream::connect(address).await?;
    let version = b"\0\x01\0\x0bCQL_VERSION\0\x053.0.0";
    let token = b"\0\0\0\x14\0cassandra\0cassandra";
    let exchanges: [(u8, &[u8], u8); 2] = [
        (STARTUP, version, AUTHENTICATE),
        (AUTH_RESPONSE, token, AUTH_SUCCESS),
    ];
    for (opcode, body, expected) in exchanges {
        let length = u32::try_from(body.len()).unwrap().to_be_bytes();
        let request = [&[4, 0, 0, 0, opcode], &length[..], body].concat();
        stream.write_all(&request).await?;
        let mut header = [0; 9];
        stream.read_exact(&mut header).await?;
        let length = u32::from_be_bytes(header[5..].try_into().unwrap());
        let mut answer = vec![0; length as usize];
        stream.read_exact(&mut answer).await?;
        if header[4] != expected {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
    }
    Ok(stream)
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

/// Cassandra 5.0.9 refuses to change a password again within 5 s. Until that succeeded, everybody could log in.
fn no_password_waits_for_another(server: &Server) {
    let log = fs::read_to_string(server.dir().join("logs/system.log")).unwrap();
    assert!(log.contains("Starting listening for CQL clients"), "{log}");
    assert!(!log.contains("can only be changed every"), "{log}");
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

/// Without the password nobody gets in, without the account nobody gets the password, and nobody is taken for a node.
async fn is_closed_to_others(server: &Server) {
    let login = server.login();
    let session = async |user: &str, password: &str| {
        let builder = SessionBuilder::new().known_node_addr(server.address());
        builder.user(user, password).build().await
    };
    session(login.user(), login.password()).await.unwrap();
    for (user, password) in [("cassandra", "cassandra"), (login.user(), "cassandra")] {
        session(user, password).await.unwrap_err();
    }
    let anonymous = SessionBuilder::new().known_node_addr(server.address());
    anonymous.build().await.unwrap_err();

    let mut jmx = Command::new(find_java().await.unwrap().program);
    jmx.arg(format!("@{}", server.dir().join("conf/jvm.args").display()))
        .arg("-Dbakeoff.log=/dev/null")
        .args(["org.apache.cassandra.tools.NodeTool", "-h", "127.0.0.1"])
        .args(["-p", &server.jmx_port().to_string(), "version"]);
    let refused = jmx.output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("Credentials required"), "{said}");
    assert!(!is_taken_for_a_node(server.storage_port()).await);
    talks_to_itself(server).await;

    if !rustix::process::geteuid().is_root() {
        skipped("only root can look as another user, and start servers as one");
        return;
    }
    match server.why_root() {
        Some(reason) => skipped(reason),
        None => {
            let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
            let users = status.lines().find_map(|line| line.strip_prefix("Uid:"));
            let mut users = users.unwrap().split_whitespace();
            assert!(users.all(|user| user != "0"), "{status}");
        }
    }
    for file in [
        server.password_file(),
        server.dir().join("conf/jmx.password"),
        server.dir().join("conf/internode.p12"),
        server.dir().join("conf/internode.password"),
        server.data_dir().join("system"),
    ] {
        assert!(file.exists(), "{}", file.display());
        // As a user who is neither root nor the one that the server runs as.
        let looked = Command::new("setpriv")
            .args(["--reuid=54321", "--regid=54321", "--clear-groups", "ls"])
            .arg(&file)
            .output()
            .unwrap();
        assert!(!looked.status.success(), "{}", file.display());
    }
}

async fn a_kill_is_noticed(server: Server) {
    let killed = Command::new("kill")
        .args(["-9", &server.pid().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    while server.is_running() {
        tokio::time::sleep(Duration::from_millis(20)).await;
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
