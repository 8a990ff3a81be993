//! The description of the tables of values and of keys, for reports and dry runs.

use bakeoff_stats::DesignInfo;
use bakeoff_workload::Consistency;

use super::series_layout;
use crate::EngineError;
use crate::cassandra::cluster::relations::Relation;
use crate::cassandra::cluster::settle::Settling;
use crate::cassandra::read::reading::PAGE_ROWS;
use crate::cassandra::request::DesignRequest;
use crate::cassandra::write::batches;

/// Describes the design without touching anything.
pub fn describe(request: &DesignRequest<'_>) -> Result<DesignInfo, EngineError> {
    let layout = series_layout(request)?;
    let keyspace = &request.keyspace.name;
    let mut statements = request.opening_statements(Consistency::LocalOne);
    statements.extend(request.claim_statement(&layout.values.name));
    statements.extend(layout.recreation_statements(keyspace));
    statements.push(layout.values.insert_statement(keyspace));
    statements.push(layout.update_index(keyspace));
    statements.extend(request.settle_statements(
        &layout.table_names().map(Relation::table),
        Settling::Compact,
    ));
    statements.extend(request.drop_statement());
    let mut settings = layout.settings();
    settings.extend(batches::settings(&layout.values));
    settings.push(("page".to_owned(), format!("{PAGE_ROWS} rows")));
    Ok(request.info(settings, statements))
}
