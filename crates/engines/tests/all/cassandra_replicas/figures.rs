//! Figures of three nodes and of a loaded table, reached as those of a user's cluster are, by an address, a command
//! for nodetool and a URL of metrics: each agrees with what the owner of that node reads of it.

mod owner;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, StringArray};
use bakeoff_engines::Cluster;
use bakeoff_engines::nodes::{self, Looks, Metrics, NodeFigures, Nodetool, Reader, TableName};
use bakeoff_engines::servers::cassandra::Server;
use bakeoff_stats::Footprint;
use bakeoff_testing::Random;
use scylla::client::session::Session;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::faults::keys_on;
use super::own_table;
use crate::support::load::on_cluster;
use crate::support::{Started, Table};
use owner::{Collections, Files, Owner, files_at_rest, number, on_all, owners, pauses, statistics};

/// Share by which a figure may differ from what the owner reads.
const APART: f64 = 0.05;
/// The rows that each node has, so many that the whole MiB of views are exact enough, and differently many, so that no
/// node can be taken for another one.
const ROWS_OF: [(&str, usize); 3] = [("127.0.0.1", 460), ("127.0.0.2", 560), ("127.0.0.3", 660)];
/// Reads of the rows of each node.
const READS_OF: [usize; 3] = [40, 80, 120];
const ROW_BYTES: usize = 64 << 10;
/// Bytes of a row that do not compress. The others are all alike.
const RANDOM_BYTES: usize = 48 << 10;
/// Bytes of which rows have a part each.
const POOL_BYTES: usize = 1 << 20;
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Milliseconds by which the JVM may count a collection differently than its log.
const ROUNDED_MS: f64 = 2.0;

pub async fn agree_with_those_of_the_owner(
    servers: &[Server],
    session: &Session,
    cluster: &Cluster,
    folder: &Path,
) {
    let script = folder.join("nodetool.sh");
    let nodetool = nodetool(servers, &script);
    let collections = |server: &Server| Collections::among(&pauses(server));
    let before_reset: Vec<Collections> = servers.iter().map(collections).collect();
    // From here on, nodetool counts collections anew.
    on_all(servers, &["gcstats"]).await;
    let after_reset: Vec<Collections> = servers.iter().map(collections).collect();

    let keys = keys_of_nodes(session).await;
    let table = table(&keys);
    let mut options = on_cluster(&cluster.address, None);
    options.cassandra.nodetool = Some(nodetool.clone());
    let started = Started::with("cassandra", folder.join("figures"), options).await;
    let design = started.design("cassandra/narrow", &table).await;
    design.create().await.unwrap();
    design.load(0, &table.rows).await.unwrap();
    let how = design.settle().await.unwrap();
    assert_eq!(how, "flushed, then compacted by nodetool");
    let name = own_table(session).await;
    read_rows(session, &name, &keys).await;
    let files = files_at_rest(servers, &name).await;

    // What views alone tell of the loaded table, while nodetool cannot be reached.
    let aside = folder.join("nodetool.aside");
    fs::rename(&script, &aside).unwrap();
    let of_views = design.footprint().await.unwrap();
    fs::rename(&aside, &script).unwrap();
    let of_nodetool = design.footprint().await.unwrap();

    let before = owners(servers).await;
    let nodes = read(servers, cluster, &nodetool, &name).await;
    let after = owners(servers).await;
    let statistics = statistics(servers, &name).await;
    assert_eq!(nodes.len(), servers.len());
    for (place, node) in nodes.iter().enumerate() {
        let (host, rows) = ROWS_OF[place];
        assert_eq!(node.host, host);
        table_agrees(node, rows, &files[place], &statistics[place]);
        let span = [&before[place], &after[place]];
        process_agrees(node, span);
        heap_agrees(node, span);
        let reset = [before_reset[place], after_reset[place]];
        collections_agree(node, span, reset);
    }
    let coordinated = nodes.iter().map(|node| node.tables[0].coordinator_reads);
    let coordinated: u64 = coordinated.map(|reads| reads.unwrap().count.unwrap()).sum();
    let reads: usize = READS_OF.iter().sum();
    agree(
        "reads of all coordinators",
        coordinated as f64,
        reads as f64,
    );

    footprints_agree([&of_views, &of_nodetool], &nodes, &files, &statistics);
    drop(design);
    started.running.finish(false).await.unwrap();
}

