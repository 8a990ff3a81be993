//! The engines `postgres` and `timescale`: tables and hypertables, on a server that is already running
//! or one that is started for the run.

mod adoption;
mod asking;
mod chunks;
mod connect;
mod decode;
mod deployment;
mod design;
mod drive;
mod edition;
mod extension;
pub mod figures;
mod finds;
mod footprint;
mod inserts;
mod layout;
pub mod live;
mod load;
mod load_connections;
pub mod made;
mod numeric;
mod propose;
mod query;
mod ranges;
mod reader;
mod replication;
mod schema;
mod settle;
mod spread;
mod standbys;

use std::sync::Arc;

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_driver::drive::Target;
use bakeoff_servers::survey::{self, Survey};
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Workload};

use crate::adoption::{AdoptedRows, Adoption};
use crate::advice::{Advice, Facts, Finds};
use crate::dialect::SqlDialect;
use crate::ranges::Ranges;
use crate::{
    Context, DriveRequest, Engine, EngineError, Layout, NewTable, OptionGroup, Running,
    TargetOptions, sql_check,
};
pub use connect::{PostgresOptions, PostgresServer};
use deployment::Deployment;
use design::PostgresDesign;
use drive::{Parts, PostgresTarget};
use extension::Extension;
use layout::{TableLayout, quoted};
pub use load_connections::LoadConnections;
pub use replication::{Standbys, WaitFor};
use schema::Schema;

/// Chunks of a hypertable with which a new workload begins; TimescaleDB takes more, but slowly.
const BEGUN_CHUNKS: u64 = 100;

/// PostgreSQL alone, or with TimescaleDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    Postgres,
    Timescale,
}

impl Flavour {
    fn name(self) -> &'static str {
        match self {
            Flavour::Postgres => "postgres",
            Flavour::Timescale => "timescale",
        }
    }
}

#[async_trait]
impl Engine for Flavour {
    fn name(&self) -> &'static str {
        Flavour::name(*self)
    }

    fn to_begin_with(&self, table: &NewTable) -> Vec<String> {
        let design = match (self, table.days) {
            _ if table.is_wide() => None,
            (Flavour::Postgres, _) => Some("postgres/plain".to_owned()),
            (Flavour::Timescale, None) => None,
            (Flavour::Timescale, Some(days)) => {
                let chunk = days / BEGUN_CHUNKS + 1;
                Some(format!("timescale/hypertable?chunk={chunk}d"))
            }
        };
        design.into_iter().collect()
    }

    fn advise(&self, facts: &Facts) -> Vec<Advice> {
        propose::advise(*self, facts)
    }

    fn finds(&self, id: &DesignId) -> Option<Finds> {
        finds::finds(id)
    }

    fn layouts(&self) -> &'static [Layout] {
        match self {
            Flavour::Postgres => &[
                Layout {
                    name: "postgres/plain",
                    what: "one table with a B-tree on its key, newest first",
                    settings: layout::INDEX_SETTINGS,
                },
                Layout {
                    name: "postgres/brin",
                    what: "one table with a BRIN index on the order key",
                    settings: layout::BRIN_SETTINGS,
                },
                Layout {
                    name: "postgres/partitioned",
                    what: "declarative partitions by ranges of the order key",
                    settings: layout::PARTITIONED_SETTINGS,
                },
            ],
            Flavour::Timescale => &[Layout {
                name: "timescale/hypertable",
                what: "chunks by ranges of the order key, made by TimescaleDB",
                settings: layout::HYPERTABLE_SETTINGS,
            }],
        }
    }

    fn has_server(&self) -> bool {
        true
    }

    fn option_groups(&self, _id: &DesignId) -> &'static [OptionGroup] {
        &[OptionGroup::Postgres]
    }

    fn check_operations(&self, _id: &DesignId) -> Result<(), EngineError> {
        Ok(())
    }

    fn check_drive(&self, id: &DesignId, request: &DriveRequest<'_>) -> Result<(), EngineError> {
        drive::check_drive(id, request)
    }

    fn for_drive(
        &self,
        id: &DesignId,
        request: &DriveRequest<'_>,
    ) -> Result<DesignId, EngineError> {
        drive::for_drive(id, request)
    }

    fn takes_inserts(&self, _id: &DesignId) -> bool {
        true
    }

    fn speaks_sql(&self) -> bool {
        true
    }

    fn dialect(&self) -> Option<SqlDialect> {
        Some(SqlDialect::Postgres)
    }

    fn complaint_of_sql(&self, sql: &str) -> Option<String> {
        sql_check::complaint(sql)
    }

    async fn survey(&self) -> Survey {
        match self {
            Flavour::Postgres => survey::postgres(),
            Flavour::Timescale => survey::timescale(),
        }
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let layout = TableLayout::new(id, &workload.table, workload.data.time_span())?;
        let schema = Schema::new(&workload.name, id, context);
        let ours = context.options.postgres.server.is_none();
        let standbys = context.options.postgres.standbys;
        let mut statements = Vec::new();
        if ours && *self == Flavour::Timescale {
            statements.push(deployment::CREATE_EXTENSION.to_owned());
        }
        if ours {
            statements.extend(reader::statements("..."));
            statements.extend(standbys::statements(standbys, "..."));
        }
        statements.extend(schema.statements());
        statements.extend(design::create_statements(&schema, &layout));
        if ours {
            statements.extend(reader::table_statements(&schema.name, &layout.table.name));
        }
        statements.extend(layout.partition_example(&schema.name));
        statements.push(layout.copy_statement(&schema.name));
        statements.push(load::note_statement(&schema.name, "SLICE", "PART"));
        statements.extend(settle::statements(&layout, &schema.name, ours));
        statements.extend((ours && standbys.count > 0).then(|| standbys::AT_REST.to_owned()));
        let options = &context.options.postgres;
        let driven = workload
            .mix
            .as_ref()
            .filter(|_| options.driven.contains(id));
        if let Some(mix) = driven {
            statements.extend(drive::statements(id, &layout, &schema, (workload, mix))?);
        }
        if !ours {
            statements.extend(schema.drop_tables_statements(&layout.table.name));
            statements.push(schema.drop_statement());
        }
        let mut settings = layout.settings();
        settings.push((
            "writes".to_owned(),
            format!(
                "binary COPY, {} rows in each transaction, up to {} connections",
                load::PART_ROWS,
                context.threads
            ),
        ));
        settings.push((
            "max_parallel_workers_per_gather".to_owned(),
            parallel_workers(context.threads).to_string(),
        ));
        settings.extend(standbys.setting().filter(|_| ours));
        let asks_standbys = ours && context.options.postgres.asks_standbys;
        settings.extend(asks_standbys.then(replication::asked_setting));
        settings.extend(driven.map(|mix| drive::setting(options.load, mix)));
        Ok(self.info_of(id, settings, statements))
    }

    fn would_touch(&self, context: &Context) -> Option<String> {
        let kind = match self {
            Flavour::Postgres => "PostgreSQL",
            Flavour::Timescale => "TimescaleDB",
        };
        let options = &context.options.postgres;
        let standbys = match (options.standbys.count, options.asks_standbys) {
            (0, _) => String::new(),
            (1, false) => " with a standby".to_owned(),
            (1, true) => " with a standby, which answers the questions,".to_owned(),
            (several, false) => format!(" with {several} standbys"),
            (several, true) => format!(" with {several} standbys, which answer the questions,"),
        };
        Some(match &options.server {
            Some(server) => format!("to the PostgreSQL at {server}"),
            None => format!("start a {kind}{standbys} on loopback with its data in it"),
        })
    }

    fn adoption(
        &self,
        id: &DesignId,
        workload: &Workload,
        _context: &Context,
        _rows: &AdoptedRows<'_>,
    ) -> Result<Adoption, EngineError> {
        adoption::of(id, workload)
    }

    async fn check(&self, context: &Context) -> Result<(), EngineError> {
        Deployment::check(*self, context).await
    }

    async fn check_design(&self, id: &DesignId, context: &Context) -> Result<(), EngineError> {
        edition::check(id, context).await
    }

    fn ranges(&self, id: &DesignId, workload: &Workload) -> Result<Option<Ranges>, EngineError> {
        let layout = TableLayout::new(id, &workload.table, workload.data.time_span())?;
        Ok(layout.ranges().cloned())
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        let deployment = Deployment::start(*self, context).await?;
        Ok(Box::new(RunningPostgres {
            flavour: *self,
            deployment: Arc::new(deployment),
        }))
    }
}

