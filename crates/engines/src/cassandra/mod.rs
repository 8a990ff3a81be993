//! `cassandra`: ordinary CQL tables in several layouts, on a cluster that runs or on one that is
//! started for the run.

mod as_written;
mod cluster;
mod columnar;
mod describe;
mod drive;
mod names;
mod read;
mod rows;
mod series;
mod write;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_driver::drive::Target;
use bakeoff_servers::survey::{self, Survey};
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Mix, Workload};
use datafusion::error::DataFusionError;
use tokio::sync::{OnceCell, RwLock};

use crate::columnar::Shape;
use crate::{Context, Engine, EngineError, Layout, Running, TargetOptions};
use as_written::AsWrittenDesign;
use as_written::plan::AS_WRITTEN;
pub use cluster::connect::Cluster;
pub use cluster::consistency::in_driver;
use cluster::deployment::Deployment;
pub use cluster::deployment::limits_not_applied;
use cluster::keyspace::Keyspace;
pub use cluster::replication::Replication;
use cluster::shared;
use columnar::ColumnarDesign;
use drive::{CassandraTarget, Parts};
pub use names::quoted;
use names::table_name;
pub use read::any_table::{open_table, read_as_text};
pub use read::scan::{REQUESTS, REQUESTS_DONE};
use rows::CassandraDesign;
use rows::layout::{self, SERIES, TableLayout};
use rows::operations::of_layout;
use series::{SeriesDesign, SeriesLayout};

pub struct Cassandra;

/// The layout that is no CQL table of rows.
const COLUMNAR: &str = "columnar";

#[async_trait]
impl Engine for Cassandra {
    fn name(&self) -> &'static str {
        "cassandra"
    }

    fn layouts(&self) -> &'static [Layout] {
        &[
            Layout {
                name: "cassandra/narrow",
                what: "one row per partition",
                settings: layout::NARROW_SETTINGS,
            },
            Layout {
                name: "cassandra/wide",
                what: "rows of a partition key together, in order; a time bucket if asked",
                settings: layout::WIDE_SETTINGS,
            },
            Layout {
                name: "cassandra/blob",
                what: "as wide, everything outside the key in one encoded blob per row",
                settings: layout::WIDE_SETTINGS,
            },
            Layout {
                name: "cassandra/compact",
                what: "as blob, WITH COMPACT STORAGE",
                settings: layout::WIDE_SETTINGS,
            },
            Layout {
                name: "cassandra/series",
                what: "a partition for each key, metric and day; tags in a table with a row per key",
                settings: layout::SERIES_SETTINGS,
            },
            Layout {
                name: "cassandra/columnar",
                what: "chunks of encoded columns in CQL tables, read by DataFusion",
                settings: crate::columnar::SETTINGS,
            },
            Layout {
                name: "cassandra/as-written",
                what: "the tables of a [mix] that is written in CQL, for bakeoff drive",
                settings: "",
            },
        ]
    }

    fn takes_operations(&self, id: &DesignId) -> bool {
        !matches!(id.layout.as_deref(), Some(COLUMNAR | SERIES))
    }

    fn takes_inserts(&self, id: &DesignId) -> bool {
        !is_as_written(id)
    }

    async fn survey(&self) -> Survey {
        survey::cassandra().await
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let keyspace = Keyspace::of(&workload.name, context)?;
        match id.layout.as_deref() {
            Some(AS_WRITTEN) => describe::as_written(id, workload, context, &keyspace),
            Some(COLUMNAR) => describe::columnar(id, workload, context, &keyspace),
            Some(SERIES) => describe::series(id, workload, context, &keyspace),
            _ => describe::layout(id, workload, context, &keyspace),
        }
    }

    async fn check(&self, context: &Context) -> Result<(), EngineError> {
        Deployment::check(context).await
    }

    fn fetches_first(&self, context: &Context) -> Option<&'static str> {
        Deployment::fetches_first(context)
    }

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        Ok(Box::new(RunningCassandra(Arc::new(
            Deployment::start(context).await?,
        ))))
    }
}

struct RunningCassandra(Arc<Deployment>);

