//! The design of columnar chunks in CQL tables.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_columnar::cassandra::{CassandraStore, Compression, Options, table_names};
use bakeoff_driver::sweep::Inserts;
use bakeoff_driver::{Answer, Design, DesignError, DesignServers, PlanText};
use bakeoff_stats::{DesignInfo, Footprint, Needs, ServerSample};
use bakeoff_workload::Consistency;
use tokio::sync::RwLock;

use super::describe::{describe, relations};
use super::layout::ColumnarLayout;
use crate::EngineError;
use crate::cassandra::cluster::consistency::in_driver;
use crate::cassandra::cluster::deployment::Deployment;
use crate::cassandra::cluster::footprint;
use crate::cassandra::cluster::keyspace::Keyspace;
use crate::cassandra::cluster::replication::Replication;
use crate::cassandra::cluster::settle::{self, Settling};
use crate::cassandra::names::table_name;
use crate::cassandra::request::DesignRequest;
use crate::columnar::{ChunkInserts, Opened, Shape, failed, limited};

/// A columnar table in CQL tables.
pub struct ColumnarDesign {
    deployment: Arc<Deployment>,
    info: DesignInfo,
    keyspace: Keyspace,
    /// Text that identifies the workload's tables in a shared keyspace.
    maker: String,
    shape: Shape,
    /// Name of the columnar table, with which the names of its CQL tables begin.
    name: String,
    /// Name of the workload's table.
    sql_name: String,
    threads: usize,
    opened: RwLock<Option<Arc<Opened>>>,
    options: Options,
}

/// Makes the options of the store, with the compression and the consistency levels that were asked for: that
/// of the run, and `read` in place of it for reads.
fn options(
    compression: Compression,
    replication: Replication,
    read: Option<Consistency>,
) -> Options {
    let mut options = Options {
        compression,
        ..Options::default()
    };
    if let Some(level) = replication.consistency.map(in_driver) {
        options.read_consistency = level;
        options.write_consistency = level;
        options.blob_consistency = level;
    }
    if let Some(level) = read.map(in_driver) {
        options.read_consistency = level;
        options.blob_consistency = level;
    }
    options
}

impl ColumnarDesign {
    pub fn new(
        request: &DesignRequest<'_>,
        deployment: Arc<Deployment>,
    ) -> Result<Self, EngineError> {
        let DesignRequest { id, workload, .. } = request;
        let ColumnarLayout {
            shape,
            compression,
            consistency,
        } = ColumnarLayout::new(id, &workload.table)?;
        Ok(ColumnarDesign {
            deployment,
            info: describe(request)?,
            keyspace: request.keyspace.clone(),
            maker: request.maker(),
            shape,
            name: table_name(&request.table_id()),
            sql_name: workload.table.name.clone(),
            threads: request.context.threads,
            opened: RwLock::default(),
            options: options(compression, request.options().replication, consistency),
        })
    }

    /// Returns the open table, and opens it if necessary.
    async fn opened(&self) -> Result<Arc<Opened>, DesignError> {
        if let Some(opened) = &*self.opened.read().await {
            return Ok(Arc::clone(opened));
        }
        let session = Arc::clone(&self.deployment.session);
        let store = CassandraStore::open(
            session,
            &self.keyspace.name,
            &self.name,
            self.options.clone(),
        )
        .await;
        self.keep(store.map_err(failed)?).await
    }

    async fn keep(&self, store: CassandraStore) -> Result<Arc<Opened>, DesignError> {
        let cache_bytes = self.shape.cache_bytes;
        let store = limited(Arc::new(store), self.deployment.rate_limit.as_ref());
        let opened = Opened::new(store, cache_bytes, &self.sql_name, self.threads)?;
        let opened = Arc::new(opened);
        *self.opened.write().await = Some(Arc::clone(&opened));
        Ok(opened)
    }

    async fn noticing_death<T>(&self, result: Result<T, DesignError>) -> Result<T, DesignError> {
        self.deployment.noticing_death(result).await
    }

    async fn recreate(&self) -> Result<(), DesignError> {
        let session = &self.deployment.session;
        self.keyspace
            .claim_table(session, &self.name, &self.maker)
            .await?;
        let (keyspace, name) = (&self.keyspace.name, &self.name);
        let dropped = CassandraStore::drop_table(Arc::clone(session), keyspace, name).await;
        dropped.map_err(failed)?;
        let (definition, options) = (self.shape.definition.clone(), self.options.clone());
        let store =
            CassandraStore::create(Arc::clone(session), keyspace, name, definition, options).await;
        self.keep(store.map_err(failed)?).await.map(|_| ())
    }
}

#[async_trait]
impl Design for ColumnarDesign {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        false
    }

    async fn create(&self) -> Result<(), DesignError> {
        *self.opened.write().await = None;
        self.noticing_death(self.recreate().await).await
    }

    async fn forget(&self) {
        *self.opened.write().await = None;
    }

    async fn survives(&self) -> bool {
        self.opened().await.is_ok()
    }

    async fn load(&self, _slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.deployment.forget_statistics().await;
        let load = async { self.opened().await?.load(rows).await };
        self.noticing_death(load.await).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let settle = async {
            self.deployment.forget_statistics().await;
            let sealed = self.opened().await?.settle().await?;
            let keyspace = &self.keyspace.name;
            let settled = settle::settle(
                &self.deployment,
                keyspace,
                &relations(&self.name),
                Settling::Compact,
            )
            .await?;
            Ok(format!("{sealed}; {settled}"))
        };
        self.noticing_death(settle.await).await
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let tables = table_names(&self.name);
        let read = footprint::read(&self.deployment, &self.keyspace.name, &tables).await?;
        Ok(Footprint {
            design: self.info.id.clone(),
            ..read
        })
    }

    async fn bytes_now(&self) -> Option<u64> {
        let tables = table_names(&self.name);
        footprint::bytes_now(&self.deployment, &self.keyspace.name, &tables)
    }

    fn needs(&self) -> Needs {
        footprint::needs()
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        let answer = async { self.opened().await?.answer(sql).await };
        self.noticing_death(answer.await).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        let told = async { self.opened().await?.query_plan(sql).await };
        self.noticing_death(told.await).await
    }

    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        self.deployment.forget_statistics().await;
        Ok(Some(Arc::new(ChunkInserts::new(self.opened().await?))))
    }

    fn servers(&self) -> Option<&dyn DesignServers> {
        Some(&*self.deployment)
    }

    async fn server_sample(&self) -> Option<ServerSample> {
        let tables = table_names(&self.name);
        Some(self.deployment.sample(&self.keyspace.name, &tables).await)
    }
}
