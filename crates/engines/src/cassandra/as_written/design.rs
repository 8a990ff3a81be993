//! Tables of a workload that is written in CQL: its own statements make and fill them.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError};
use bakeoff_stats::{DesignInfo, Footprint, Needs};
use bakeoff_workload::{Mix, Table, Value};
use futures::TryStreamExt;
use tokio::sync::OnceCell;

use super::describe::{describe, mix_of};
use super::plan::statement;
use crate::EngineError;
use crate::cassandra::cluster::deployment::Deployment;
use crate::cassandra::cluster::keyspace::{self, Keyspace};
use crate::cassandra::cluster::relations::{Relation, own_relations};
use crate::cassandra::cluster::{footprint, settle};
use crate::cassandra::drive::cells::Cells;
use crate::cassandra::drive::plan::Bind;
use crate::cassandra::drive::statements::{Prepared, prepare};
use crate::cassandra::names::in_keyspace;
use crate::cassandra::request::DesignRequest;
use crate::cassandra::write::batches::IN_FLIGHT;

/// What `prepare` calls the statements that fill the tables.
const POPULATE: &str = "populate";

pub struct AsWrittenDesign {
    deployment: Arc<Deployment>,
    info: DesignInfo,
    keyspace: Keyspace,
    table: Table,
    mix: Mix,
    populate: OnceCell<Vec<Prepared>>,
}

impl AsWrittenDesign {
    pub fn new(
        request: &DesignRequest<'_>,
        deployment: Arc<Deployment>,
    ) -> Result<Self, EngineError> {
        Ok(AsWrittenDesign {
            deployment,
            info: describe(request)?,
            keyspace: request.keyspace.clone(),
            table: request.workload.table.clone(),
            mix: mix_of(request)?.clone(),
            populate: OnceCell::new(),
        })
    }

    async fn populate(&self) -> Result<&[Prepared], DesignError> {
        let populate = || async {
            let mut all = Vec::new();
            for written in &self.mix.populate {
                let statement = statement(&self.keyspace.name, written);
                let session = &self.deployment.session;
                all.push(prepare(session, POPULATE, &statement, None, &self.table).await?);
            }
            Ok(all)
        };
        self.populate
            .get_or_try_init(populate)
            .await
            .map(Vec::as_slice)
    }

    async fn write(&self, rows: &RecordBatch) -> Result<(), DesignError> {
        let session = &self.deployment.session;
        for populate in self.populate().await? {
            let send = |row| async move {
                let cells = self.cells(populate, rows, row);
                let done = session.execute_unpaged(&populate.statement, &cells).await;
                done.map(drop)
                    .map_err(|e| DesignError(format!("writing to Cassandra failed: {e}")))
            };
            futures::stream::iter((0..rows.num_rows()).map(Ok))
                .try_for_each_concurrent(IN_FLIGHT, send)
                .await?;
        }
        Ok(())
    }

    /// The values of one statement for one row.
    fn cells(&self, populate: &Prepared, rows: &RecordBatch, row: usize) -> Cells {
        let value = |column: usize| {
            Value::of_cell(self.table.columns[column].kind, rows.column(column), row)
        };
        let mut cells = Cells::default();
        for bind in &populate.binds {
            match bind {
                Bind::Element(column, _) => cells.push_element(&value(*column)),
                Bind::Column(column, _) => cells.push(&value(*column)),
                // Nothing else is bound by such a statement: `statements` looked.
                _ => {}
            }
        }
        cells
    }

    async fn relations(&self) -> Result<Vec<Relation>, DesignError> {
        Ok(own_relations(&self.deployment.session, &self.keyspace.name).await?)
    }
}

#[async_trait]
impl Design for AsWrittenDesign {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    fn keeps_duplicates(&self) -> bool {
        false
    }

    /// Makes the keyspace again: types and views that an earlier attempt left behind would be in
    /// the way. One that is shared has to be empty.
    async fn create(&self) -> Result<(), DesignError> {
        let session = &self.deployment.session;
        self.keyspace.clear(session).await?;
        self.keyspace.make(session).await?;
        for statement in &self.mix.schema {
            let cql = in_keyspace(statement, &self.keyspace.name);
            keyspace::execute(session, &cql).await?;
        }
        Ok(())
    }

    async fn survives(&self) -> bool {
        let relations = self.relations().await;
        relations.is_ok_and(|relations| !relations.is_empty()) && self.populate().await.is_ok()
    }

    async fn load(&self, _slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        self.deployment.forget_statistics().await;
        let written = self.write(rows).await;
        self.deployment.noticing_death(written).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        let relations = self.relations().await?;
        settle::settle(&self.deployment, &self.keyspace.name, &relations).await
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let relations = self.relations().await?;
        let tables: Vec<String> = relations.into_iter().map(|r| r.name).collect();
        let read = footprint::read(&self.deployment, &self.keyspace.name, &tables).await?;
        Ok(Footprint {
            design: self.info.id.clone(),
            ..read
        })
    }

    async fn bytes_now(&self) -> Option<u64> {
        let relations = self.relations().await.ok()?;
        let tables: Vec<String> = relations.into_iter().map(|r| r.name).collect();
        footprint::bytes_now(&self.deployment, &self.keyspace.name, &tables)
    }

    fn needs(&self) -> Needs {
        footprint::needs()
    }

    async fn answer(&self, _: &str) -> Result<Answer, DesignError> {
        Err(DesignError(format!(
            "design {} has the tables that the workload's own CQL makes, and answers no SQL: use \
             it with bakeoff drive",
            self.info.id
        )))
    }

    fn server_cpu_seconds(&self) -> Option<f64> {
        self.deployment.server.as_ref()?.cpu_seconds().ok()
    }

    fn dead(&self) -> Option<String> {
        self.deployment.dead()
    }
}
