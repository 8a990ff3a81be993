//! What a load says of its server: time-outs, missing replicas, stalls, restarts and figures.

use std::path::Path;
use std::time::{Duration, Instant};

use bakeoff_driver::drive::{Schedule, Stop, drive};
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::Home;
use bakeoff_engines::servers::cassandra::{Server, ServerOptions};
use bakeoff_stats::{FailureKind, ServerSample};
use bakeoff_testing::times;
use bakeoff_workload::{Consistency, DesignId};
use hdrhistogram::Histogram;

use super::rows::EVERYTHING;
use super::{READINGS, readings_reads, table_of};
use crate::support::has_cassandra;
use crate::support::load::{IN_FLIGHT, Loads, READS_AND_WRITES, Seconds, failures, workload};

/// Response time in nanoseconds above which an operation was held up.
const LATE_NS: u64 = 100_000_000;

async fn server(folder: &Path) -> Server {
    let home = Home::from_env().unwrap();
    let mut options = ServerOptions::new(home, folder.join("cassandra")).unwrap();
    options.heap_mib = 1024;
    Server::start(options).await.unwrap()
}

pub async fn time_outs_are_counted(loads: &Loads) {
    let workload = workload(READINGS, EVERYTHING);
    let filled = loads.target("cassandra/wide", &workload).await;
    filled.fill().await;
    let limit = Duration::from_micros(20);
    let loaded = loads
        .target_with("cassandra/wide", &readings_reads(), limit, None)
        .await;
    let came = loaded.drive().await;
    came.assert_failed_only(FailureKind::TimedOut);
}

pub async fn too_few_replicas_are_counted(loads: &Loads) {
    let limit = Duration::from_secs(10);
    let three = Some(Consistency::Three);
    let loaded = loads
        .target_with("cassandra/wide", &readings_reads(), limit, three)
        .await;
    let came = loaded.drive().await;
    came.assert_failed_only(FailureKind::Unavailable);
    assert_eq!(came.of("read-row").successes(), 0);
    assert!(
        came.messages().contains("read-row: "),
        "{}",
        came.messages()
    );
}

/// Samples that are asked for before one has to hold everything.
const MOST_SAMPLES: u32 = 60;

/// Workload with all rows in one partition, whose reads are slow enough for the server's own figures,
/// which have a resolution of a millisecond.
const ONE_PARTITION: &str = r#"
[mix]
[[mix.operations]]
action = "read-partition"
weight = 100
"#;

