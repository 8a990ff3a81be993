//! Asking every node for the views in `system_views`.

use std::time::Duration;

use scylla::client::session::Session;
use scylla::cluster::Node;
use scylla::serialize::row::SerializeRow;
use scylla::statement::Consistency;
use tokio::time::Instant;
use uuid::Uuid;

use super::figures::{
    Cache, Missing, NodeFigures, SstableTask, TableFigures, TableName, ThreadPool,
};
use super::ring::{joined_nodes, nodes_of};
use super::view::{Unanswered, ViewRow};
use crate::EngineError;
use crate::cassandra::cluster::at_once::{NODES_AT_ONCE, at_once};
use crate::cassandra::cluster::connect::Cluster;
use crate::cassandra::cluster::one_node::for_node;

/// Time limit of one query.
const QUERY_LIMIT: Duration = Duration::from_secs(2);
/// What is missing of a node that joins while the others are read, and the reason.
const FROM_BEFORE: &str = "anything from before";
const JOINED: &str = "the node joined the cluster while the others were read";
/// Time after which a node is asked for nothing more.
const NODE_LIMIT: Duration = Duration::from_secs(20);

/// A view of tables, and where its row of a table goes.
struct TableView {
    name: &'static str,
    put: fn(&mut TableFigures, &ViewRow, &str),
}

/// The views with a row for each table.
static TABLE_VIEWS: [TableView; 11] = [
    TableView {
        name: "disk_usage",
        put: |table, row, _| table.disk_usage_bytes = row.mebibytes(),
    },
    TableView {
        name: "max_partition_size",
        put: |table, row, _| table.max_partition_bytes = row.mebibytes(),
    },
    TableView {
        name: "coordinator_read_latency",
        put: |table, row, version| table.coordinator_reads = Some(row.latency(version)),
    },
    TableView {
        name: "coordinator_write_latency",
        put: |table, row, version| table.coordinator_writes = Some(row.latency(version)),
    },
    TableView {
        name: "coordinator_scan_latency",
        put: |table, row, version| table.coordinator_scans = Some(row.latency(version)),
    },
    TableView {
        name: "local_read_latency",
        put: |table, row, version| table.local_reads = Some(row.latency(version)),
    },
    TableView {
        name: "local_write_latency",
        put: |table, row, version| table.local_writes = Some(row.latency(version)),
    },
    TableView {
        name: "local_scan_latency",
        put: |table, row, version| table.local_scans = Some(row.latency(version)),
    },
    TableView {
        name: "tombstones_per_read",
        put: |table, row, _| table.tombstones_per_read = Some(row.spread()),
    },
    TableView {
        name: "rows_per_read",
        put: |table, row, _| table.rows_per_read = Some(row.spread()),
    },
    TableView {
        name: "sstables_per_read",
        put: |table, row, _| table.sstables_per_read = Some(row.spread()),
    },
];

/// A connection to every node of a cluster.
pub struct Reader(Session);

impl Reader {
    /// Connects to a cluster.
    ///
    /// # Errors
    /// Fails if the cluster cannot be connected to.
    pub async fn connect(cluster: &Cluster) -> Result<Self, EngineError> {
        Ok(Reader(cluster.connect().await?))
    }

    /// Reads the figures of every node, in the order of their addresses. Nodes that join the cluster meanwhile come
    /// last, and say so among what is missing.
    pub async fn read(&self, tables: &[TableName]) -> Vec<NodeFigures> {
        let mut nodes = read(&self.0, tables).await;
        let joined = joined_nodes(&self.0, &nodes).await;
        let reading = { joined.iter() }.map(|node| read_node(&self.0, node, tables));
        for mut node in at_once(NODES_AT_ONCE, reading.collect()).await {
            node.missing
                .push(Missing::new(FROM_BEFORE, JOINED.to_owned()));
            nodes.push(node);
        }
        nodes
    }
}

/// Reads the figures of every node that a session knows, in the order of their addresses.
pub async fn read(session: &Session, tables: &[TableName]) -> Vec<NodeFigures> {
    let nodes = nodes_of(session);
    let reading = nodes.iter().map(|node| read_node(session, node, tables));
    at_once(NODES_AT_ONCE, reading.collect()).await
}

