//! A real Cassandra with every key of `cassandra.yaml` that a workload may set: Bakeoff's server starts with
//! all of them, and each has the value that was set.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::collections::HashMap;
use std::path::Path;

use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::cassandra::{Release, login_at};
use bakeoff_engines::servers::{Home, list};
use bakeoff_engines::{Context, EngineOptions};
use bakeoff_workload::{DesignId, ServerSettings, Workload, server_keys};
use scylla::client::session_builder::SessionBuilder;

use crate::support::{THREADS, has_cassandra, has_cassandra_4};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_key_that_a_workload_may_set_is_in_effect() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = settings();
    assert_eq!(server.cassandra.len(), server_keys().count());
    let context = context(folder.path(), &server);
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let running = engine(&id).unwrap().start(&context).await.unwrap();
    let reported = running.info().settings;
    let in_effect = settings_in_effect(folder.path()).await;
    let mut others = Vec::new();
    for (key, value) in server.cassandra {
        // It is an entry within another one in the file.
        let name = match key.as_str() {
            "sstable_format" => "sstable.selected_format",
            key => key,
        };
        let shown = in_effect.get(name);
        if !shown.is_some_and(|shown| is_the_same(&value, shown)) {
            others.push(format!("{key}: {value} is shown as {shown:?}"));
        }
        assert!(reported.contains(&(key.clone(), value)), "{key}");
    }
    running.finish(false).await.unwrap();
    assert!(others.is_empty(), "{others:#?}");
}

/// The release before has most of the keys, and ends at once if it does not know one or its value.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cassandra_4_starts_with_every_key_that_it_has() {
    if !has_cassandra_4().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut server = settings();
    server
        .cassandra
        .retain(|(key, _)| Release::Four.has_key(key));
    let context = context(folder.path(), &server);
    let id: DesignId = "cassandra-4/wide".parse().unwrap();
    let running = engine(&id).unwrap().start(&context).await.unwrap();
    let reported = running.info().settings;
    running.finish(false).await.unwrap();
    for setting in &server.cassandra {
        assert!(reported.contains(setting), "{setting:?}");
    }
}

fn context(folder: &Path, server: &ServerSettings) -> Context {
    let mut options = EngineOptions::default();
    options.cassandra.server = server.clone();
    Context {
        run_dir: folder.to_owned(),
        token: None,
        threads: THREADS,
        keys_repeat: false,
        options,
    }
}

/// Returns whether Cassandra shows a value as it was set, or, for keys that are older than units, as a
/// number of seconds or MiB.
fn is_the_same(set: &str, shown: &str) -> bool {
    let units = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1), ("MiB", 1)];
    let in_units = units.iter().find_map(|(unit, size)| {
        let number: u64 = set.strip_suffix(unit)?.parse().ok()?;
        Some(number * size)
    });
    set == shown || in_units.is_some_and(|number| number.to_string() == shown)
}

/// Returns what a workload with all keys sets, each to an ordinary value.
fn settings() -> ServerSettings {
    let keys = server_keys();
    let lines = keys.map(|key| format!("{} = \"{}\"\n", key.name, key.example));
    let text = format!(
        "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
         sql = \"SELECT value FROM sensor\"\n[server]\nheap = \"1GiB\"\n[server.cassandra]\n{}",
        lines.collect::<String>()
    );
    Workload::parse(&text, Path::new("w.toml")).unwrap().server
}

/// Returns the settings that the Cassandra in a run's folder says it has.
async fn settings_in_effect(run_dir: &Path) -> HashMap<String, String> {
    let home = Home::from_env().unwrap();
    let run_dir = run_dir.canonicalize().unwrap();
    let servers = list(&home).unwrap();
    let server = servers
        .iter()
        .find(|server| server.dir.starts_with(&run_dir));
    let address = server.unwrap().address;
    let login = login_at(&home, address).unwrap();
    let session = SessionBuilder::new()
        .known_node_addr(address)
        .user(login.user(), login.password());
    let session = session.build().await.unwrap();
    let select = "SELECT name, value FROM system_views.settings";
    let rows = session.query_unpaged(select, ()).await.unwrap();
    let rows = rows.into_rows_result().unwrap();
    let rows = rows.rows::<(String, Option<String>)>().unwrap();
    rows.filter_map(|row| {
        let (name, value) = row.unwrap();
        Some((name, value?))
    })
    .collect()
}
