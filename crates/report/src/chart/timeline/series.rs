//! Makes the panels of a trial's chart, one for each quantity, all over the same seconds.

use bakeoff_stats::drive::{
    CacheCounts, DriveHeader, OperationCounts, SecondCounts, ServerSample, TrialSummary,
};

use super::{MOST_POINTS, growth};
use crate::chart::line::{Line, Stroke};
use crate::chart::palette::nth_class;
use crate::chart::panel::Panel;
use crate::units;

const LATENCY_HEIGHT: f64 = 150.0;
const RATE_HEIGHT: f64 = 92.0;
const PANEL_HEIGHT: f64 = 62.0;
const MIB: f64 = (1u64 << 20) as f64;

/// The seconds of a trial, grouped into points.
pub struct Series<'a> {
    header: &'a DriveHeader,
    /// Consecutive seconds that share a point.
    points: Vec<&'a [SecondCounts]>,
    seconds: &'a [SecondCounts],
}

impl<'a> Series<'a> {
    pub fn new(header: &'a DriveHeader, trial: &'a TrialSummary) -> Series<'a> {
        let seconds = trial.seconds.as_slice();
        Series {
            header,
            points: seconds
                .chunks(seconds.len().div_ceil(MOST_POINTS).max(1))
                .collect(),
            seconds,
        }
    }

    pub fn panels(&self) -> Vec<Panel> {
        let panel = |heading: &str, lines, tick| Panel {
            heading: heading.to_owned(),
            height: PANEL_HEIGHT,
            logarithmic: false,
            lines,
            tick,
        };
        vec![
            Panel {
                heading: "Response time: p99 strong, p50 light".to_owned(),
                height: LATENCY_HEIGHT,
                logarithmic: true,
                lines: self.latency(),
                tick: |seconds| units::trimmed(&units::duration(seconds)),
            },
            Panel {
                height: RATE_HEIGHT,
                ..panel(self.rate_heading(), self.rates(), number)
            },
            panel("Failed operations a second", self.failures(), number),
            panel(
                "Server CPU, cores in use",
                self.grown(|s| s.cpu_seconds),
                number,
            ),
            panel(&self.memory_heading(), self.memory(), count),
            panel(self.disk_heading(), self.disk(), number),
            panel(
                "Garbage collection pauses, ms/s",
                self.grown(|s| s.gc_seconds.map(|seconds| seconds * 1e3)),
                number,
            ),
            panel(
                "Garbage collections a second",
                self.grown(|s| s.gc_count.map(|n| n as f64)),
                number,
            ),
            panel(
                "Allocated on the heap, MiB/s",
                self.grown(|s| s.allocated_bytes.map(|b| b as f64 / MIB)),
                number,
            ),
            panel(
                "Requests to the device a second, all programs: reads, writes dashed",
                self.device(),
                number,
            ),
            panel(
                "Load average of the machine over a minute",
                vec![self.gauge(Stroke::Strong, |s| s.load_average)],
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
                "Answered by one node a second: reads, writes dashed",
                self.requests(|s| s.local_reads, |s| s.local_writes),
                number,
            ),
            panel(
                "Coordinated by this node a second: reads, writes dashed",
                self.requests(|s| s.coordinator_reads, |s| s.coordinator_writes),
                number,
            ),
            panel(
                "Server's own p99, ms: read, write dashed",
                self.own_latency(|s| s.read_p99_micros, |s| s.write_p99_micros),
                number,
            ),
            panel(
                "Coordinator's p99, ms: read, write dashed",
                self.own_latency(
                    |s| s.coordinator_read_p99_micros,
                    |s| s.coordinator_write_p99_micros,
                ),
                number,
            ),
        ]
    }

    /// Makes a line whose points are in the middle of their seconds.
    fn line(
        &self,
        class: &str,
        stroke: Stroke,
        value: impl Fn(&[SecondCounts]) -> Option<f64>,
    ) -> Line {
        let middle = |seconds: &[SecondCounts]| {
            let first = seconds.first().map_or(0, |s| s.second);
            f64::from(first) + seconds.len() as f64 / 2.0
        };
        let points = self.points.iter();
        Line {
            class: class.to_owned(),
            stroke,
            mark: None,
            points: points.map(|s| (middle(s), value(s))).collect(),
        }
    }

    fn has_several_operations(&self) -> bool {
        self.header.operations.len() > 1
    }

    /// Makes the strong line of an operation, with a mark if there are several operations.
    fn operation_line(&self, place: usize, value: impl Fn(&[SecondCounts]) -> Option<f64>) -> Line {
        Line {
            mark: self.has_several_operations().then_some(place),
            ..self.line(&nth_class(place), Stroke::Strong, value)
        }
    }

    fn latency(&self) -> Vec<Line> {
        let worst = |operation: usize, ns: fn(&OperationCounts) -> u64| {
            move |seconds: &[SecondCounts]| {
                let counts = seconds.iter().map(|s| &s.operations[operation]);
                let times = counts.filter(|c| c.successes > 0).map(ns);
                times.max().map(|ns| ns as f64 / 1e9)
            }
        };
        let operations = 0..self.header.operations.len();
        operations
            .flat_map(|place| {
                let class = nth_class(place);
                let p50 = self.line(&class, Stroke::Light, worst(place, |c| c.response_p50_ns));
                [
                    p50,
                    self.operation_line(place, worst(place, |c| c.response_p99_ns)),
                ]
            })
            .collect()
    }

    fn rate_heading(&self) -> &'static str {
        if self.has_several_operations() {
            "Operations a second: each, all dashed"
        } else {
            "Operations a second"
        }
    }

    /// Makes a line for each operation, and one for their sum if there are several.
    fn rates(&self) -> Vec<Line> {
        let all = self.has_several_operations().then(|| {
            self.line("plain", Stroke::Dashed, |seconds| {
                mean(seconds, SecondCounts::successes)
            })
        });
        let each = (0..self.header.operations.len()).map(|place| {
            self.operation_line(place, |seconds| {
                mean(seconds, |s| s.operations[place].successes)
            })
        });
        all.into_iter().chain(each).collect()
    }

    /// Makes the line of failures, or none if nothing failed.
    fn failures(&self) -> Vec<Line> {
        let failed = self.line("missed", Stroke::Strong, |seconds| {
            mean(seconds, SecondCounts::failed)
        });
        let any = self.seconds.iter().any(|s| s.failed() > 0);
        any.then_some(failed).into_iter().collect()
    }

    /// Names the sizes that are known.
    fn memory_heading(&self) -> String {
        let knows = |value: fn(&ServerSample) -> Option<u64>| {
            self.seconds.iter().any(|s| value(&s.server).is_some())
        };
        let parts = [
            (knows(|s| s.resident_bytes), "resident"),
            (knows(|s| s.page_cache_bytes), "cache dashed"),
            (knows(|s| s.memory_limit_bytes), "limit red"),
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
        growth::line(self.seconds, Stroke::Strong, value)
            .into_iter()
            .collect()
    }

    fn disk_heading(&self) -> &'static str {
        let mut samples = self.seconds.iter().map(|s| &s.server);
        let knows_compactions = samples
            .any(|s| s.compaction_read_bytes.is_some() || s.compaction_written_bytes.is_some());
        if knows_compactions {
            "Server disk, MB/s: read, written dashed; of it compaction light"
        } else {
            "Server disk, MB/s: read, written dashed"
        }
    }

    fn disk(&self) -> Vec<Line> {
        let megabytes = |bytes: Option<u64>| bytes.map(|b| b as f64 / 1e6);
        let compacted = [
            growth::line(self.seconds, Stroke::LightDashed, |s| {
                megabytes(s.compaction_written_bytes)
            }),
            growth::line(self.seconds, Stroke::Light, |s| {
                megabytes(s.compaction_read_bytes)
            }),
        ];
        let written = growth::line(self.seconds, Stroke::Dashed, |s| {
            megabytes(s.disk_written_bytes)
        });
        let read = growth::line(self.seconds, Stroke::Strong, |s| {
            megabytes(s.disk_read_bytes)
        });
        let whole = [written, read];
        compacted.into_iter().chain(whole).flatten().collect()
    }

    fn device(&self) -> Vec<Line> {
        self.requests(|s| s.device_reads, |s| s.device_writes)
    }

    /// Makes the lines of requests a second: of reads, and of writes dashed.
    fn requests(
        &self,
        reads: fn(&ServerSample) -> Option<u64>,
        writes: fn(&ServerSample) -> Option<u64>,
    ) -> Vec<Line> {
        let line = |stroke, value: fn(&ServerSample) -> Option<u64>| {
            growth::line(self.seconds, stroke, |s| value(s).map(|n| n as f64))
        };
        let writes = line(Stroke::Dashed, writes);
        let reads = line(Stroke::Strong, reads);
        writes.into_iter().chain(reads).collect()
    }

    /// Makes a line for each cache that is asked, of the share of the requests that it answered.
    fn caches(&self) -> Vec<Line> {
        let share = |stroke, counts: fn(&ServerSample) -> Option<CacheCounts>| {
            let hits = growth::line(self.seconds, stroke, |s| Some(counts(s)?.hits as f64))?;
            let requests =
                growth::line(self.seconds, stroke, |s| Some(counts(s)?.requests as f64))?;
            let points = hits.points.iter().zip(&requests.points);
            let points = points.map(|((at, hits), (_, requests))| {
                let requests = requests.filter(|requests| *requests > 0.0);
                (
                    *at,
                    hits.zip(requests)
                        .map(|(hits, requests)| 100.0 * hits / requests),
                )
            });
            let points: Vec<(f64, Option<f64>)> = points.collect();
            let is_asked = points.iter().any(|(_, share)| share.is_some());
            is_asked.then_some(Line { points, ..hits })
        };
        let lines = [
            share(Stroke::Dashed, |s| s.row_cache),
            share(Stroke::Light, |s| s.key_cache),
            share(Stroke::Strong, |s| s.chunk_cache),
        ];
        lines.into_iter().flatten().collect()
    }

    /// Makes the line of a value that is not a counter: the highest of each point's seconds.
    fn gauge(&self, stroke: Stroke, value: impl Fn(&ServerSample) -> Option<f64>) -> Line {
        self.line("plain", stroke, |seconds| {
            let values = seconds.iter().filter_map(|s| value(&s.server));
            values.max_by(f64::total_cmp)
        })
    }

    /// Makes the lines of what a node itself tells of its times: of reads, and of writes dashed.
    fn own_latency(
        &self,
        read_micros: fn(&ServerSample) -> Option<f64>,
        write_micros: fn(&ServerSample) -> Option<f64>,
    ) -> Vec<Line> {
        let line = |stroke, micros: fn(&ServerSample) -> Option<f64>| {
            self.gauge(stroke, |s| micros(s).map(|m| m / 1e3))
        };
        vec![
            line(Stroke::Dashed, write_micros),
            line(Stroke::Strong, read_micros),
        ]
    }
}

/// Returns the mean per second over several seconds.
fn mean(seconds: &[SecondCounts], done: impl Fn(&SecondCounts) -> u64) -> Option<f64> {
    let done: u64 = seconds.iter().map(done).sum();
    Some(done as f64 / seconds.len() as f64)
}

/// Writes a whole number; other values have no label.
fn whole_number(value: f64) -> String {
    match value.fract() {
        0.0 => number(value),
        _ => String::new(),
    }
}

fn number(value: f64) -> String {
    units::trimmed(&units::rate(value))
}

fn count(value: f64) -> String {
    units::count(value.round() as u64)
}
