//! Trials as a driver writes them.

use std::time::{Duration, UNIX_EPOCH};

use bakeoff_stats::drive::{
    CacheCounts, DriveHeader, DriveLog, DriveRecord, FailureKind, HistogramLog, Populated,
    SecondCounts, ServerSample, Tally, TrialEnd, TrialStart,
};
use bakeoff_stats::{CpuSeconds, EngineInfo, Footprint, TableStatistics};

use super::{Result, SECONDS};

/// What one trial looks like.
pub struct Shape<'a> {
    pub design: &'a str,
    pub round: u32,
    pub schedule: &'a str,
    pub even: bool,
    pub scheduled_rate: Option<f64>,
    pub rate: u64,
    pub service_us: u64,
    pub read_bytes: u64,
    /// Seconds in which operations take longer at first.
    pub warm_up: u32,
    /// The first of two seconds in which nothing ends.
    pub stall: Option<u32>,
    /// Whether questions are asked beside it.
    pub beside: bool,
}

pub struct Writer<'a> {
    pub log: DriveLog,
    header: &'a DriveHeader,
    trials: u32,
    /// Seconds of each trial.
    pub seconds: u32,
    /// Nodes whose samples are added up, if there are several.
    pub nodes: Option<u32>,
    /// Design that answers questions beside the next trials, in place of the driven one.
    pub answered_by: Option<String>,
}

impl<'a> Writer<'a> {
    pub fn new(log: DriveLog, header: &'a DriveHeader) -> Writer<'a> {
        Writer {
            log,
            header,
            trials: 0,
            seconds: SECONDS,
            nodes: None,
            answered_by: None,
        }
    }
}

impl Writer<'_> {
    pub fn tables(&mut self) -> Result<()> {
        self.log.append(&DriveRecord::Engine(EngineInfo {
            engine: "cassandra".to_owned(),
            version: "5.0.9".to_owned(),
            start_seconds: Some(14.2),
            settings: vec![
                ("heap".to_owned(), "512 MiB".to_owned()),
                ("memory limit".to_owned(), "1 GiB".to_owned()),
            ],
        }))?;
        for design in &self.header.designs {
            self.log.append(&DriveRecord::Populated(Populated {
                design: design.id.clone(),
                rows: self.header.rows,
                seconds: 48.5,
            }))?;
            let large = design.id.ends_with("64KiB");
            let footprint = Footprint {
                design: design.id.clone(),
                engine_bytes: Some(if large { 1_310 << 20 } else { 1_820 << 20 }),
                file_bytes: Some(if large { 1_311 << 20 } else { 1_822 << 20 }),
                compression_ratio: Some(if large { 0.47 } else { 0.65 }),
                compression_metadata_bytes: Some(if large { 176 << 10 } else { 2_800 << 10 }),
                statistics: Some(TableStatistics {
                    sstables: Some(1),
                    live_bytes: Some(if large { 1_310 << 20 } else { 1_820 << 20 }),
                    ..TableStatistics::default()
                }),
                files: Some(9),
                note: None,
            };
            self.log.append(&DriveRecord::Footprint(footprint))?;
        }
        Ok(())
    }

    pub fn probe(&mut self, design: &str, rate: f64, knee: f64) -> Result<u32> {
        let schedule = match rate {
            0.0 => "as fast as it goes".to_owned(),
            rate => format!("{rate:.0} ops/s"),
        };
        self.trial(&Shape {
            design,
            round: 1,
            schedule: &schedule,
            even: true,
            scheduled_rate: (rate > 0.0).then_some(rate),
            rate: if rate == 0.0 { 1.3 * knee } else { rate } as u64,
            service_us: 1_000,
            read_bytes: 8_000,
            warm_up: 0,
            stall: None,
            beside: false,
        })
    }

