//! The design of one CQL table of rows, with its indexes and copies.

use std::sync::{Arc, Mutex};

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::sweep::Inserts;
use bakeoff_driver::{
    Answer, Design, DesignError, DesignServers, PartitionKey, PlanText, StoredText,
};
use bakeoff_stats::drive::PartitionBytes;
use bakeoff_stats::{DesignInfo, Footprint, Needs, ServerSample};
use tokio::sync::OnceCell;

use super::copies;
use super::indexes::IndexKind;
use super::layout::{Shape, TableLayout};
use super::partitions;
use super::sql_session::rows_session;
use super::{check_consistency, check_copies, describe, table_layout};
use crate::EngineError;
use crate::cassandra::cluster::deployment::Deployment;
use crate::cassandra::cluster::keyspace::{self, Keyspace};
use crate::cassandra::cluster::{built, footprint, partition_bytes, settle, stored};
use crate::cassandra::read::java;
use crate::cassandra::request::DesignRequest;
use crate::cassandra::write::batches;
use crate::cassandra::write::inserts::{TableInserts, WrittenTable};
use crate::cassandra::write::summary_rows;
use crate::sql::Session;

/// A CQL table that holds the workload's rows as rows.
pub struct RowsDesign {
    deployment: Arc<Deployment>,
    info: DesignInfo,
    keyspace: Keyspace,
    /// Text that identifies the workload's tables in a shared keyspace.
    maker: String,
    layout: TableLayout,
    sql: Session,
    written: OnceCell<Vec<WrittenTable>>,
    /// The summary table, if the design has one, once it is prepared.
    summary: OnceCell<Option<WrittenTable>>,
    /// What altering the table took, in words, once that is done.
    altered: Mutex<Option<String>>,
}

impl RowsDesign {
    pub fn new(
        request: &DesignRequest<'_>,
        shape: Shape,
        deployment: Arc<Deployment>,
    ) -> Result<Self, EngineError> {
        let layout = table_layout(request, shape)?;
        let (session, keyspace) = (&deployment.session, &request.keyspace.name);
        check_consistency(request, &layout, deployment.datacenters())?;
        check_copies(request, &layout, deployment.most_copies())?;
        let sql = rows_session(session, &layout, keyspace, request.context.threads)?;
        Ok(RowsDesign {
            deployment,
            info: describe(request, shape)?,
            keyspace: request.keyspace.clone(),
            maker: request.maker(),
            layout,
            sql,
            written: OnceCell::new(),
            summary: OnceCell::new(),
            altered: Mutex::default(),
        })
    }

    /// Returns the tables that each row is written to, with their statements prepared once.
    async fn written(&self) -> Result<&Vec<WrittenTable>, DesignError> {
        self.written.get_or_try_init(|| self.prepare_all()).await
    }

    /// Returns access for workers that insert into the empty table and its copies.
    async fn table_inserts(&self, over_any: bool) -> Result<TableInserts, DesignError> {
        self.deployment.forget_statistics().await;
        Ok(TableInserts {
            session: self.deployment.session.clone(),
            tables: self.written().await?.clone().into(),
            over_any,
        })
    }

    async fn prepare_all(&self) -> Result<Vec<WrittenTable>, DesignError> {
        let mut written = Vec::new();
        for layout in self.layout.written() {
            written.push(self.prepare(layout).await?);
        }
        Ok(written)
    }

    async fn prepare(&self, layout: TableLayout) -> Result<WrittenTable, DesignError> {
        let cql = layout.insert_statement(&self.keyspace.name);
        let prepared = self.deployment.session.prepare(cql.as_str()).await;
        let mut insert =
            prepared.map_err(|e| DesignError(format!("preparing `{cql}` failed: {e}")))?;
        // Writing the same row twice has no further effect, so that the driver may retry.
        insert.set_is_idempotent(true);
        Ok(WrittenTable { insert, layout })
    }

    /// Returns the summary table, if the design has one, with its statement prepared once.
    async fn summary(&self) -> Result<Option<&WrittenTable>, DesignError> {
        let prepare = || async {
            match self.layout.summary_table() {
                Some(layout) => self.prepare(layout).await.map(Some),
                None => Ok(None),
            }
        };
        let summary = self.summary.get_or_try_init(prepare).await?;
        Ok(summary.as_ref())
    }

    /// Writes rows to the table and to the copies that Bakeoff writes itself.
    async fn write(&self, rows: &RecordBatch) -> Result<(), DesignError> {
        let (session, pace) = (&self.deployment.session, self.deployment.pace());
        for table in self.written().await? {
            batches::write(session, &table.insert, &table.layout, rows, pace).await?;
        }
        Ok(())
    }

    /// Writes what a slice adds to the summary table, if there is one.
    async fn write_summary(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        let (Some(summary), Some(table)) = (&self.layout.summary, self.summary().await?) else {
            return Ok(());
        };
        let (session, pace) = (&self.deployment.session, self.deployment.pace());
        for part in summary_rows::of_slice(summary, &self.layout.table, slice, rows).await? {
            batches::write(session, &table.insert, &table.layout, &part, pace).await?;
        }
        Ok(())
    }

    /// Names the table, its copies and its summary table.
    fn tables(&self) -> Vec<String> {
        let relations = self.layout.relations().into_iter();
        relations.map(|relation| relation.name).collect()
    }

    /// Waits until queries can use the indexes of the table.
    async fn indexes_are_built(&self) -> Result<(), DesignError> {
        let Some(indexes) = &self.layout.indexes else {
            return Ok(());
        };
        let (session, table) = (&self.deployment.session, &self.layout.name);
        built::wait(session, &self.keyspace.name, table, indexes).await
    }

