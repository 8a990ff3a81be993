//! Settling a table: compressing, vacuuming and writing it out.

use bakeoff_driver::DesignError;
use tokio_postgres::Client;

use super::layout::{Shape, TableLayout, qualified, quoted, text};
use super::schema::execute;

/// Returns the statements that compress, vacuum, analyse and write out the table.
pub fn statements(layout: &TableLayout, schema: &str, ours: bool) -> Vec<String> {
    let table = qualified(schema, &layout.table.name);
    let mut statements = Vec::new();
    if let Shape::Hypertable {
        columnstore: true, ..
    } = layout.shape
    {
        statements.extend(compressing(layout, &table));
    }
    statements.push(format!("VACUUM (ANALYZE) {table}"));
    if ours {
        statements.push("CHECKPOINT".to_owned());
    }
    statements
}

/// Settles the table and returns a description of what was done.
pub async fn settle(
    client: &Client,
    layout: &TableLayout,
    schema: &str,
    ours: bool,
) -> Result<String, DesignError> {
    // Statements are sent one by one, since VACUUM does not run in a transaction.
    for statement in statements(layout, schema, ours) {
        execute(client, &statement).await?;
    }
    Ok(if ours {
        "vacuumed and analysed, then a checkpoint".to_owned()
    } else {
        "vacuumed and analysed; no checkpoint: the server was not started by Bakeoff".to_owned()
    })
}

/// Describes the standbys that have replayed it all, as the end of what was done.
pub fn of_standbys(standbys: usize) -> String {
    match standbys {
        0 => String::new(),
        1 => "; its standby has replayed it all, and has a checkpoint, too".to_owned(),
        several => {
            format!("; its {several} standbys have replayed it all, each with a checkpoint, too")
        }
    }
}

/// Returns the statements that compress the chunks. Rows of a partition key are kept together with the
/// newest first, since those are queried most.
fn compressing(layout: &TableLayout, table: &str) -> [String; 2] {
    let list = |names: &[String], order: &str| {
        let names: Vec<String> = names
            .iter()
            .map(|n| format!("{}{order}", quoted(n)))
            .collect();
        text(&names.join(", "))
    };
    [
        format!(
            "ALTER TABLE {table} SET (timescaledb.compress, timescaledb.compress_segmentby = {}, \
             timescaledb.compress_orderby = {})",
            list(&layout.table.partition_key, ""),
            list(&layout.table.order_key, " DESC")
        ),
        format!(
            "SELECT compress_chunk(chunk, if_not_compressed => true) FROM show_chunks({}) AS chunk",
            text(table)
        ),
    ]
}
