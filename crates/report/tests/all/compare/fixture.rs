//! A run of the events study as its journal would hold it: nine designs, five queries, one design
//! that the server refuses, one wrong answer, two designs between which no difference shows.

#[path = "fixture/setup.rs"]
mod setup;

use bakeoff_stats::*;
use setup::{engines, header};

const ROWS: u64 = 120_000;
const SLICES: u64 = 12;
const ROUNDS: u32 = 7;
const WRONG: (&str, &str) = ("cassandra/wide?compressor=Deflate", "albania");

struct Design {
    id: &'static str,
    bytes_per_row: f64,
    rows_per_second: f64,
    /// Median seconds of each query.
    seconds: [f64; 5],
    client_cpu_per_row: f64,
    server_cpu_per_row: Option<f64>,
}

const QUERIES: [(&str, &str, u64); 5] = [
    ("scan", "SELECT count(numarticles) FROM gdelt", ROWS),
    (
        "tone_by_actor",
        "SELECT actor1name, avg(avgtone) AS tone FROM gdelt GROUP BY actor1name ORDER BY tone DESC",
        ROWS,
    ),
    (
        "month",
        "SELECT avg(avgtone), min(avgtone) FROM gdelt WHERE monthyear = 198012",
        1_214,
    ),
    (
        "usa",
        "SELECT count(*) FROM gdelt WHERE actor1countrycode = 'USA'",
        ROWS,
    ),
    (
        "albania",
        "SELECT count(*) FROM gdelt WHERE actor1countrycode = 'ALB'",
        ROWS,
    ),
];

const DESIGNS: [Design; 8] = [
    cassandra(
        "cassandra/narrow",
        238.4,
        9_120.0,
        [1.92, 2.35, 1.98, 2.04, 2.01],
        38e-6,
        160e-6,
    ),
    cassandra(
        "cassandra/narrow?compressor=Deflate",
        176.1,
        8_460.0,
        [2.11, 2.52, 2.14, 2.22, 2.19],
        38e-6,
        178e-6,
    ),
    cassandra(
        "cassandra/wide",
        252.9,
        10_840.0,
        [1.71, 2.12, 0.022, 1.83, 1.79],
        36e-6,
        139e-6,
    ),
    cassandra(
        "cassandra/wide?compressor=Deflate",
        149.6,
        10_010.0,
        [1.64, 2.06, 0.024, 1.77, 1.74],
        36e-6,
        151e-6,
    ),
    cassandra(
        "cassandra/blob",
        97.3,
        41_700.0,
        [0.412, 0.533, 0.431, 0.447, 0.44],
        9e-6,
        21e-6,
    ),
    Design {
        id: "parquet?codec=zstd",
        bytes_per_row: 31.2,
        rows_per_second: 142_000.0,
        seconds: [0.0031, 0.0212, 0.0027, 0.0058, 0.0051],
        client_cpu_per_row: 6.4e-6,
        server_cpu_per_row: None,
    },
    Design {
        id: "parquet?codec=snappy",
        bytes_per_row: 45.8,
        rows_per_second: 171_000.0,
        seconds: [0.0030, 0.0188, 0.0025, 0.0049, 0.0050],
        client_cpu_per_row: 5.1e-6,
        server_cpu_per_row: None,
    },
    Design {
        id: "memory",
        bytes_per_row: 611.0,
        rows_per_second: 2_900_000.0,
        seconds: [0.00042, 0.0121, 0.0013, 0.0019, 0.0018],
        client_cpu_per_row: 0.3e-6,
        server_cpu_per_row: None,
    },
];

/// Further tables of a slow and of a fast design, and how many times as long answers take.
fn twins() -> [Design; 2] {
    let of = |design: &Design, id, factor: f64| Design {
        id,
        seconds: design.seconds.map(|seconds| seconds * factor),
        ..*design
    };
    [
        of(&DESIGNS[0], "cassandra/narrow#twin", 1.02),
        of(&DESIGNS[5], "parquet?codec=zstd#twin", 0.98),
    ]
}