/// Checks a figure by what the owner reads.
#[track_caller]
fn agree(what: &str, shown: f64, owners: f64) {
    assert!(owners > 0.0, "{what}: the owner reads {owners}");
    let apart = (shown - owners).abs() / owners;
    assert!(apart <= APART, "{what}: {shown}, and the owner {owners}");
}

/// Checks a figure that was read after the first and before the last of the owner's readings.
#[track_caller]
fn is_between(what: &str, shown: f64, [before, after]: [f64; 2]) {
    let least = before.min(after) * (1.0 - APART);
    let most = before.max(after) * (1.0 + APART);
    let is_so = (least..=most).contains(&shown);
    assert!(is_so, "{what}: {shown}, and the owner {before} to {after}");
}

/// Checks a node's share of the table by its files, and by what the owner's nodetool prints.
fn table_agrees(node: &NodeFigures, rows: usize, files: &Files, owners: &Value) {
    let table = &node.tables[0];
    let printed = &node.nodetool.as_ref().unwrap().tables[0];
    let statistics = printed.statistics.unwrap();
    let of = |what: &str| format!("{what} of {}", node.host);
    let number = |key: &str| number(owners, key);

    let bytes = table.disk_usage_bytes.unwrap() as f64;
    agree(&of("bytes on disk"), bytes, files.bytes as f64);
    let live = statistics.live_bytes.unwrap() as f64;
    agree(&of("live bytes"), live, files.bytes as f64);
    agree(&of("live bytes"), live, number("space_used_live"));
    assert_eq!(statistics.sstables, Some(files.sstables));

    let ratio = statistics.compression_ratio.unwrap();
    let by_files = files.data_bytes as f64 / (rows * ROW_BYTES) as f64;
    agree(&of("ratio by files"), ratio, by_files);
    agree(&of("ratio"), ratio, number("sstable_compression_ratio"));
    let metadata = statistics.compression_metadata_bytes.unwrap() as f64;
    let key = "compression_metadata_off_heap_memory_used";
    agree(&of("metadata"), metadata, number(key));
    let partitions = statistics.partitions.unwrap() as f64;
    let key = "number_of_partitions_estimate";
    agree(&of("partitions"), partitions, number(key));
    let largest = statistics.max_partition_bytes.unwrap() as f64;
    let key = "compacted_partition_maximum_bytes";
    agree(&of("largest partition"), largest, number(key));

    let writes = table.local_writes.unwrap().count.unwrap() as f64;
    agree(&of("writes"), writes, number("local_write_count"));
    agree(&of("writes and rows"), writes, rows as f64);
    let reads = table.local_reads.unwrap().count.unwrap() as f64;
    agree(&of("reads"), reads, number("local_read_count"));
    let of_a_read = table.rows_per_read.unwrap().max.unwrap();
    agree(&of("most rows of a read"), of_a_read, 1.0);
}

/// Checks CPU, memory and the cache of keys.
fn process_agrees(node: &NodeFigures, [before, after]: [&Owner; 2]) {
    let of = |what: &str| format!("{what} of {}", node.host);
    let exposed = node.metrics.unwrap();
    let seconds = [before.cpu_seconds, after.cpu_seconds];
    is_between(&of("CPU"), exposed.cpu_seconds.unwrap(), seconds);
    let resident = [before.resident_bytes, after.resident_bytes];
    is_between(&of("memory"), exposed.resident_bytes.unwrap(), resident);
    let caches = node.caches.as_ref().unwrap();
    let keys = caches.iter().find(|cache| cache.name == "keys").unwrap();
    let capacity = keys.capacity_bytes.unwrap() as f64;
    agree(&of("capacity of keys"), capacity, before.key_capacity());
    for (shown, unit) in [(keys.hits, " hits"), (keys.requests, " requests")] {
        let owners = [before.of_keys(unit), after.of_keys(unit)];
        is_between(&of(unit), shown.unwrap() as f64, owners);
    }
}

