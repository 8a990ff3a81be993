//! Mixed loads on Cassandra, whose statements worker threads prepare and send on their own
//! connections.
//!
//! Replies are compared with what was written as on all engines ([`drive`](crate::drive)).

pub mod arrays;
mod batches;
pub mod cells;
mod direct;
mod operations;
pub mod pages;
mod parts;
pub mod plan;
mod queries;
mod reads;
mod replies;
mod rows;
mod session;
pub mod statements;

use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use bakeoff_driver::drive::{Target, Worker};
use bakeoff_driver::{Design, DesignError};
use bakeoff_stats::{DesignInfo, ServerSample};
use bakeoff_workload::Workload;
use scylla::client::session::Session;
use scylla::policies::timestamp_generator::MonotonicTimestampGenerator;
use tokio::runtime::Handle;
use tokio::sync::OnceCell;

use crate::TargetOptions;
use crate::cassandra::cluster::connect::LoadConnection;
use crate::cassandra::cluster::consistency::in_driver;
use crate::cassandra::cluster::deployment::Deployment;
use crate::cassandra::cluster::keyspace;
use crate::cassandra::cluster::relations::own_relations;
use crate::cassandra::cluster::sample::{Sampled, Sampler};
use crate::cassandra::names::in_keyspace;
use crate::cassandra::read;
use crate::cassandra::read::table::CassandraTable;
use crate::cassandra::rows::layout::TableLayout;
use crate::cassandra::write::buckets::BucketsWritten;
use crate::drive::rows::Rows;
use crate::sql::{self, Session as SqlSession};
use direct::{Direct, Login};
use plan::{OperationPlan, Work};
use queries::Queries;
use session::CassandraSession;

/// Maximum number of requests in flight on one connection.
///
/// The protocol allows 32,768, but requests that timed out may still occupy some.
const REQUESTS_PER_CONNECTION: usize = 16_384;

/// A design on Cassandra that a mix is driven on.
pub struct CassandraTarget {
    parts: Parts,
    rows: Arc<Rows>,
    /// Buckets that other operations write, if queries have to know them.
    buckets: Option<Arc<BucketsWritten>>,
    /// Tables of the design, once they exist.
    tables: OnceCell<Vec<String>>,
    sampler: Sampler,
    /// Runtime that computes queries, which is not a worker's.
    runtime: Handle,
}

/// The parts of a [`CassandraTarget`].
pub struct Parts {
    pub deployment: Arc<Deployment>,
    pub design: Box<dyn Design>,
    pub keyspace: String,
    /// Layout of the table; `None` if the workload's own statements create the tables.
    pub layout: Option<TableLayout>,
    pub plans: Vec<OperationPlan>,
    pub workload: Workload,
    pub options: TargetOptions,
    /// Number of partitions of a query's scan.
    pub threads: usize,
}

impl CassandraTarget {
    /// Makes a target whose queries the current runtime computes.
    pub fn new(mut parts: Parts) -> Self {
        if let Some(consistency) = parts.options.consistency {
            for plan in &mut parts.plans {
                plan.consistency = Some(consistency);
            }
        }
        let rows = match &parts.layout {
            Some(layout) => Rows::from_layout(layout, &parts.options),
            None => Rows::as_written(&parts.workload.table, &parts.options),
        };
        let has_buckets = parts.layout.as_ref().is_some_and(|l| l.bucket.is_some());
        let mut plans = parts.plans.iter();
        let has_queries = plans.any(|plan| matches!(plan.work, Work::Query(_)));
        let buckets = (has_buckets && has_queries).then(Arc::default);
        CassandraTarget {
            parts,
            rows: Arc::new(rows),
            buckets,
            tables: OnceCell::new(),
            sampler: Sampler::default(),
            runtime: Handle::current(),
        }
    }

    /// Connects a worker, by the driver and without TLS by direct connections, too.
    async fn connect(&self) -> Result<(Arc<Session>, Option<Direct>), DesignError> {
        let in_flight = self.parts.options.in_flight_per_worker;
        let connections = in_flight.div_ceil(REQUESTS_PER_CONNECTION);
        let connections = NonZeroUsize::new(connections).unwrap_or(NonZeroUsize::MIN);
        let load = LoadConnection {
            keyspace: &self.parts.keyspace,
            connections,
            write_times: Arc::new(MonotonicTimestampGenerator::new()),
        };
        let cluster = &self.parts.deployment.cluster;
        let client = Arc::new(cluster.connect_for_load(&load).await?);
        let direct = if cluster.has_tls() {
            None
        } else {
            let options = direct::Options {
                login: Login::from_cluster(cluster),
                connections: connections.get(),
                write_times: load.write_times,
            };
            Some(Direct::new(client.clone(), options).await)
        };
        Ok((client, direct))
    }

