//! `cassandra`: ordinary CQL tables in several layouts, on a cluster that runs or on one that is
//! started for the run.

mod connect;
mod decode;
mod deployment;
mod design;
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
use bakeoff_stats::{DesignInfo, EngineInfo};
use bakeoff_workload::{DesignId, Workload};

use crate::{Context, Engine, EngineError, Layout, Running};
pub use connect::Cluster;
use deployment::Deployment;
use design::CassandraDesign;
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
        let layout = TableLayout::new(id, &workload.table, context.keys_repeat)?;
        let keyspace = keyspace::name(&workload.name, &context.run_dir);
        let mut statements = keyspace::statements(&keyspace, &context.run_dir).to_vec();
        statements.push(layout.drop_statement(&keyspace));
        statements.push(layout.create_statement(&keyspace));
        statements.push(layout.insert_statement(&keyspace));
        let ours = context.cluster.is_none();
        statements.extend(footprint::settle_statements(ours, &keyspace, &layout.name));
        if !ours {
            statements.push(keyspace::drop_statement(&keyspace));
        }
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

    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError> {
        Ok(Box::new(RunningCassandra(Arc::new(
            Deployment::start(context).await?,
        ))))
    }
}

struct RunningCassandra(Arc<Deployment>);

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
        let info = Cassandra.describe(id, workload, context)?;
        let layout = TableLayout::new(id, &workload.table, context.keys_repeat)?;
        let keyspace = keyspace::name(&workload.name, &context.run_dir);
        self.0.claim(&keyspace).await?;
        let design = CassandraDesign::new(self.0.clone(), info, keyspace, layout, context.threads);
        Ok(Box::new(design.map_err(|e| EngineError(e.to_string()))?))
    }

    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError> {
        Deployment::finish(self.0, keep).await
    }
}
