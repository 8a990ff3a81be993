//! Loads as `bakeoff drive` writes them, made into folders: a comparison of two designs in three
//! closed-loop rounds each, a search, a stall at a fixed rate, two designs at a fixed rate, a ramp.

#[path = "questions.rs"]
mod questions;
#[path = "writer.rs"]
mod writer;

use std::path::Path;

use bakeoff_stats::drive::{
    DriveHeader, DriveLog, DriveRecord, DriveRun, DriveSummary, FoundRate, OperationInfo, PassInfo,
    PassRecord, Passes, ProbeRecord,
};
use bakeoff_stats::{DesignInfo, Machine, Role};
pub use questions::{answered_by_several, questions};
use writer::{Shape, Writer};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub const DESIGNS: [&str; 2] = ["cassandra/wide?chunk=4KiB", "cassandra/wide?chunk=64KiB"];
const SECONDS: u32 = 24;

/// A folder and what is read from it.
pub struct Load {
    pub dir: tempfile::TempDir,
    pub summary: DriveSummary,
    pub records: Vec<DriveRecord>,
}

impl Load {
    fn write(header: &DriveHeader, write: impl FnOnce(&mut Writer) -> Result<()>) -> Result<Load> {
        let dir = tempfile::tempdir()?;
        let mut writer = Writer::new(DriveLog::create(dir.path(), header)?, header);
        writer.tables()?;
        write(&mut writer)?;
        drop(writer);
        Load::read(dir)
    }

