use crate::drive::testing::*;
use crate::drive::{CacheCounts, DriveRecord, FailureKind, NodeRequests, ServerSample, Tally};

#[test]
fn what_failed_while_warming_up_is_counted() {
    let mut seconds = even_seconds(20, 30, 10);
    for (tallies, _) in seconds.iter_mut().take(4) {
        let mut slow = Tally::default();
        slow.record(900_000_000, 800_000_000);
        slow.failures[FailureKind::TimedOut as usize] = 5;
        (slow.retries, slow.not_applied) = (3, 2);
        tallies[0] = slow;
    }
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &seconds, true);
    });
    let trial = &summary(dir.path()).trials[0];
    assert!(trial.warm_up_seconds >= 4);
    let read = &trial.figures.operations[0];
    assert_eq!(read.failures, [(FailureKind::TimedOut, 20)]);
    assert_eq!((read.retries, read.not_applied), (12, 8));
    assert_eq!(read.ops_per_second, 30.0);
    assert!(read.response.unwrap().max < 0.003);
}

#[test]
fn the_drain_after_a_part_of_a_second_is_not_in_the_rate() {
    let mut seconds = even_seconds(12, 10, 0);
    // What was in flight at the end comes with the last, half second.
    seconds[11].0[0] = tally(40);
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &seconds, false);
        log.append(&DriveRecord::TrialEnded(end(1, 11.5, 150)))
            .unwrap();
    });
    let summary = summary(dir.path());
    let figures = &summary.trials[0].figures;
    assert_eq!((figures.seconds, figures.ops_per_second), (11.0, 10.0));
    assert_eq!(figures.operations[0].count, 150, "times are of all");
    assert_eq!(summary.trials[0].duration, 11.5);
}

#[test]
fn hits_of_a_cache_are_those_of_the_load_alone() {
    let mut seconds = even_seconds(12, 10, 0);
    for (n, (_, server)) in (0..).zip(seconds.iter_mut()) {
        // A quarter of what is asked while the load lasts, and nothing of what was asked before.
        server.chunk_cache = Some(CacheCounts {
            hits: 10 * n,
            requests: 5_000 + 40 * n,
        });
        server.row_cache = Some(CacheCounts::default());
        server.page_cache_bytes = Some(100 - n);
    }
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &seconds, true);
    });
    let figures = &summary(dir.path()).trials[0].figures;
    assert_eq!(figures.chunk_cache_hits, Some(0.25));
    assert_eq!(
        (figures.key_cache_hits, figures.row_cache_hits),
        (None, None)
    );
    assert_eq!(figures.page_cache_bytes, Some(100));
}

#[test]
fn requests_of_a_node_are_those_of_the_load_alone_and_the_highest_p99_counts() {
    let mut seconds = even_seconds(12, 10, 0);
    for (n, (_, server)) in (0..).zip(seconds.iter_mut()) {
        server.local_reads = Some(7_000 + 25 * n);
        server.read_p99_micros = Some(if n == 9 { 4_000.0 } else { 1_000.0 });
        server.coordinator_writes = Some(3 * n);
        // Times that are too short to be shown.
        server.coordinator_write_p99_micros = None;
    }
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &seconds, true);
    });
    let figures = &summary(dir.path()).trials[0].figures;
    let expected = |per_second, p99_micros| NodeRequests {
        per_second,
        p99_micros,
    };
    assert_eq!(figures.local_reads, expected(Some(25.0), Some(4_000.0)));
    assert_eq!(figures.coordinator_writes, expected(Some(3.0), None));
    assert_eq!(figures.coordinator_reads, expected(None, None));
    assert_eq!(figures.local_writes, expected(None, None));
}

#[test]
fn bytes_of_compactions_are_those_of_the_load_alone() {
    let mut seconds = even_seconds(12, 10, 0);
    for (n, (_, server)) in (0..).zip(seconds.iter_mut()) {
        server.compaction_read_bytes = Some(9_000_000 + 160 * n);
    }
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &seconds, true);
    });
    let figures = &summary(dir.path()).trials[0].figures;
    assert_eq!(figures.compaction_read_per_second, Some(160.0));
    assert_eq!(figures.compaction_written_per_second, None);
}