/// Checks the heap. What is in use grows between collections, whose log tells how far, and what each of them leaves.
fn heap_agrees(node: &NodeFigures, [before, after]: [&Owner; 2]) {
    let info = node.nodetool.as_ref().unwrap().info.unwrap();
    let ([used, most], [used_after, _]) = (before.heap_mib(), after.heap_mib());
    let host = &node.host;
    let shown = info.heap_max_mib.unwrap();
    agree(&format!("most heap of {host}"), shown, most);
    let meanwhile = after.pauses.iter().skip(before.earlier_pauses);
    let meanwhile = meanwhile.filter_map(|pause| pause.heap_mib).flatten();
    let [mut low, mut high] = [used.min(used_after), used.max(used_after)];
    for told in meanwhile {
        (low, high) = (low.min(told), high.max(told));
    }
    let shown = info.heap_used_mib.unwrap();
    is_between(&format!("heap of {host}"), shown, [low, high]);
}

/// Checks collections since nodetool began to count them anew, which was between two looks at the log.
fn collections_agree(
    node: &NodeFigures,
    [before, after]: [&Owner; 2],
    [before_reset, after_reset]: [Collections; 2],
) {
    let gc = node.nodetool.as_ref().unwrap().gc.unwrap();
    let [first, last] = [before, after].map(|owner| Collections::among(&owner.pauses));
    let least = first.count - after_reset.count;
    let most = last.count - before_reset.count;
    let host = &node.host;
    let is_so = (least..=most).contains(&gc.collections);
    assert!(
        is_so,
        "collections of {host}: {gc:?}, and the log {least} to {most}"
    );
    let rounded = ROUNDED_MS * most as f64;
    let span = [
        first.milliseconds - after_reset.milliseconds - rounded,
        last.milliseconds - before_reset.milliseconds + rounded,
    ];
    is_between(&format!("collections of {host}"), gc.total_ms, span);
}

/// Checks what is said of the loaded table as a whole: by views alone, and by nodetool.
fn footprints_agree(
    [of_views, of_nodetool]: [&Footprint; 2],
    nodes: &[NodeFigures],
    files: &[Files],
    statistics: &[Value],
) {
    let bytes: u64 = files.iter().map(|files| files.bytes).sum();
    let bytes = bytes as f64;
    let shown = of_views.engine_bytes.unwrap() as f64;
    agree("bytes of all nodes by views", shown, bytes);
    assert_eq!(of_views.engine_bytes, nodes::all_bytes(nodes).ok());
    let note = of_views.note.as_ref().unwrap();
    let how = "from system_views.disk_usage in whole MiB, of all 3 nodes together, with every copy; \
               nothing more is known: ";
    assert!(note.starts_with(how), "{note}");

    let shown = of_nodetool.engine_bytes.unwrap() as f64;
    agree("bytes of all nodes by nodetool", shown, bytes);
    let data: u64 = files.iter().map(|files| files.data_bytes).sum();
    let rows: usize = ROWS_OF.iter().map(|(_, rows)| rows).sum();
    let ratio = data as f64 / (rows * ROW_BYTES) as f64;
    let shown = of_nodetool.compression_ratio.unwrap();
    agree("ratio of all nodes", shown, ratio);
    let sum = |key: &str| -> f64 { statistics.iter().map(|owners| number(owners, key)).sum() };
    let shown = of_nodetool.compression_metadata_bytes.unwrap() as f64;
    let key = "compression_metadata_off_heap_memory_used";
    agree("metadata of all nodes", shown, sum(key));
    let told = of_nodetool.statistics.as_ref().unwrap();
    let writes = told.writes.unwrap() as f64;
    agree("writes of all nodes", writes, sum("local_write_count"));
    let note = of_nodetool.note.as_ref().unwrap();
    let how = "in 3 SSTables, of all 3 nodes together, with every copy";
    assert_eq!(note, how);
}

/// Returns keys of rows whose only copy is on each of the nodes.
async fn keys_of_nodes(session: &Session) -> Vec<Vec<i32>> {
    let select = "SELECT v FROM once.readings WHERE k = ?";
    let select = session.prepare(select).await.unwrap();
    let of_node = |(host, rows): (&str, usize)| -> Vec<i32> {
        keys_on(session, &select, host).take(rows).collect()
    };
    ROWS_OF.into_iter().map(of_node).collect()
}

