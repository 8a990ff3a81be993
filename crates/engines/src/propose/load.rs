//! What a mix does, in shares of its operations, and for how long rows live.

use bakeoff_workload::{Action, CqlStatement, Mix, Workload};

use crate::advice::Load;

/// Adds up the shares of the operations of a mix.
pub fn of(mix: &Mix) -> Load {
    let mut load = Load::default();
    for operation in &mix.operations {
        let weight = operation.weight;
        if operation.action.writes() {
            load.writes += weight;
        }
        match &operation.action {
            Action::ReadRow => load.reads_of_rows += weight,
            Action::ReadPartition { newest_first, .. } => {
                load.reads_of_partitions += weight;
                load.wants_newest |= *newest_first;
            }
            Action::ReadParts { .. } | Action::ReadRange { .. } => {
                load.reads_of_partitions += weight;
            }
            Action::DeleteRow | Action::DeletePartition => {
                load.deletes += weight;
                load.changes_rows = true;
            }
            Action::Update { .. } => load.changes_rows = true,
            Action::Insert | Action::Query { .. } | Action::Cql(_) => {}
        }
    }
    load
}

/// Lists the statements in CQL that a mix has.
pub fn statements(mix: &Mix) -> Vec<String> {
    let mut statements = mix.schema.clone();
    statements.extend(mix.populate.iter().map(|statement| statement.cql.clone()));
    for operation in &mix.operations {
        if let Action::Cql(operation) = &operation.action {
            let all: Vec<&CqlStatement> = { operation.statements.iter() }
                .chain(&operation.otherwise)
                .collect();
            statements.extend(all.into_iter().map(|statement| statement.cql.clone()));
        }
    }
    statements.extend({ mix.background.iter() }.flat_map(|b| b.statements.clone()));
    statements
}

/// Returns how long rows live, by the operations that insert them, if all of these say it, or by the first design that
/// says it, in seconds.
pub fn ttl_seconds(workload: &Workload) -> Option<u64> {
    let operations = workload.mix.iter().flat_map(|mix| &mix.operations);
    let inserts = operations.filter(|operation| matches!(operation.action, Action::Insert));
    let times: Option<Vec<u32>> = inserts.map(|operation| operation.ttl_seconds).collect();
    let of_operations = times.and_then(|times| times.into_iter().max());
    let of_designs = || {
        let written = ttl_of_designs(workload)?;
        Some(humantime::parse_duration(&written).ok()?.as_secs())
    };
    of_operations.map(u64::from).or_else(of_designs)
}

/// Returns the time to live that the first design that has one gives to its rows.
pub fn ttl_of_designs(workload: &Workload) -> Option<String> {
    let mut designs = workload.designs.iter();
    designs.find_map(|id| id.settings.get("ttl").cloned())
}
