//! Bringing a table to rest.

use bakeoff_driver::DesignError;
use tokio_postgres::Client;

use super::layout::{Shape, TableLayout, qualified, quoted, text};
use super::schema::execute;

/// The statements that compress, clean up, count and write out what is loaded.
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

/// Vacuums, and says how the table was brought to rest.
pub async fn settle(
    client: &Client,
    layout: &TableLayout,
    schema: &str,
    ours: bool,
) -> Result<String, DesignError> {
    // One by one: VACUUM runs in no transaction.
    for statement in statements(layout, schema, ours) {
        execute(client, &statement).await?;
    }
    Ok(if ours {
        "vacuumed and analysed, then a checkpoint".to_owned()
    } else {
        "vacuumed and analysed; no checkpoint: the server was not started by Bakeoff".to_owned()
    })
}

/// Rows of a partition key together, newest first, as they are asked for most.
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
