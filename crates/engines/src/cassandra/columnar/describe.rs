//! The description of a columnar table in CQL tables, for reports and dry runs.

use bakeoff_columnar::cassandra::{recreation_statements, table_names};
use bakeoff_stats::DesignInfo;
use bakeoff_workload::Consistency;

use super::layout::ColumnarLayout;
use crate::EngineError;
use crate::cassandra::cluster::relations::Relation;
use crate::cassandra::names::table_name;
use crate::cassandra::request::DesignRequest;

/// Describes the design without touching anything.
pub fn describe(request: &DesignRequest<'_>) -> Result<DesignInfo, EngineError> {
    let DesignRequest { id, keyspace, .. } = request;
    let layout = ColumnarLayout::new(id, &request.workload.table)?;
    let name = table_name(id);
    let mut statements = request.opening_statements(Consistency::LocalQuorum);
    statements.extend(request.claim_statement(&name));
    let made = recreation_statements(&keyspace.name, &name, layout.compression);
    statements.extend(made.map_err(|e| EngineError(format!("design {id}: {e}")))?);
    statements.extend(request.settle_statements(&relations(&name)));
    statements.extend(request.drop_statement());
    Ok(DesignInfo {
        unit_rows: Some(layout.shape.chunk_rows()),
        ..request.info(layout.settings(), statements)
    })
}

/// Lists the CQL tables of a columnar table.
pub fn relations(name: &str) -> Vec<Relation> {
    let names = table_names(name).into_iter();
    names.map(Relation::table).collect()
}
