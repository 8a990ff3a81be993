//! Forecast for a cluster on several machines, from nodes that were all measured on one.

use super::{DesignSummary, Summary};

/// Ten ticks of the clock that CPU times are measured with, in seconds.
const TEN_TICKS: f64 = 0.1;

/// Forecast for a cluster with each node on a separate machine. Nodes on one machine share its cores, so
/// more of them make nothing faster. On several machines with as many cores each, the measured work can
/// use the CPU time of all of them, if it is spread evenly and the network costs nothing.
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
    /// CPU seconds of all nodes together for one answer.
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
                .filter(|d| nodes.hold(&d.info) && d.is_right())
                .filter_map(|d| cost(d, query, summary.rounds));
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

/// Returns the id of a design with the CPU time of its nodes for one answer. It is only known if all rounds
/// together took at least ten ticks of 10 ms: below that the figure would be the resolution of the clock.
fn cost<'a>(design: &'a DesignSummary, query: &str, rounds: u32) -> Option<(&'a str, f64)> {
    let asked = design.query(query).filter(|q| q.time.is_some());
    let seconds = asked?.cpu.server;
    let seconds = seconds.filter(|seconds| seconds * f64::from(rounds) >= TEN_TICKS)?;
    Some((design.info.id.as_str(), seconds))
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
    fn a_few_ticks_of_the_clock_are_no_figure() {
        assert_eq!(ScaleOut::from_summary(&summary(0.04, 2)), None);
    }
}