    /// Changes the options of the loaded table, if the design does so, and returns what that took.
    async fn alter(&self) -> Result<Option<String>, DesignError> {
        let (deployment, keyspace) = (&self.deployment, &self.keyspace.name);
        let Some(statement) = self.layout.alter_statement(keyspace) else {
            return Ok(None);
        };
        let before = footprint::read(deployment, keyspace, &self.tables()).await?;
        let time = settle::alter(deployment, keyspace, &self.layout.name, &statement).await?;
        let seconds = time.as_secs_f64();
        let mib = |bytes: u64| format!("{:.2} MiB", bytes as f64 / (1 << 20) as f64);
        let bytes = before.bytes().map_or("an unknown size".to_owned(), mib);
        Ok(Some(format!(
            "altered and written anew by nodetool upgradesstables in {seconds:.2} s, from {bytes}"
        )))
    }

    /// Notes what altering the table took. Nothing else can be under way.
    fn note_altered(&self, altered: Option<String>) {
        if let Ok(mut noted) = self.altered.lock() {
            *noted = altered;
        }
    }

    async fn noticing_death<T>(&self, result: Result<T, DesignError>) -> Result<T, DesignError> {
        self.deployment.noticing_death(result).await
    }
}

#[async_trait]
impl Design for RowsDesign {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        false
    }

    async fn create(&self) -> Result<(), DesignError> {
        let session = &self.deployment.session;
        let tables = self.tables();
        let claimed = self.keyspace.claim_tables(session, &tables, &self.maker);
        claimed.await?;
        for statement in self.layout.recreation_statements(&self.keyspace.name) {
            let made = keyspace::execute(session, &statement).await;
            let made = made.map_err(|error| java::explained(&self.info.id, error));
            made.map_err(|error| copies::explained(&statement, error))?;
        }
        let ours = self.keyspace.check_claims(session, &tables, &self.maker);
        ours.await?;
        self.indexes_are_built().await
    }

    async fn survives(&self) -> bool {
        self.written().await.is_ok() && self.summary().await.is_ok()
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.deployment.forget_statistics().await;
        if let Some(values) = &self.layout.key_values {
            let checked = values.check(rows);
            checked.map_err(|why| DesignError(format!("design {}: {why}", self.info.id)))?;
        }
        let written = async {
            self.write(rows).await?;
            self.write_summary(slice, rows).await
        };
        self.noticing_death(written.await).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let tables = self.layout.relations();
        let settled = settle::settle(
            &self.deployment,
            &self.keyspace.name,
            &tables,
            self.layout.settling,
        )
        .await?;
        // A server that was restarted while rows were loaded may build them again.
        self.indexes_are_built().await?;
        let altered = self.alter().await?;
        self.note_altered(altered.clone());
        Ok(match altered {
            Some(altered) => format!("{settled}, then {altered}"),
            None => settled,
        })
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let tables = self.tables();
        let read = footprint::read(&self.deployment, &self.keyspace.name, &tables).await?;
        let has_hidden_table = self
            .layout
            .indexes
            .as_ref()
            .is_some_and(|indexes| indexes.kind == IndexKind::HiddenTable);
        // The view of a server's disk usage has no hidden tables; the files of our own have them.
        let is_view = read.file_bytes.is_none();
        let note = match read.note {
            Some(note) if has_hidden_table && is_view && read.engine_bytes.is_some() => Some(
                format!("{note}; without its index, which is in a hidden table"),
            ),
            note => note,
        };
        let altered = self.altered.lock().ok().and_then(|noted| noted.clone());
        let note = match (note, altered) {
            (Some(note), Some(altered)) => Some(format!("{note}; {altered}")),
            (note, altered) => note.or(altered),
        };
        Ok(Footprint {
            design: self.info.id.clone(),
            note,
            ..read
        })
    }

    fn partition_key(&self) -> Option<PartitionKey> {
        partitions::key(&self.layout)
    }

    async fn partition_bytes(&self) -> Result<Vec<PartitionBytes>, DesignError> {
        let tables = self.tables();
        partition_bytes::read(&self.deployment, &self.keyspace.name, &tables).await
    }

    async fn bytes_now(&self) -> Option<u64> {
        let tables = self.tables();
        footprint::bytes_now(&self.deployment, &self.keyspace.name, &tables)
    }

    fn needs(&self) -> Needs {
        footprint::needs()
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        let order_key = self.layout.clustering_key();
        let answer = self.sql.answer_by_windows(sql, order_key.first().copied());
        self.noticing_death(answer.await).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        let order_key = self.layout.clustering_key();
        let told = self.sql.query_plan(sql, order_key.first().copied());
        self.noticing_death(told.await).await
    }

    async fn stored_rows(&self) -> Result<Option<StoredText>, DesignError> {
        let (keyspace, table) = (&self.keyspace.name, &self.layout.name);
        let read = stored::read(&self.deployment, keyspace, table).await;
        self.noticing_death(read).await
    }

    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        // Batches of an insert sweep are no slices, by which rows of a summary table are told apart.
        if self.layout.summary.is_some() {
            return Ok(None);
        }
        Ok(Some(Arc::new(self.table_inserts(false).await?)))
    }

    async fn inserts_over_any(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        if self.layout.summary.is_some() {
            return Ok(None);
        }
        Ok(Some(Arc::new(self.table_inserts(true).await?)))
    }

    fn servers(&self) -> Option<&dyn DesignServers> {
        Some(&*self.deployment)
    }

    async fn server_sample(&self) -> Option<ServerSample> {
        let tables = self.tables();
        Some(self.deployment.sample(&self.keyspace.name, &tables).await)
    }
}
