//! Makes the first record of a drive: what is driven, how, and on which machine.

use bakeoff_driver::drive::DriveSettings;
use bakeoff_engines::Replication;
use bakeoff_stats::drive::{DriveHeader, OperationInfo, Published};
use bakeoff_stats::{DesignInfo, PublishedFigure};
use bakeoff_workload::{Action, Mix, Operation, Workload};

use super::Drive;
use super::load::Load;
use super::passes;
use crate::cmd::run::header::rule;
use crate::machine;

pub fn header(
    options: &Drive,
    workload: &Workload,
    mix: &Mix,
    load: &Load,
    settings: &DriveSettings,
    designs: Vec<DesignInfo>,
    replication: Replication,
) -> DriveHeader {
    let passes = settings.passes.as_ref();
    let passes = passes.map(|passes| passes::described(passes, mix, workload));
    DriveHeader {
        bakeoff_version: machine::VERSION.to_owned(),
        started_at: machine::now(),
        command: crate::cmd::command_line(),
        workload: workload.name.clone(),
        title: workload.title.clone(),
        workload_text: workload.text.clone(),
        seed: workload.seed,
        rows: settings.load.rows,
        operations: mix
            .operations
            .iter()
            .map(|o| operation(options, o))
            .collect(),
        designs,
        machine: machine::describe(),
        threads: u32::from(options.threads),
        shard: (load.shard.index, load.shard.of),
        schedule: match &passes {
            Some(passes) => passes::in_words(passes),
            None => load.schedule.to_string(),
        },
        in_flight: load.in_flight,
        retries: options.retries,
        time_out_seconds: options.limits.time_out.as_secs_f64(),
        cluster: options.cluster.cassandra.clone(),
        nodes: replication.nodes_info(),
        keyspace: options.keyspace.clone(),
        objective: load.objective.as_ref().map(ToString::to_string),
        seconds: match passes {
            Some(_) => 0.0,
            None if load.schedule.ends_by_itself() => 0.0,
            None => load.duration.as_secs_f64(),
        },
        passes,
        beside: None,
        published: workload.published.as_ref().map(published),
        decide: Some(rule(workload)),
        parts: Vec::new(),
    }
}

fn published(published: &bakeoff_workload::Published) -> Published {
    let figure = |t: &bakeoff_workload::PublishedTime| PublishedFigure {
        design: t.design.clone(),
        what: t.what.clone(),
        figure: t.figure.clone(),
    };
    Published {
        source: published.source.clone(),
        figures: published.times.iter().map(figure).collect(),
        notes: published.notes.clone(),
    }
}

fn operation(options: &Drive, operation: &Operation) -> OperationInfo {
    let consistency = options.consistency.or(operation.consistency);
    OperationInfo {
        name: operation.name.clone(),
        action: in_words(&operation.action),
        writes: operation.action.writes(),
        weight_percent: operation.weight * 100.0,
        consistency: consistency.map_or_else(String::new, |level| level.to_string()),
        ttl_seconds: operation.ttl_seconds,
    }
}

fn in_words(action: &Action) -> String {
    match action {
        Action::Insert => "insert a row".to_owned(),
        Action::Update { columns } => format!("update {}", columns.join(", ")),
        Action::DeleteRow => "delete a row".to_owned(),
        Action::DeletePartition => "delete a partition".to_owned(),
        Action::ReadRow => "read a row".to_owned(),
        Action::ReadPartition {
            limit,
            newest_first,
        } => match (limit, newest_first) {
            (None, _) => "read a partition".to_owned(),
            (Some(limit), false) => format!("read up to {limit} rows of a partition"),
            (Some(limit), true) => format!("read the newest {limit} rows of a partition"),
        },
        Action::ReadParts { requests: 1, .. } => "read a partition in one request".to_owned(),
        Action::ReadParts { requests, at_once } => {
            let how = if *at_once {
                "at once"
            } else {
                "one after the other"
            };
            format!("read a partition in {requests} requests, {how}")
        }
        Action::ReadRange { rows } => format!("read up to {rows} rows from one on"),
        Action::Query { query } => format!("query {}", query + 1),
        Action::Cql(cql) => {
            let statements: Vec<&str> = cql.statements.iter().map(|s| s.cql.as_str()).collect();
            statements.join("; ")
        }
    }
}