fn table(keys: &[Vec<i32>]) -> Table {
    let mut random = Random::printed("figures of three nodes");
    let letter = |_| char::from(LETTERS[random.below(64) as usize]);
    let pool: String = (0..POOL_BYTES).map(letter).collect();
    let alike = "x".repeat(ROW_BYTES - RANDOM_BYTES);
    let value = |n: usize| {
        let from = n * 4_099 % (POOL_BYTES - RANDOM_BYTES);
        format!("{}{alike}", &pool[from..from + RANDOM_BYTES])
    };
    let keys: Vec<i32> = keys.iter().flatten().copied().collect();
    let values = (0..keys.len()).map(value);
    let definition = "partition_key = [\"k\"]\ncolumns = { k = \"int\", v = \"text\" }";
    let values = StringArray::from_iter_values(values);
    let columns: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(keys)), Arc::new(values)];
    Table::new("figures", definition, columns)
}

/// Reads rows of each node.
async fn read_rows(session: &Session, name: &TableName, keys: &[Vec<i32>]) {
    let select = format!("SELECT k FROM {name} WHERE k = ?");
    let select = session.prepare(select).await.unwrap();
    for (keys, reads) in keys.iter().zip(READS_OF) {
        for key in keys.iter().cycle().take(reads) {
            session.execute_unpaged(&select, (*key,)).await.unwrap();
        }
    }
}

/// Reads all nodes as a user does who has not started them.
async fn read(
    servers: &[Server],
    cluster: &Cluster,
    nodetool: &Nodetool,
    name: &TableName,
) -> Vec<NodeFigures> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let of_server = |server: &Server| (server.address().ip().to_string(), server.pid());
    let exporter = tokio::spawn(export(listener, servers.iter().map(of_server).collect()));
    let url = format!("http://127.0.0.1:{port}/{{host}}/metrics");
    let metrics: [Metrics; 1] = [url.parse().unwrap()];

    let reader = Reader::connect(cluster).await.unwrap();
    let mut nodes = reader.read(std::slice::from_ref(name)).await;
    nodetool.add_to(&mut nodes, true).await;
    Metrics::add_to(&metrics, &mut nodes, Looks::Once).await;
    exporter.abort();
    for node in &nodes {
        let is_asked = |figure: &str| figure.starts_with("nodetool") || figure.starts_with("http");
        let missing = node.missing.iter().find(|m| is_asked(&m.figure));
        assert_eq!(missing, None, "{}", node.host);
    }
    nodes
}

/// Writes a script that reaches nodetool of each host as `ssh` does, and returns the command with it.
fn nodetool(servers: &[Server], script: &Path) -> Nodetool {
    let mut text = "host=$1\nshift\ncase $host in\n".to_owned();
    for server in servers {
        // JMX listens there on each host of a user, and here on one for all.
        let line = server.nodetool_line().unwrap();
        let line = line.replace("{host}", "127.0.0.1");
        let host = server.address().ip();
        text += &format!("{host}) exec {line} \"$@\" ;;\n");
    }
    fs::write(script, text + "esac\nexit 1\n").unwrap();
    let command = format!("sh '{}' {{host}}", script.display());
    command.parse().unwrap()
}

/// Serves what a JVM exporter does of the process of each host.
async fn export(listener: TcpListener, processes: Vec<(String, u32)>) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 1024];
        let length = stream.read(&mut request).await.unwrap();
        let request = String::from_utf8_lossy(&request[..length]).into_owned();
        let is_asked = |host: &str| request.starts_with(&format!("GET /{host}/metrics "));
        let asked = processes.iter().find(|(host, _)| is_asked(host));
        let (_, process) = asked.unwrap();
        let reply = format!("HTTP/1.0 200 OK\r\n\r\n{}", exposed(*process));
        stream.write_all(reply.as_bytes()).await.unwrap();
    }
}

/// The metrics of a process, by the files of the system.
fn exposed(process: u32) -> String {
    let read = |name: &str| fs::read_to_string(format!("/proc/{process}/{name}")).unwrap();
    let stat = read("stat");
    // The name of the program, in brackets, may have blanks.
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: f64 = ticks.map(|field| field.parse::<f64>().unwrap()).sum();
    let status = read("status");
    let resident = { status.lines() }.find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = resident.unwrap().trim().trim_end_matches(" kB");
    let resident = kib.parse::<f64>().unwrap() * 1024.0;
    format!(
        "process_cpu_seconds_total {}\nprocess_resident_memory_bytes {resident}\n\
         jvm_memory_used_bytes{{area=\"nonheap\"}} 1\n",
        ticks / 100.0
    )
}
