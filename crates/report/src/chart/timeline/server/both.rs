//! Makes the panels that are the same in the chart of one server and where several are drawn over each other.

use bakeoff_stats::drive::ServerSample;

use super::{MIB, ServerSeries, number, panel};
use crate::chart::line::{Line, Stroke};
use crate::chart::panel::Panel;

impl ServerSeries<'_> {
    pub(super) fn cpu(&self) -> Panel {
        panel(
            "Server CPU, cores in use",
            self.grown(|s| s.cpu_seconds),
            number,
        )
    }

    pub(super) fn gc_pauses(&self) -> Panel {
        panel(
            "Garbage collection pauses, ms/s",
            self.grown(|s| Some(s.gc_seconds? * 1e3)),
            number,
        )
    }

    pub(super) fn allocated(&self) -> Panel {
        panel(
            "Allocated on the heap, MiB/s",
            self.grown(|s| Some(s.allocated_bytes? as f64 / MIB)),
            number,
        )
    }

    pub(super) fn load_average(&self) -> Panel {
        panel(
            "Load average of the machine over a minute",
            vec![self.gauge(Stroke::Strong, |s| s.load_average)],
            number,
        )
    }

    pub(super) fn own_p99(&self) -> Panel {
        panel(
            "Server's own p99, ms: read, write dashed",
            self.own_latency(|s| s.read_p99_micros, |s| s.write_p99_micros),
            number,
        )
    }

    pub(super) fn coordinator_p99(&self) -> Panel {
        panel(
            "Coordinator's p99, ms: read, write dashed",
            self.own_latency(
                |s| s.coordinator_read_p99_micros,
                |s| s.coordinator_write_p99_micros,
            ),
            number,
        )
    }

    /// Makes the lines of what nodes themselves tell of their times: of reads, and of writes dashed.
    fn own_latency(
        &self,
        read_micros: fn(&ServerSample) -> Option<f64>,
        write_micros: fn(&ServerSample) -> Option<f64>,
    ) -> Vec<Line> {
        let line = |stroke, micros: fn(&ServerSample) -> Option<f64>| {
            self.gauge(stroke, move |s| micros(s).map(|m| m / 1e3))
        };
        vec![
            line(Stroke::Dashed, write_micros),
            line(Stroke::Strong, read_micros),
        ]
    }
}
