//! The design of a workload that is written in CQL, whose own statements create and fill its tables.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError, DesignServers};
use bakeoff_stats::drive::PartitionBytes;
use bakeoff_stats::{DesignInfo, Footprint, Needs, ServerSample};
use bakeoff_workload::{Mix, Table, Value, Version};
use futures::TryStreamExt;
use tokio::sync::OnceCell;

use super::describe::{describe, mix_of};
use super::plan::statement;
use crate::EngineError;
use crate::cassandra::cluster::deployment::Deployment;
use crate::cassandra::cluster::keyspace::{self, Keyspace};
use crate::cassandra::cluster::relations::{Relation, own_relations};
use crate::cassandra::cluster::settle::{self, Settling};
use crate::cassandra::cluster::{footprint, partition_bytes};
use crate::cassandra::drive::arrays::{LastDoubles, item};
use crate::cassandra::drive::cells::Cells;
use crate::cassandra::drive::plan::Bind;
use crate::cassandra::drive::statements::{Prepared, prepare};
use crate::cassandra::names::in_keyspace;
use crate::cassandra::request::DesignRequest;
use crate::cassandra::write::batches::IN_FLIGHT;

/// Name under which errors report the statements that fill the tables.
const POPULATE: &str = "populate";

/// The tables that a workload's own statements create.
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

    /// Returns the statements that fill the tables, prepared once.
    async fn populate(&self) -> Result<&[Prepared], DesignError> {
        let prepared = self.populate.get_or_try_init(|| self.prepare_populate());
        prepared.await.map(Vec::as_slice)
    }

    async fn prepare_populate(&self) -> Result<Vec<Prepared>, DesignError> {
        let session = &self.deployment.session;
        let mut all = Vec::new();
        for written in &self.mix.populate {
            let statement = statement(&self.keyspace.name, written);
            all.push(prepare(session, POPULATE, &statement, None, &self.table).await?);
        }
        Ok(all)
    }

    async fn write(&self, rows: &RecordBatch) -> Result<(), DesignError> {
        let statements = self.populate().await?;
        let pace = self.deployment.pace().of_parts(statements.len());
        for populate in statements {
            futures::stream::iter((0..rows.num_rows()).map(Ok))
                .try_for_each_concurrent(IN_FLIGHT, |row| async move {
                    pace.wait(1).await;
                    self.write_row(populate, rows, row).await
                })
                .await?;
        }
        Ok(())
    }

    async fn write_row(
        &self,
        populate: &Prepared,
        rows: &RecordBatch,
        row: usize,
    ) -> Result<(), DesignError> {
        let cells = self.cells(populate, rows, row);
        let session = &self.deployment.session;
        match session.execute_unpaged(&populate.statement, &cells).await {
            Ok(_) => Ok(()),
            Err(error) => Err(DesignError(format!("writing to Cassandra failed: {error}"))),
        }
    }

    /// Encodes the values that a statement binds for one row.
    fn cells(&self, populate: &Prepared, rows: &RecordBatch, row: usize) -> Cells {
        let value = |column: usize| {
            Value::of_cell(self.table.columns[column].kind, rows.column(column), row)
        };
        let mut cells = Cells::default();
        let mut last = LastDoubles::default();
        for bind in &populate.binds {
            match bind {
                Bind::Element(column, _) => cells.push_element(&value(*column)),
                Bind::Column(column, _) => cells.push(&value(*column)),
                Bind::Doubles {
                    column, as_type, ..
                } => {
                    let doubles = last.of(*column, Version::First, || value(*column));
                    cells.push_bytes(&as_type.encode(doubles));
                }
                Bind::Item {
                    column,
                    item: number_of_item,
                    number,
                    ..
                } => {
                    let doubles = last.of(*column, Version::First, || value(*column));
                    let bytes = item(doubles, *number_of_item, *number);
                    cells.push_bytes_or_null(bytes.as_deref());
                }
                // `schema` has refused statements that bind anything else.
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

    /// Recreates the keyspace, since types and views of an earlier attempt would collide with the
    /// new ones.
    ///
    /// # Errors
    /// Fails if the keyspace is shared and not empty.
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
        settle::settle(
            &self.deployment,
            &self.keyspace.name,
            &relations,
            Settling::Compact,
        )
        .await
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

    async fn partition_bytes(&self) -> Result<Vec<PartitionBytes>, DesignError> {
        let relations = self.relations().await?;
        let tables: Vec<String> = relations.into_iter().map(|r| r.name).collect();
        partition_bytes::read(&self.deployment, &self.keyspace.name, &tables).await
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
            "design {} has tables that the workload's own CQL makes and answers no SQL: use it \
             with bakeoff drive",
            self.info.id
        )))
    }

    fn servers(&self) -> Option<&dyn DesignServers> {
        Some(&*self.deployment)
    }

    async fn server_sample(&self) -> Option<ServerSample> {
        let relations = self.relations().await.unwrap_or_default();
        let tables: Vec<String> = relations.into_iter().map(|r| r.name).collect();
        Some(self.deployment.sample(&self.keyspace.name, &tables).await)
    }
}
