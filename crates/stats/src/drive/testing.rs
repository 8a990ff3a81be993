//! Small loads for tests, written like real ones.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::compare::testing::header as run_header;
use crate::{CpuSeconds, DesignInfo};

pub const DESIGN: &str = "a/x";
pub const OTHER_DESIGN: &str = "a/y";
/// Start of the earliest trial, in nanoseconds since 1970.
pub const START: u64 = 1_790_000_000_000_000_000;

pub fn header() -> DriveHeader {
    let run = run_header();
    let operation = |name: &str, writes| OperationInfo {
        name: name.to_owned(),
        action: format!("{name} a row"),
        writes,
        weight_percent: 50.0,
        consistency: "LOCAL_ONE".to_owned(),
        ttl_seconds: None,
    };
    let design = |info: &&DesignInfo| [DESIGN, OTHER_DESIGN].contains(&info.id.as_str());
    DriveHeader {
        bakeoff_version: run.bakeoff_version,
        started_at: run.started_at,
        command: "bakeoff drive w.toml".to_owned(),
        workload: run.workload,
        title: run.title,
        workload_text: "title = \"A test\"".to_owned(),
        seed: 1,
        rows: 1000,
        operations: vec![operation("read", false), operation("insert", true)],
        designs: run.designs.iter().filter(design).cloned().collect(),
        machine: run.machine,
        threads: 1,
        shard: (0, 1),
        schedule: "as fast as it goes".to_owned(),
        in_flight: 32,
        retries: 0,
        time_out_seconds: 10.0,
        cluster: None,
        nodes: None,
        keyspace: None,
        objective: None,
        seconds: 20.0,
        passes: None,
        beside: None,
        published: None,
        decide: None,
        parts: Vec::new(),
    }
}

pub fn start(trial: u32, design: &str, round: u32) -> TrialStart {
    TrialStart {
        trial,
        design: design.to_owned(),
        round,
        schedule: header().schedule,
        scheduled_rate: None,
        even: true,
        warm_up: false,
        beside: false,
        answered_by: None,
        started_at_ns: START + u64::from(trial) * 60_000_000_000,
    }
}

/// Makes a tally of this number of operations, each with 1 ms service time, 2 ms response time and
/// 100 bytes.
pub fn tally(operations: u64) -> Tally {
    let mut tally = Tally::default();
    for _ in 0..operations {
        tally.record(2_000_000, 1_000_000);
    }
    (tally.rows, tally.bytes) = (operations, operations * 100);
    tally
}

pub fn end(trial: u32, seconds: f64, sent: u64) -> TrialEnd {
    TrialEnd {
        trial,
        seconds,
        stopped: false,
        scheduled: sent,
        sent,
        unsent: 0,
        queued: 0,
        limited_seconds: 0,
        rate_reached: sent as f64 / seconds,
        lateness_p99_ns: None,
        cpu: CpuSeconds {
            client: sent as f64 * 10e-6,
            server: None,
            in_ticks: false,
        },
        connect_seconds: Vec::new(),
        messages: Vec::new(),
        background: Vec::new(),
        background_statements: 0,
        background_failed: 0,
        worker_failures: Vec::new(),
    }
}

/// Operations of a second, and the server at its end.
pub type ASecond = (Vec<Tally>, ServerSample);

/// Writes a trial whose every second is on record and in its histogram log.
pub fn write_trial(log: &mut DriveLog, start: &TrialStart, seconds: &[ASecond], ends: bool) {
    let names = header().operation_names();
    let path = HistogramLog::path(log.dir(), start.trial);
    let at = UNIX_EPOCH + Duration::from_nanos(start.started_at_ns);
    let mut histograms = HistogramLog::create(&path, at).unwrap();
    log.append(&DriveRecord::TrialStarted(start.clone()))
        .unwrap();
    let mut sent = 0;
    for (second, (tallies, server)) in (0..).zip(seconds) {
        histograms.write(second, &names, tallies).unwrap();
        let counts = SecondCounts::new(start.trial, second, tallies, 0, server.clone());
        sent += counts.successes() + counts.failed();
        log.append(&DriveRecord::Second(counts)).unwrap();
    }
    if ends {
        let end = end(start.trial, seconds.len() as f64, sent);
        log.append(&DriveRecord::TrialEnded(end)).unwrap();
    }
}

/// Makes equal seconds, in which the server uses half a core and reads 300 bytes for each
/// operation.
pub fn even_seconds(count: u32, reads: u64, inserts: u64) -> Vec<ASecond> {
    let second = |n: u32| {
        let done = u64::from(n + 1) * (reads + inserts);
        let server = ServerSample {
            cpu_seconds: Some(7.0 + 0.5 * f64::from(n)),
            disk_read_bytes: Some(9_000 + 300 * done),
            ..ServerSample::default()
        };
        (vec![tally(reads), tally(inserts)], server)
    };
    (0..count).map(second).collect()
}

/// Makes a folder with a header and the records that `write` adds.
pub fn folder(header: &DriveHeader, write: impl FnOnce(&mut DriveLog)) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut log = DriveLog::create(dir.path(), header).unwrap();
    write(&mut log);
    dir
}

pub fn finish(log: &mut DriveLog) {
    let finished = DriveRecord::Finished {
        at: "2026-01-01T00:01:00Z".to_owned(),
        seconds: 60.0,
        peak_memory_bytes: 1 << 20,
    };
    log.append(&finished).unwrap();
}

pub fn summary(dir: &Path) -> DriveSummary {
    DriveRun::open(dir).unwrap().summary().unwrap()
}