#[test]
fn requests_to_a_device_have_their_mean_time_and_their_queue() {
    let of = |reads: u64, writes: u64, queue_seconds: Option<f64>| {
        let mut seconds = even_seconds(12, 10, 0);
        for (n, (_, server)) in (0..).zip(seconds.iter_mut()) {
            server.device_reads = Some(9_000 + reads * n);
            server.device_writes = Some(writes * n);
            server.device_queue_seconds = queue_seconds.map(|grown| 50.0 + grown * n as f64);
        }
        let dir = folder(&header(), |log| {
            write_trial(log, &start(1, DESIGN, 1), &seconds, true);
        });
        let figures = &summary(dir.path()).trials[0].figures;
        (figures.device_queue, figures.device_request_micros)
    };
    // Half a request at a time, each of a sixteenth of a second.
    assert_eq!(of(6, 2, Some(0.5)), (Some(0.5), Some(62_500.0)));
    assert_eq!(of(6, 2, None), (None, None));
    assert_eq!(of(0, 0, Some(0.0)), (Some(0.0), None), "no requests");
}

#[test]
fn a_sample_of_an_earlier_version_has_no_requests_of_a_node() {
    let earlier: ServerSample = serde_json::from_str(r#"{"gc_count": 3}"#).unwrap();
    let expected = ServerSample {
        gc_count: Some(3),
        ..ServerSample::default()
    };
    assert_eq!(earlier, expected);
}

#[test]
fn a_server_that_dies_leaves_no_steady_load() {
    let mut seconds = even_seconds(60, 30, 10);
    for (tallies, _) in seconds.iter_mut().skip(20) {
        let mut dead = Tally::default();
        dead.failures[FailureKind::Connection as usize] = 1;
        *tallies = vec![dead, Tally::default()];
    }
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &seconds, true);
    });
    let trial = &summary(dir.path()).trials[0];
    assert_eq!((trial.warm_up_seconds, trial.steady), (0, Some(false)));
}

#[test]
fn a_load_without_a_planned_time_and_its_end_lasted_as_far_as_it_is_on_record() {
    let planned = |seconds: f64| {
        let header = crate::drive::DriveHeader {
            seconds,
            ..header()
        };
        let dir = folder(&header, |log| {
            write_trial(log, &start(1, DESIGN, 1), &even_seconds(12, 10, 0), false);
        });
        summary(dir.path()).trials[0].duration
    };
    assert_eq!(planned(0.0), 12.0);
    assert_eq!(planned(11.5), 11.5);
}

/// Seconds of three nodes, of which one is restarted in the seventh second, while the other two grow by more than it
/// had counted.
fn with_a_restart() -> Vec<ASecond> {
    let mut seconds = even_seconds(12, 10, 0);
    for (n, (_, server)) in (0_u32..).zip(seconds.iter_mut()) {
        let cpu = 100.0 + 3.0 * f64::from(n);
        let is_restarted = n >= 6;
        let generations = if is_restarted { 37 } else { 30 };
        let hits = if is_restarted { 1_000 } else { 0 };
        *server = ServerSample {
            nodes: Some(3),
            generations: Some(generations),
            // The sum goes on, although a part of it has begun anew.
            cpu_seconds: Some(if is_restarted { cpu + 900.0 } else { cpu }),
            key_cache: Some(CacheCounts {
                hits: u64::from(n) + hits,
                requests: 2 * u64::from(n) + hits,
            }),
            ..ServerSample::default()
        };
    }
    seconds
}

#[test]
fn the_growth_of_nodes_is_that_of_the_time_in_which_none_was_restarted() {
    let dir = folder(&header(), |log| {
        write_trial(log, &start(1, DESIGN, 1), &with_a_restart(), true);
    });
    let figures = &summary(dir.path()).trials[0].figures;
    assert_eq!(figures.server_cores, Some(3.0));
    // 10 reads a second, and none of the second whose growth is not known.
    let micros = figures.server_cpu_micros_per_op.unwrap();
    assert!((micros - 0.3e6).abs() < 1e-3, "{micros}");
    assert_eq!(figures.key_cache_hits, Some(0.5));
}