    /// Makes the workload's queries on a worker's connections, for an operation that is a query.
    fn queries(
        &self,
        client: &Arc<Session>,
        plan: &OperationPlan,
    ) -> Result<Option<Arc<Queries>>, DesignError> {
        let (Work::Query(_), Some(layout)) = (&plan.work, &self.parts.layout) else {
            return Ok(None);
        };
        let table = CassandraTable::of_layout(client, layout, &self.parts.keyspace);
        let table = table.under_load(plan.consistency.map(in_driver), self.buckets.clone());
        let sql = sql::session_with(self.parts.threads, &layout.table.name, Arc::new(table));
        let sql = sql.map_err(|e| DesignError(sql::message(&e)))?;
        let (sql, runtime) = (
            SqlSession::from(sql::holding_only(&read::session(&sql))),
            self.runtime.clone(),
        );
        let order_key = layout
            .clustering_key()
            .first()
            .map(|name| (*name).to_owned());
        let (workload, engine) = (&self.parts.workload, &self.parts.design.info().engine);
        let queries = Queries::new(engine, workload, sql, order_key, runtime);
        Ok(Some(queries))
    }

    async fn session(&self, client: Arc<Session>) -> Result<CassandraSession, DesignError> {
        let mut plans = Vec::with_capacity(self.parts.plans.len());
        for plan in &self.parts.plans {
            plans.push((plan.clone(), self.queries(&client, plan)?));
        }
        let rows = self.rows.clone();
        let limit = self.parts.options.request_time_limit;
        let session = CassandraSession::new(client, &plans, rows, limit).await?;
        Ok(session.with_buckets(self.buckets.clone()))
    }

    fn sampled(&self) -> Sampled<'_> {
        let deployment = &self.parts.deployment;
        Sampled {
            session: &deployment.session,
            server: deployment.server.as_ref(),
            exporters: deployment.exporters.as_ref(),
            version: &deployment.info.version,
            keyspace: &self.parts.keyspace,
            tables: self.tables.get().map(Vec::as_slice).unwrap_or_default(),
        }
    }

    async fn find_tables(&self) -> Result<Vec<String>, DesignError> {
        match &self.parts.layout {
            Some(layout) => Ok(vec![layout.name.clone()]),
            None => {
                let session = &self.parts.deployment.session;
                let found = own_relations(session, &self.parts.keyspace).await?;
                Ok(found.into_iter().map(|relation| relation.name).collect())
            }
        }
    }
}

#[async_trait]
impl Target for CassandraTarget {
    fn info(&self) -> &DesignInfo {
        self.parts.design.info()
    }

    fn design(&self) -> Option<&dyn Design> {
        Some(self.parts.design.as_ref())
    }

    /// Prepares every statement once, so that one that the server refuses is reported before any
    /// worker starts.
    async fn prepare(&self) -> Result<(), DesignError> {
        let client = self.parts.deployment.session.clone();
        self.session(client).await?;
        self.tables.get_or_try_init(|| self.find_tables()).await?;
        Ok(())
    }

    fn work<'a>(
        &'a self,
        worker: Worker,
    ) -> Pin<Box<dyn Future<Output = Result<(), DesignError>> + 'a>> {
        Box::pin(async move {
            self.parts.deployment.forget_statistics().await;
            let (client, direct) = self.connect().await?;
            let session = self.session(client).await?.with_direct(direct);
            tokio::select! {
                biased;
                () = worker.run(&session) => {}
                () = session.keep() => {}
            }
            Ok(())
        })
    }

    async fn sample(&self) -> ServerSample {
        self.sampler.sample(self.sampled()).await
    }

    async fn sample_now(&self) -> ServerSample {
        self.sampler.sample_now(self.sampled()).await
    }

    async fn execute(&self, statement: &str) -> Result<(), DesignError> {
        let cql = in_keyspace(statement, &self.parts.keyspace);
        Ok(keyspace::execute(&self.parts.deployment.session, &cql).await?)
    }

    async fn add_node(&self) -> Result<Option<u64>, DesignError> {
        Ok(self.parts.deployment.add_node().await?)
    }
}
