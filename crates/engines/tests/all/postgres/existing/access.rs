//! Which servers and users are taken, and what is said of those that are not.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, PostgresServer};
use bakeoff_testing::skipped;
use bakeoff_workload::DesignId;

use super::{CONNECTIONS, Theirs, USER, on_server};
use crate::postgres::many_places;

/// How long the server may take to read its settings again.
const RELOAD_LIMIT: Duration = Duration::from_secs(120);

pub(super) async fn mistakes_in_the_url_are_told(theirs: &Theirs) {
    let error = async |url: String, password: Option<&str>| {
        let server = PostgresServer::new(&url, password, None).unwrap();
        let context = Context {
            options: on_server(server),
            ..theirs.context("metrics")
        };
        let id: DesignId = "postgres/plain".parse().unwrap();
        let started = engine(&id).unwrap().start(&context).await;
        started.err().unwrap().to_string()
    };
    let password = theirs.server.password();
    let wrong = error(theirs.url("metrics"), Some("wrong-hunter2")).await;
    assert!(wrong.contains("BAKEOFF_POSTGRES_PASSWORD"), "{wrong}");
    assert!(!wrong.contains("hunter2"), "{wrong}");
    let none = error(theirs.url("metrics"), None).await;
    assert!(
        none.contains("put the password into BAKEOFF_POSTGRES_PASSWORD"),
        "{none}"
    );
    let nowhere = error(theirs.url("nowhere"), Some(password)).await;
    assert!(nowhere.contains("\"nowhere\" does not exist"), "{nowhere}");
    assert!(nowhere.contains("check the database"), "{nowhere}");
}

pub(super) async fn a_server_without_timescaledb_is_told(theirs: &Theirs) {
    let id: DesignId = "timescale/hypertable".parse().unwrap();
    let context = theirs.context("bare");
    let started = engine(&id).unwrap().start(&context).await;
    let error = started.err().unwrap().to_string();
    assert!(error.contains("CREATE EXTENSION timescaledb"), "{error}");
    let sql = "SELECT 1 FROM pg_extension WHERE extname = 'timescaledb'";
    let made = theirs
        .client("bare")
        .await
        .query_opt(sql, &[])
        .await
        .unwrap();
    assert!(
        made.is_none(),
        "an extension was made that nobody asked for"
    );
}

/// The answer of the check is that of the server's licence.
pub(super) async fn the_edition_is_checked_on_their_server(theirs: &Theirs) {
    let id: DesignId = "timescale/hypertable?columnstore=on".parse().unwrap();
    let sql = "SELECT coalesce(current_setting('timescaledb.license', true), 'apache')";
    let client = theirs.client("metrics").await;
    let license: String = client.query_one(sql, &[]).await.unwrap().get(0);
    let checked = engine(&id).unwrap();
    let checked = checked.check_design(&id, &theirs.context("metrics")).await;
    if license == "apache" {
        let error = checked.unwrap_err().to_string();
        assert!(
            error.contains("columnstore=on needs the edition"),
            "{error}"
        );
    } else {
        checked.unwrap();
    }
    let bare = engine(&id).unwrap();
    let bare = bare.check_design(&id, &theirs.context("bare")).await;
    let error = bare.unwrap_err().to_string();
    assert!(error.contains("CREATE EXTENSION timescaledb"), "{error}");
}

pub(super) async fn a_superuser_is_not_taken(theirs: &Theirs) {
    let id: DesignId = "postgres/plain".parse().unwrap();
    let superuser = theirs.server.user();
    let url = theirs.url("metrics").replace(USER, superuser);
    let grant = async |statement: &str| {
        let client = theirs.client("metrics").await;
        client.batch_execute(statement).await.unwrap();
    };
    let error = async |url: &str| {
        let server = PostgresServer::new(url, Some(theirs.server.password()), None).unwrap();
        let context = Context {
            options: on_server(server),
            ..theirs.context("metrics")
        };
        let checked = engine(&id).unwrap().check(&context).await.unwrap_err();
        let started = engine(&id).unwrap().start(&context).await.err().unwrap();
        assert_eq!(checked.to_string(), started.to_string());
        checked.to_string()
    };
    let told = error(&url).await;
    assert!(told.contains("CREATE ROLE bench"), "{told}");
    for held in ["pg_execute_server_program", superuser] {
        grant(&format!("GRANT {held} TO {USER}")).await;
        let told = error(&theirs.url("metrics")).await;
        assert!(told.contains(held), "{told}");
        grant(&format!("REVOKE {held} FROM {USER}")).await;
    }
}

pub(super) async fn connections_that_run_out_are_told(theirs: &Theirs) {
    let (table, many) = many_places();
    let mut started = theirs.started("postgres").await;
    started.context.threads = 3 * CONNECTIONS as usize;
    let design = started.design("postgres/plain", &table).await;
    design.create().await.unwrap();
    let error = design.load(0, &many).await.unwrap_err().to_string();
    assert!(error.contains("max_connections"), "{error}");
    drop(design);
    started.running.finish(false).await.unwrap();
}

pub(super) async fn connections_are_encrypted_for_those_who_trust_the_server(theirs: &Theirs) {
    if !has_openssl() {
        return;
    }
    let server = |ca: &Path| {
        let password = Some(theirs.server.password());
        PostgresServer::new(&theirs.url("metrics"), password, Some(&ca.to_owned())).unwrap()
    };
    let error = async |server: PostgresServer| server.connect("").await.unwrap_err().to_string();
    let (ca, other) = (theirs.file("ca.pem"), theirs.file("other.pem"));
    std::fs::write(&ca, theirs.make_certificate("ca", "").await).unwrap();
    std::fs::write(&other, theirs.make_certificate("other", "").await).unwrap();
    let signed = "-CA ca.crt -CAkey ca.key -addext subjectAltName=IP:127.0.0.1 \
                  -addext basicConstraints=critical,CA:FALSE";
    theirs.make_certificate("server", signed).await;
    let plain = error(server(&ca)).await;
    assert!(plain.contains("does not support TLS"), "{plain}");

    let client = theirs.client("postgres").await;
    client
        .execute("ALTER SYSTEM SET ssl TO on", &[])
        .await
        .unwrap();
    client
        .execute("SELECT pg_reload_conf()", &[])
        .await
        .unwrap();
    let encrypted = eventually(async || server(&ca).connect("").await.ok()).await;
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let is_encrypted: bool = encrypted.query_one(sql, &[]).await.unwrap().get(0);
    assert!(is_encrypted);

    let mistrusted = error(server(&other)).await;
    assert!(mistrusted.contains("--postgres-ca"), "{mistrusted}");
}

async fn eventually<T>(mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    let trying = async {
        loop {
            if let Some(found) = attempt().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(RELOAD_LIMIT, trying).await.unwrap()
}

fn has_openssl() -> bool {
    match Command::new("openssl").arg("version").output() {
        Ok(_) => true,
        Err(error) => {
            skipped(format!("no openssl: {error}"));
            false
        }
    }
}