pub async fn the_server_is_sampled(loads: &Loads, server: &Server) {
    let one = READINGS
        .replace("cycle = 20", "cycle = 1")
        .replace("every = 20", "every = 1");
    let id = "cassandra/wide?chunk=64KiB";
    let loaded = loads.target(id, &workload(&one, ONE_PARTITION)).await;
    loaded.fill().await;
    loaded.drive().await.assert_right("sampled");
    // A server that is kept busy may not answer in time for one sample.
    let is_known = |sample: &ServerSample| {
        let requests = [sample.local_reads, sample.coordinator_reads];
        let writes = [sample.local_writes, sample.coordinator_writes];
        sample.pending_compactions.is_some() && !requests.contains(&None) && !writes.contains(&None)
    };
    let mut sample = ServerSample::default();
    for _ in 0..MOST_SAMPLES {
        if is_known(&sample) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        sample = loaded.target.sample().await;
    }
    assert!(is_known(&sample), "{sample:?}");
    // The server is not the engine's own.
    assert_eq!(sample.cpu_seconds, None);
    let table = table_of(&loaded);
    let counted = server.nodetool(&["tablestats", &table]).await.unwrap();
    let count = |what: &str| {
        let mut lines = counted.lines();
        let number = lines.find_map(|line| line.trim().strip_prefix(what));
        number.unwrap().trim().parse::<u64>().unwrap()
    };
    assert_eq!(sample.local_reads, Some(count("Local read count:")));
    assert_eq!(sample.local_writes, Some(count("Local write count:")));
    // The only node is asked for everything.
    assert!(sample.coordinator_reads > Some(0), "{sample:?}");
    assert!(sample.coordinator_writes > Some(0), "{sample:?}");
    let (keyspace, table) = table.split_once('.').unwrap();
    let by_jmx = server.nodetool(&["tablehistograms", keyspace, table]).await;
    let by_jmx = by_jmx.unwrap();
    let line = by_jmx.lines().find(|l| l.starts_with("99%")).unwrap();
    let p99: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    // The server's own table has whole milliseconds, and none for less.
    let seen = sample.read_p99_micros.unwrap_or(0.0);
    assert!((seen - p99).abs() <= 1_000.0, "{sample:?}, by JMX {line}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_of_our_own_is_settled_and_sampled() {
    if !has_cassandra().await {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path()).await;
    let address = server.address().to_string();
    let mut loads = Loads::new(&address, &folder.path().join("run"), None).await;
    a_stall_is_seen(&loads, &server).await;
    let server = a_restart_is_survived(&loads, server).await;
    loads.running.finish(false).await.unwrap();
    server.stop().await.unwrap();

    loads.context.options.cassandra.cluster = None;
    loads.context.options.cassandra.server.heap_mib = Some(1024);
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let running = engine(&id).unwrap().start(&loads.context).await.unwrap();
    loads.running = running;
    figures_of_a_load_are_there(&loads).await;
    loads.running.finish(false).await.unwrap();
}

/// Checks that a server that is halted for a second delays every operation of that second, while
/// service time shows only those that were in flight.
async fn a_stall_is_seen(loads: &Loads, server: &Server) {
    let workload = workload(READINGS, READS_AND_WRITES);
    let loaded = loads.target("cassandra/wide", &workload).await;
    loaded.fill().await;
    let warm = loaded.plan(Schedule::ClosedLoop, Duration::from_secs(times(2, 15)));
    let warm = loaded.drive_plan(&warm).await;
    warm.assert_right("warming up");
    // On a machine that others keep busy all operations may be late: fewer are asked for there.
    let rate = (warm.driven.rate_reached / 3.0).clamp(1.0, 5_000.0).floor();
    println!("{rate} operations/s");

    let mut plan = loaded.plan(Schedule::constant(rate).unwrap(), Duration::from_secs(5));
    plan.drain_limit = Duration::from_secs(300);
    let stall = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        server.pause().unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        server.resume().unwrap();
    };
    let (came, ()) = tokio::join!(loaded.drive_plan(&plan), stall);
    came.assert_right("stalled");
    let mut all = came.operations[0].clone();
    all += &came.operations[1];
    let delayed = |times: &Histogram<u64>| times.count_between(LATE_NS, times.max());
    let (response, service) = (delayed(&all.response), delayed(&all.service));
    // Those that were due in its first 0.9 s waited for 0.1 s and more.
    let least = (0.8 * rate) as u64;
    assert!(response >= least, "{response} late at {rate}/s");
    assert!(
        all.response.max() >= 1_000_000_000,
        "{} ns",
        all.response.max()
    );
    // Of the stall only those that were under way; a slow machine adds its own to both, and where it
    // is so slow that every operation takes as long, nothing can be said.
    let is_fast = warm.driven.rate_reached > 2.0 * f64::from(IN_FLIGHT) * 1e9 / LATE_NS as f64;
    assert!(
        !is_fast || response >= service + least.saturating_sub(u64::from(IN_FLIGHT)),
        "{service} late by service time, {response} by response time"
    );
    assert_eq!(all.successes(), 5 * rate as u64);
}

/// Time limit for a server to start and for the client to reconnect.
const BACK_WITHIN: Duration = Duration::from_secs(600);

