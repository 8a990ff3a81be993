//! The footprint of tables, from nodetool and the data folder or from the cluster's own figures.

use std::path::Path;
use std::sync::Arc;

use bakeoff_driver::DesignError;
use bakeoff_servers::cassandra::Nodes;
use bakeoff_stats::{Footprint, Needs};

use super::deployment::Deployment;
use super::on_nodes::OnNodes;
use super::table_statistics::{compression_ratio, entries, parsed, sum, table_statistics};
use crate::bytes::folder_size;
use crate::cassandra::nodes::{self, TableName};

/// Reads the footprint of all given tables together, with an empty design id.
pub async fn read(
    deployment: &Deployment,
    keyspace: &str,
    tables: &[String],
) -> Result<Footprint, DesignError> {
    match (OnNodes::of(deployment), &deployment.server) {
        (Some(nodes), Some(server)) => {
            let read = read_from_nodetool(deployment, &nodes, keyspace, tables).await?;
            with_files(read, server, keyspace, tables)
        }
        (Some(nodes), None) => {
            let read = read_from_nodetool(deployment, &nodes, keyspace, tables).await;
            Ok(match read.map_err(|error| error.to_string()) {
                Ok(read) if read.engine_bytes.is_some() => read,
                Ok(_) => {
                    let why = "nodetool tablestats does not show their bytes";
                    read_from_views(deployment, keyspace, tables, Some(why)).await
                }
                Err(why) => read_from_views(deployment, keyspace, tables, Some(&why)).await,
            })
        }
        (None, _) => Ok(read_from_views(deployment, keyspace, tables, None).await),
    }
}

/// Most bytes of a node's commit log: Cassandra's default, which is less on small disks.
const LOG_BYTES: u64 = 8 << 30;
/// Multiple of its bytes that a table needs while all of its SSTables are rewritten.
const COMPACTION: f64 = 2.0;

/// Returns the bytes of the files of tables at this moment, those of compactions in progress included. No
/// call of nodetool is made, which takes about a second. Those of a cluster of others cannot be seen.
pub fn bytes_now(deployment: &Deployment, keyspace: &str, tables: &[String]) -> Option<u64> {
    let server = deployment.server.as_ref()?;
    let mut all = 0;
    for data in server.data_dirs() {
        for table in tables {
            all += table_files(&data.join(keyspace), table).ok()?.1;
        }
    }
    Some(all)
}

/// Returns what tables need in addition to their bytes, whatever their compaction strategy: with each of them,
/// the compaction by which tables are settled rewrites all SSTables.
pub fn needs() -> Needs {
    Needs {
        times: Some(COMPACTION),
        why: Some(
            "compaction by size, and a major compaction by any strategy, may rewrite all SSTables of a \
             table at once"
                .to_owned(),
        ),
        log_bytes: Some(LOG_BYTES),
    }
}

impl Deployment {
    /// Returns the statistics of all tables of a keyspace on each node, from the cache if nothing
    /// was written since.
    async fn table_statistics(
        &self,
        nodes: &OnNodes<'_>,
        keyspace: &str,
    ) -> Result<Arc<[serde_json::Value]>, DesignError> {
        let mut at_rest = self.at_rest.lock().await;
        if let Some(statistics) = at_rest.statistics.get(keyspace) {
            return Ok(statistics.clone());
        }
        let texts = nodes.table_statistics(keyspace).await?;
        let statistics = parsed(&texts)?;
        let cached = statistics.clone();
        at_rest.statistics.insert(keyspace.to_owned(), cached);
        Ok(statistics)
    }
}

/// Reads what nodetool knows of tables on all nodes.
async fn read_from_nodetool(
    deployment: &Deployment,
    nodes: &OnNodes<'_>,
    keyspace: &str,
    tables: &[String],
) -> Result<Footprint, DesignError> {
    let statistics = deployment.table_statistics(nodes, keyspace).await?;
    let all = entries(&statistics, keyspace, tables);
    Ok(Footprint {
        design: String::new(),
        engine_bytes: sum(&all, "space_used_live"),
        file_bytes: None,
        compression_ratio: compression_ratio(&all),
        compression_metadata_bytes: sum(&all, "compression_metadata_off_heap_memory_used"),
        statistics: Some(table_statistics(&all)),
        files: None,
        note: note(sum(&all, "sstable_count"), statistics.len()),
    })
}

/// Adds the files of tables on servers that Bakeoff started.
fn with_files(
    read: Footprint,
    server: &Nodes,
    keyspace: &str,
    tables: &[String],
) -> Result<Footprint, DesignError> {
    let (mut files, mut bytes) = (0, 0);
    for data in server.data_dirs() {
        for table in tables {
            let (more_files, more_bytes) = table_files(&data.join(keyspace), table)?;
            files += more_files;
            bytes += more_bytes;
        }
    }
    Ok(Footprint {
        file_bytes: Some(bytes),
        files: Some(files),
        ..read
    })
}

