//! Makes the panels of what a server did, one for each quantity, for charts of any measurement.

mod both;
mod database;
mod together;

use bakeoff_stats::drive::{CacheCounts, ServerSample};

use super::growth::{self, Moment};
use super::number;
use crate::chart::line::{Line, Points, Stroke};
use crate::chart::panel::Panel;
use crate::units;

const PANEL_HEIGHT: f64 = 62.0;
const MIB: f64 = (1u64 << 20) as f64;

/// The samples of a server on a time axis.
pub struct ServerSeries<'a> {
    moments: Vec<Moment<'a>>,
    /// Most points of a line.
    most: usize,
}

impl<'a> ServerSeries<'a> {
    pub fn new(moments: Vec<Moment<'a>>, most: usize) -> ServerSeries<'a> {
        ServerSeries { moments, most }
    }

    pub fn panels(&self) -> Vec<Panel> {
        let mut panels = vec![
            self.cpu(),
            panel(
                "CPU of the server's machines, cores in use, all programs",
                self.grown(|s| s.machine_cpu_seconds),
                number,
            ),
            panel(&self.memory_heading(), self.memory(), count),
            panel(self.disk_heading(), self.disk(), number),
            self.gc_pauses(),
            panel(
                "Garbage collections a second",
                self.grown(|s| s.gc_count.map(|n| n as f64)),
                number,
            ),
            self.allocated(),
            panel(
                "Heap in use, MiB",
                vec![self.gauge(Stroke::Strong, |s| Some(s.heap_used_bytes? as f64 / MIB))],
                count,
            ),
            panel(
                "Requests to the device a second, all programs: reads, writes dashed",
                self.requests(|s| s.device_reads, |s| s.device_writes),
                number,
            ),
            self.load_average(),
            panel(
                "Network, MB/s, all programs: received, sent dashed",
                self.megabytes(|s| s.network_received_bytes, |s| s.network_sent_bytes),
                number,
            ),
            panel(
                "Cache hits, %: chunks strong, keys light, rows dashed",
                self.caches(),
                number,
            ),
            panel(
                "Compactions waiting or running",
                vec![self.gauge(Stroke::Strong, |s| s.pending_compactions.map(|n| n as f64))],
                whole_number,
            ),
            panel(
                &format!(
                    "Answered by {} a second: reads, writes dashed",
                    self.nodes("one node")
                ),
                self.requests(|s| s.local_reads, |s| s.local_writes),
                number,
            ),
            panel(
                &format!(
                    "Coordinated by {} a second: reads, writes dashed",
                    self.nodes("this node")
                ),
                self.requests(|s| s.coordinator_reads, |s| s.coordinator_writes),
                number,
            ),
            panel(
                &format!("Messages between {}, MiB/s", self.nodes("nodes")),
                self.grown(|s| s.sent_to_nodes_bytes.map(|b| b as f64 / MIB)),
                number,
            ),
            self.own_p99(),
            self.coordinator_p99(),
        ];
        panels.extend(self.of_database());
        panels
    }

    /// Names the nodes whose requests are added up.
    fn nodes(&self, one: &str) -> String {
        let nodes = self.moments.iter().filter_map(|m| m.sample.nodes).max();
        nodes.map_or_else(|| one.to_owned(), |nodes| format!("all {nodes} nodes"))
    }

    fn knows(&self, is_known: impl Fn(&ServerSample) -> bool) -> bool {
        self.moments.iter().any(|moment| is_known(moment.sample))
    }

    /// Names the sizes that are known.
    fn memory_heading(&self) -> String {
        let parts = [
            (self.knows(|s| s.resident_bytes.is_some()), "resident"),
            (self.knows(|s| s.page_cache_bytes.is_some()), "cache dashed"),
            (self.knows(|s| s.memory_limit_bytes.is_some()), "limit red"),
        ];
        let parts: Vec<&str> = parts.iter().filter(|p| p.0).map(|p| p.1).collect();
        format!("Memory, MiB: {}", parts.join(", "))
    }

    fn memory(&self) -> Vec<Line> {
        let line = |stroke, value: fn(&ServerSample) -> Option<u64>| {
            self.gauge(stroke, move |s| Some(value(s)? as f64 / MIB))
        };
        vec![
            line(Stroke::Limit, |s| s.memory_limit_bytes),
            line(Stroke::Dashed, |s| s.page_cache_bytes),
            line(Stroke::Strong, |s| s.resident_bytes),
        ]
    }

    fn grown(&self, value: impl Fn(&ServerSample) -> Option<f64>) -> Vec<Line> {
        growth::line(&self.moments, self.most, Stroke::Strong, value)
            .into_iter()
            .collect()
    }

    fn disk_heading(&self) -> &'static str {
        let knows_compactions = self
            .knows(|s| s.compaction_read_bytes.is_some() || s.compaction_written_bytes.is_some());
        if knows_compactions {
            "Server disk, MB/s: read, written dashed; of it compaction light"
        } else {
            "Server disk, MB/s: read, written dashed"
        }
    }