const fn cassandra(
    id: &'static str,
    bytes_per_row: f64,
    rows_per_second: f64,
    seconds: [f64; 5],
    client_cpu_per_row: f64,
    server_cpu_per_row: f64,
) -> Design {
    let server_cpu_per_row = Some(server_cpu_per_row);
    Design {
        id,
        bytes_per_row,
        rows_per_second,
        seconds,
        client_cpu_per_row,
        server_cpu_per_row,
    }
}

pub fn summary() -> Result<Summary, SummaryError> {
    Summary::from_records(&records())
}

pub fn records() -> Vec<Record> {
    let mut records = vec![Record::Started(Box::new(header()))];
    records.extend(engines());
    records.push(Record::DuplicateKeys {
        rows: 19,
        lost_by: Vec::new(),
        told_apart_by: None,
    });
    records.push(Record::Failed {
        design: "cassandra/compact".to_owned(),
        step: Step::Create,
        query: None,
        reason: "the server answers: COMPACT STORAGE tables are not allowed starting with version \
                 4.0; set `compact_tables_enabled` in its configuration, or leave the design out"
            .to_owned(),
    });
    let instances = ["cassandra/narrow", "parquet?codec=zstd"].map(Instance::twin);
    records.push(Record::Instances {
        instances: instances.to_vec(),
    });
    let twins = twins();
    let all = || DESIGNS.iter().chain(&twins);
    records.extend(all().flat_map(load));
    records.push(Record::LoadingDone {
        rows: ROWS,
        is_all: false,
        left: None,
    });
    records.extend(all().flat_map(settle));
    records.extend(all().flat_map(answers));
    records.push(Record::WarmedUp {
        passes: 4,
        seconds: 31.5,
        steady: true,
    });
    records.push(Record::Rounds { rounds: ROUNDS });
    records.extend((0..ROUNDS).flat_map(|round| all().flat_map(move |d| times(d, round))));
    records.push(Record::Warning {
        message: "another process used 0.4 of the 2 cores during round 5".to_owned(),
    });
    records.push(Record::Finished {
        at: "2026-03-02T10:05:01Z".to_owned(),
        seconds: 168.2,
        peak_memory_bytes: 412 << 20,
    });
    records
}

/// Rows of the smaller tables in [`scaled`].
const SMALLER: [u64; 4] = [3_072, 7_680, 19_200, 48_000];
/// Designs with twins in [`scaled`].
const TWINS: [&str; 2] = ["cassandra/wide", "parquet?codec=zstd"];

/// Makes the same run with four smaller tables of each design and the twins of two. The chunks of one
/// design are too large for a forecast.
pub fn scaled() -> Result<Summary, SummaryError> {
    Summary::from_records(&scaled_records())
}

pub fn scaled_records() -> Vec<Record> {
    let mut records = records();
    if let Some(Record::Started(header)) = records.first_mut() {
        header.scale.grows = Some(Grows::Rows);
        let mut blobs = { header.designs.iter_mut() }.filter(|d| d.id == "cassandra/blob");
        blobs.by_ref().for_each(|d| d.unit_rows = Some(30_000));
    }
    let (mut instances, mut further) = (Vec::new(), Vec::new());
    for design in &DESIGNS {
        let smaller = SMALLER.map(|rows| (Instance::smaller(design.id, rows), rows));
        let twin = TWINS.contains(&design.id);
        let twin = twin.then(|| (Instance::twin(design.id), ROWS));
        for (instance, rows) in smaller.into_iter().chain(twin) {
            let of_rounds = (0..ROUNDS).flat_map(|round| times(design, round));
            let own = load(design).into_iter().chain(settle(design));
            let own = own.chain(answers(design)).chain(of_rounds);
            further.extend(own.map(|record| of_table(record, &instance.id, rows)));
            instances.push(instance);
        }
    }
    let last = records.len() - 1;
    records.splice(last..last, further);
    records.insert(1, Record::Instances { instances });
    records
}

/// A design that [`raced`] drops before its own table is loaded, and one that it drops after five rounds.
const DROPPED: [&str; 2] = ["cassandra/narrow?compressor=Deflate", "cassandra/wide"];

/// Makes the same run as a race, in which two designs are dropped and one is kept as a control.
pub fn raced() -> Result<Summary, SummaryError> {
    Summary::from_records(&raced_records())
}

