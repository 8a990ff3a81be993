//! The description of a columnar table in CQL tables, for reports and dry runs.

use bakeoff_columnar::cassandra::{recreation_statements, table_names};
use bakeoff_stats::DesignInfo;
use bakeoff_workload::Consistency;

use super::layout::ColumnarLayout;
use crate::EngineError;
use crate::cassandra::cluster::consistency::Written;
use crate::cassandra::cluster::relations::Relation;
use crate::cassandra::cluster::settle::Settling;
use crate::cassandra::names::table_name;
use crate::cassandra::request::DesignRequest;

/// Level of reads and writes unless one was asked for.
const DEFAULT_LEVEL: Consistency = Consistency::LocalQuorum;

/// Describes the design without touching anything.
pub fn describe(request: &DesignRequest<'_>) -> Result<DesignInfo, EngineError> {
    let DesignRequest { id, keyspace, .. } = request;
    let layout = ColumnarLayout::new(id, &request.workload.table)?;
    if let Some(read) = layout.consistency {
        let replication = request.options().replication;
        // The store itself refuses to write where a cluster has datacenters in which reads would miss rows.
        let written = Written {
            level: replication.consistency.unwrap_or(DEFAULT_LEVEL),
            copies: replication.copies(),
            datacenters: 1,
        };
        written.check_reads(id, read)?;
    }
    let name = table_name(&request.table_id());
    let mut statements = request.opening_statements(DEFAULT_LEVEL);
    statements.extend(request.claim_statement(&name));
    let made = recreation_statements(&keyspace.name, &name, layout.compression);
    statements.extend(made.map_err(|e| EngineError(format!("design {id}: {e}")))?);
    statements.extend(request.settle_statements(&relations(&name), Settling::Compact));
    statements.extend(request.drop_statement());
    let mut settings = layout.settings();
    settings.extend(request.read_setting(layout.consistency, DEFAULT_LEVEL));
    Ok(DesignInfo {
        unit_rows: Some(layout.shape.chunk_rows()),
        ..request.info(settings, statements)
    })
}

/// Lists the CQL tables of a columnar table.
pub fn relations(name: &str) -> Vec<Relation> {
    let names = table_names(name).into_iter();
    names.map(Relation::table).collect()
}
