//! Values of what the servers of designs did, by the samples that were taken of them.

use bakeoff_stats::{DatabaseSample, During, ServerSample, ServerWindow, server_growth};

use super::{Collected, Figure, named_setting};

/// A sample at its moment, in seconds.
pub(super) type At<'a> = (f64, &'a ServerSample);
/// A value of a sample, if it is known.
type Value = fn(&ServerSample) -> Option<f64>;

/// Counters of a server, of which the growth is a figure.
const COUNTERS: [(Figure, Value); 22] = [
    (Figure::ServerCpu, |s| s.cpu_seconds),
    (Figure::MachineCpu, |s| s.machine_cpu_seconds),
    (Figure::ServerGcTime, |s| s.gc_seconds),
    (Figure::ServerGcCount, |s| s.gc_count.map(|n| n as f64)),
    (Figure::ServerAllocated, |s| {
        s.allocated_bytes.map(|n| n as f64)
    }),
    (Figure::ServerDiskRead, |s| {
        s.disk_read_bytes.map(|n| n as f64)
    }),
    (Figure::ServerDiskWritten, |s| {
        s.disk_written_bytes.map(|n| n as f64)
    }),
    (Figure::DeviceReads, |s| s.device_reads.map(|n| n as f64)),
    (Figure::DeviceWrites, |s| s.device_writes.map(|n| n as f64)),
    (Figure::NetworkReceived, |s| {
        s.network_received_bytes.map(|n| n as f64)
    }),
    (Figure::NetworkSent, |s| {
        s.network_sent_bytes.map(|n| n as f64)
    }),
    (Figure::Committed, |s| counted(s, |d| d.commits)),
    (Figure::RolledBack, |s| counted(s, |d| d.rollbacks)),
    (Figure::RowsRead, |s| counted(s, |d| d.rows_read)),
    (Figure::RowsWritten, |s| counted(s, |d| d.rows_written)),
    (Figure::BlocksHit, |s| counted(s, |d| d.blocks_hit)),
    (Figure::BlocksRead, |s| counted(s, |d| d.blocks_read)),
    (Figure::BlocksWritten, |s| counted(s, |d| d.blocks_written)),
    (Figure::TemporaryBytes, |s| {
        counted(s, |d| d.temporary_bytes)
    }),
    (Figure::Deadlocks, |s| counted(s, |d| d.deadlocks)),
    (Figure::LogBytes, |s| counted(s, |d| d.log_bytes)),
    (Figure::Checkpoints, |s| counted(s, |d| d.checkpoints)),
];
/// Levels of a server, of which the highest one is a figure.
const LEVELS: [(Figure, Value); 6] = [
    (Figure::ServerResident, |s| {
        s.resident_bytes.map(|n| n as f64)
    }),
    (Figure::ServerHeap, |s| s.heap_used_bytes.map(|n| n as f64)),
    (Figure::ServerLoad, |s| s.load_average),
    (Figure::OpenConnections, |s| {
        counted(s, |d| d.open_connections)
    }),
    (Figure::ActiveConnections, |s| {
        counted(s, |d| d.active_connections)
    }),
    (Figure::WaitingConnections, |s| {
        counted(s, |d| d.waiting_connections)
    }),
];

/// Returns what a server of SQL counts, if it is known.
fn counted(sample: &ServerSample, count: fn(&DatabaseSample) -> Option<u64>) -> Option<f64> {
    count(sample.database.as_ref()?).map(|n| n as f64)
}

/// What was done with a design in a round, with the samples of each time that it was.
struct Step<'a> {
    name: String,
    round: Option<u32>,
    spans: Vec<Vec<At<'a>>>,
}