impl RunningCassandra {
    /// A design in a keyspace that is claimed.
    fn build(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        let info = Cassandra.describe(id, workload, context)?;
        let keyspace = Keyspace::of(&workload.name, context)?;
        if is_as_written(id) {
            return Ok(Box::new(AsWrittenDesign {
                deployment: self.0.clone(),
                info,
                keyspace,
                table: workload.table.clone(),
                mix: mix_of(id, workload)?.clone(),
                populate: OnceCell::new(),
            }));
        }
        let (deployment, threads) = (self.0.clone(), context.threads);
        let maker = shared::maker(workload);
        if id.layout.as_deref() == Some(COLUMNAR) {
            return Ok(Box::new(ColumnarDesign {
                deployment,
                info,
                keyspace,
                maker,
                shape: Shape::new(id, &workload.table)?,
                name: table_name(id),
                sql_name: workload.table.name.clone(),
                threads,
                opened: RwLock::default(),
                options: columnar::options(context.replication),
            }));
        }
        let failed = |e: DataFusionError| EngineError(e.to_string());
        if id.layout.as_deref() == Some(SERIES) {
            let layout = SeriesLayout::new(id, &workload.table, context.keys_repeat)?;
            let design = SeriesDesign::new(deployment, info, keyspace, maker, layout, threads);
            return Ok(Box::new(design.map_err(failed)?));
        }
        let layout = TableLayout::new(id, &workload.table, context.keys_repeat)?;
        let design = CassandraDesign::new(deployment, info, keyspace, maker, layout, threads);
        Ok(Box::new(design.map_err(failed)?))
    }
}

#[async_trait]
impl Running for RunningCassandra {
    fn info(&self) -> EngineInfo {
        self.0.info.clone()
    }

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        self.0
            .claim(&Keyspace::of(&workload.name, context)?)
            .await?;
        self.build(id, workload, context)
    }

    async fn target(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
        options: &TargetOptions,
    ) -> Result<Box<dyn Target>, EngineError> {
        if let Some(layout @ (COLUMNAR | SERIES)) = id.layout.as_deref() {
            return Err(EngineError(format!(
                "design {id}: {layout} tables take no single operations under load yet; drive \
                 another layout of cassandra"
            )));
        }
        let keyspace = Keyspace::of(&workload.name, context)?;
        let (layout, plans) = if is_as_written(id) {
            let plans =
                as_written::plan::as_written(id, &keyspace.name, &workload.table, &options.mix)?;
            (None, plans)
        } else {
            let layout = TableLayout::new(id, &workload.table, context.keys_repeat)?;
            let plans = of_layout(id, &layout, &keyspace.name, &options.mix)?;
            (Some(layout), plans)
        };
        self.0.claim(&keyspace).await?;
        Ok(Box::new(CassandraTarget::new(Parts {
            deployment: self.0.clone(),
            design: self.build(id, workload, context)?,
            keyspace: keyspace.name,
            layout,
            plans,
            workload: workload.clone(),
            options: options.clone(),
            threads: context.threads,
        })))
    }

    async fn announce_tables(
        &self,
        workload: &Workload,
        context: &Context,
        start: &str,
    ) -> Result<(), EngineError> {
        let keyspace = Keyspace::of(&workload.name, context)?;
        keyspace.announce(&self.0.session, start).await
    }

    async fn wait_for_tables(
        &self,
        workload: &Workload,
        context: &Context,
        start: &str,
        patience: Duration,
    ) -> Result<(), EngineError> {
        let keyspace = Keyspace::of(&workload.name, context)?;
        let session = &self.0.session;
        keyspace.wait_for_tables(session, start, patience).await
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        Deployment::finish(self.0, keep).await
    }
}

fn is_as_written(id: &DesignId) -> bool {
    id.layout.as_deref() == Some(AS_WRITTEN)
}

fn mix_of<'w>(id: &DesignId, workload: &'w Workload) -> Result<&'w Mix, EngineError> {
    workload.mix.as_ref().ok_or_else(|| {
        EngineError(format!(
            "design {id}: {} has no [mix] whose statements could be sent",
            workload.path.display()
        ))
    })
}
