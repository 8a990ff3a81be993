//! A real Cassandra with every key of `cassandra.yaml` that a workload may set: Bakeoff's server starts with
//! all of them, and each has the value that was set.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::collections::HashMap;
use std::path::Path;

use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::cassandra::login_at;
use bakeoff_engines::servers::{Home, list};
use bakeoff_engines::{Context, EngineOptions};
use bakeoff_workload::{DesignId, ServerSettings, Workload, server_keys};
use scylla::client::session_builder::SessionBuilder;

use crate::support::{THREADS, has_cassandra};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_key_that_a_workload_may_set_is_in_effect() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = settings();
    assert_eq!(server.cassandra.len(), server_keys().count());
    let mut options = EngineOptions::default();
    options.cassandra.server = server.clone();
    let context = Context {
        run_dir: folder.path().to_owned(),
        token: None,
        threads: THREADS,
        keys_repeat: false,
        options,
    };
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let running = engine(&id).unwrap().start(&context).await.unwrap();
    let reported = running.info().settings;
    let in_effect = settings_in_effect(folder.path()).await;
    for (key, value) in server.cassandra {
        // It is an entry within another one in the file.
        let name = match key.as_str() {
            "sstable_format" => "sstable.selected_format",
            key => key,
        };
        assert_eq!(in_effect.get(name), Some(&value), "{key}");
        assert!(reported.contains(&(key.clone(), value)), "{key}");
    }
    running.finish(false).await.unwrap();
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
