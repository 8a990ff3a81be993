//! `bakeoff nodes`: shows what every node of a running Cassandra, or every server of a PostgreSQL, knows of itself.

mod exposed;
mod laid_out;
#[cfg(feature = "postgres")]
mod postgres;
mod prometheus;
mod shown;
mod table;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use bakeoff_engines::Cluster;
use bakeoff_engines::nodes::{Looks, Metrics, NodeFigures, Nodetool, Reader, TableName, to_json};
use clap::Args;

use crate::cmd::on_threads;
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::metrics::MetricsOptions;
use crate::cmd::options::nodetool::{LEFT_BEHIND, NodetoolOptions};
#[cfg(feature = "postgres")]
use crate::cmd::options::postgres::PostgresServerOptions;
use crate::exit::Exit;
use crate::interrupt::asked_to_stop_leaving;
use crate::terminal::{json, stdout};

/// Show what every node of a running Cassandra, or server of a PostgreSQL, knows of itself; reads only
///
/// Each node has a column. Of Cassandra bytes, latencies, caches, threads and compactions come from `system_views` of
/// each node, which needs no program on its machine. --nodetool adds compression and percentiles, --gc garbage
/// collections, and --metrics CPU, memory, disks and network, with rates over a second. Of PostgreSQL databases,
/// tables, checkpoints, the log, replicas and more come from its views of statistics, for each host in the URL. What is
/// not available is listed with the reason. The exit code is 3 if a node does not answer.
#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.required(true).help("A node of the cluster")))]
#[cfg_attr(feature = "postgres", command(mut_arg("cassandra", |a| a.required(false).required_unless_present("postgres"))))]
#[cfg_attr(feature = "postgres", command(mut_arg("postgres", |a| a.conflicts_with_all(["cassandra", "nodetool", "gc"]))))]
#[cfg_attr(feature = "postgres", command(mut_arg("postgres", |a| a.help(postgres::HELP))))]
pub struct Nodes {
    /// Tables to show, each as KEYSPACE.TABLE; of PostgreSQL as SCHEMA.TABLE in place of the largest ones
    #[arg(
        long = "table",
        value_name = "KEYSPACE.TABLE,...",
        value_delimiter = ','
    )]
    tables: Vec<TableName>,

    #[command(flatten)]
    nodetool: NodetoolOptions,

    /// Add garbage collections from `nodetool gcstats`, which resets its counts for whoever else reads them
    #[arg(long, requires = "nodetool")]
    gc: bool,

    #[command(flatten)]
    metrics: MetricsOptions,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// Also write all figures as metrics, in the text format of Prometheus
    #[arg(long, value_name = "FILE")]
    prometheus: Option<PathBuf>,

    #[command(flatten)]
    cluster: ClusterOptions,

    #[cfg(feature = "postgres")]
    #[command(flatten)]
    postgres: PostgresServerOptions,
}

/// Where figures come from besides the views.
struct Sources {
    nodetool: Option<Nodetool>,
    metrics: Vec<Metrics>,
}

impl Nodes {
    pub fn run(self) -> Result<Exit> {
        #[cfg(feature = "postgres")]
        if let Some(server) = self.postgres.server()? {
            let metrics = self.metrics.urls()?;
            let asked = postgres::Asked {
                tables: &self.tables,
                metrics: &metrics,
                json: self.json,
                prometheus: self.prometheus.as_deref(),
            };
            return postgres::run(&server, &asked);
        }
        // The option is required.
        let cluster = self.cluster.cluster().unwrap_or_default();
        let sources = Sources {
            nodetool: self.nodetool.command()?,
            metrics: self.metrics.urls()?,
        };
        on_threads(1, async {
            tokio::select! {
                done = self.show(&cluster, &sources) => done,
                () = asked_to_stop_leaving(LEFT_BEHIND) => Ok(Exit::Interrupted),
            }
        })
    }

    async fn show(&self, cluster: &Cluster, sources: &Sources) -> Result<Exit> {
        let nodes = self.read(cluster, sources).await?;
        let mut out = stdout();
        if self.json {
            writeln!(out, "{}", json(&to_json(&nodes)?))?;
        } else {
            let asked = table::Asked {
                nodetool: sources.nodetool.is_some(),
                gc: self.gc,
                metrics: !sources.metrics.is_empty(),
            };
            write!(out, "{}", table::render(&nodes, &asked))?;
        }
        // What was read is shown in any case: `nodetool gcstats` tells it once.
        if let Some(path) = &self.prometheus {
            prometheus::write(path, &to_json(&nodes)?)?;
        }
        let all_answer = nodes.iter().all(|node| node.version.is_some());
        Ok(if all_answer {
            Exit::Complete
        } else {
            Exit::Partial
        })
    }

    async fn read(&self, cluster: &Cluster, sources: &Sources) -> Result<Vec<NodeFigures>> {
        let reader = Reader::connect(cluster).await?;
        let mut nodes = reader.read(&self.tables).await;
        if let Some(nodetool) = &sources.nodetool {
            nodetool.add_to(&mut nodes, self.gc).await;
        }
        if !sources.metrics.is_empty() {
            Metrics::add_to(&sources.metrics, &mut nodes, Looks::Twice).await;
        }
        Ok(nodes)
    }
}