async fn a_restart_is_survived(loads: &Loads, server: Server) -> Server {
    let loaded = loads
        .target("cassandra/wide", &workload(READINGS, READS_AND_WRITES))
        .await;
    loaded.target.prepare().await.unwrap();
    let plan = loaded.plan(Schedule::constant(300.0).unwrap(), BACK_WITHIN);
    let (stop, mut seconds) = (Stop::new(), Seconds::default());
    let seen = seconds.clone();
    let restart = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        server.kill().await.unwrap();
        let server = server.restart().await.unwrap();
        let again = seen.0.lock().unwrap().len();
        let back = || {
            let seconds = seen.0.lock().unwrap();
            let done = |s: &bakeoff_driver::drive::Second| s.operations[0].successes() > 0;
            seconds[again.min(seconds.len())..]
                .iter()
                .filter(|s| done(s))
                .count()
                >= 3
        };
        while !back() && !stop.is_asked() {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        stop.stop();
        server
    };
    let load = async {
        let driven = drive(loaded.target.clone(), &plan, &stop, &mut seconds).await;
        stop.stop();
        driven.unwrap()
    };
    let (driven, server) = tokio::join!(load, restart);
    assert!(driven.worker_failures.is_empty(), "{driven:?}");
    assert!(driven.duration < BACK_WITHIN, "it never came back");
    let all = seconds.operations();
    let failed = |kind| all.iter().map(|t| failures(t, kind)).sum::<u64>();
    let gone = failed(FailureKind::Connection) + failed(FailureKind::TimedOut);
    let unavailable = failed(FailureKind::Unavailable);
    assert!(failed(FailureKind::Connection) > 0);
    let sum: u64 = all.iter().map(|t| t.failed()).sum();
    assert_eq!(gone + unavailable, sum, "{:?}", driven.failures);
    server
}

async fn figures_of_a_load_are_there(loads: &Loads) {
    for id in [
        "cassandra/wide?chunk=4KiB",
        "cassandra/blob?compressor=none",
    ] {
        let loaded = loads
            .target(id, &workload(READINGS, READS_AND_WRITES))
            .await;
        loaded.fill().await;
        let design = loaded.target.design().unwrap();
        // A second table comes when the first one is at rest, and is settled all the same.
        design.settle().await.unwrap();
        let footprint = design.footprint().await.unwrap();
        assert!(footprint.file_bytes.unwrap() > 50_000, "{footprint:?}");
        let metadata = footprint.compression_metadata_bytes.unwrap();
        if id.contains("none") {
            assert_eq!(metadata, 0, "{footprint:?}")
        } else {
            assert!(metadata > 0, "{footprint:?}")
        }
        let before = loaded.target.sample().await;
        loaded.drive().await.assert_right(id);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let asked = Instant::now();
        let after = loaded.target.sample().await;
        assert!(
            after.cpu_seconds > before.cpu_seconds,
            "{before:?} {after:?}"
        );
        let again = loaded.target.sample().await;
        if asked.elapsed() < Duration::from_secs(1) {
            assert_eq!(again, after, "asked again within a second");
        }
        let ServerSample {
            resident_bytes,
            disk_read_bytes,
            disk_written_bytes,
            compaction_read_bytes,
            compaction_written_bytes,
            gc_count,
            gc_seconds,
            load_average,
            key_cache,
            ..
        } = &after;
        assert!(
            resident_bytes.is_some_and(|bytes| bytes > 100 << 20),
            "{after:?}"
        );
        assert!(
            disk_read_bytes.is_some() && disk_written_bytes.is_some(),
            "{after:?}"
        );
        assert!(
            compaction_read_bytes.is_some() && compaction_written_bytes.is_some(),
            "{after:?}"
        );
        assert!(gc_count.is_some() && gc_seconds.is_some(), "{after:?}");
        assert!(load_average.is_some(), "{after:?}");
        let asked = key_cache.is_some_and(|cache| cache.hits <= cache.requests);
        assert!(asked, "{after:?}");
    }
}