struct RunningPostgres {
    flavour: Flavour,
    deployment: Arc<Deployment>,
}

#[async_trait]
impl Running for RunningPostgres {
    fn info(&self) -> EngineInfo {
        self.deployment.info.clone()
    }

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        let info = self.flavour.describe(id, workload, context)?;
        let layout = TableLayout::new(id, &workload.table, workload.data.time_span())?;
        let schema = Schema::new(&workload.name, id, context);
        self.deployment.claim(&schema, &layout.table.name).await?;
        let deployment = Arc::clone(&self.deployment);
        let design = PostgresDesign::new(deployment, info, schema, layout, context.threads)?;
        Ok(Box::new(design))
    }

    async fn target(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
        options: &TargetOptions,
    ) -> Result<Box<dyn Target>, EngineError> {
        let target = PostgresTarget::new(Parts {
            design: self.design(id, workload, context).await?,
            deployment: Arc::clone(&self.deployment),
            id: id.clone(),
            schema: Schema::new(&workload.name, id, context),
            layout: TableLayout::new(id, &workload.table, workload.data.time_span())?,
            workload: workload.clone(),
            options: options.clone(),
            threads: context.threads,
            connections: context.options.postgres.load,
        })?;
        Ok(Box::new(target))
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        Deployment::finish(self.deployment, keep).await
    }
}

/// Returns the statements that set up a connection of a design: where its table is found, and how many
/// processes a query may use.
fn session_settings(schema: &Schema, extension: Option<&Extension>, threads: usize) -> String {
    let mut path = vec![quoted(&schema.name)];
    path.extend(extension.map(|extension| extension.schema.clone()));
    format!(
        "SET search_path TO {}; SET max_parallel_workers_per_gather TO {}",
        path.join(", "),
        parallel_workers(threads)
    )
}

/// Returns the number of processes in addition to the one that answers.
fn parallel_workers(threads: usize) -> usize {
    threads.saturating_sub(1)
}