    /// Writes a trial as a driver does: each second's histograms, then its counts.
    pub fn trial(&mut self, shape: &Shape) -> Result<u32> {
        self.trials += 1;
        let start = TrialStart {
            trial: self.trials,
            design: shape.design.to_owned(),
            round: shape.round,
            schedule: shape.schedule.to_owned(),
            scheduled_rate: shape.scheduled_rate,
            even: shape.even,
            warm_up: false,
            beside: shape.beside,
            answered_by: self.answered_by.clone(),
            started_at_ns: 1_790_000_000_000_000_000 + u64::from(self.trials) * 90_000_000_000,
        };
        let path = HistogramLog::path(self.log.dir(), start.trial);
        let at = UNIX_EPOCH + Duration::from_nanos(start.started_at_ns);
        let mut histograms = HistogramLog::create(&path, at)?;
        let names = self.header.operation_names();
        self.log.append(&DriveRecord::TrialStarted(start))?;
        let mut server = ServerSample {
            cpu_seconds: Some(95.0),
            resident_bytes: Some(900 << 20),
            disk_read_bytes: Some(3 << 30),
            disk_written_bytes: Some(2 << 30),
            compaction_read_bytes: Some(1 << 30),
            compaction_written_bytes: Some(1 << 20),
            page_cache_bytes: Some(96 << 20),
            memory_limit_bytes: Some(1 << 30),
            gc_count: Some(12),
            gc_seconds: Some(0.4),
            allocated_bytes: Some(1 << 30),
            device_reads: Some(20_000),
            device_writes: Some(9_000),
            device_queue_seconds: Some(12.0),
            load_average: Some(1.5),
            local_reads: Some(50_000),
            local_writes: Some(70_000),
            nodes: self.nodes,
            sent_to_nodes_bytes: self.nodes.map(|_| 1 << 30),
            coordinator_reads: Some(40_000),
            coordinator_writes: Some(60_000),
            key_cache: Some(CacheCounts {
                hits: 100,
                requests: 1_000,
            }),
            ..ServerSample::default()
        };
        let (mut sent, mut queued) = (0, 0);
        for second in 0..self.seconds {
            let stalled = shape.stall.is_some_and(|s| (s..s + 2).contains(&second));
            let late = shape.stall.is_some_and(|s| second == s + 2);
            let tallies = shape.second(second, stalled, late);
            let done: u64 = tallies.iter().map(Tally::successes).sum();
            grow(&mut server, shape, second, done);
            let waiting = if late { 2 * shape.rate } else { 0 };
            let counts = SecondCounts::new(self.trials, second, &tallies, waiting, server.clone());
            sent += counts.successes() + counts.failed();
            queued += waiting;
            histograms.write(second, &names, &tallies)?;
            self.log.append(&DriveRecord::Second(counts))?;
        }
        self.log.append(&DriveRecord::TrialEnded(TrialEnd {
            trial: self.trials,
            seconds: f64::from(self.seconds),
            stopped: false,
            scheduled: sent,
            sent,
            unsent: 0,
            queued,
            limited_seconds: u32::from(queued > 0) * 2,
            rate_reached: sent as f64 / f64::from(self.seconds),
            lateness_p99_ns: shape.scheduled_rate.map(|_| 61_000),
            cpu: CpuSeconds {
                client: sent as f64 * 21e-6,
                server: None,
                in_ticks: false,
            },
            connect_seconds: vec![0.021, 0.034],
            messages: match shape.warm_up {
                0 => Vec::new(),
                _ => vec!["timed out: no answer to an insert within 10 s".to_owned()],
            },
            background: Vec::new(),
            background_statements: 0,
            background_failed: 0,
            worker_failures: Vec::new(),
        }))?;
        Ok(self.trials)
    }

    pub fn finish(&mut self) -> Result<()> {
        self.log.append(&DriveRecord::Finished {
            at: "2026-09-21T14:40:00Z".to_owned(),
            seconds: 611.0,
            peak_memory_bytes: 96 << 20,
        })?;
        Ok(())
    }
}

impl Shape<'_> {
    /// Reads and inserts that ended in this second.
    fn second(&self, second: u32, stalled: bool, late: bool) -> Vec<Tally> {
        let mut tallies = vec![Tally::default(), Tally::default()];
        let slower = if second < self.warm_up {
            1 + 4 * u64::from(self.warm_up - second)
        } else {
            1
        };
        let due = if late {
            3 * self.rate
        } else {
            self.rate / slower
        };
        // Nothing ends while the server stands still.
        let count = if stalled { 0 } else { due };
        for n in 0..count {
            let spread = 60 + (n * 7_919 + u64::from(second) * 104_729) % 100;
            let tail = if n % 97 == 0 { 4 } else { 1 };
            let service = self.service_us * 1_000 * slower * spread * tail / 100;
            let waited = if late {
                (count - n) * 2_000_000_000 / count
            } else {
                20_000
            };
            let kind = (n % 2) as usize;
            // A write is faster than a read.
            let service = if kind == 0 { service } else { service / 2 };
            tallies[kind].record(service + waited, service);
        }
        for tally in &mut tallies {
            (tally.rows, tally.bytes) = (tally.successes(), tally.successes() * 1_024);
        }
        if self.warm_up > 0 && second == 14 {
            tallies[1].failures[FailureKind::TimedOut as usize] = 3;
        }
        tallies
    }
}

/// Counters of the server after a second.
fn grow(server: &mut ServerSample, shape: &Shape, second: u32, done: u64) {
    let add = |counter: &mut Option<u64>, by: u64| *counter = counter.map(|c| c + by);
    let add_f64 = |counter: &mut Option<f64>, by: f64| *counter = counter.map(|c| c + by);
    add_f64(&mut server.cpu_seconds, done as f64 * 2_100e-6);
    add(&mut server.disk_read_bytes, done / 2 * shape.read_bytes);
    let flush = if second % 9 == 4 { 40_000_000 } else { 0 };
    add(&mut server.disk_written_bytes, done * 600 + flush);
    add(&mut server.resident_bytes, 1 << 20);
    add(
        &mut server.page_cache_bytes,
        if second < 20 { 1 << 20 } else { 0 },
    );
    let collected = u64::from(second % 4 == 1);
    add(&mut server.gc_count, collected);
    add_f64(&mut server.gc_seconds, collected as f64 * 0.012);
    add(&mut server.allocated_bytes, 64 << 20);
    add(&mut server.device_reads, 700);
    add(&mut server.device_writes, 40);
    add_f64(&mut server.device_queue_seconds, 0.37);
    server.key_cache = server.key_cache.map(|cache| CacheCounts {
        hits: cache.hits + 75,
        requests: cache.requests + 100,
    });
    server.pending_compactions = Some(u64::from(second % 9 > 4));
    server.read_p99_micros = Some(shape.service_us as f64 * 0.7);
    server.write_p99_micros = Some(110.0);
    add(&mut server.sent_to_nodes_bytes, 3 << 20);
    add(&mut server.local_reads, 310);
    add(&mut server.local_writes, 320);
    add(&mut server.coordinator_reads, 330);
    add(&mut server.coordinator_writes, 340);
    server.coordinator_read_p99_micros = Some(7_000.0);
}
