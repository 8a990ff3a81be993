use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

#[test]
fn the_heap_is_a_quarter_of_the_memory_within_limits() {
    assert_eq!(heap_of(64 << 10).unwrap(), 4096);
    assert_eq!(heap_of(8 << 10).unwrap(), 2048);
    let error = heap_of(2 << 10).unwrap_err().to_string();
    assert!(error.contains("has 2048 MiB"), "{error}");
}

#[test]
fn a_java_is_named_by_its_folder() {
    let java = |program: &str| Java {
        program: program.into(),
        version: "17".to_owned(),
        release: 17,
    };
    assert_eq!(java_home(&java("/opt/jdk/bin/java")), Path::new("/opt/jdk"));
    assert_eq!(java_home(&java("/usr/bin/java")), Path::new("/usr"));
}

#[test]
fn a_secret_that_was_left_by_a_kill_is_removed_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path()).unwrap();
    let secrets = folder.path().join("secrets.properties");
    fs::write(&secrets, "hidden").unwrap();
    write_files(folder.path()).unwrap();
    assert!(!secrets.exists());
    assert!(folder.path().join(DRIVER_FILE).exists());
}

/// Starts a process in the place of Python, if there is a Java.
async fn started(does: &str) -> Option<(tempfile::TempDir, Result<Spark>)> {
    started_for(None, does).await
}

/// Starts a process in the place of Python, as if it asked a Spark elsewhere, if there is a Java.
async fn started_for(
    cluster: Option<SparkCluster>,
    does: &str,
) -> Option<(tempfile::TempDir, Result<Spark>)> {
    if let Err(reason) = find_java_for_spark().await {
        bakeoff_testing::skipped(reason);
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("python3");
    bakeoff_testing::put_program(&program, &format!("#!/bin/sh\n{does}\n"));
    let options = SparkOptions {
        python: Some(program),
        cluster,
        ..SparkOptions::new(folder.path().join("spark"), 1)
    };
    let spark = Spark::start(options).await;
    Some((folder, spark))
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    for (does, why) in [
        (
            "echo 'ImportError: no such thing' >&2; exit 3",
            "ImportError: no such thing",
        ),
        (
            "read line; echo '{\"id\": 0, \"error\": \"no room\"}'; cat",
            "no room",
        ),
        ("read line; kill -9 $$", "SIGKILL"),
    ] {
        let Some((_folder, spark)) = started(does).await else {
            return;
        };
        let error = spark.err().unwrap().to_string();
        assert!(
            error.starts_with("Spark ended while it was starting"),
            "{error}"
        );
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test]
async fn a_process_that_was_dropped_is_gone_with_what_it_started() {
    let does = "read line; sleep 600 & echo '{\"id\": 0, \"bytes\": 0}'; trap '' TERM; while :; do sleep 1; done";
    let Some((_folder, spark)) = started(does).await else {
        return;
    };
    let spark = spark.unwrap();
    let process = spark.process;
    assert!(spark.is_running());
    assert!(spark.cpu_seconds().unwrap() >= 0.0);
    assert_eq!(spark.dead(), None);
    drop(spark);
    assert!(!process.is_alive());
}

#[tokio::test]
async fn a_process_that_is_killed_is_dead_and_says_so() {
    let does = "read line; touch secrets.properties; echo '{\"id\": 0, \"bytes\": 0}'; read line; kill -9 $$";
    let Some((folder, spark)) = started(does).await else {
        return;
    };
    let spark = spark.unwrap();
    let answer = spark.query("a", "SELECT 1").await;
    let error = answer.err().unwrap().to_string();
    assert!(error.contains("SIGKILL"), "{error}");
    assert!(spark.dead().unwrap().contains("SIGKILL"));
    let secrets = folder.path().join("spark/secrets.properties");
    assert!(secrets.exists());
    drop(spark);
    assert!(!secrets.exists());
}

/// A server that answers the first question as a master or as a server of Spark Connect does, and its address.
async fn answering(answer: &'static [u8]) -> SocketAddr {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = server.accept().await.unwrap();
        let mut asked = [0; 1024];
        let _asked = stream.read(&mut asked).await.unwrap_or(0);
        stream.write_all(answer).await.ok();
    });
    address
}

const OF_MASTER: &[u8] = b"\0\0\0\0\0\0\0\x20\x08\0\0\0\x0e/files/bakeoff";
const OF_CONNECT: &[u8] = b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64";

#[tokio::test]
async fn another_release_of_a_cluster_is_refused_with_the_one_that_is_asked() {
    for (scheme, answer) in [("spark", OF_MASTER), ("sc", OF_CONNECT)] {
        for (version, is_taken) in [("4.0.1", false), ("3.5.9, 3.4.0", false), ("3.5.1", true)] {
            let url = format!("{scheme}://{}", answering(answer).await);
            let cluster = SparkCluster::new(&url, None).unwrap();
            let counted = if scheme == "sc" { "parts" } else { "cores" };
            let said = json!({"id": 0, "bytes": 0, "versions": {"spark": version, counted: 4}});
            let does = format!("read line; echo '{said}'; cat");
            let Some((_folder, spark)) = started_for(Some(cluster), &does).await else {
                return;
            };
            if is_taken {
                let settings = spark.unwrap().settings();
                let has = |name: &str, value: &str| {
                    settings.contains(&(name.to_owned(), value.to_owned()))
                };
                assert!(has("cluster", &url), "{settings:?}");
                let shown = if scheme == "sc" {
                    "parts by default"
                } else {
                    "cores"
                };
                assert!(has(shown, "4"), "{settings:?}");
                assert!(has("spark.sql.shuffle.partitions", "4"), "{settings:?}");
                continue;
            }
            let error = spark.err().unwrap().to_string();
            let begins = format!("the Spark at {url} is {version}, and Bakeoff ");
            assert!(error.starts_with(&begins), "{error}");
            assert!(error.contains("for 3.5 only"), "{error}");
        }
    }
}

#[tokio::test]
async fn the_first_line_has_the_secrets_and_nothing_else_has_them() {
    for (scheme, answer, member) in [("spark", OF_MASTER, "secret"), ("sc", &b""[..], "remote")] {
        let url = format!("{scheme}://{}", answering(answer).await);
        let cluster = SparkCluster::new(&url, Some("hidden")).unwrap();
        let does = "read -r line; printf '%s' \"$line\" > first; echo '{\"id\": 0, \"bytes\": 0, \"versions\": \
                    {\"spark\": \"3.5.9\"}}'; cat";
        let Some((folder, spark)) = started_for(Some(cluster), does).await else {
            return;
        };
        let spark = spark.unwrap();
        let first = fs::read(folder.path().join("spark/first")).unwrap();
        let first: Value = serde_json::from_slice(&first).unwrap();
        assert!(
            first[member].as_str().unwrap().contains("hidden"),
            "{first}"
        );
        assert!(first["address"].as_str().unwrap().starts_with(&url));
        for other in ["spark", "address"] {
            assert!(!first[other].to_string().contains("hidden"), "{first}");
        }
        assert!(!format!("{:?}", spark.settings()).contains("hidden"));
        spark.stop().await.unwrap();
    }
}