/// Reads the bytes of tables on every node that a session knows, and nothing else, in the order of their addresses.
pub async fn read_sizes(session: &Session, tables: &[TableName]) -> Vec<NodeFigures> {
    let nodes = nodes_of(session);
    let reading = { nodes.iter() }.map(|node| read_sizes_of(session, node, tables));
    at_once(NODES_AT_ONCE, reading.collect()).await
}

async fn read_sizes_of(session: &Session, node: &Node, tables: &[TableName]) -> NodeFigures {
    let mut asking = Asking::new(session, node);
    let tables = asking.tables(tables, &TABLE_VIEWS[..1], "").await;
    NodeFigures {
        tables,
        missing: asking.missing,
        ..named(node)
    }
}

/// Returns a node of which only its place is known.
fn named(node: &Node) -> NodeFigures {
    NodeFigures {
        address: node.address.to_string(),
        host: node.address.ip().to_string(),
        datacenter: node.datacenter.clone(),
        rack: node.rack.clone(),
        ..NodeFigures::default()
    }
}

async fn read_node(session: &Session, node: &Node, tables: &[TableName]) -> NodeFigures {
    let mut asking = Asking::new(session, node);
    let version = asking.version().await;
    let all_tables_bytes = asking.all_tables_bytes().await;
    let known = version.as_deref().unwrap_or_default();
    let tables = asking.tables(tables, &TABLE_VIEWS, known).await;
    let caches = asking.caches().await;
    let thread_pools = asking.thread_pools().await;
    let sstable_tasks = asking.sstable_tasks().await;
    let sent = ["sent_bytes", "sent_count"];
    let [sent_to_nodes_bytes, sent_to_nodes_messages] =
        asking.sums("internode_outbound", sent).await;
    let [received_from_nodes_bytes] = asking.sums("internode_inbound", ["received_bytes"]).await;
    NodeFigures {
        version,
        all_tables_bytes,
        tables,
        caches,
        thread_pools,
        sstable_tasks,
        sent_to_nodes_bytes,
        sent_to_nodes_messages,
        received_from_nodes_bytes,
        missing: asking.missing,
        ..named(node)
    }
}

/// A node while it is asked.
struct Asking<'a> {
    session: &'a Session,
    host_id: Uuid,
    /// When it was first asked.
    asked: Instant,
    /// Why it is asked no more.
    lost: Option<String>,
    missing: Vec<Missing>,
}

impl<'a> Asking<'a> {
    fn new(session: &'a Session, node: &Node) -> Self {
        Asking {
            session,
            host_id: node.host_id,
            asked: Instant::now(),
            lost: None,
            missing: Vec::new(),
        }
    }

    async fn version(&mut self) -> Option<String> {
        let cql = "SELECT release_version FROM system.local";
        let rows = self.rows("version", cql, ()).await?;
        rows.first()?.text("release_version")
    }

    async fn all_tables_bytes(&mut self) -> Option<u64> {
        let cql = "SELECT mebibytes FROM system_views.disk_usage";
        let rows = self.rows("disk_usage of all tables", cql, ()).await?;
        let add = |sum: u64, row: &ViewRow| sum.checked_add(row.mebibytes()?);
        rows.iter().try_fold(0, add)
    }

    /// Reads one view after another, and no further table from one that cannot be read.
    async fn tables(
        &mut self,
        names: &[TableName],
        views: &[TableView],
        version: &str,
    ) -> Vec<TableFigures> {
        let mut tables: Vec<TableFigures> = names.iter().cloned().map(TableFigures::new).collect();
        for view in views {
            for table in &mut tables {
                if !self.put(view, table, version).await {
                    break;
                }
            }
        }
        tables
    }

    /// Reads a table's row of a view, and returns whether the view can be read.
    async fn put(&mut self, view: &TableView, table: &mut TableFigures, version: &str) -> bool {
        let cql = format!(
            "SELECT * FROM system_views.{} WHERE keyspace_name = ? AND table_name = ?",
            view.name
        );
        let name = (table.name.keyspace.clone(), table.name.table.clone());
        let Some(rows) = self.rows(view.name, &cql, name).await else {
            return false;
        };
        match rows.first() {
            Some(row) => (view.put)(table, row, version),
            None => {
                let reason = format!("the node has no table {}", table.name);
                self.lacks(view.name, reason);
            }
        }
        true
    }

