//! The description of a workload that is written in CQL, for reports and dry runs.

use bakeoff_stats::DesignInfo;
use bakeoff_workload::{Consistency, Mix};

use super::plan::{plan_written, schema};
use crate::EngineError;
use crate::cassandra::cluster::keyspace::Owner;
use crate::cassandra::cluster::relations;
use crate::cassandra::cluster::settle::Settling;
use crate::cassandra::drive::plan;
use crate::cassandra::request::DesignRequest;
use crate::cassandra::write::batches::IN_FLIGHT;

/// Describes the design without touching anything.
pub fn describe(request: &DesignRequest<'_>) -> Result<DesignInfo, EngineError> {
    let DesignRequest { id, keyspace, .. } = request;
    let (mix, engine) = (mix_of(request)?, request.id.engine.as_str());
    let plans = plan_written(id, &keyspace.name, &request.workload.table, mix)?;
    let mut statements: Vec<String> = request
        .consistency_statement(Consistency::LocalOne)
        .into_iter()
        .collect();
    if keyspace.owner != Owner::Shared {
        statements.push(keyspace.drop_statement());
    }
    statements.extend(keyspace.statements());
    let schema = schema(id, mix, &keyspace.name)?;
    let created = relations::created_by(&schema, &keyspace.name);
    statements.extend(schema);
    statements.extend(request.settle_statements(&created, Settling::Compact));
    statements.extend(plan::statements(&plans, request.workload, engine));
    statements.extend(request.background_statements(mix));
    statements.extend(request.drop_statement());
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

/// Returns the mix of the workload file.
///
/// # Errors
/// Fails if the file has none.
pub fn mix_of<'w>(request: &DesignRequest<'w>) -> Result<&'w Mix, EngineError> {
    request.workload.mix.as_ref().ok_or_else(|| {
        EngineError(format!(
            "design {}: {} has no [mix] with statements to send",
            request.id,
            request.workload.path.display()
        ))
    })
}
