//! `bakeoff nodes`: shows what every node of a running Cassandra knows of itself.

mod table;

use std::io::Write;

use anyhow::{Result, anyhow};
use bakeoff_engines::nodes::{Metrics, NodeFigures, Nodetool, Reader, TableName, to_json};
use bakeoff_engines::{Cluster, EngineError};
use clap::Args;

use crate::cmd::on_threads;
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::nodetool::NodetoolOptions;
use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop_leaving;
use crate::terminal::{json, stdout};

/// Message about what a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str = "interrupted again: a call of --nodetool may still run";

/// Show what every node of a running Cassandra knows of itself, a column for each; reads only
///
/// Bytes, latencies, caches, threads and compactions come from `system_views` of each node, which needs no program on
/// its machine. --nodetool adds compression and percentiles, --gc garbage collections, and --metrics CPU, memory and
/// disks. What is not available is listed with the reason. The exit code is 3 if a node does not answer.
#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.required(true).help("A node of the cluster")))]
pub struct Nodes {
    /// Tables to show, each as KEYSPACE.TABLE
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

    /// Metrics of each host in the text format of Prometheus, for example http://{host}:9100/metrics: those of a
    /// JVM exporter and of a node exporter are understood (repeat for several)
    #[arg(long, value_name = "URL")]
    metrics: Vec<String>,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    cluster: ClusterOptions,
}

/// Where figures come from besides the views.
struct Sources {
    nodetool: Option<Nodetool>,
    metrics: Vec<Metrics>,
}

impl Nodes {
    pub fn run(self) -> Result<Exit> {
        // The option is required.
        let cluster = self.cluster.cluster().unwrap_or_default();
        let sources = Sources {
            nodetool: self.nodetool.command()?,
            metrics: self.metrics()?,
        };
        on_threads(1, async {
            tokio::select! {
                done = self.show(&cluster, &sources) => done,
                () = asked_to_stop_leaving(LEFT_BEHIND) => Ok(Exit::Interrupted),
            }
        })
    }

    /// Reads the URLs of --metrics. A message about a value that clap refuses would show it, and it may have a
    /// password in it.
    fn metrics(&self) -> Result<Vec<Metrics>> {
        let metrics = self.metrics.iter().map(|url| url.parse::<Metrics>());
        let metrics: Result<Vec<Metrics>, EngineError> = metrics.collect();
        metrics.map_err(|error| Misuse::new(anyhow!("--metrics: {error}")).into())
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
            Metrics::add_to(&sources.metrics, &mut nodes).await;
        }
        Ok(nodes)
    }
}