    fn disk(&self) -> Vec<Line> {
        let line = |stroke, bytes: fn(&ServerSample) -> Option<u64>| {
            growth::line(&self.moments, self.most, stroke, |s| {
                Some(bytes(s)? as f64 / 1e6)
            })
        };
        let lines = [
            line(Stroke::LightDashed, |s| s.compaction_written_bytes),
            line(Stroke::Light, |s| s.compaction_read_bytes),
            line(Stroke::Dashed, |s| s.disk_written_bytes),
            line(Stroke::Strong, |s| s.disk_read_bytes),
        ];
        lines.into_iter().flatten().collect()
    }

    /// Makes the lines of two counters of bytes in MB/s, the second one dashed.
    fn megabytes(
        &self,
        strong: fn(&ServerSample) -> Option<u64>,
        dashed: fn(&ServerSample) -> Option<u64>,
    ) -> Vec<Line> {
        let line = |stroke, bytes: fn(&ServerSample) -> Option<u64>| {
            growth::line(&self.moments, self.most, stroke, |s| {
                Some(bytes(s)? as f64 / 1e6)
            })
        };
        let lines = [line(Stroke::Dashed, dashed), line(Stroke::Strong, strong)];
        lines.into_iter().flatten().collect()
    }

    /// Makes the lines of requests a second: of reads, and of writes dashed.
    fn requests(
        &self,
        reads: fn(&ServerSample) -> Option<u64>,
        writes: fn(&ServerSample) -> Option<u64>,
    ) -> Vec<Line> {
        let line = |stroke, value: fn(&ServerSample) -> Option<u64>| {
            growth::line(&self.moments, self.most, stroke, |s| {
                value(s).map(|n| n as f64)
            })
        };
        let writes = line(Stroke::Dashed, writes);
        let reads = line(Stroke::Strong, reads);
        writes.into_iter().chain(reads).collect()
    }

    /// Makes a line for each cache that is asked.
    fn caches(&self) -> Vec<Line> {
        let lines = [
            self.share(Stroke::Dashed, |s| s.row_cache),
            self.share(Stroke::Light, |s| s.key_cache),
            self.share(Stroke::Strong, |s| s.chunk_cache),
        ];
        lines.into_iter().flatten().collect()
    }

    /// Makes the line of the share of the requests that a cache answered, in percent; `None` if it was not asked.
    fn share(
        &self,
        stroke: Stroke,
        counts: fn(&ServerSample) -> Option<CacheCounts>,
    ) -> Option<Line> {
        let hits = growth::line(&self.moments, self.most, stroke, |s| {
            Some(counts(s)?.hits as f64)
        })?;
        let requests = growth::line(&self.moments, self.most, stroke, |s| {
            Some(counts(s)?.requests as f64)
        })?;
        let points = hits.points.iter().map(|(at, hits)| {
            // Of several nodes a restart may show in one of the two counters only, which then lacks a point.
            let requests = requests.points.iter().find(|(other, _)| other == at);
            let requests = requests.and_then(|(_, requests)| *requests);
            let requests = requests.filter(|requests| *requests > 0.0);
            (
                *at,
                hits.zip(requests)
                    .map(|(hits, requests)| 100.0 * hits / requests),
            )
        });
        let points: Points = points.collect();
        let is_asked = points.iter().any(|(_, share)| share.is_some());
        is_asked.then_some(Line { points, ..hits })
    }

