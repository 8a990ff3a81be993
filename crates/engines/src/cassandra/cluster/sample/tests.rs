use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::cassandra::nodes::{Exposed, Told as Exported};

#[test]
fn caches_are_known_by_their_names() {
    let row = |name: &str, hits, requests| (name.to_owned(), hits, requests);
    let rows = [row("keys", 3, 4), row("counters", 9, 9), row("rows", -1, 4)];
    let keys = CacheCounts {
        hits: 3,
        requests: 4,
    };
    let expected = Caches {
        keys: Some(keys),
        ..Caches::default()
    };
    assert_eq!(Caches::named(rows.into_iter()), expected);
}

#[test]
fn requests_of_tables_are_added_up_if_all_are_known() {
    let of = |shown: &[Shown]| Requests::new("5.0.9", shown);
    let both = Requests {
        count: Some(12),
        p99_micros: Some(4000.0),
    };
    assert_eq!(of(&[(Some(5), Some(0.004)), (Some(7), None)]), both);
    let without_a_count = Requests {
        count: None,
        ..both
    };
    assert_eq!(of(&[(Some(5), Some(0.004)), (None, None)]), without_a_count);
    assert_eq!(of(&[(Some(-1), None)]), Requests::default());
    assert_eq!(of(&[]), Requests::default(), "no table is known yet");
}

#[test]
fn names_are_in_the_text_of_a_request_as_literals() {
    let cql = requests_of("local_read_latency", "ks", "it's \"cased\"");
    let expected = "SELECT \"count\", p99th_ms FROM system_views.local_read_latency \
                    WHERE keyspace_name = 'ks' AND table_name = 'it''s \"cased\"'";
    assert_eq!(cql, expected);
}

fn told(count: Option<u64>, p99_micros: Option<f64>) -> Told {
    let keys = count.map(|hits| CacheCounts { hits, requests: 9 });
    Told {
        compactions: count,
        caches: Caches {
            keys,
            ..Caches::default()
        },
        reads: Requests { count, p99_micros },
        sent_to_nodes_bytes: count,
        generations: count,
        ..Told::default()
    }
}

#[test]
fn nodes_are_added_up_and_the_slowest_counts() {
    let both = told(Some(2), Some(4000.0)).and(told(Some(5), None));
    let sample = sample_of(both, 2, ServerSample::default());
    let keys = CacheCounts {
        hits: 7,
        requests: 18,
    };
    let expected = ServerSample {
        nodes: Some(2),
        generations: Some(7),
        pending_compactions: Some(7),
        key_cache: Some(keys),
        local_reads: Some(7),
        read_p99_micros: Some(4000.0),
        sent_to_nodes_bytes: Some(7),
        ..ServerSample::default()
    };
    assert_eq!(sample, expected);
}

#[test]
fn a_node_that_does_not_answer_leaves_no_sum_of_the_others() {
    let both = told(Some(2), Some(4000.0)).and(Told::default());
    let sample = sample_of(both, 2, ServerSample::default());
    let expected = ServerSample {
        nodes: Some(2),
        read_p99_micros: Some(4000.0),
        ..ServerSample::default()
    };
    assert_eq!(sample, expected);
}

#[test]
fn a_table_without_figures_hides_no_other() {
    let shown = [Some(0.002), None, Some(0.005), Some(0.0)];
    assert_eq!(slowest("5.0.9", &shown), Some(5000.0));
    assert_eq!(slowest("5.0.9", &[None]), None);
}

#[tokio::test(start_paused = true)]
async fn the_age_of_a_sample_counts_from_the_question() {
    let sampler = Sampler::default();
    let asked = AtomicU64::new(0);
    let sample = || {
        sampler.at_most_once_a_second(async || {
            tokio::time::sleep(SAMPLE_AGE / 2).await;
            ServerSample {
                gc_count: Some(asked.fetch_add(1, Ordering::Relaxed)),
                ..ServerSample::default()
            }
        })
    };
    assert_eq!(sample().await.gc_count, Some(0));
    assert_eq!(sample().await.gc_count, Some(0), "young enough");
    tokio::time::sleep(SAMPLE_AGE / 2 + Duration::from_millis(50)).await;
    assert_eq!(sample().await.gc_count, Some(1), "asked for too long ago");
}

#[test]
fn resources_of_an_existing_cluster_are_what_its_exporters_tell() {
    assert_eq!(used(None), ServerSample::default());
    let told = Exported {
        exposed: Exposed {
            cpu_seconds: Some(1.5),
            machine_cpu_seconds: Some(4.5),
            disk_reads: Some(7.0),
            disk_queue_seconds: Some(3.5),
            network_sent_bytes: Some(9.0),
            load_average: Some(2.5),
            memory_bytes: Some(8e9),
            ..Exposed::default()
        },
        notes: vec!["http://{host}:7070/ of db1: no answer within 1s".to_owned()],
    };
    let sample = sample_of(Told::default(), 1, exported(told));
    let expected = ServerSample {
        cpu_seconds: Some(1.5),
        machine_cpu_seconds: Some(4.5),
        device_reads: Some(7),
        device_queue_seconds: Some(3.5),
        network_sent_bytes: Some(9),
        load_average: Some(2.5),
        notes: vec!["http://{host}:7070/ of db1: no answer within 1s".to_owned()],
        ..ServerSample::default()
    };
    assert_eq!(sample, expected);
    let only_notes = ServerSample {
        notes: sample.notes,
        ..ServerSample::default()
    };
    assert!(only_notes.is_empty(), "a note is no figure");
}
