//! A design on PostgreSQL: one table in its own schema.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_driver::sweep::Inserts;
use bakeoff_driver::{Answer, Design, DesignError, PlanText};
use bakeoff_stats::{DesignInfo, Footprint, Needs, ServerAccount, ServerSample};
use tokio_postgres::Client;

use super::deployment::Deployment;
use super::inserts::CopyInserts;
use super::layout::TableLayout;
use super::load::{Loader, create_parts_statement};
use super::schema::{Schema, execute};
use super::spread::Spread;
use super::{edition, figures, footprint, query, reader, session_settings, settle};
use crate::explained::{explain, plan_in};
use crate::{EngineError, sql_check};

pub struct PostgresDesign {
    deployment: Arc<Deployment>,
    info: DesignInfo,
    schema: Schema,
    layout: TableLayout,
    settings: String,
    loader: Arc<Loader>,
    /// Whom it is asked of.
    spread: Spread,
}

impl PostgresDesign {
    pub fn new(
        deployment: Arc<Deployment>,
        info: DesignInfo,
        schema: Schema,
        layout: TableLayout,
        threads: usize,
    ) -> Result<Self, EngineError> {
        edition::check_in_force(&info.id, &layout, deployment.extension.as_ref())?;
        let settings = session_settings(&schema, deployment.extension.as_ref(), threads);
        let loader = Loader::new(
            deployment.address.clone(),
            settings.clone(),
            schema.clone(),
            layout.clone(),
            threads,
            deployment.rate_limit.clone(),
        );
        let spread = Spread::over(&deployment.asked, &settings);
        Ok(PostgresDesign {
            deployment,
            info,
            schema,
            layout,
            settings,
            loader,
            spread,
        })
    }

    async fn connect(&self) -> Result<Client, DesignError> {
        Ok(self.deployment.address.connect(&self.settings).await?)
    }

    async fn make(&self) -> Result<(), EngineError> {
        self.loader.disconnect();
        self.spread.close();
        let table = &self.layout.table.name;
        self.deployment.claim(&self.schema, table).await?;
        let client = self.deployment.address.connect(&self.settings).await?;
        for statement in create_statements(&self.schema, &self.layout) {
            execute(&client, &statement).await?;
        }
        self.let_read(&client).await
    }

    /// Lets the role that questions are asked as read the table, on a server of our own.
    async fn let_read(&self, client: &Client) -> Result<(), EngineError> {
        if !self.deployment.is_ours() {
            return Ok(());
        }
        for statement in reader::table_statements(&self.schema.name, &self.layout.table.name) {
            execute(client, &statement).await?;
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
        if !found.is_ok_and(|row| row.is_some()) {
            return Ok(false);
        }
        self.let_read(&client).await?;
        self.deployment.let_standbys_catch_up(&client).await?;
        Ok(true)
    }

    /// Asks a text that was checked before.
    async fn ask(&self, sql: &str) -> Result<Answer, DesignError> {
        let asked = async {
            let chosen = self.spread.choose();
            let asking = chosen.asking();
            let client = asking.take().await?;
            let answering = query::answer(&client, sql);
            let answer = query::cancelled_on_failure(asking.server(), &client, answering).await?;
            asking.put_back(client);
            Ok(answer)
        };
        self.deployment.noticing_death(asked.await).await
    }
}

/// Returns the statements that create the empty table in the design's schema.
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

    /// Returns whether no index is unique.
    fn keeps_duplicates(&self) -> bool {
        !self.layout.unique
    }

    async fn create(&self) -> Result<(), DesignError> {
        let making = async { self.make().await.map_err(DesignError::from) };
        let made = self.deployment.while_whole(making).await;
        self.deployment.noticing_death(made).await
    }

    async fn survives(&self) -> bool {
        let looking = async { self.is_there().await.map_err(DesignError::from) };
        let found = self.deployment.while_whole(looking).await;
        found.unwrap_or(false)
    }

    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError> {
        let loading = self.loader.load(slice, rows);
        let loaded = self.deployment.while_whole(loading).await;
        self.deployment.noticing_death(loaded).await
    }

    async fn settle(&self) -> Result<String, DesignError> {
        self.loader.disconnect();
        let settled = async {
            let (server, ours) = (&self.deployment.address, self.deployment.is_ours());
            let client = self.connect().await?;
            let settling = async {
                let how = settle::settle(&client, &self.layout, &self.schema.name, ours).await?;
                let standbys = self.deployment.bring_standbys_to_rest(&client).await?;
                Ok::<_, DesignError>(how + &settle::of_standbys(standbys))
            };
            query::cancelled_on_failure(server, &client, settling).await
        };
        let settled = self.deployment.while_whole(settled).await;
        self.deployment.noticing_death(settled).await
    }

    async fn footprint(&self) -> Result<Footprint, DesignError> {
        let data_dirs = self.deployment.data_dirs();
        let client = self.connect().await?;
        let (schema, layout) = (&self.schema.name, &self.layout);
        let read = footprint::read(&client, schema, layout, &data_dirs).await?;
        Ok(Footprint {
            design: self.info.id.clone(),
            ..read
        })
    }

    fn needs(&self) -> Needs {
        footprint::needs()
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        // Again, since parameters have become part of the text.
        if let Some(complaint) = sql_check::complaint(sql) {
            return Err(DesignError(complaint));
        }
        self.ask(sql).await
    }

    async fn query_plan(&self, sql: &str) -> Result<Option<PlanText>, DesignError> {
        if let Some(complaint) = sql_check::complaint(sql) {
            return Err(DesignError(complaint));
        }
        plan_in(&self.ask(&explain(sql)).await?, "PostgreSQL")
    }

    async fn after_answer(&self) {
        self.spread.reset_one().await;
    }

    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        Ok(Some(Arc::new(CopyInserts {
            server: self.deployment.address.clone(),
            settings: self.settings.clone(),
            copy: self.layout.copy_statement(&self.schema.name),
            loader: Arc::clone(&self.loader),
            prepared: tokio::sync::Mutex::default(),
        })))
    }

    fn server_cpu_seconds(&self) -> Option<f64> {
        self.deployment.cpu_seconds()
    }

    async fn server_sample(&self) -> Option<ServerSample> {
        Some(self.deployment.sample().await)
    }

    async fn server_account(&self) -> Result<Option<ServerAccount>, DesignError> {
        Ok(Some(figures::account(&self.deployment.address).await?))
    }

    /// Returns the number of servers that it is asked of.
    fn nodes(&self) -> u32 {
        u32::try_from(self.spread.count()).unwrap_or(u32::MAX)
    }

    fn ended_processes(&self) -> u64 {
        self.deployment.ended_processes()
    }

    async fn look(&self) {
        self.deployment.look().await;
    }

    fn dead(&self) -> Option<String> {
        self.deployment.dead()
    }
}
