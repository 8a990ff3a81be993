//! Databases, tables and indexes.

use super::asking::{Asking, MONITOR};
use super::model::{DatabaseFigures, IndexFigures, TableFigures};
use super::text_row::TextRow;
use crate::nodes::TableName;
use crate::postgres::layout::text;

/// Most tables and indexes that are shown unless tables are named.
const MOST: usize = 10;

/// The bytes of a database are known to whoever may connect to it, or see all statistics.
const DATABASES: &str = "SELECT d.datname AS name, \
     CASE WHEN has_database_privilege(d.oid, 'CONNECT') OR pg_has_role('pg_read_all_stats', 'USAGE') \
     THEN pg_database_size(d.oid) END AS bytes, \
     s.xact_commit, s.xact_rollback, s.blks_hit, s.blks_read, s.tup_returned, s.tup_fetched, \
     s.tup_inserted + s.tup_updated + s.tup_deleted AS tup_written, s.temp_files, s.temp_bytes, s.deadlocks \
     FROM pg_database d JOIN pg_stat_database s ON s.datid = d.oid ORDER BY bytes DESC NULLS LAST, name";

pub async fn databases(asking: &mut Asking) -> Option<Vec<DatabaseFigures>> {
    let rows = asking.rows("databases", DATABASES).await?;
    let databases: Vec<DatabaseFigures> = rows.iter().filter_map(database).collect();
    let hidden = databases.iter().filter(|database| database.bytes.is_none());
    let hidden: Vec<&str> = hidden.map(|database| database.name.as_str()).collect();
    if !hidden.is_empty() {
        let figure = format!("bytes of {}", hidden.join(", "));
        let reason = format!("the user may not connect to every database: {MONITOR}");
        asking.lacks(&figure, reason);
    }
    Some(databases)
}

fn database(row: &TextRow) -> Option<DatabaseFigures> {
    Some(DatabaseFigures {
        name: row.text("name")?,
        bytes: row.count("bytes"),
        commits: row.count("xact_commit"),
        rollbacks: row.count("xact_rollback"),
        blocks_hit: row.count("blks_hit"),
        blocks_read: row.count("blks_read"),
        tuples_returned: row.count("tup_returned"),
        tuples_fetched: row.count("tup_fetched"),
        tuples_written: row.count("tup_written"),
        temp_files: row.count("temp_files"),
        temp_bytes: row.count("temp_bytes"),
        deadlocks: row.count("deadlocks"),
    })
}

/// Reads the tables of these names, or the largest ones.
pub async fn tables(asking: &mut Asking, named: &[TableName]) -> Option<Vec<TableFigures>> {
    let rows = asking.rows("tables", &tables_sql(named)).await?;
    let tables: Vec<TableFigures> = rows.iter().filter_map(table).collect();
    let is_there = |name: &&TableName| {
        let mut found = tables.iter();
        found.any(|table| table.schema == name.keyspace && table.name == name.table)
    };
    for absent in named.iter().filter(|name| !is_there(name)) {
        let reason = "the database of the URL has no table of that schema and name";
        asking.lacks(&absent.to_string(), reason);
    }
    Some(tables)
}

fn tables_sql(named: &[TableName]) -> String {
    format!(
        "SELECT schemaname, relname, pg_total_relation_size(relid) AS bytes, \
         pg_indexes_size(relid) AS index_bytes, n_live_tup, n_dead_tup, seq_scan, idx_scan, \
         extract(epoch FROM now() - greatest(last_vacuum, last_autovacuum)) AS vacuumed, \
         extract(epoch FROM now() - last_autovacuum) AS autovacuumed, \
         extract(epoch FROM now() - greatest(last_analyze, last_autoanalyze)) AS analysed \
         FROM pg_stat_user_tables {} ORDER BY bytes DESC NULLS LAST, schemaname, relname LIMIT {}",
        condition(named),
        named.len().max(MOST)
    )
}

fn table(row: &TextRow) -> Option<TableFigures> {
    Some(TableFigures {
        schema: row.text("schemaname")?,
        name: row.text("relname")?,
        bytes: row.count("bytes"),
        index_bytes: row.count("index_bytes"),
        live_tuples: row.count("n_live_tup"),
        dead_tuples: row.count("n_dead_tup"),
        sequential_scans: row.count("seq_scan"),
        index_scans: row.count("idx_scan"),
        vacuumed_seconds_ago: row.number("vacuumed"),
        autovacuumed_seconds_ago: row.number("autovacuumed"),
        analysed_seconds_ago: row.number("analysed"),
    })
}

/// Reads the largest indexes, of the tables of these names if there are any.
pub async fn indexes(asking: &mut Asking, named: &[TableName]) -> Option<Vec<IndexFigures>> {
    let rows = asking.rows("indexes", &indexes_sql(named)).await?;
    Some(rows.iter().filter_map(index).collect())
}

fn indexes_sql(named: &[TableName]) -> String {
    format!(
        "SELECT schemaname, relname, indexrelname, pg_relation_size(indexrelid) AS bytes, idx_scan \
         FROM pg_stat_user_indexes {} ORDER BY bytes DESC NULLS LAST, schemaname, indexrelname LIMIT {MOST}",
        condition(named)
    )
}

fn index(row: &TextRow) -> Option<IndexFigures> {
    Some(IndexFigures {
        schema: row.text("schemaname")?,
        table: row.text("relname")?,
        name: row.text("indexrelname")?,
        bytes: row.count("bytes"),
        scans: row.count("idx_scan"),
    })
}

/// Returns the condition that rows are of tables of these names; all are if there are none.
fn condition(named: &[TableName]) -> String {
    if named.is_empty() {
        return String::new();
    }
    let pairs = named.iter();
    let pairs: Vec<String> = pairs
        .map(|name| format!("({}, {})", text(&name.keyspace), text(&name.table)))
        .collect();
    format!("WHERE (schemaname, relname) IN ({})", pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_tables_are_the_only_ones() {
        assert!(!tables_sql(&[]).contains("WHERE"));
        let named: [TableName; 2] = ["public.t", "metrics.Cased"].map(|name| name.parse().unwrap());
        let condition = "WHERE (schemaname, relname) IN (('public', 't'), ('metrics', 'Cased'))";
        for sql in [tables_sql(&named), indexes_sql(&named)] {
            assert!(sql.contains(condition), "{sql}");
        }
    }

    #[test]
    fn a_table_that_was_never_vacuumed_has_no_time() {
        let cells = [
            ("schemaname", "public"),
            ("relname", "t"),
            ("bytes", "8192"),
        ];
        let table = table(&TextRow::of(&cells)).unwrap();
        assert_eq!(table.bytes, Some(8192));
        assert_eq!(table.vacuumed_seconds_ago, None);
        assert_eq!(database(&TextRow::of(&cells)), None);
    }
}