pub fn raced_records() -> Vec<Record> {
    let mut records = records();
    let is_of_dropped = |design: &str, round: Option<u32>| {
        design == DROPPED[0] || (design == DROPPED[1] && round.is_some_and(|round| round >= 5))
    };
    records.retain(|record| !match record {
        Record::Created { design } | Record::Settled { design, .. } => is_of_dropped(design, None),
        Record::Loaded(slice) => is_of_dropped(&slice.design, None),
        Record::Footprint(footprint) => is_of_dropped(&footprint.design, None),
        Record::Answered(answered) => is_of_dropped(&answered.design, None),
        Record::Timed(timing) => is_of_dropped(&timing.design, Some(timing.round)),
        _ => false,
    });
    let rungs = [ROWS / 64, ROWS / 16].map(|rows| Instance::smaller(DROPPED[0], rows));
    let rungs = rungs.to_vec();
    let of = |design: &str, by: &str| Dropped {
        design: design.to_owned(),
        by: by.to_owned(),
        rows: ROWS,
        at_rung: false,
        rounds: Some(5),
        beaten: [
            ("storage", 8.1, 8.1),
            ("loading", 11.8, 2.4),
            ("month", 8.2, 6.6),
        ]
        .map(|(objective, times, at_least)| Beaten {
            objective: objective.to_owned(),
            times,
            at_least,
            rows: None,
        })
        .to_vec(),
        is_control: false,
    };
    let at_rung = Dropped {
        rows: ROWS / 16,
        at_rung: true,
        rounds: None,
        ..of(DROPPED[0], "parquet?codec=snappy")
    };
    let control = Dropped {
        is_control: true,
        ..of("cassandra/blob", "parquet?codec=zstd")
    };
    let between_rounds = [of(DROPPED[1], "parquet?codec=zstd"), control];
    let dropped = between_rounds.map(|dropped| Record::Dropped(Box::new(dropped)));
    let stopped = Record::Stopped(Stopped {
        rounds: ROUNDS,
        why: WhyStopped::LittleToGain {
            expected_loss: 0.004,
        },
    });
    let last = records.len() - 1;
    records.splice(last..last, dropped.into_iter().chain([stopped]));
    let race = [Record::Race { rungs }, Record::Dropped(Box::new(at_rung))];
    records.splice(1..1, race);
    records
}

/// Makes a record of a design into that of a table with this many rows.
fn of_table(record: Record, id: &str, rows: u64) -> Record {
    let share = rows as f64 / ROWS as f64;
    let part = |rows: u64| (rows as f64 * share).round() as u64;
    let design = id.to_owned();
    match record {
        Record::Created { .. } => Record::Created { design },
        Record::Settled { seconds, how, .. } => Record::Settled {
            design,
            seconds: seconds * share,
            how,
        },
        Record::Answered(answer) => Record::Answered(Answered { design, ..answer }),
        Record::Loaded(slice) => Record::Loaded(LoadSlice {
            design,
            first_row: part(slice.first_row),
            rows: part(slice.rows),
            seconds: slice.seconds * share,
            ..slice
        }),
        Record::Footprint(footprint) => Record::Footprint(Footprint {
            design,
            engine_bytes: footprint.engine_bytes.map(part),
            file_bytes: footprint.file_bytes.map(|bytes| part(bytes) + 9_000),
            ..footprint
        }),
        Record::Timed(timing) => Record::Timed(Timing {
            seconds: timing.seconds * grown(&timing, share, id.len() as u64 + rows),
            rows_scanned: timing.rows_scanned.map(part),
            design,
            ..timing
        }),
        other => other,
    }
}

/// Share of its time that an answer takes from a smaller table: files have a large fixed part.
fn grown(timing: &Timing, share: f64, seed: u64) -> f64 {
    let fixed = match (timing.design.contains("cassandra"), timing.query.as_str()) {
        (true, "month") if timing.design.contains("wide") => 0.6,
        (true, _) => 0.01,
        (false, "scan" | "month") => 0.8,
        (false, _) => 0.3,
    };
    let noise = [0.0, 0.021, -0.012, 0.034, -0.02, 0.009, -0.031];
    let at = (seed + u64::from(timing.round) * 5) as usize % noise.len();
    (fixed + (1.0 - fixed) * share) * (1.0 + noise[at])
}

