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
    /// Pauses in the log before anything else was read.
    pub earlier_pauses: usize,
    /// All pauses in the log afterwards.
    pub pauses: Vec<Pause>,
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
    let earlier: Vec<usize> = servers.iter().map(|server| pauses(server).len()).collect();
    let infos = on_all(servers, &["info"]).await;
    let owner = |((server, info), earlier_pauses): ((&Server, String), usize)| {
        let usage = server.usage();
        Owner {
            info,
            cpu_seconds: usage.cpu_seconds.unwrap(),
            resident_bytes: usage.resident_bytes.unwrap() as f64,
            earlier_pauses,
            pauses: pauses(server),
        }
    };
    let told = servers.iter().zip(infos).zip(earlier);
    told.map(owner).collect()
}

/// A pause in the log of a node's collector.
pub struct Pause {
    /// Whether the JVM counts it as a collection.
    is_collection: bool,
    milliseconds: f64,
    /// MiB of the heap in use before and after it, if the log tells them.
    pub heap_mib: Option<[f64; 2]>,
}

/// Collections among pauses.
#[derive(Debug, Clone, Copy, Default)]
pub struct Collections {
    pub count: u64,
    pub milliseconds: f64,
}

impl Collections {
    pub fn among(pauses: &[Pause]) -> Collections {
        let mut all = Collections::default();
        for pause in pauses.iter().filter(|pause| pause.is_collection) {
            all.count += 1;
            all.milliseconds += pause.milliseconds;
        }
        all
    }
}

/// Reads all pauses since a node started.
pub fn pauses(server: &Server) -> Vec<Pause> {
    let log = fs::read_to_string(server.dir().join("logs/gc.log")).unwrap();
    log.lines().filter_map(pause).collect()
}

/// The pause that a line reports as over, which ends with its time.
fn pause(line: &str) -> Option<Pause> {
    let (_, told) = line.split_once("Pause ")?;
    let (what, milliseconds) = told.strip_suffix("ms")?.rsplit_once(' ')?;
    Some(Pause {
        is_collection: what.starts_with("Young") || what.starts_with("Full"),
        milliseconds: milliseconds.parse().ok()?,
        heap_mib: heap_mib(what),
    })
}

/// The end of `Young (Normal) (G1 Evacuation Pause) 105M->40M(512M)`.
fn heap_mib(what: &str) -> Option<[f64; 2]> {
    let (before, rest) = what.rsplit(' ').next()?.split_once("->")?;
    let (after, _) = rest.split_once('(')?;
    Some([before, after].map(mib))
}

fn mib(size: &str) -> f64 {
    let (number, unit) = size.split_at(size.len() - 1);
    let unit = match unit {
        "K" => 1.0 / 1024.0,
        "M" => 1.0,
        _ => 1024.0,
    };
    number.parse::<f64>().unwrap() * unit
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
