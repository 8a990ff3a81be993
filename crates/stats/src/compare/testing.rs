//! Short records for tests.

use crate::*;

pub fn header() -> Header {
    Header {
        bakeoff_version: "0.1.0".to_owned(),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        command: "bakeoff run w.toml".to_owned(),
        fingerprint: "f1".to_owned(),
        token: None,
        workload: "w".to_owned(),
        title: "A test".to_owned(),
        workload_text: String::new(),
        data: "numbers".to_owned(),
        seed: 1,
        table: "t".to_owned(),
        columns: 3,
        queries: ["scan", "key"].map(query_info).to_vec(),
        designs: ["a/x", "a/y", "memory"].map(design_info).to_vec(),
        threads: 2,
        budget_seconds: None,
        machine: Machine {
            os: "linux".to_owned(),
            cpu: "test".to_owned(),
            cores: 2,
            memory_bytes: 1 << 30,
            model: None,
        },
        scale: Scale {
            full_rows: 10_000,
            replication: 3,
            users: 8,
            cores: 16,
            questions_per_second: None,
            rows_per_second: None,
            grows: None,
        },
        nodes: None,
        standbys: None,
        published_source: None,
        published: Vec::new(),
        published_notes: Vec::new(),
        decide: None,
        cpu_without_reading: true,
    }
}

fn query_info(name: &str) -> QueryInfo {
    QueryInfo {
        name: name.to_owned(),
        sql: format!("SELECT {name}"),
        engine_sql: std::collections::BTreeMap::new(),
        tolerance: None,
    }
}

fn design_info(id: &str) -> DesignInfo {
    DesignInfo {
        id: id.to_owned(),
        engine: id.split('/').next().unwrap_or(id).to_owned(),
        role: match id {
            "memory" => Role::Volatile,
            _ => Role::Store,
        },
        server: false,
        settings: Vec::new(),
        statements: Vec::new(),
        unit_rows: None,
        not_asked: Vec::new(),
        stored_by: None,
        table_of: None,
    }
}

/// Makes the records of a run: its header, then `records`.
pub fn run(records: impl IntoIterator<Item = Record>) -> Vec<Record> {
    std::iter::once(Record::Started(Box::new(header())))
        .chain(records)
        .collect()
}

pub fn created(design: &str) -> Record {
    Record::Created {
        design: design.to_owned(),
    }
}

/// Makes a slice of 100 rows that took this time.
pub fn loaded(design: &str, slice: u64, seconds: f64) -> Record {
    Record::Loaded(LoadSlice {
        design: design.to_owned(),
        slice,
        first_row: slice * 100,
        rows: 100,
        seconds,
        cpu: CpuSeconds {
            client: 0.5,
            server: Some(1.0),
            in_ticks: false,
        },
    })
}

pub fn footprint(design: &str, bytes: u64) -> Record {
    Record::Footprint(Footprint {
        design: design.to_owned(),
        engine_bytes: None,
        file_bytes: Some(bytes),
        compression_ratio: None,
        compression_metadata_bytes: None,
        statistics: None,
        files: None,
        note: None,
    })
}

/// Makes the record of a table that took this many bytes at most.
pub fn space(design: &str, highest: u64) -> Record {
    Record::Space(Space {
        design: design.to_owned(),
        before_settling: Some(highest),
        highest: Some(highest),
        looks: 3,
        is_whole: true,
        needs: Needs::default(),
    })
}

pub fn timed(design: &str, query: &str, seconds: f64) -> Record {
    timed_as(design, query, seconds, Outcome::Right { rows: 1 })
}

pub fn timed_as(design: &str, query: &str, seconds: f64, outcome: Outcome) -> Record {
    Record::Timed(Timing {
        design: design.to_owned(),
        query: query.to_owned(),
        round: 0,
        seconds,
        rows_scanned: Some(if query == "scan" { 1000 } else { 10 }),
        cpu: CpuSeconds {
            client: 0.1,
            server: None,
            in_ticks: false,
        },
        outcome,
    })
}

pub fn answered(design: &str, query: &str, outcome: Outcome) -> Record {
    Record::Answered(Answered {
        design: design.to_owned(),
        query: query.to_owned(),
        sql: String::new(),
        outcome,
    })
}

pub fn wrong() -> Outcome {
    Outcome::Wrong {
        difference: "row 1: 2 instead of 3".to_owned(),
    }
}

pub fn failed(design: &str, step: Step, query: Option<&str>, reason: &str) -> Record {
    Record::Failed {
        design: design.to_owned(),
        step,
        query: query.map(str::to_owned),
        reason: reason.to_owned(),
    }
}