    async fn caches(&mut self) -> Option<Vec<Cache>> {
        let cache = |row: &ViewRow| {
            Some(Cache {
                name: row.text("name")?,
                capacity_bytes: row.count("capacity_bytes"),
                size_bytes: row.count("size_bytes"),
                entries: row.count("entry_count"),
                hits: row.count("hit_count"),
                requests: row.count("request_count"),
            })
        };
        self.view("caches", cache).await
    }

    async fn thread_pools(&mut self) -> Option<Vec<ThreadPool>> {
        let pool = |row: &ViewRow| {
            Some(ThreadPool {
                name: row.text("name")?,
                active: row.count("active_tasks"),
                active_limit: row.count("active_tasks_limit"),
                pending: row.count("pending_tasks"),
                blocked: row.count("blocked_tasks"),
                completed: row.count("completed_tasks"),
                blocked_all_time: row.count("blocked_tasks_all_time"),
            })
        };
        self.view("thread_pools", pool).await
    }

    async fn sstable_tasks(&mut self) -> Option<Vec<SstableTask>> {
        let task = |row: &ViewRow| {
            Some(SstableTask {
                keyspace: row.text("keyspace_name")?,
                table: row.text("table_name")?,
                kind: row.text("kind"),
                progress: row.count("progress"),
                total: row.count("total"),
                unit: row.text("unit"),
            })
        };
        self.view("sstable_tasks", task).await
    }

    /// Adds up columns of all rows of a view, each of which is about another node; `None` without a row.
    async fn sums<const N: usize>(&mut self, view: &str, columns: [&str; N]) -> [Option<u64>; N] {
        let cql = format!("SELECT {} FROM system_views.{view}", columns.join(", "));
        let rows = self.rows(view, &cql, ()).await.unwrap_or_default();
        columns.map(|column| {
            let add = |sum: u64, row: &ViewRow| sum.checked_add(row.count(column)?);
            let sum = rows.iter().try_fold(0, add);
            sum.filter(|_| !rows.is_empty())
        })
    }

    /// Makes something of each row of a view that has what it needs.
    async fn view<T>(&mut self, name: &str, make: fn(&ViewRow) -> Option<T>) -> Option<Vec<T>> {
        let cql = format!("SELECT * FROM system_views.{name}");
        let rows = self.rows(name, &cql, ()).await?;
        Some(rows.iter().filter_map(make).collect())
    }

    /// Asks the node for rows, and notes the reason if there are none.
    async fn rows(
        &mut self,
        figure: &str,
        cql: &str,
        values: impl SerializeRow,
    ) -> Option<Vec<ViewRow>> {
        if self.lost.is_none() && self.asked.elapsed() > NODE_LIMIT {
            self.lost = Some(format!(
                "the node took longer than {NODE_LIMIT:?} for the figures before"
            ));
        }
        if let Some(reason) = self.lost.clone() {
            self.lacks(figure, reason);
            return None;
        }
        match self.ask(cql, values).await {
            Ok(rows) => Some(rows),
            Err(Unanswered { reason, is_lost }) => {
                if is_lost {
                    self.lost = Some(reason.clone());
                }
                self.lacks(figure, reason);
                None
            }
        }
    }

    async fn ask(&self, cql: &str, values: impl SerializeRow) -> Result<Vec<ViewRow>, Unanswered> {
        let mut statement = for_node(cql, self.host_id);
        statement.set_request_timeout(Some(QUERY_LIMIT));
        // A view is the node's own, so that there is nobody to agree with.
        statement.set_consistency(Consistency::One);
        let reply = self.session.query_unpaged(statement, values).await;
        let reply = reply.map_err(|error| Unanswered::new(&error))?;
        let understood = |reason| Unanswered {
            reason,
            is_lost: false,
        };
        let rows = reply
            .into_rows_result()
            .map_err(|e| understood(e.to_string()))?;
        ViewRow::all(&rows).map_err(understood)
    }

    fn lacks(&mut self, figure: &str, reason: String) {
        self.missing.push(Missing::new(figure, reason));
    }
}
