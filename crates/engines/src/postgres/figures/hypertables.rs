//! Hypertables of TimescaleDB and their chunks.

use super::asking::Asking;
use super::model::Hypertable;
use super::text_row::TextRow;
use crate::postgres::layout::{qualified, text};

/// Most hypertables that are shown.
const MOST: usize = 10;
const EXTENSION: &str = "SELECT extversion AS version, extnamespace::regnamespace AS schema \
     FROM pg_extension WHERE extname = 'timescaledb'";
/// A hypertable as an argument of TimescaleDB's functions.
const TABLE: &str = "format('%I.%I', h.hypertable_schema, h.hypertable_name)::regclass";

/// Reads the version of TimescaleDB and the largest hypertables; none of both if the database does not have it.
pub async fn hypertables(asking: &mut Asking) -> (Option<String>, Option<Vec<Hypertable>>) {
    let Some(extension) = asking.row("TimescaleDB", EXTENSION).await else {
        return (None, None);
    };
    let version = extension.text("version");
    let schema = extension.text("schema").unwrap_or_default();
    let sql = format!(
        "SELECT h.hypertable_schema AS schema, h.hypertable_name AS name, h.num_chunks AS chunks, \
         (SELECT count(*) FROM timescaledb_information.chunks c WHERE c.is_compressed \
         AND c.hypertable_schema = h.hypertable_schema AND c.hypertable_name = h.hypertable_name) AS compressed, \
         {schema}.hypertable_size({TABLE}) AS bytes \
         FROM timescaledb_information.hypertables h ORDER BY bytes DESC NULLS LAST LIMIT {MOST}"
    );
    let Some(rows) = asking.rows("hypertables", &sql).await else {
        return (version, None);
    };
    let mut hypertables: Vec<Hypertable> = rows.iter().filter_map(hypertable).collect();
    for table in &mut hypertables {
        if table.compressed_chunks.is_some_and(|chunks| chunks > 0) {
            add_compression(asking, &schema, table).await;
        }
    }
    (version, Some(hypertables))
}

fn hypertable(row: &TextRow) -> Option<Hypertable> {
    Some(Hypertable {
        schema: row.text("schema")?,
        name: row.text("name")?,
        bytes: row.count("bytes"),
        chunks: row.count("chunks"),
        compressed_chunks: row.count("compressed"),
        ..Hypertable::default()
    })
}

async fn add_compression(asking: &mut Asking, schema: &str, table: &mut Hypertable) {
    let sql = format!(
        "SELECT sum(before_compression_total_bytes) AS before, sum(after_compression_total_bytes) AS after \
         FROM {schema}.hypertable_compression_stats({}::regclass)",
        text(&qualified(&table.schema, &table.name))
    );
    let figure = format!("compression of {}.{}", table.schema, table.name);
    if let Some(row) = asking.row(&figure, &sql).await {
        table.uncompressed_bytes = row.count("before");
        table.compressed_bytes = row.count("after");
    }
}
