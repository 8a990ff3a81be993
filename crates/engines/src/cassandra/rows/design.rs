//! The design of one CQL table of rows.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::sweep::Inserts;
use bakeoff_driver::{Answer, Design, DesignError};
use bakeoff_stats::{DesignInfo, Footprint, Needs};
use scylla::statement::prepared::PreparedStatement;
use tokio::sync::OnceCell;

use super::indexes::IndexKind;
use super::layout::{Shape, TableLayout};
use super::{describe, table_layout};
use crate::EngineError;
use crate::cassandra::cluster::deployment::Deployment;
use crate::cassandra::cluster::keyspace::{self, Keyspace};
use crate::cassandra::cluster::relations::Relation;
use crate::cassandra::cluster::{built, footprint, settle};
use crate::cassandra::read;
use crate::cassandra::read::readable::ReadTable;
use crate::cassandra::read::table::CassandraTable;
use crate::cassandra::request::DesignRequest;
use crate::cassandra::write::batches;
use crate::cassandra::write::inserts::TableInserts;
use crate::sql::{self, Session};

/// A CQL table that holds the workload's rows as rows.
pub struct RowsDesign {
    deployment: Arc<Deployment>,
    info: DesignInfo,
    keyspace: Keyspace,
    /// Text that identifies the workload's tables in a shared keyspace.
    maker: String,
    layout: TableLayout,
    sql: Session,
    insert: OnceCell<PreparedStatement>,
}

impl RowsDesign {
    pub fn new(
        request: &DesignRequest<'_>,
        shape: Shape,
        deployment: Arc<Deployment>,
    ) -> Result<Self, EngineError> {
        let layout = table_layout(request, shape)?;
        let read = ReadTable::from_layout(&layout, request.keyspace.name.clone());
        let table = Arc::new(CassandraTable::new(deployment.session.clone(), read));
        let sql = sql::session_with(request.context.threads, &layout.table.name, table);
        let sql = sql.map_err(|e| EngineError(e.to_string()))?;
        Ok(RowsDesign {
            deployment,
            info: describe(request, shape)?,
            keyspace: request.keyspace.clone(),
            maker: request.maker(),
            layout,
            sql: read::session(&sql).into(),
            insert: OnceCell::new(),
        })
    }

    /// Returns the statement that inserts a row, prepared once.
    async fn insert(&self) -> Result<&PreparedStatement, DesignError> {
        self.insert.get_or_try_init(|| self.prepare_insert()).await
    }

    async fn prepare_insert(&self) -> Result<PreparedStatement, DesignError> {
        let cql = self.layout.insert_statement(&self.keyspace.name);
        let prepared = self.deployment.session.prepare(cql.as_str()).await;
        let mut insert =
            prepared.map_err(|e| DesignError(format!("preparing `{cql}` failed: {e}")))?;
        // Writing the same row twice has no further effect, so that the driver may retry.
        insert.set_is_idempotent(true);
        Ok(insert)
    }

    async fn execute(&self, cql: &str) -> Result<(), DesignError> {
        Ok(keyspace::execute(&self.deployment.session, cql).await?)
    }

    /// Waits until queries can use the indexes of the table.
    async fn indexes_are_built(&self) -> Result<(), DesignError> {
        let Some(indexes) = &self.layout.indexes else {
            return Ok(());
        };
        let (session, table) = (&self.deployment.session, &self.layout.name);
        built::wait(session, &self.keyspace.name, table, indexes).await
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
        let (session, table) = (&self.deployment.session, &self.layout.name);
        self.keyspace
            .claim_table(session, table, &self.maker)
            .await?;
        for statement in self.layout.recreation_statements(&self.keyspace.name) {
            self.execute(&statement).await?;
        }
        self.indexes_are_built().await
    }

    async fn survives(&self) -> bool {
        self.insert().await.is_ok()
    }

    async fn load(&self, _slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.deployment.forget_statistics().await;
        let session = &self.deployment.session;
        let pace = self.deployment.pace();
        let write =
            async { batches::write(session, self.insert().await?, &self.layout, rows, pace).await };
        self.noticing_death(write.await).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let tables = [Relation::table(self.layout.name.as_str())];
        let settled = settle::settle(&self.deployment, &self.keyspace.name, &tables).await?;
        // A server that was restarted while rows were loaded may build them again.
        self.indexes_are_built().await?;
        Ok(settled)
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let tables = [self.layout.name.clone()];
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
        Ok(Footprint {
            design: self.info.id.clone(),
            note,
            ..read
        })
    }

    async fn bytes_now(&self) -> Option<u64> {
        let tables = [self.layout.name.clone()];
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

    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        self.deployment.forget_statistics().await;
        Ok(Some(Arc::new(TableInserts {
            session: self.deployment.session.clone(),
            insert: self.insert().await?.clone(),
            layout: Arc::new(self.layout.clone()),
        })))
    }

    fn server_cpu_seconds(&self) -> Option<f64> {
        self.deployment.server.as_ref()?.cpu_seconds().ok()
    }

    fn dead(&self) -> Option<String> {
        self.deployment.dead()
    }
}