    pub fn read(dir: tempfile::TempDir) -> Result<Load> {
        let run = DriveRun::open(dir.path())?;
        let (summary, records) = (run.summary()?, run.records().to_vec());
        Ok(Load {
            dir,
            summary,
            records,
        })
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Two designs as fast as they go, three rounds, of which the second design reads more from disk.
pub fn comparison() -> Result<Load> {
    Load::write(&header("as fast as it goes", None), |writer| {
        for round in 1..=3 {
            for (place, design) in DESIGNS.iter().enumerate() {
                let rate = [520, 310][place] + 4 * u64::from(round);
                writer.trial(&Shape {
                    design,
                    round,
                    schedule: "as fast as it goes",
                    even: true,
                    scheduled_rate: None,
                    rate,
                    service_us: [56_000, 97_000][place],
                    read_bytes: [5_100, 66_000][place],
                    warm_up: 6,
                    stall: None,
                    beside: false,
                })?;
            }
        }
        writer.finish()
    })
}

/// One design at a fixed rate, whose server stands still for two seconds.
pub fn stall() -> Result<Load> {
    let header = DriveHeader {
        designs: vec![design(DESIGNS[0])],
        ..header("500 ops/s", None)
    };
    Load::write(&header, |writer| {
        writer.trial(&Shape {
            design: DESIGNS[0],
            round: 1,
            schedule: "500 ops/s",
            even: true,
            scheduled_rate: Some(500.0),
            rate: 500,
            service_us: 900,
            read_bytes: 5_100,
            warm_up: 0,
            stall: Some(15),
            beside: false,
        })?;
        writer.finish()
    })
}

/// One design for so many seconds on three nodes.
pub fn on_three_nodes(seconds: u32) -> Result<Load> {
    let header = DriveHeader {
        designs: vec![design(DESIGNS[0])],
        seconds: f64::from(seconds),
        ..header("20 ops/s", None)
    };
    Load::write(&header, |writer| {
        (writer.seconds, writer.nodes) = (seconds, Some(3));
        writer.trial(&Shape {
            design: DESIGNS[0],
            round: 1,
            schedule: "20 ops/s",
            even: true,
            scheduled_rate: Some(20.0),
            rate: 20,
            service_us: 900,
            read_bytes: 5_100,
            warm_up: 0,
            stall: None,
            beside: false,
        })?;
        writer.finish()
    })
}

/// Two designs at the same rate, twice; the second one is slower.
pub fn at_a_rate() -> Result<Load> {
    rated("500 ops/s", true)
}

/// Passes of two rounds on one design: 240 rows written, read and read again, with a failure in the last
/// pass of the second round.
pub fn passes() -> Result<Load> {
    let pass = |operation: &str, rows, checked: &str| PassInfo {
        operation: operation.to_owned(),
        rows,
        checked: checked.to_owned(),
    };
    let header = DriveHeader {
        designs: vec![design(DESIGNS[0])],
        rows: 240,
        in_flight: 1,
        seconds: 0.0,
        passes: Some(Passes {
            from_empty: true,
            passes: vec![
                pass("write", 240, "that it was accepted"),
                pass("read", 240, "all columns"),
                pass("read", 240, PassInfo::NOTHING),
            ],
        }),
        ..header("passes: write 240, read 240, read 240", None)
    };
    Load::write(&header, |writer| {
        for round in 1..=2 {
            for place in 0..3 {
                let trial = writer.trial(&Shape {
                    design: DESIGNS[0],
                    round,
                    schedule: [
                        "write, each of 240 rows once",
                        "read, each of 240 rows once",
                    ][place.min(1)],
                    even: false,
                    scheduled_rate: None,
                    rate: 10,
                    service_us: 900,
                    read_bytes: 5_100,
                    warm_up: 0,
                    stall: None,
                    beside: false,
                })?;
                let real = [2.0, 4.0, 3.0][place] + 0.1 * f64::from(round);
                let failed = u64::from(round == 2 && place == 2);
                writer.log.append(&DriveRecord::Pass(PassRecord {
                    trial,
                    design: DESIGNS[0].to_owned(),
                    round,
                    place,
                    succeeded: 240 - failed,
                    failed,
                    not_applied: 0,
                    rows: 240 - failed,
                    bytes: 240_000,
                    real,
                    user: 0.6 * real,
                    system: 0.1 * real,
                    server_cpu: Some(0.8 * real),
                    disk_read: Some(0),
                    disk_written: Some(3 << 20),
                    gc: Some(0.02),
                    gc_count: Some(u64::from(round)),
                }))?;
            }
        }
        writer.finish()
    })
}

/// The same while the rate climbs.
pub fn ramp() -> Result<Load> {
    rated("100 to 900 ops/s", false)
}

fn rated(schedule: &str, even: bool) -> Result<Load> {
    Load::write(&header(schedule, None), |writer| {
        for round in 1..=2 {
            for (place, design) in DESIGNS.iter().enumerate() {
                writer.trial(&Shape {
                    design,
                    round,
                    schedule,
                    even,
                    scheduled_rate: Some(500.0),
                    rate: 500,
                    service_us: [900, 1_800][place] + 10 * u64::from(round),
                    read_bytes: 5_100,
                    warm_up: 0,
                    stall: None,
                    beside: false,
                })?;
            }
        }
        writer.finish()
    })
}

/// The highest rate within an objective, on two designs.
pub fn search() -> Result<Load> {
    let objective = "p99<10ms, errors<0.1%";
    Load::write(&header("as fast as it goes", Some(objective)), |writer| {
        for (place, design) in DESIGNS.iter().enumerate() {
            let knee = [600.0, 200.0][place];
            let rates = [0.0, 0.8, 1.2, 1.0, 1.08, 1.04, 1.0].map(|share| share * knee);
            for rate in rates {
                let trial = writer.probe(design, rate, knee)?;
                let p99 = if rate == 0.0 {
                    31e6
                } else {
                    4e6 / (1.66 - rate / knee).powi(2)
                };
                writer.log.append(&DriveRecord::Probe(ProbeRecord {
                    design: (*design).to_owned(),
                    trial,
                    rate: (rate > 0.0).then_some(rate),
                    rate_reached: if rate == 0.0 { 1.3 * knee } else { rate },
                    measured: vec![("p99<10ms".to_owned(), Some(p99))],
                    missed: if rate > 0.0 && p99 >= 1e7 {
                        vec![format!("p99<10ms: {:.3} ms", p99 / 1e6)]
                    } else {
                        Vec::new()
                    },
                    undecided: false,
                }))?;
            }
            writer.log.append(&DriveRecord::Found(FoundRate {
                design: (*design).to_owned(),
                round: 1,
                objective: objective.to_owned(),
                rate: Some(knee),
                failed_at: Some(1.04 * knee),
                estimate: None,
                probes: 7,
                why: "the interval is narrow enough".to_owned(),
            }))?;
        }
        writer.finish()
    })
}

fn header(schedule: &str, objective: Option<&str>) -> DriveHeader {
    let operation = |name: &str, action: &str, writes| OperationInfo {
        name: name.to_owned(),
        action: action.to_owned(),
        writes,
        weight_percent: 50.0,
        consistency: "LOCAL_ONE".to_owned(),
        ttl_seconds: None,
    };
    DriveHeader {
        bakeoff_version: "0.1.0".to_owned(),
        started_at: "2026-09-21T14:13:20Z".to_owned(),
        command: "bakeoff drive workloads/keyvalue.toml --for 24s".to_owned(),
        workload: "keyvalue".to_owned(),
        title: "Key-value pairs: half reads, half writes".to_owned(),
        workload_text: "title = \"Key-value pairs: half reads, half writes\"\nseed = 1\n"
            .to_owned(),
        seed: 1,
        rows: 1_000_000,
        operations: vec![
            operation("read", "read a row", false),
            operation("write", "insert a row", true),
        ],
        designs: DESIGNS.map(design).to_vec(),
        machine: Machine {
            os: "Debian GNU/Linux 12, Linux 6.1".to_owned(),
            cpu: "Intel Xeon Platinum 8481C @ 2.70GHz".to_owned(),
            cores: 2,
            memory_bytes: 8 << 30,
            model: None,
        },
        threads: 1,
        shard: (0, 1),
        schedule: schedule.to_owned(),
        in_flight: if objective.is_some() { 1024 } else { 32 },
        retries: 0,
        time_out_seconds: 10.0,
        cluster: None,
        nodes: None,
        keyspace: None,
        objective: objective.map(str::to_owned),
        seconds: f64::from(SECONDS),
        passes: None,
        beside: None,
        published: None,
        decide: None,
        parts: Vec::new(),
    }
}

fn design(id: &str) -> DesignInfo {
    let chunk = id.rsplit('=').next().unwrap_or(id);
    DesignInfo {
        id: id.to_owned(),
        engine: "cassandra".to_owned(),
        role: Role::Store,
        server: true,
        settings: vec![("chunk".to_owned(), chunk.to_owned())],
        statements: vec![
            "CREATE TABLE bakeoff_keyvalue.t (key text PRIMARY KEY, value text)".to_owned(),
        ],
        unit_rows: None,
        not_asked: Vec::new(),
        stored_by: None,
        table_of: None,
    }
}
