//! `cassandra`: ordinary CQL tables in several layouts, on a cluster that runs or on one that is
//! started for the run.

mod as_written;
mod connect;
mod decode;
mod deployment;
mod design;
mod drive;
mod encode;
mod footprint;
mod keyspace;
mod layout;
mod pushdown;
mod row_blob;
mod scan;
mod table;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use bakeoff_cassandra_server::{find_java, find_maven, pinned};
use bakeoff_driver::Design;
use bakeoff_driver::drive::Target;
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Mix, Workload};
use tokio::sync::OnceCell;

use crate::{Context, Engine, EngineError, Layout, Running, TargetOptions};
use as_written::AsWrittenDesign;
pub use connect::Cluster;
use deployment::Deployment;
use design::CassandraDesign;
use drive::plan::{self, AS_WRITTEN, of_layout};
use drive::{CassandraTarget, Parts};
use keyspace::{Keyspace, Owner};
use layout::TableLayout;

pub struct Cassandra;

const COMPRESSION: &str = "compressor=LZ4|Zstd|Deflate|Snappy|none, chunk=16KiB";
const BUCKET_AND_COMPRESSION: &str =
    "bucket=1d (or a number), compressor=LZ4|Zstd|Deflate|Snappy|none, chunk=16KiB";

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
                settings: COMPRESSION,
            },
            Layout {
                name: "cassandra/wide",
                what: "rows of a partition key together, in order; a time bucket if asked",
                settings: BUCKET_AND_COMPRESSION,
            },
            Layout {
                name: "cassandra/blob",
                what: "as wide, everything outside the key in one encoded blob per row",
                settings: BUCKET_AND_COMPRESSION,
            },
            Layout {
                name: "cassandra/compact",
                what: "as blob, WITH COMPACT STORAGE",
                settings: BUCKET_AND_COMPRESSION,
            },
            Layout {
                name: "cassandra/as-written",
                what: "the tables of a [mix] that is written in CQL, for bakeoff drive",
                settings: "",
            },
        ]
    }

    async fn availability(&self) -> Result<String, String> {
        let java = find_java().await.map_err(|e| e.to_string())?;
        find_maven().map_err(|e| e.to_string())?;
        let version = pinned().map_err(|e| e.to_string())?.version;
        Ok(format!(
            "Apache Cassandra {version} through Maven, on Java {}",
            java.version
        ))
    }

    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let keyspace = Keyspace::of(&workload.name, context)?;
        match is_as_written(id) {
            true => describe_as_written(id, workload, context, &keyspace),
            false => describe_layout(id, workload, context, &keyspace),
        }
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
        let layout = TableLayout::new(id, &workload.table, context.keys_repeat)?;
        let (deployment, threads) = (self.0.clone(), context.threads);
        let design = CassandraDesign::new(deployment, info, keyspace.name, layout, threads);
        Ok(Box::new(design.map_err(|e| EngineError(e.to_string()))?))
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
        let keyspace = Keyspace::of(&workload.name, context)?;
        let (layout, plans) = match is_as_written(id) {
            true => {
                let plans = plan::as_written(id, &keyspace.name, &workload.table, &options.mix)?;
                (None, plans)
            }
            false => {
                let layout = TableLayout::new(id, &workload.table, context.keys_repeat)?;
                let plans = of_layout(id, &layout, &keyspace.name, &options.mix)?;
                (Some(layout), plans)
            }
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

fn describe_layout(
    id: &DesignId,
    workload: &Workload,
    context: &Context,
    keyspace: &Keyspace,
) -> Result<DesignInfo, EngineError> {
    let layout = TableLayout::new(id, &workload.table, context.keys_repeat)?;
    let mut statements = keyspace.statements().to_vec();
    statements.push(layout.drop_statement(&keyspace.name));
    statements.push(layout.create_statement(&keyspace.name));
    statements.push(layout.insert_statement(&keyspace.name));
    let ours = context.cluster.is_none();
    let settling = footprint::settle_statements(ours, &keyspace.name, &layout.name);
    statements.extend(settling);
    if let Some(mix) = &workload.mix {
        let plans = of_layout(id, &layout, &keyspace.name, mix)?;
        statements.extend(plan::statements(&plans, workload));
    }
    statements.extend(dropping(context, keyspace));
    let mut settings = layout.settings();
    settings.extend(write::settings(&layout));
    settings.push(("page".to_owned(), format!("{} rows", table::PAGE_ROWS)));
    Ok(DesignInfo {
        id: id.to_string(),
        engine: "cassandra".to_owned(),
        settings,
        statements,
    })
}

fn describe_as_written(
    id: &DesignId,
    workload: &Workload,
    context: &Context,
    keyspace: &Keyspace,
) -> Result<DesignInfo, EngineError> {
    let mix = mix_of(id, workload)?;
    let plans = plan::as_written(id, &keyspace.name, &workload.table, mix)?;
    let mut statements = vec![keyspace.drop_statement()];
    statements.extend(keyspace.statements());
    statements.extend(as_written::statements(id, mix, &keyspace.name)?);
    statements.extend(plan::statements(&plans, workload));
    let background = mix.background.iter().flat_map(|b| &b.statements);
    statements.extend(background.map(|cql| plan::in_keyspace(cql, &keyspace.name)));
    statements.extend(dropping(context, keyspace));
    let writes = format!("single statements, {} in flight", write::IN_FLIGHT);
    Ok(DesignInfo {
        id: id.to_string(),
        engine: "cassandra".to_owned(),
        settings: vec![
            (
                "statements".to_owned(),
                "as in the workload file".to_owned(),
            ),
            ("writes".to_owned(), writes),
        ],
        statements,
    })
}

/// How a cluster that we did not start is left.
fn dropping(context: &Context, keyspace: &Keyspace) -> Option<String> {
    let ends_here = context.cluster.is_some() && keyspace.owner != Owner::Shared;
    ends_here.then(|| keyspace.drop_statement())
}
