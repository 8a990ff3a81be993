//! Forecast for a cluster on several machines, from nodes that were all measured on one.

use super::{DesignSummary, Summary};

/// Forecast for a cluster with each node on a separate machine. Nodes on one machine share its
/// cores, so more of them make nothing faster. On machines with as many cores as this one, the
/// measured work has the CPU time of all of them, if it is spread evenly and the network costs
/// nothing.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ScaleOut {
    pub machines: u32,
    /// Cores of each machine.
    pub cores: u32,
    /// Forecasts of the queries that were answered correctly.
    pub queries: Vec<ScaledQuery>,
}

/// Forecast for one query.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ScaledQuery {
    pub query: String,
    /// Design that takes the least CPU time of the nodes.
    pub design: String,
    /// CPU seconds of all nodes together for one answer; the most that they may be where the clock saw
    /// next to none.
    pub server_cpu_seconds: f64,
    /// Upper bound of answers per second: machines x cores / CPU seconds.
    pub per_second: f64,
}

impl ScaleOut {
    /// Computes the forecast of a run. Returns `None` if the run had a single node, or has no CPU times of
    /// its nodes.
    pub fn from_summary(summary: &Summary) -> Option<ScaleOut> {
        let nodes = summary.header.nodes.as_ref()?;
        let machines = nodes.nodes;
        let cores = summary.header.machine.cores;
        let cpus = f64::from(machines * cores);
        let cheapest = |query: &str| {
            let costs = summary
                .designs
                .iter()
                .filter(|d| nodes.are_of(&d.info) && d.is_right())
                .filter_map(|d| cost(d, query));
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

/// Returns the CPU time of the nodes for one answer. A design that takes less than the clock shows is ranked
/// by the most that it may take: left out, the cheapest would never be found.
fn cost<'a>(design: &'a DesignSummary, query: &str) -> Option<(&'a str, f64)> {
    let asked = design.query(query).filter(|q| q.time.is_some())?;
    asked.cpu?.server?;
    let work = design.work_of(asked)?;
    (work.server > 0.0).then_some((design.info.id.as_str(), work.server))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Record;
    use crate::compare::testing::*;
    use crate::{CpuSeconds, NodesInfo};

    /// Makes a run on three nodes with three copies, in which an answer costs the nodes this CPU
    /// time.
    fn summary(server_cpu_seconds: f64, rounds: u32) -> Summary {
        let timed = |round| {
            let Record::Timed(mut timing) = timed("cassandra/wide", "scan", 0.5) else {
                unreachable!()
            };
            let server = Some(server_cpu_seconds);
            timing.cpu = CpuSeconds {
                client: 0.0,
                server,
                in_ticks: false,
            };
            timing.round = round;
            Record::Timed(timing)
        };
        let stored = [
            created,
            |d: &str| loaded(d, 0, 1.0),
            |d: &str| footprint(d, 6_000),
        ];
        let stored = stored.map(|record| record("cassandra/wide"));
        let measured = (0..rounds).map(timed);
        let mut records = run(stored
            .into_iter()
            .chain(measured)
            .chain([Record::Rounds { rounds }]));
        let Record::Started(header) = &mut records[0] else {
            unreachable!()
        };
        header.designs[0].id = "cassandra/wide".to_owned();
        header.designs[0].engine = "cassandra".to_owned();
        header.nodes = Some(NodesInfo {
            engine: "cassandra".to_owned(),
            nodes: 3,
            copies: 3,
            consistency: "QUORUM".to_owned(),
        });
        Summary::from_records(&records).unwrap()
    }

    #[test]
    fn machines_bring_their_cores_and_a_copy_is_counted_once() {
        let summary = summary(0.06, 2);
        assert_eq!(summary.designs[0].bytes_per_row, Some(20.0));
        let forecast = summary.forecast.as_ref().unwrap();
        let storage = forecast.designs[0].storage.as_ref().unwrap();
        assert_eq!(storage.bytes, 20.0 * 10_000.0 * 3.0);
        let out = ScaleOut::from_summary(&summary).unwrap();
        assert_eq!((out.machines, out.cores), (3, 2));
        assert_eq!(out.queries[0].per_second, 6.0 / 0.06);
    }

    #[test]
    fn a_few_ticks_of_the_clock_are_bounded_and_ranked() {
        let out = ScaleOut::from_summary(&summary(0.01, 2)).unwrap();
        let bound = out.queries[0].server_cpu_seconds;
        assert!(bound > 0.01 && bound < 0.03, "{bound}");
        assert!(ScaleOut::from_summary(&summary(0.0, 2)).is_some());
    }
}
