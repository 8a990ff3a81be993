//! The size of a table on disk.

use std::path::{Path, PathBuf};

use bakeoff_driver::DesignError;
use bakeoff_stats::{Footprint, Needs};
use tokio_postgres::Client;

use super::connect::reason;
use super::layout::{Shape, TableLayout, qualified};

/// Most bytes of the write-ahead log: `max_wal_size` of the servers that are started.
const LOG_BYTES: u64 = 4 << 30;

/// Returns what tables need in addition to their bytes: vacuuming needs no room, and the log is the server's.
pub fn needs() -> Needs {
    Needs {
        log_bytes: Some(LOG_BYTES),
        ..Needs::default()
    }
}

/// Returns SQL for the tables that hold rows: the chunks of a hypertable, the partitions of a
/// partitioned table.
fn tables_sql(layout: &TableLayout) -> &'static str {
    match layout.shape {
        Shape::Hypertable { .. } => {
            "SELECT $1::text::regclass AS oid UNION ALL SELECT show_chunks($1::text::regclass)"
        }
        _ => {
            "SELECT $1::text::regclass AS oid \
             UNION SELECT relid FROM pg_partition_tree($1::text::regclass)"
        }
    }
}

/// Reads sizes from the server's accounting, and of the files if the data folders can be read: that of the server,
/// and those of its standbys. They hold a copy of each file of the server, so that its own account is of each of
/// them; their files are looked at.
pub async fn read(
    client: &Client,
    schema: &str,
    layout: &TableLayout,
    data_dirs: &[PathBuf],
) -> Result<Footprint, DesignError> {
    let table = qualified(schema, &layout.table.name);
    let tables = tables_sql(layout);
    let (total, indexes) = match layout.shape {
        // This includes the internal tables of compressed chunks.
        Shape::Hypertable { .. } => (
            "SELECT hypertable_size($1::text::regclass)".to_owned(),
            "SELECT sum(index_bytes)::bigint FROM hypertable_detailed_size($1::text::regclass)"
                .to_owned(),
        ),
        _ => (
            format!("SELECT sum(pg_total_relation_size(oid))::bigint FROM ({tables}) AS tables"),
            format!("SELECT sum(pg_indexes_size(oid))::bigint FROM ({tables}) AS tables"),
        ),
    };
    let copies = data_dirs.len().max(1);
    let of_all = |bytes: u64| bytes.saturating_mul(copies as u64);
    let engine_bytes = number(client, &total, &table).await?.map(of_all);
    let index_bytes = number(client, &indexes, &table).await?.map(of_all);
    let files = match (data_dirs, &layout.shape) {
        // Compressed chunks are in TimescaleDB's internal tables, which the query below does not list.
        ([], _)
        | (
            _,
            Shape::Hypertable {
                columnstore: true, ..
            },
        ) => None,
        (dirs, _) => Some(files_of_all(&paths(client, tables, &table).await?, dirs)?),
    };
    Ok(Footprint {
        design: String::new(),
        engine_bytes,
        file_bytes: files.map(|(_, bytes)| bytes),
        compression_ratio: None,
        compression_metadata_bytes: None,
        statistics: None,
        files: files.map(|(files, _)| files),
        note: note(index_bytes, copies),
    })
}

/// Describes what the bytes are of.
fn note(index_bytes: Option<u64>, copies: usize) -> Option<String> {
    let indexes = index_bytes.map(|bytes| format!("of this {} MiB in indexes", bytes >> 20));
    let servers =
        (copies > 1).then(|| format!("of all {copies} servers together, with every copy"));
    let parts: Vec<String> = indexes.into_iter().chain(servers).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

async fn number(client: &Client, sql: &str, table: &str) -> Result<Option<u64>, DesignError> {
    let row = client.query_one(sql, &[&table]).await;
    let number: Option<i64> = row.map_err(|e| failed(&reason(&e)))?.get(0);
    Ok(number.and_then(|bytes| u64::try_from(bytes).ok()))
}

/// Returns the path prefixes of the files of tables, indexes and TOAST tables, relative to the data
/// folder.
async fn paths(client: &Client, tables: &str, table: &str) -> Result<Vec<String>, DesignError> {
    let sql = format!(
        "WITH tables AS ({tables}), \
         toasted AS (SELECT oid FROM tables \
           UNION SELECT reltoastrelid FROM pg_class WHERE oid IN (SELECT oid FROM tables)), \
         relations AS (SELECT oid FROM toasted \
           UNION SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM toasted)) \
         SELECT path FROM relations, pg_relation_filepath(oid) AS path WHERE path IS NOT NULL"
    );
    let rows = client
        .query(&sql, &[&table])
        .await
        .map_err(|e| failed(&reason(&e)))?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Returns the number and the bytes of the files of relations in all of these folders.
fn files_of_all(paths: &[String], data_dirs: &[PathBuf]) -> Result<(u64, u64), DesignError> {
    let (mut number, mut bytes) = (0, 0);
    for dir in data_dirs {
        let of_dir = files(paths, dir)?;
        number += of_dir.0;
        bytes += of_dir.1;
    }
    Ok((number, bytes))
}

/// Returns the number and the bytes of the files of relations. A relation may have several segments of
/// a gigabyte, and maps of free space and visibility.
fn files(paths: &[String], data_dir: &Path) -> Result<(u64, u64), DesignError> {
    let (mut files, mut bytes) = (0, 0);
    for path in paths {
        let path = data_dir.join(path);
        let cannot_read = |e| failed(&format!("{}: {e}", path.display()));
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            continue;
        };
        for entry in std::fs::read_dir(folder).map_err(cannot_read)? {
            let entry = entry.map_err(cannot_read)?;
            let (found, name) = (entry.file_name(), name.to_string_lossy());
            let found = found.to_string_lossy();
            let rest = found.strip_prefix(&*name);
            if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_'])) {
                files += 1;
                bytes += entry.metadata().map_err(cannot_read)?.len();
            }
        }
    }
    Ok((files, bytes))
}

fn failed(why: &str) -> DesignError {
    DesignError(format!("reading sizes from PostgreSQL failed: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_and_maps_count_and_other_relations_do_not() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["12", "12.1", "12_fsm", "12_vm", "123", "1"] {
            std::fs::write(dir.path().join(name), "xyz").unwrap();
        }
        let counted = files(&["12".to_owned()], dir.path()).unwrap();
        assert_eq!(counted, (4, 12));
    }

    #[test]
    fn files_of_standbys_count_as_they_are() {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let paths = dirs.each_ref().map(|dir| dir.path().to_owned());
        std::fs::write(paths[0].join("12"), "xyz").unwrap();
        std::fs::write(paths[0].join("12_fsm"), "z").unwrap();
        std::fs::write(paths[1].join("12"), "xyz").unwrap();
        let counted = files_of_all(&["12".to_owned()], &paths).unwrap();
        assert_eq!(counted, (3, 7));
    }

    #[test]
    fn a_note_says_of_how_many_servers_the_bytes_are() {
        assert_eq!(note(None, 1), None);
        let alone = note(Some(5 << 20), 1);
        assert_eq!(alone.as_deref(), Some("of this 5 MiB in indexes"));
        let with_standbys = note(Some(5 << 20), 3).unwrap();
        let words = "of this 5 MiB in indexes, of all 3 servers together, with every copy";
        assert_eq!(with_standbys, words);
    }
}
