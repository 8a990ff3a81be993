//! Makes the panels of what a database server counts of its own work.

use bakeoff_stats::DatabaseSample;
use bakeoff_stats::drive::{CacheCounts, ServerSample};

use super::{MIB, ServerSeries, count, number, panel};
use crate::chart::line::{Line, Stroke};
use crate::chart::panel::Panel;
use crate::chart::timeline::growth;

impl ServerSeries<'_> {
    pub(super) fn of_database(&self) -> Vec<Panel> {
        let mut panels = self.work_of_database();
        panels.extend([
            panel(
                "Checkpoints and deadlocks a minute: checkpoints, deadlocks dashed",
                self.both(|d| d.checkpoints, |d| d.deadlocks, 60.0),
                number,
            ),
            panel(
                "Connections of clients: open light, active, waiting for a lock dashed",
                vec![
                    self.level(Stroke::Light, |d| d.open_connections),
                    self.level(Stroke::Dashed, |d| d.waiting_connections),
                    self.level(Stroke::Strong, |d| d.active_connections),
                ],
                count,
            ),
        ]);
        panels
    }

    /// Makes the panels of what the server does for its clients.
    pub(super) fn work_of_database(&self) -> Vec<Panel> {
        vec![
            panel(
                "Transactions a second: committed, rolled back dashed",
                self.both(|d| d.commits, |d| d.rollbacks, 1.0),
                number,
            ),
            panel(
                "Rows a second: read, written dashed",
                self.both(|d| d.rows_read, |d| d.rows_written, 1.0),
                number,
            ),
            panel(
                "Blocks found in the server's buffers, %",
                self.share(Stroke::Strong, found).into_iter().collect(),
                number,
            ),
            panel(
                "Blocks a second: read into the buffers, written by checkpoints and in the background dashed",
                self.both(|d| d.blocks_read, |d| d.blocks_written, 1.0),
                number,
            ),
            panel(
                "Server's log and temporary files, MiB/s: log, temporary files dashed",
                self.both(|d| d.log_bytes, |d| d.temporary_bytes, 1.0 / MIB),
                number,
            ),
        ]
    }

    /// Makes the lines of how two counters grow a second, times a factor: of the second one dashed.
    fn both(
        &self,
        strong: fn(&DatabaseSample) -> Option<u64>,
        dashed: fn(&DatabaseSample) -> Option<u64>,
        factor: f64,
    ) -> Vec<Line> {
        let line = |stroke, value: fn(&DatabaseSample) -> Option<u64>| {
            growth::line(&self.moments, self.most, stroke, |s| {
                Some(value(s.database.as_ref()?)? as f64 * factor)
            })
        };
        let lines = [line(Stroke::Dashed, dashed), line(Stroke::Strong, strong)];
        lines.into_iter().flatten().collect()
    }

    fn level(&self, stroke: Stroke, value: fn(&DatabaseSample) -> Option<u64>) -> Line {
        self.gauge(stroke, move |s| Some(value(s.database.as_ref()?)? as f64))
    }
}

/// Returns the blocks that were asked for, and those of them that were in the buffers.
fn found(sample: &ServerSample) -> Option<CacheCounts> {
    let database = sample.database.as_ref()?;
    Some(CacheCounts {
        hits: database.blocks_hit?,
        requests: database.blocks_asked()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::timeline::growth::Moment;

    /// The values of a panel's lines, each from the first second to the third.
    fn lines(samples: &[ServerSample; 3], heading: &str) -> Vec<Vec<f64>> {
        let moments = samples.iter().zip([1.0, 2.0, 3.0]);
        let moments = moments.map(|(sample, at)| Moment {
            from: at - 1.0,
            at,
            window: 0,
            part: 0,
            sample,
        });
        let panels = ServerSeries::new(moments.collect(), 240).panels();
        let mut panels = panels.into_iter();
        let panel = panels.find(|p| p.heading.starts_with(heading)).unwrap();
        let lines = panel.lines.iter();
        lines
            .map(|line| line.points.iter().filter_map(|(_, value)| *value).collect())
            .collect()
    }

    #[test]
    fn counters_are_drawn_by_their_growth_and_connections_as_they_are() {
        let samples = [1_u64, 2, 3].map(|n| ServerSample {
            database: Some(DatabaseSample {
                commits: Some(100 * n),
                rollbacks: Some(2 * n),
                rows_written: Some(1_000 * n),
                blocks_hit: Some(90 * n),
                blocks_read: Some(10 * n),
                log_bytes: Some(n << 21),
                checkpoints: Some(n),
                open_connections: Some(8),
                active_connections: Some(n),
                ..DatabaseSample::default()
            }),
            ..ServerSample::default()
        });
        let of = |heading: &str| lines(&samples, heading);
        assert_eq!(of("Transactions a second"), [[2.0, 2.0], [100.0, 100.0]]);
        assert_eq!(of("Rows a second"), [[1_000.0, 1_000.0]], "written alone");
        assert_eq!(of("Blocks found"), [[90.0, 90.0]]);
        assert_eq!(of("Blocks a second"), [[10.0, 10.0]]);
        assert_eq!(of("Server's log"), [[2.0, 2.0]]);
        assert_eq!(of("Checkpoints and deadlocks"), [[60.0, 60.0]]);
        let open_waiting_active = of("Connections of clients");
        assert_eq!(open_waiting_active[0], [8.0, 8.0, 8.0]);
        assert!(open_waiting_active[1].is_empty(), "it is not known");
        assert_eq!(open_waiting_active[2], [1.0, 2.0, 3.0]);
    }

    #[test]
    fn counters_that_were_reset_count_from_zero_and_other_servers_have_no_panel() {
        let samples = [500_u64, 40, 60].map(|commits| ServerSample {
            database: Some(DatabaseSample {
                commits: Some(commits),
                ..DatabaseSample::default()
            }),
            ..ServerSample::default()
        });
        assert_eq!(lines(&samples, "Transactions a second"), [[40.0, 20.0]]);
        let others = [1, 2, 3].map(|n| ServerSample {
            gc_count: Some(n),
            ..ServerSample::default()
        });
        assert!(lines(&others, "Transactions a second").is_empty());
    }
}
