//! Statements of a workload that is written in CQL, for reports and dry runs.

use bakeoff_stats::DesignInfo;
use bakeoff_workload::{Consistency, Mix};

use super::plan::{as_written, schema};
use crate::EngineError;
use crate::cassandra::cluster::keyspace::Owner;
use crate::cassandra::cluster::relations;
use crate::cassandra::drive::plan;
use crate::cassandra::request::DesignRequest;
use crate::cassandra::write::batches::IN_FLIGHT;

/// Describes the design without touching anything.
pub fn describe(request: &DesignRequest<'_>) -> Result<DesignInfo, EngineError> {
    let DesignRequest { id, keyspace, .. } = request;
    let mix = mix_of(request)?;
    let plans = as_written(id, &keyspace.name, &request.workload.table, mix)?;
    let mut statements: Vec<String> = request.level(Consistency::LocalOne).into_iter().collect();
    if keyspace.owner != Owner::Shared {
        statements.push(keyspace.drop_statement());
    }
    statements.extend(keyspace.statements());
    let written = schema(id, mix, &keyspace.name)?;
    let made = relations::made_by(&written, &keyspace.name);
    statements.extend(written);
    statements.extend(request.settling(&made));
    statements.extend(plan::statements(&plans, request.workload));
    statements.extend(request.background(mix));
    statements.extend(request.dropping());
    let settings = [
        ("statements", "as in the workload file".to_owned()),
        (
            "writes",
            format!("single statements, {IN_FLIGHT} in flight"),
        ),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value));
    Ok(request.info(settings.to_vec(), statements))
}

/// The mix of the workload file.
///
/// # Errors
/// If it has none.
pub fn mix_of<'w>(request: &DesignRequest<'w>) -> Result<&'w Mix, EngineError> {
    request.workload.mix.as_ref().ok_or_else(|| {
        EngineError(format!(
            "design {}: {} has no [mix] whose statements could be sent",
            request.id,
            request.workload.path.display()
        ))
    })
}
