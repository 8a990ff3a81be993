//! The description of a table of rows, for reports and dry runs.

use bakeoff_stats::DesignInfo;
use bakeoff_workload::Consistency;

use super::layout::Shape;
use super::operations::plan_operations;
use super::table_layout;
use crate::EngineError;
use crate::cassandra::cluster::settle;
use crate::cassandra::drive::plan;
use crate::cassandra::request::DesignRequest;
use crate::cassandra::write::batches;

/// Describes the design without touching anything.
pub fn describe(request: &DesignRequest<'_>, shape: Shape) -> Result<DesignInfo, EngineError> {
    let (layout, keyspace) = (table_layout(request, shape)?, &request.keyspace.name);
    let mut statements = request.opening_statements(Consistency::LocalOne);
    let relations = layout.relations();
    let claims = relations.iter();
    statements.extend(claims.filter_map(|relation| request.claim_statement(&relation.name)));
    statements.extend(layout.recreation_statements(keyspace));
    let written = layout.written();
    let summary = layout.summary_table();
    let written = written.iter().chain(&summary);
    statements.extend(written.map(|table| table.insert_statement(keyspace)));
    statements.extend(request.settle_statements(&relations, layout.settling));
    if let Some(alter) = layout.alter_statement(keyspace) {
        statements.push(alter);
        statements.push(settle::rewrite_command(keyspace, &layout.name));
    }
    // Operations of a mix are not for short names, and `drive` refuses them.
    let mix = { request.workload.mix.as_ref() }.filter(|_| !layout.names.are_short());
    if let Some(mix) = mix {
        let engine = request.id.engine.as_str();
        let plans = plan_operations(request.id, &layout, keyspace, mix)?;
        statements.extend(plan::statements(&plans, request.workload, engine));
        statements.extend(request.background_statements(mix));
    }
    statements.extend(request.keyspace.drops_of_tables(&relations));
    statements.extend(request.drop_statement());
    let mut settings = layout.settings();
    settings.extend(batches::settings(&layout));
    settings.extend(layout.reading.settings());
    settings.extend(request.read_setting(layout.reading.consistency, Consistency::LocalOne));
    Ok(request.info(settings, statements))
}