/// Describes the SSTables that a footprint adds up: what is left of them depends on the compaction strategy.
fn note(sstables: Option<u64>, nodes: usize) -> Option<String> {
    let sstables = sstables.map(|sstables| match sstables {
        1 => "in 1 SSTable".to_owned(),
        several => format!("in {several} SSTables"),
    });
    let copies = (nodes > 1).then(|| format!("of all {nodes} nodes together, with every copy"));
    let parts: Vec<String> = sstables.into_iter().chain(copies).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Counts the files of a table and their bytes, without snapshots and backups. Storage-attached indexes are parts of
/// its SSTables, and an index with a hidden table is in a folder `.index` in the table's own.
fn table_files(keyspace_dir: &Path, table: &str) -> Result<(u64, u64), DesignError> {
    let failed = |e| {
        DesignError(format!(
            "reading sizes in {} failed: {e}",
            keyspace_dir.display()
        ))
    };
    let prefix = format!("{table}-");
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(keyspace_dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !entry.file_name().to_string_lossy().starts_with(&prefix) {
            continue;
        }
        let counts = |path: &Path| {
            !path
                .file_name()
                .is_some_and(|name| name == "snapshots" || name == "backups")
        };
        let (more_files, more_bytes) = folder_size(&entry.path(), &counts).map_err(failed)?;
        files += more_files;
        bytes += more_bytes;
    }
    Ok((files, bytes))
}

/// Reads the footprint in whole MiB from `system_views.disk_usage` of every node. Where nodetool was to tell it, `why`
/// says why it does not.
async fn read_from_views(
    deployment: &Deployment,
    keyspace: &str,
    tables: &[String],
    why: Option<&str>,
) -> Footprint {
    let named = tables.iter().map(|table| TableName {
        keyspace: keyspace.to_owned(),
        table: table.clone(),
    });
    let named: Vec<TableName> = named.collect();
    let nodes = nodes::read_sizes(&deployment.session, &named).await;
    let (engine_bytes, how) = match nodes::all_bytes(&nodes) {
        Ok(bytes) => (Some(bytes), of_views(nodes.len())),
        Err(reason) => (None, format!("not known: {reason}")),
    };
    let and = match (why, &deployment.nodetool) {
        (Some(why), _) => format!("; nothing more is known: {why}"),
        (None, None) => {
            "; not compacted, and compression is not known: --nodetool brings both".into()
        }
        (None, Some(_)) => String::new(),
    };
    Footprint {
        design: String::new(),
        engine_bytes,
        file_bytes: None,
        compression_ratio: None,
        compression_metadata_bytes: None,
        statistics: None,
        files: None,
        note: Some(how + &and),
    }
}

/// Describes bytes that the views of so many nodes show.
fn of_views(nodes: usize) -> String {
    let copies = match nodes {
        1 => String::new(),
        several => format!(", of all {several} nodes together, with every copy"),
    };
    format!("from system_views.disk_usage in whole MiB{copies}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_counts_sstables_and_nodes() {
        assert_eq!(note(None, 1), None);
        assert_eq!(note(Some(1), 1).unwrap(), "in 1 SSTable");
        assert_eq!(note(Some(0), 1).unwrap(), "in 0 SSTables");
        assert_eq!(
            note(Some(6), 3).unwrap(),
            "in 6 SSTables, of all 3 nodes together, with every copy"
        );
    }

    #[test]
    fn bytes_of_views_say_of_how_many_nodes_they_are() {
        assert_eq!(of_views(1), "from system_views.disk_usage in whole MiB");
        assert_eq!(
            of_views(3),
            "from system_views.disk_usage in whole MiB, of all 3 nodes together, with every copy"
        );
    }

    /// Makes files of one byte each.
    fn make(folder: &Path, files: &[&str]) {
        for file in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
    }

    #[test]
    fn files_of_indexes_are_counted_with_those_of_their_table() {
        let folder = tempfile::tempdir().unwrap();
        let own = [
            "wide_1-0a1b/oa-1-big-Data.db",
            "wide_1-0a1b/oa-1-big-SAI+aa+wide_1_index_1+TermsData.db",
            "wide_1-0a1b/oa-1-big-SAI+aa+GroupComplete.db",
            "wide_1-0a1b/.wide_1_index_1/oa-1-big-Data.db",
            "wide_1-0a1b/.wide_1_index_1/oa-1-big-Index.db",
        ];
        make(folder.path(), &own);
        make(
            folder.path(),
            &[
                "wide_1-0a1b/snapshots/before/oa-1-big-Data.db",
                "wide_1-0a1b/snapshots/before/.wide_1_index_1/oa-1-big-Data.db",
                "wide_1-0a1b/.wide_1_index_1/backups/oa-1-big-Data.db",
                "wide_12-0a1c/oa-1-big-Data.db",
                "wide_12-0a1c/.wide_12_index_1/oa-1-big-Data.db",
            ],
        );
        let counted = own.len() as u64;
        assert_eq!(
            table_files(folder.path(), "wide_1").unwrap(),
            (counted, counted)
        );
    }
}
