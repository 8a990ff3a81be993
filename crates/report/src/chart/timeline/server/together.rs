//! Makes the panels of what a server did that are drawn over those of other servers, with fewer lines than in a chart
//! of its own.

use super::{ServerSeries, number, panel};
use crate::chart::panel::Panel;

const PANEL_HEIGHT: f64 = 92.0;

impl ServerSeries<'_> {
    /// Makes the panels of CPU, disk and garbage collection.
    pub fn main_figures(&self) -> Vec<Panel> {
        let panels = [
            self.cpu(),
            panel(
                "Server disk, MB/s: read, written dashed",
                self.megabytes(|s| s.disk_read_bytes, |s| s.disk_written_bytes),
                number,
            ),
            self.gc_pauses(),
        ];
        panels.map(higher).into()
    }

    /// Makes the panels of what else a server does for its clients, and of what it takes for that.
    pub fn further_figures(&self) -> Vec<Panel> {
        let mut panels = vec![
            panel(
                "Compactions' part of the disk, MB/s: read, written dashed",
                self.megabytes(|s| s.compaction_read_bytes, |s| s.compaction_written_bytes),
                number,
            ),
            panel(
                "Requests to the device a second, all programs",
                self.grown(|s| sum(s.device_reads, s.device_writes)),
                number,
            ),
            panel(
                "Network, MB/s, all programs: received and sent",
                self.grown(|s| Some(sum(s.network_received_bytes, s.network_sent_bytes)? / 1e6)),
                number,
            ),
            self.allocated(),
            self.load_average(),
            panel(
                "Requests to tables that nodes answered a second",
                self.grown(|s| sum(s.local_reads, s.local_writes)),
                number,
            ),
            self.own_p99(),
            panel(
                "Requests to tables that nodes coordinated a second",
                self.grown(|s| sum(s.coordinator_reads, s.coordinator_writes)),
                number,
            ),
            self.coordinator_p99(),
        ];
        panels.extend(self.work_of_database());
        panels.into_iter().map(higher).collect()
    }
}

fn higher(panel: Panel) -> Panel {
    Panel {
        height: PANEL_HEIGHT,
        ..panel
    }
}

/// Adds up two counters; unknown if one of them is.
fn sum(one: Option<u64>, other: Option<u64>) -> Option<f64> {
    Some(one?.saturating_add(other?) as f64)
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::{DatabaseSample, ServerSample};

    use super::*;
    use crate::chart::timeline::growth::Moment;

    #[test]
    fn requests_are_added_up_and_bytes_of_compactions_stand_alone() {
        let samples = [1_u64, 2].map(|n| ServerSample {
            disk_read_bytes: Some(n * 9_000_000),
            compaction_read_bytes: Some(n * 4_000_000),
            device_reads: Some(n * 300),
            device_writes: Some(n * 20),
            local_reads: Some(n * 70),
            read_p99_micros: Some(2_000.0),
            database: Some(DatabaseSample {
                commits: Some(n * 5),
                ..DatabaseSample::default()
            }),
            ..ServerSample::default()
        });
        let moments = samples.iter().zip([1.0, 2.0]);
        let moments = moments.map(|(sample, at)| Moment {
            from: at - 1.0,
            at,
            window: 0,
            part: 0,
            sample,
        });
        let series = ServerSeries::new(moments.collect(), 240);
        let further = series.further_figures();
        let panels: Vec<Panel> = series.main_figures().into_iter().chain(further).collect();
        let known: Vec<(&str, Vec<f64>)> = { panels.iter() }
            .filter(|panel| panel.has_values())
            .map(|panel| {
                let points = panel.lines.iter().flat_map(|line| &line.points);
                let values = points.filter_map(|(_, value)| *value);
                let name = panel.heading.split(',').next().unwrap_or_default();
                (name, values.collect())
            })
            .collect();
        let expected = [
            ("Server disk", vec![9.0]),
            ("Compactions' part of the disk", vec![4.0]),
            ("Requests to the device a second", vec![320.0]),
            // Writes to the tables are not known, so neither is the sum.
            ("Server's own p99", vec![2.0, 2.0]),
            ("Transactions a second: committed", vec![5.0]),
        ];
        assert_eq!(known, expected);
    }
}