    /// Makes the line of a value that is not a counter: the highest of the samples that share a point.
    fn gauge(&self, stroke: Stroke, value: impl Fn(&ServerSample) -> Option<f64>) -> Line {
        let each = self.moments.len().div_ceil(self.most).max(1);
        let point = |group: &[Moment]| {
            let values = group.iter().filter_map(|moment| value(moment.sample));
            let (first, last) = (group[0], group[group.len() - 1]);
            ((first.from + last.at) / 2.0, values.max_by(f64::total_cmp))
        };
        let mut points = Vec::new();
        for part in self.moments.chunk_by(|a, b| a.part == b.part) {
            if !points.is_empty() {
                points.push((part[0].from, None));
            }
            points.extend(part.chunks(each).map(point));
        }
        Line {
            class: "plain".to_owned(),
            stroke,
            mark: None,
            points,
        }
    }
}

fn panel(heading: &str, lines: Vec<Line>, tick: fn(f64) -> String) -> Panel {
    Panel {
        heading: heading.to_owned(),
        height: PANEL_HEIGHT,
        logarithmic: false,
        lines,
        tick,
    }
}

/// Writes a whole number; other values have no label.
fn whole_number(value: f64) -> String {
    match value.fract() {
        0.0 => number(value),
        _ => String::new(),
    }
}

fn count(value: f64) -> String {
    units::count(value.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exporters_tell_has_panels_with_rates_and_levels() {
        let samples = [1_u64, 2, 3].map(|n| ServerSample {
            heap_used_bytes: Some(n << 20),
            network_received_bytes: Some(n * 5_000_000),
            network_sent_bytes: Some(n * 1_000_000),
            machine_cpu_seconds: Some(2.0 * n as f64),
            ..ServerSample::default()
        });
        let moments = samples.iter().zip([1.0, 2.0, 3.0]);
        let moments = moments.map(|(sample, at)| Moment {
            from: at - 1.0,
            at,
            window: 0,
            part: 0,
            sample,
        });
        let panels = ServerSeries::new(moments.collect(), 240).panels();
        let values = |heading: &str, line: usize| {
            let panel = panels
                .iter()
                .find(|p| p.heading.starts_with(heading))
                .unwrap();
            let points = &panel.lines[line].points;
            points
                .iter()
                .filter_map(|(_, value)| *value)
                .collect::<Vec<f64>>()
        };
        assert_eq!(values("Heap in use", 0), [1.0, 2.0, 3.0]);
        assert_eq!(values("Network", 1), [5.0, 5.0], "received");
        assert_eq!(values("Network", 0), [1.0, 1.0], "sent");
        // That of whole machines has its own name, and is not that of the server.
        assert_eq!(values("CPU of the server's machines", 0), [2.0, 2.0]);
        let own = panels.iter().find(|p| p.heading.starts_with("Server CPU"));
        assert!(own.unwrap().lines.is_empty());
    }

    #[test]
    fn a_restart_that_only_hits_show_leaves_a_gap_in_their_share() {
        let counts = [(100, 200), (90, 210), (95, 230)];
        let samples = counts.map(|(hits, requests)| ServerSample {
            nodes: Some(3),
            key_cache: Some(CacheCounts { hits, requests }),
            ..ServerSample::default()
        });
        let moments = samples.iter().zip([1.0, 2.0, 3.0]);
        let moments = moments.map(|(sample, at)| Moment {
            from: at - 1.0,
            at,
            window: 0,
            part: 0,
            sample,
        });
        let lines = ServerSeries::new(moments.collect(), 240).caches();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].points, [(2.5, Some(25.0))]);
    }
}