/// A repeatable disturbance around 1.
fn noise(design: &Design, n: u64) -> f64 {
    let step = [0.0, 0.031, -0.022, 0.054, -0.03, 0.012, 0.083];
    1.0 + step[(n as usize * 3 + design.id.len()) % step.len()]
}

fn load(design: &Design) -> Vec<Record> {
    let rows = ROWS / SLICES;
    let slice = |slice| {
        let cold = if slice < SLICES / 2 { 2.1 } else { 1.0 };
        Record::Loaded(LoadSlice {
            design: design.id.to_owned(),
            slice,
            first_row: slice * rows,
            rows,
            seconds: rows as f64 / design.rows_per_second * noise(design, slice) * cold,
            cpu: CpuSeconds {
                client: rows as f64 * design.client_cpu_per_row,
                server: design.server_cpu_per_row.map(|s| rows as f64 * s * cold),
                in_ticks: false,
            },
        })
    };
    let created = Record::Created {
        design: design.id.to_owned(),
    };
    std::iter::once(created)
        .chain((0..SLICES).map(slice))
        .collect()
}

fn settle(design: &Design) -> Vec<Record> {
    let bytes = (design.bytes_per_row * ROWS as f64) as u64;
    let server = design.server_cpu_per_row.is_some();
    vec![
        Record::Settled {
            design: design.id.to_owned(),
            seconds: if server { 2.4 } else { 0.01 },
            how: "flush and compaction".to_owned(),
        },
        Record::Footprint(Footprint {
            design: design.id.to_owned(),
            engine_bytes: server.then_some(bytes - 4096),
            file_bytes: Some(bytes),
            compression_ratio: server.then_some(0.31),
            compression_metadata_bytes: server.then_some(1 << 20),
            statistics: server.then_some(statistics(bytes)),
            files: server.then_some(9),
            note: (design.id == "memory").then(|| "bytes of the Arrow buffers".to_owned()),
        }),
    ]
}

/// What a server tells of a table of that size, which was written and never read.
fn statistics(bytes: u64) -> TableStatistics {
    TableStatistics {
        sstables: Some(2),
        old_sstables: Some(0),
        live_bytes: Some(bytes - 4096),
        total_bytes: Some(bytes),
        off_heap_bytes: Some(3 << 20),
        pending_flushes: Some(0),
        reads: Some(0),
        read_micros: None,
        writes: Some(ROWS),
        write_micros: Some(18.0),
    }
}

fn answers(design: &Design) -> Vec<Record> {
    let answer = |(query, sql, _): (&str, &str, u64)| {
        let difference = "row 1, column count: 131 instead of 137".to_owned();
        Record::Answered(Answered {
            design: design.id.to_owned(),
            query: query.to_owned(),
            sql: sql.to_owned(),
            outcome: if (design.id, query) == WRONG {
                Outcome::Wrong { difference }
            } else {
                Outcome::Right { rows: 1 }
            },
        })
    };
    QUERIES.into_iter().map(answer).collect()
}

fn times(design: &Design, round: u32) -> Vec<Record> {
    let server = design.server_cpu_per_row.is_some();
    let timing = |((query, _, rows), seconds): ((&str, &str, u64), f64)| {
        let seconds = seconds * noise(design, u64::from(round));
        Record::Timed(Timing {
            design: design.id.to_owned(),
            query: query.to_owned(),
            round,
            seconds,
            rows_scanned: Some(if design.id.contains("narrow") {
                ROWS
            } else {
                rows
            }),
            cpu: CpuSeconds {
                client: seconds * if server { 0.3 } else { 1.8 },
                server: server.then_some(seconds * 1.1),
                in_ticks: false,
            },
            outcome: Outcome::Right { rows: 1 },
        })
    };
    QUERIES
        .into_iter()
        .zip(design.seconds)
        .filter(|((query, ..), _)| (design.id, *query) != WRONG)
        .map(timing)
        .collect()
}
