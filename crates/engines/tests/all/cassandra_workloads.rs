//! Tests of every shipped workload with a mix, driven on a real Cassandra for a moment with few rows:
//! its statements are accepted, and no reply is wrong.
//!
//! Where none can be started this prints why it is skipped and passes, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

use std::path::{Path, PathBuf};

use crate::support::load::Loads;
use crate::support::shared;
use bakeoff_workload::Workload;

const FOLDERS: [&str; 3] = ["easy-stress", "nosqlbench", "ycsb"];
/// Further workloads.
const FURTHER: [&str; 7] = [
    "compactions.toml",
    "compactions_bti.toml",
    "compression_ranges.toml",
    "models.toml",
    "partitions.toml",
    "retention.toml",
    "row_cache.toml",
];
/// Name of the workload that needs another server.
const LEFT_OUT: &str = "dse_search.toml";
const ROWS: u64 = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_shipped_mix_is_right() {
    let Some(server) = shared::cassandra().await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let address = server.address().to_string();
    // Each in a keyspace of its own, since it bears the workload's name.
    let loads = Loads::new(&address, &folder.path().join("run"), None).await;
    let files = files();
    assert!(files.len() > 20, "{files:?}");
    let mut troubles = Vec::new();
    for file in files {
        let troubles_of_file = troubles_of(&loads, &file).await;
        troubles.extend(troubles_of_file.map(|why| format!("{}: {why}", file.display())));
    }
    loads.running.finish(false).await.unwrap();
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}

fn files() -> Vec<PathBuf> {
    let workloads = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
    let of = |folder: &str| std::fs::read_dir(workloads.join(folder)).unwrap();
    let all = FOLDERS.iter().flat_map(|folder| of(folder));
    let mut files: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| !path.ends_with(LEFT_OUT) && path.extension().is_some_and(|e| e == "toml"));
    files.extend(FURTHER.map(|name| workloads.join(name)));
    files.sort();
    files
}

/// Drives a workload's first design, and returns what went wrong.
async fn troubles_of(loads: &Loads, file: &Path) -> Option<String> {
    let mut workload = Workload::read(file).unwrap();
    workload.scale.default_rows = ROWS;
    let operations = &mut workload.mix.as_mut().unwrap().operations;
    // Each often enough to be seen in this short time.
    let share = 1.0 / operations.len() as f64;
    operations.iter_mut().for_each(|o| o.weight = share);
    let id = workload.designs[0].to_string();
    let loaded = loads.target(&id, &workload).await;
    loaded.fill().await;
    let came = loaded.drive().await;
    let done = |name: &String| came.of(name).successes() > 0 && came.of(name).failed() == 0;
    let failed = came.names.iter().find(|name| !done(name))?;
    let tally = came.of(failed);
    Some(format!(
        "{failed}: {} succeeded, {} failed: {}",
        tally.successes(),
        tally.failed(),
        came.messages()
    ))
}
