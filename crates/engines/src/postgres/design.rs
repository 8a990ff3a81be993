//! A table in PostgreSQL.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::{Answer, Design, DesignError};
use bakeoff_stats::{DesignInfo, Footprint};
use tokio::sync::{Mutex, MutexGuard};
use tokio_postgres::Client;

use super::deployment::Deployment;
use super::layout::{Shape, TableLayout};
use super::load::{Loader, create_parts_statement};
use super::query;
use super::schema::{Schema, execute};
use super::{footprint, session_settings, settle};
use crate::EngineError;

pub struct PostgresDesign {
    deployment: Arc<Deployment>,
    info: DesignInfo,
    schema: Schema,
    layout: TableLayout,
    settings: String,
    loader: Arc<Loader>,
    /// The connection that everything but rows goes through.
    client: Mutex<Option<Client>>,
}

impl PostgresDesign {
    pub fn new(
        deployment: Arc<Deployment>,
        info: DesignInfo,
        schema: Schema,
        layout: TableLayout,
        threads: usize,
    ) -> Result<Self, EngineError> {
        if let (
            Shape::Hypertable {
                columnstore: true, ..
            },
            Some(extension),
        ) = (&layout.shape, &deployment.extension)
            && !extension.has_columnstore()
        {
            return Err(EngineError(format!(
                "design {}: columnstore=on needs the edition of TimescaleDB under its own licence; \
                 this is {extension} under apache",
                info.id
            )));
        }
        let settings = session_settings(&schema, deployment.extension.as_ref(), threads);
        let loader = Loader::new(
            deployment.address.clone(),
            settings.clone(),
            schema.clone(),
            layout.clone(),
            threads,
        );
        Ok(PostgresDesign {
            deployment,
            info,
            schema,
            layout,
            settings,
            loader,
            client: Mutex::default(),
        })
    }

    /// The connection, made anew where it was lost.
    async fn client(&self) -> Result<Held<'_>, DesignError> {
        let mut held = self.client.lock().await;
        if held.as_ref().is_none_or(Client::is_closed) {
            let connected = self.deployment.address.connect(&self.settings).await;
            *held = Some(connected.map_err(design_error)?);
        }
        Ok(Held(held))
    }

    async fn make(&self) -> Result<(), EngineError> {
        self.loader.disconnect();
        let table = &self.layout.table.name;
        self.deployment.claim(&self.schema, table).await?;
        let client = self.deployment.address.connect(&self.settings).await?;
        for statement in create_statements(&self.schema, &self.layout) {
            execute(&client, &statement).await?;
        }
        Ok(())
    }

    async fn is_there(&self) -> Result<bool, EngineError> {
        let client = self.deployment.address.connect(&self.settings).await?;
        if !self.schema.is_there(&client).await? {
            return Ok(false);
        }
        let table = &self.layout.table.name;
        self.deployment.claim(&self.schema, table).await?;
        let sql = "SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2";
        let found = client.query_opt(sql, &[&self.schema.name, table]).await;
        Ok(found.is_ok_and(|row| row.is_some()))
    }
}

/// What makes the empty table in a schema that is ours.
pub fn create_statements(schema: &Schema, layout: &TableLayout) -> Vec<String> {
    let mut statements = schema.drop_tables_statements(&layout.table.name).to_vec();
    statements.push(create_parts_statement(&schema.name));
    statements.extend(layout.create_statements(&schema.name));
    statements
}

#[async_trait]
impl Design for PostgresDesign {
    fn info(&self) -> &DesignInfo {
        &self.info
    }

    /// No index is unique: the study's are not either.
    fn keeps_duplicates(&self) -> bool {
        true
    }

    async fn create(&self) -> Result<(), DesignError> {
        let made = self.make().await.map_err(design_error);
        self.deployment.noticing_death(made).await
    }

    async fn survives(&self) -> bool {
        self.is_there().await.unwrap_or(false)
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        let loaded = self.loader.load(slice, rows).await;
        self.deployment.noticing_death(loaded).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        self.loader.disconnect();
        let settled = async {
            let ours = self.deployment.is_ours();
            let client = self.client().await?;
            settle::settle(client.get()?, &self.layout, &self.schema.name, ours).await
        };
        self.deployment.noticing_death(settled.await).await
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let data_dir = self.deployment.data_dir();
        let client = self.client().await?;
        let (schema, layout) = (&self.schema.name, &self.layout);
        let read = footprint::read(client.get()?, schema, layout, data_dir.as_deref()).await?;
        Ok(Footprint {
            design: self.info.id.clone(),
            ..read
        })
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        let asked = async {
            let client = self.client().await?;
            query::answer(&self.deployment.address, client.get()?, sql).await
        };
        self.deployment.noticing_death(asked.await).await
    }

    fn server_cpu_seconds(&self) -> Option<f64> {
        self.deployment.cpu_seconds()
    }

    fn dead(&self) -> Option<String> {
        self.deployment.dead()
    }
}

/// The connection while somebody uses it.
struct Held<'a>(MutexGuard<'a, Option<Client>>);

impl Held<'_> {
    fn get(&self) -> Result<&Client, DesignError> {
        let lost = || DesignError::new("the connection to PostgreSQL is lost");
        self.0.as_ref().ok_or_else(lost)
    }
}

fn design_error(error: EngineError) -> DesignError {
    DesignError(error.0)
}
