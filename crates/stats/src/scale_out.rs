//! What more machines would bring to a cluster whose nodes were measured on one.

use crate::{DesignSummary, Summary};

/// A forecast, not a measurement: nodes on one machine share its cores, so that nothing gets faster
/// by them. With each node on a machine of its own, with as many cores as this one, the work that
/// was measured has so many times the CPU time, if it is spread evenly and the network costs
/// nothing.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ScaleOut {
    pub machines: u32,
    /// Of each of them.
    pub cores: u32,
    /// For each query that was answered rightly.
    pub queries: Vec<ScaledQuery>,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ScaledQuery {
    pub query: String,
    /// The one in Cassandra that costs its nodes the least.
    pub design: String,
    /// Of all nodes together, for one answer.
    pub server_cpu_seconds: f64,
    /// An upper bound: machines x cores / CPU seconds.
    pub per_second: f64,
}

impl ScaleOut {
    /// `None` for a run without several nodes, or without figures of theirs.
    pub fn of(summary: &Summary) -> Option<ScaleOut> {
        let machines = summary.header.nodes.as_ref()?.nodes;
        let cores = summary.header.machine.cores;
        let cpus = f64::from(machines * cores);
        let cheapest = |query: &str| {
            let costs = summary.designs.iter().filter_map(|d| cost(d, query));
            let (design, seconds) = costs.min_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(ScaledQuery {
                query: query.to_owned(),
                design: design.to_owned(),
                server_cpu_seconds: seconds,
                per_second: cpus / seconds,
            })
        };
        let queries = summary.header.queries.iter();
        let queries: Vec<ScaledQuery> = queries.filter_map(|q| cheapest(&q.name)).collect();
        (!queries.is_empty()).then_some(ScaleOut {
            machines,
            cores,
            queries,
        })
    }
}

/// What an answer costs the nodes; times below the clock's resolution are no figure.
fn cost<'a>(design: &'a DesignSummary, query: &str) -> Option<(&'a str, f64)> {
    let in_cassandra = design.info.engine == "cassandra" && design.is_right();
    let asked = design.query(query).filter(|q| q.time.is_some());
    let seconds = asked?.cpu.server.filter(|seconds| *seconds > 0.0)?;
    in_cassandra.then_some((design.info.id.as_str(), seconds))
}