/// Adds what the server of a design did in each of its steps.
pub(super) fn add_steps(collected: &mut Collected<'_>, windows: &[ServerWindow]) {
    let mut steps: Vec<Step> = Vec::new();
    for window in windows.iter().filter(|w| w.design == collected.design) {
        let (name, round) = named(&window.during);
        let samples = window.samples.iter();
        let span = samples.map(|sample| (sample.seconds, &sample.server));
        let span = span.collect();
        match steps
            .iter_mut()
            .find(|s| s.name == name && s.round == round)
        {
            Some(step) => step.spans.push(span),
            None => steps.push(Step {
                name,
                round,
                spans: vec![span],
            }),
        }
    }
    for step in &steps {
        add(collected, Some(&step.name), step.round, &step.spans);
    }
}

/// Adds what a server did in some spans of time, within each of which counters are compared.
pub(super) fn add(
    collected: &mut Collected<'_>,
    step: Option<&str>,
    round: Option<u32>,
    spans: &[Vec<At<'_>>],
) {
    let before = collected.values.len();
    for (figure, counter) in COUNTERS {
        collected.put(figure, step, round, grown(spans, counter));
    }
    for (figure, level) in LEVELS {
        let known = spans.iter().flatten().filter_map(|(_, s)| level(s));
        collected.put(figure, step, round, known.max_by(f64::total_cmp));
    }
    if collected.values.len() > before {
        let lengths = spans.iter().filter_map(|span| {
            let mut told = { span.iter() }.filter(|(_, sample)| !sample.is_empty());
            let (first, _) = told.next()?;
            Some(told.next_back().map_or(0.0, |(last, _)| last - first))
        });
        collected.put(Figure::ServerSampled, step, round, Some(lengths.sum()));
    }
}

/// Returns by how much a counter grew in all spans together; `None` if none of them has two samples that know it, or if
/// some of the growth is not known, since a part of it is no figure of the step.
fn grown(spans: &[Vec<At<'_>>], counter: Value) -> Option<f64> {
    let mut grown = None;
    for span in spans {
        let samples: Vec<&ServerSample> = span.iter().map(|(_, sample)| *sample).collect();
        for growth in server_growth(&samples, counter) {
            *grown.get_or_insert(0.0) += growth.amount?;
        }
    }
    grown
}

/// Names a step, and the round that it is of.
fn named(during: &During) -> (String, Option<u32>) {
    match during {
        During::Load { .. } => ("load".to_owned(), None),
        During::Settle => ("settle".to_owned(), None),
        During::Answer { .. } => ("answers".to_owned(), None),
        During::Setting {
            batch_rows,
            workers,
            round,
            ..
        } => (named_setting(*batch_rows, *workers), Some(*round)),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::SampleAt;

    use super::*;

    fn sample(cpu: f64, load: f64) -> ServerSample {
        ServerSample {
            cpu_seconds: Some(cpu),
            load_average: Some(load),
            ..ServerSample::default()
        }
    }

    fn window(design: &str, during: During, samples: &[(f64, ServerSample)]) -> ServerWindow {
        let samples = samples.iter().map(|(seconds, server)| SampleAt {
            seconds: *seconds,
            server: server.clone(),
        });
        ServerWindow {
            design: design.to_owned(),
            during,
            began_at_ns: 0,
            seconds: 9.0,
            samples: samples.collect(),
        }
    }

    /// Figures with their steps, rounds and values.
    fn figures(windows: &[ServerWindow]) -> Vec<(Figure, Option<String>, Option<u32>, f64)> {
        let mut collected = Collected::of("a");
        add_steps(&mut collected, windows);
        let values = collected.values.into_iter();
        values
            .map(|v| (v.figure, v.query, v.round, v.value))
            .collect()
    }

    #[test]
    fn windows_of_a_step_are_added_up_and_the_time_between_them_is_not() {
        let load = |slice| During::Load { slice, rows: 5 };
        let windows = [
            window(
                "a",
                load(0),
                &[(0.0, sample(1.0, 2.0)), (4.0, sample(3.0, 9.0))],
            ),
            window(
                "b",
                load(0),
                &[(0.0, sample(0.0, 0.0)), (1.0, sample(70.0, 50.0))],
            ),
            window(
                "a",
                load(1),
                &[(0.5, sample(30.0, 1.0)), (1.5, sample(31.0, 1.0))],
            ),
            window("a", During::Settle, &[(0.0, sample(40.0, 4.0))]),
        ];
        let load = Some("load".to_owned());
        let settle = Some("settle".to_owned());
        let expected = [
            (Figure::ServerCpu, load.clone(), None, 3.0),
            (Figure::ServerLoad, load.clone(), None, 9.0),
            (Figure::ServerSampled, load, None, 5.0),
            // One sample shows a level and no growth.
            (Figure::ServerLoad, settle.clone(), None, 4.0),
            (Figure::ServerSampled, settle, None, 0.0),
        ];
        assert_eq!(figures(&windows), expected);
    }

    #[test]
    fn counters_of_a_database_have_their_growth_and_connections_their_most() {
        let of = |commits, active| ServerSample {
            database: Some(DatabaseSample {
                commits: Some(commits),
                active_connections: active,
                ..DatabaseSample::default()
            }),
            ..ServerSample::default()
        };
        let samples = [
            (0.0, of(100, Some(7))),
            (1.0, of(140, Some(3))),
            (2.0, of(190, None)),
        ];
        let settle = Some("settle".to_owned());
        let expected = [
            (Figure::Committed, settle.clone(), None, 90.0),
            (Figure::ActiveConnections, settle.clone(), None, 7.0),
            (Figure::ServerSampled, settle, None, 2.0),
        ];
        assert_eq!(figures(&[window("a", During::Settle, &samples)]), expected);
    }

    #[test]
    fn settings_have_rounds_and_a_restarted_server_counts_from_zero() {
        let setting = |round| During::Setting {
            batch_rows: 10,
            workers: 8,
            round,
            rows: 1,
        };
        let samples = [(0.0, sample(5.0, 1.0)), (1.0, sample(2.0, 1.0))];
        let found = figures(&[window("a", setting(2), &samples)]);
        let name = Some("batch=10 workers=8".to_owned());
        assert_eq!(found[0], (Figure::ServerCpu, name, Some(2), 2.0));
        assert!(figures(&[]).is_empty());
    }

    #[test]
    fn the_growth_of_nodes_of_which_one_was_restarted_or_has_joined_is_not_known() {
        let of = |nodes, cpu| ServerSample {
            nodes: Some(nodes),
            ..sample(cpu, 1.0)
        };
        let cut_off = window(
            "a",
            During::Settle,
            &[
                (0.0, sample(1.0, 1.0)),
                (2.0, sample(2.0, 1.0)),
                (9.0, ServerSample::default()),
            ],
        );
        let sampled = figures(&[cut_off]).pop();
        let expected = (Figure::ServerSampled, Some("settle".to_owned()), None, 2.0);
        assert_eq!(sampled, Some(expected), "up to the last one that was told");
        let cpu = |samples: [ServerSample; 2]| {
            let [first, second] = samples;
            let found = figures(&[window("a", During::Settle, &[(0.0, first), (1.0, second)])]);
            let mut found = found.into_iter();
            let cpu = found.find(|(figure, ..)| *figure == Figure::ServerCpu);
            cpu.map(|(_, _, _, value)| value)
        };
        assert_eq!(cpu([of(3, 60.0), of(3, 66.0)]), Some(6.0));
        assert_eq!(cpu([of(3, 60.0), of(3, 45.0)]), None);
        assert_eq!(cpu([of(3, 60.0), of(4, 66.0)]), None);
        assert_eq!(cpu([sample(20.0, 1.0), of(2, 45.0)]), None);
        // A restart that the sum over the nodes does not show.
        let started = |generations, cpu| ServerSample {
            generations: Some(generations),
            ..of(3, cpu)
        };
        assert_eq!(cpu([started(30, 60.0), started(30, 66.0)]), Some(6.0));
        assert_eq!(cpu([started(30, 60.0), started(37, 66.0)]), None);
    }
}
