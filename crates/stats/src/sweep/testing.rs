//! Sweeps for tests of this folder.

use super::{Cell, Check, Failures, Inserted, SharedSweep, SweepHeader};
use crate::{DesignInfo, Machine, Role};

pub fn info(id: &str) -> DesignInfo {
    DesignInfo {
        id: id.to_owned(),
        engine: "e".to_owned(),
        role: Role::Store,
        server: false,
        settings: Vec::new(),
        statements: Vec::new(),
        unit_rows: None,
        not_asked: Vec::new(),
        stored_by: None,
        table_of: None,
    }
}

/// First record of a sweep of one process, of two designs and two batch sizes with three numbers of workers.
pub fn header() -> SweepHeader {
    SweepHeader {
        bakeoff_version: "0".to_owned(),
        started_at: String::new(),
        command: String::new(),
        workload: "w".to_owned(),
        title: "t".to_owned(),
        workload_text: String::new(),
        data: String::new(),
        seed: 1,
        rows: None,
        designs: ["d", "e"].map(info).into(),
        machine: Machine {
            os: String::new(),
            cpu: String::new(),
            cores: 2,
            memory_bytes: 0,
            model: None,
        },
        threads: 2,
        batches: vec![1, 100],
        workers: vec![1, 8, 64],
        seconds: 1.0,
        rounds: 1,
        warm_up_seconds: 0.0,
        time_out_seconds: 1.0,
        shared: None,
    }
}

/// Results of the first design in a second, all of whose rows are there.
pub fn cell(batch_rows: u64, workers: u32, rows: u64, p99: f64) -> Cell {
    Cell {
        design: "d".to_owned(),
        batch_rows,
        workers,
        round: 1,
        inserted: Some(Inserted {
            inserts: rows / batch_rows,
            rows,
            seconds: 1.0,
            mean: p99 / 2.0,
            p50: p99 / 2.0,
            p99: Some(p99),
            max: p99,
            waited_share: 0.0,
            rows_ran_out: false,
        }),
        failures: Failures::default(),
        check: Some(Check::new(rows, rows, 0)),
        reason: None,
    }
}

/// First record of one of several processes, counted from 0.
pub fn shard(index: u32, of: u32) -> SweepHeader {
    SweepHeader {
        command: format!("bakeoff sweep w.toml --shard {}/{of}", index + 1),
        shared: Some(SharedSweep {
            shard: (index, of),
            start_at_ms: 1_790_000_000_000,
            pause_seconds: 10.0,
            cluster: Some("cass-0".to_owned()),
            keyspace: Some("bakeoff_shared".to_owned()),
            consistency: None,
            parts: Vec::new(),
        }),
        ..header()
    }
}
