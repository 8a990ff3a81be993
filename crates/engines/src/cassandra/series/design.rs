//! The design of series.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::sweep::Inserts;
use bakeoff_driver::{Answer, Design, DesignError, DesignServers, PlanText};
use bakeoff_stats::{DesignInfo, Footprint, Needs, ServerSample};
use datafusion::error::DataFusionError;
use scylla::statement::prepared::PreparedStatement;
use tokio::sync::OnceCell;

use super::definition::SeriesLayout;
use super::index::Index;
use super::inserts::SeriesInserts;
use super::load::{self, Prepared};
use super::scan::SeriesScan;
use super::table::{KnownKeys, SeriesTable};
use super::{describe, series_layout};
use crate::EngineError;
use crate::cassandra::cluster::deployment::Deployment;
use crate::cassandra::cluster::footprint;
use crate::cassandra::cluster::keyspace::{self, Keyspace};
use crate::cassandra::cluster::relations::Relation;
use crate::cassandra::cluster::settle::{self, Settling};
use crate::cassandra::read::first_rows;
use crate::cassandra::request::DesignRequest;
use crate::sql::{self, Session};

/// A table whose metrics are series in CQL tables.
pub struct SeriesDesign {
    deployment: Arc<Deployment>,
    info: DesignInfo,
    keyspace: Keyspace,
    /// Text that identifies the workload's tables in a shared keyspace.
    maker: String,
    layout: Arc<SeriesLayout>,
    known: Arc<KnownKeys>,
    sql: Session,
    prepared: OnceCell<Prepared>,
}

impl SeriesDesign {
    pub fn new(
        request: &DesignRequest<'_>,
        deployment: Arc<Deployment>,
    ) -> Result<Self, EngineError> {
        let layout = Arc::new(series_layout(request)?);
        let session = deployment.session.clone();
        let keyspace = request.keyspace.clone();
        let known = KnownKeys::new(session.clone(), layout.clone(), &keyspace.name);
        let known = Arc::new(known);
        let failed = |e: DataFusionError| EngineError(e.to_string());
        let table = SeriesTable::new(session, layout.clone(), &keyspace.name, known.clone());
        let table = Arc::new(table.map_err(failed)?);
        let sql = sql::session_with(request.context.threads, &layout.table.name, table);
        Ok(SeriesDesign {
            sql: first_rows::session::<SeriesScan>(&sql.map_err(failed)?).into(),
            prepared: OnceCell::new(),
            deployment,
            info: describe(request)?,
            keyspace,
            maker: request.maker(),
            layout,
            known,
        })
    }

    /// Returns the statements that load rows, prepared once.
    async fn prepared(&self) -> Result<&Prepared, DesignError> {
        self.prepared.get_or_try_init(|| self.prepare_all()).await
    }

    /// Returns access for workers that insert into the empty tables.
    async fn series_inserts(&self, over_any: bool) -> Result<SeriesInserts, DesignError> {
        self.deployment.forget_statistics().await;
        Ok(SeriesInserts {
            session: self.deployment.session.clone(),
            prepared: self.prepared().await?.clone(),
            layout: self.layout.clone(),
            known: self.known.clone(),
            written: Arc::default(),
            over_any,
        })
    }

    async fn prepare_all(&self) -> Result<Prepared, DesignError> {
        let keyspace = &self.keyspace.name;
        let insert = self.layout.values.insert_statement(keyspace);
        let update_index = self.layout.update_index(keyspace);
        Ok(Prepared {
            insert: self.prepare(insert).await?,
            update_index: self.prepare(update_index).await?,
        })
    }

    async fn prepare(&self, cql: String) -> Result<PreparedStatement, DesignError> {
        let prepared = self.deployment.session.prepare(cql.as_str()).await;
        let mut prepared =
            prepared.map_err(|e| DesignError(format!("preparing `{cql}` failed: {e}")))?;
        // Writing the same value twice has no further effect, so that the driver may retry.
        prepared.set_is_idempotent(true);
        Ok(prepared)
    }

    async fn write(&self, rows: &RecordBatch) -> Result<(), DesignError> {
        let index = Index::from_rows(&self.layout, rows)?;
        self.known.add(&index).await?;
        let session = &self.deployment.session;
        let (prepared, pace) = (self.prepared().await?, self.deployment.pace());
        load::write(session, prepared, &self.layout, rows, &index, pace).await
    }

    async fn recreate(&self) -> Result<(), DesignError> {
        let (session, name) = (&self.deployment.session, &self.layout.values.name);
        self.keyspace
            .claim_table(session, name, &self.maker)
            .await?;
        for cql in self.layout.recreation_statements(&self.keyspace.name) {
            keyspace::execute(session, &cql).await?;
        }
        self.known.forget().await;
        Ok(())
    }
}

#[async_trait]
impl Design for SeriesDesign {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        false
    }

    async fn create(&self) -> Result<(), DesignError> {
        self.recreate().await
    }

    async fn forget(&self) {
        self.known.forget().await;
    }

    async fn survives(&self) -> bool {
        self.prepared().await.is_ok()
    }

    async fn load(&self, _slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.deployment.forget_statistics().await;
        self.deployment.noticing_death(self.write(rows).await).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let tables = self.layout.table_names().map(Relation::table);
        settle::settle(
            &self.deployment,
            &self.keyspace.name,
            &tables,
            Settling::Compact,
        )
        .await
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let tables = self.layout.table_names();
        let read = footprint::read(&self.deployment, &self.keyspace.name, &tables).await?;
        Ok(Footprint {
            design: self.info.id.clone(),
            ..read
        })
    }

    async fn bytes_now(&self) -> Option<u64> {
        let tables = self.layout.table_names();
        footprint::bytes_now(&self.deployment, &self.keyspace.name, &tables)
    }

    fn needs(&self) -> Needs {
        footprint::needs()
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        let answer = self.sql.answer(sql).await;
        self.deployment.noticing_death(answer).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        let told = self.sql.query_plan(sql, None).await;
        self.deployment.noticing_death(told).await
    }

    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        Ok(Some(Arc::new(self.series_inserts(false).await?)))
    }

    async fn inserts_over_any(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        Ok(Some(Arc::new(self.series_inserts(true).await?)))
    }

    fn servers(&self) -> Option<&dyn DesignServers> {
        Some(&*self.deployment)
    }

    async fn server_sample(&self) -> Option<ServerSample> {
        let tables = self.layout.table_names();
        Some(self.deployment.sample(&self.keyspace.name, &tables).await)
    }
}
