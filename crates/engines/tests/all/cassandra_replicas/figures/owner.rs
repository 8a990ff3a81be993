//! What the owner of three nodes reads of each of them: by nodetool on its machine, by the files of its tables, by the
//! log of its collector, and by what the system tells of its process.

use std::fs;
use std::time::Instant;

use bakeoff_engines::nodes::TableName;
use bakeoff_engines::servers::cassandra::Server;
use futures::future::join_all;
use serde_json::Value;
use tokio::time::sleep;

use crate::cassandra_replicas::{POLL, TRACED_WITHIN};

/// What the owner of a node reads of its process.
pub struct Owner {
    /// What `nodetool info` prints.
    info: String,
    pub cpu_seconds: f64,
    pub resident_bytes: f64,
    pub collections: Collections,
}

impl Owner {
    /// The value after a name.
    fn line(&self, name: &str) -> &str {
        let mut lines = { self.info.lines() }.filter_map(|line| line.split_once(": "));
        lines.find(|(label, _)| label.trim() == name).unwrap().1
    }

    /// MiB of the heap in use and at most.
    pub fn heap_mib(&self) -> [f64; 2] {
        let (used, most) = self.line("Heap Memory (MB)").split_once(" / ").unwrap();
        [used, most].map(|mib| mib.trim().parse().unwrap())
    }

    /// The number of the cache of keys before these words.
    pub fn of_keys(&self, words: &str) -> f64 {
        let mut parts = self.line("Key Cache").split(", ");
        let number = parts.find_map(|part| part.strip_suffix(words));
        number.unwrap().trim().parse().unwrap()
    }

    /// Most bytes of the cache of keys.
    pub fn key_capacity(&self) -> f64 {
        let mut parts = self.line("Key Cache").split(", ");
        let capacity = parts.find_map(|part| part.strip_prefix("capacity "));
        let (number, unit) = capacity.unwrap().split_once(' ').unwrap();
        let mut units = ["bytes", "KiB", "MiB", "GiB"].iter();
        let power = units.position(|known| *known == unit).unwrap();
        number.parse::<f64>().unwrap() * 1024_f64.powi(power as i32)
    }
}

/// Reads all nodes.
pub async fn owners(servers: &[Server]) -> Vec<Owner> {
    let infos = on_all(servers, &["info"]).await;
    let owner = |(server, info): (&Server, String)| {
        let usage = server.usage();
        Owner {
            info,
            cpu_seconds: usage.cpu_seconds.unwrap(),
            resident_bytes: usage.resident_bytes.unwrap() as f64,
            collections: collections(server),
        }
    };
    servers.iter().zip(infos).map(owner).collect()
}

/// Collections since a node started.
#[derive(Debug, Clone, Copy, Default)]
pub struct Collections {
    /// Everything that stops the node for its heap.
    pub pauses: u64,
    /// Those of them that the JVM counts as collections.
    pub count: u64,
    pub milliseconds: f64,
}

/// Reads the log of a node's collector.
pub fn collections(server: &Server) -> Collections {
    let log = fs::read_to_string(server.dir().join("logs/gc.log")).unwrap();
    let mut all = Collections::default();
    for line in log.lines() {
        let Some((_, pause)) = line.split_once("Pause ") else {
            continue;
        };
        // The line of a pause that is over ends with its time.
        let time = pause.strip_suffix("ms").and_then(|p| p.rsplit_once(' '));
        let Some((_, milliseconds)) = time else {
            continue;
        };
        all.pauses += 1;
        if pause.starts_with("Young") || pause.starts_with("Full") {
            all.count += 1;
            all.milliseconds += milliseconds.parse::<f64>().unwrap();
        }
    }
    all
}

/// Runs the owner's nodetool on each node.
pub async fn on_all(servers: &[Server], arguments: &[&str]) -> Vec<String> {
    let calls = servers.iter().map(|server| server.nodetool(arguments));
    let printed = join_all(calls).await;
    printed.into_iter().map(Result::unwrap).collect()
}

/// What the owner's nodetool prints of the table on each node.
pub async fn statistics(servers: &[Server], name: &TableName) -> Vec<Value> {
    let arguments = ["tablestats", "-F", "json", name.keyspace.as_str()];
    let printed = on_all(servers, &arguments).await;
    let of_table = |text: &String| -> Value {
        let all: Value = serde_json::from_str(text).unwrap();
        all[&name.keyspace]["tables"][&name.table].clone()
    };
    printed.iter().map(of_table).collect()
}

/// A number that nodetool prints as such or as text.
#[track_caller]
pub fn number(statistics: &Value, key: &str) -> f64 {
    let value = &statistics[key];
    let as_text = || value.as_str().and_then(|text| text.parse().ok());
    value.as_f64().or_else(as_text).unwrap()
}

/// The files of a table on a node.
#[derive(Debug, Default)]
pub struct Files {
    pub sstables: u64,
    pub bytes: u64,
    /// Those with rows.
    pub data_bytes: u64,
}

/// Waits until compactions have left one SSTable on each node.
pub async fn files_at_rest(servers: &[Server], name: &TableName) -> Vec<Files> {
    let began = Instant::now();
    loop {
        let files: Vec<Files> = servers.iter().map(|server| files(server, name)).collect();
        if files.iter().all(|files| files.sstables == 1) {
            return files;
        }
        assert!(began.elapsed() < TRACED_WITHIN, "{files:?}");
        sleep(POLL).await;
    }
}

fn files(server: &Server, name: &TableName) -> Files {
    let prefix = format!("{}-", name.table);
    let mut files = Files::default();
    for folder in fs::read_dir(server.data_dir().join(&name.keyspace)).unwrap() {
        let folder = folder.unwrap();
        if !folder.file_name().to_string_lossy().starts_with(&prefix) {
            continue;
        }
        for file in fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap();
            // One that is there no more was replaced by a compaction.
            let Some(metadata) = file.metadata().ok().filter(|m| m.is_file()) else {
                continue;
            };
            files.bytes += metadata.len();
            if file.file_name().to_string_lossy().ends_with("-Data.db") {
                files.sstables += 1;
                files.data_bytes += metadata.len();
            }
        }
    }
    files
}
