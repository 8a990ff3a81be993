use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::*;

/// An exporter whose page changes, and which may be ended.
struct Exporter {
    url: Metrics,
    page: Arc<Mutex<String>>,
    serving: JoinHandle<()>,
}

impl Exporter {
    async fn start(page: &str) -> Exporter {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let page = Arc::new(Mutex::new(page.to_owned()));
        let shown = page.clone();
        let serving = tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = [0; 256];
                let _ = stream.read(&mut request).await.unwrap();
                let reply = format!("HTTP/1.0 200 OK\r\n\r\n{}", shown.lock().unwrap());
                stream.write_all(reply.as_bytes()).await.unwrap();
            }
        });
        Exporter {
            url: format!("http://{{host}}:{port}/metrics").parse().unwrap(),
            page,
            serving,
        }
    }

    fn shows(&self, page: &str) {
        *self.page.lock().unwrap() = page.to_owned();
    }

    async fn end(self) {
        self.serving.abort();
        let _ = self.serving.await;
    }
}

fn machine(busy: u32, read_bytes: u32, received: u32) -> String {
    format!(
        "node_cpu_seconds_total{{cpu=\"0\",mode=\"user\"}} {busy}\nnode_load1 1.5\n\
         node_disk_read_bytes_total{{device=\"sda\"}} {read_bytes}\n\
         node_network_receive_bytes_total{{device=\"eth0\"}} {received}\n"
    )
}

const JVM: &str = "jvm_memory_used_bytes{area=\"heap\"} 500\nprocess_cpu_seconds_total 7\n\
                   jvm_gc_collection_seconds_count{gc=\"G1\"} 3\n";

fn hosts(number: usize) -> Vec<String> {
    vec!["127.0.0.1".to_owned(); number]
}

#[tokio::test]
async fn samples_show_what_counters_have_grown_by_on_all_nodes() {
    let node = Exporter::start(&machine(100, 1_000, 50)).await;
    let exporters = Exporters::new(vec![node.url.clone()]);
    let before = exporters.sample(&hosts(2)).await;
    node.shows(&machine(103, 1_600, 90));
    let after = exporters.sample(&hosts(2)).await;
    assert!(after.notes.is_empty(), "{after:?}");
    let grown = |figure: fn(&Exposed) -> Option<f64>| {
        Some(figure(&after.exposed)? - figure(&before.exposed)?)
    };
    assert_eq!(grown(|e| e.disk_read_bytes), Some(1_200.0));
    assert_eq!(grown(|e| e.network_received_bytes), Some(80.0));
    assert_eq!(grown(|e| e.machine_cpu_seconds), Some(6.0));
    assert_eq!(
        after.exposed.cpu_seconds, None,
        "that of machines is none of Cassandra"
    );
    assert_eq!(after.exposed.load_average, Some(1.5), "the highest one");
    assert_eq!(after.exposed.gc_count, None);
}

#[tokio::test]
async fn an_exporter_that_dies_is_noted_once_and_read_again_later() {
    let (node, jvm) = (
        Exporter::start(&machine(100, 1_000, 50)).await,
        Exporter::start(JVM).await,
    );
    let exporters = Exporters::new(vec![node.url.clone(), jvm.url.clone()]);
    let told = exporters.sample(&hosts(1)).await;
    assert_eq!(told.exposed.cpu_seconds, Some(7.0), "that of Cassandra");
    assert_eq!(told.exposed.heap_used_bytes, Some(500.0));
    let gone = jvm.url.to_string();
    jvm.end().await;
    let told = exporters.sample(&hosts(1)).await;
    assert_eq!(told.notes.len(), 1, "{told:?}");
    let note = format!("{gone} of 127.0.0.1: cannot be connected to");
    assert!(told.notes[0].starts_with(&note), "{told:?}");
    assert_eq!(told.exposed.disk_read_bytes, Some(1_000.0));
    assert_eq!(
        (told.exposed.cpu_seconds, told.exposed.machine_cpu_seconds),
        (None, Some(100.0)),
        "another counter than before"
    );
    let told = exporters.sample(&hosts(1)).await;
    assert!(told.notes.is_empty(), "it rests: {told:?}");
    tokio::time::pause();
    tokio::time::advance(REST).await;
    tokio::time::resume();
    let told = exporters.sample(&hosts(1)).await;
    assert_eq!(told.notes.len(), 1, "{told:?}");
}

#[tokio::test]
async fn the_cpu_time_of_a_machine_is_not_taken_for_that_of_a_jvm_that_tells_none() {
    let without_cpu = "jvm_memory_used_bytes{area=\"heap\"} 500\n";
    let (node, jvm) = (
        Exporter::start(&machine(100, 1_000, 50)).await,
        Exporter::start(without_cpu).await,
    );
    let exporters = Exporters::new(vec![node.url.clone(), jvm.url.clone()]);
    let told = exporters.sample(&hosts(2)).await;
    assert!(told.notes.is_empty(), "{told:?}");
    assert_eq!(told.exposed.heap_used_bytes, Some(1_000.0));
    assert_eq!(told.exposed.cpu_seconds, None);
    assert_eq!(told.exposed.machine_cpu_seconds, Some(200.0));
}

#[tokio::test]
async fn pages_of_html_and_of_others_are_noted() {
    let node = Exporter::start("<html>Sign in</html>").await;
    let exporters = Exporters::new(vec![node.url.clone()]);
    let told = exporters.sample(&hosts(1)).await;
    assert_eq!(told.exposed, Exposed::default());
    assert!(told.notes[0].contains("HTML"), "{told:?}");
    node.shows("redis_up 1\n");
    let others = Exporters::new(vec![node.url.clone()]);
    let error = others.check(&hosts(1)).await.unwrap_err().to_string();
    assert!(error.contains("neither `jvm_memory_used_bytes`"), "{error}");
    assert!(error.ends_with("correct it, or leave it out"), "{error}");
    let shared = others.check(&hosts(2)).await.unwrap_err().to_string();
    assert!(shared.contains("several nodes"), "{shared}");
    assert!(Exporters::new(Vec::new()).check(&hosts(2)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_exporter_that_hangs_is_waited_for_no_longer_than_a_second() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("http://{{host}}:{port}/metrics").parse().unwrap();
    let exporters = Exporters::new(vec![url]);
    let began = Instant::now();
    let told = exporters.sample(&hosts(1)).await;
    assert!(told.notes[0].ends_with("no answer within 1s"), "{told:?}");
    assert!(began.elapsed() < Duration::from_secs(2));
    // Nor are more of them than are asked at the same time.
    let exporters = Exporters::new(exporters.all);
    let began = Instant::now();
    let told = exporters.sample(&hosts(3 * NODES_AT_ONCE)).await;
    assert_eq!(told.notes.len(), NODES_AT_ONCE, "the others had no turn");
    assert!(began.elapsed() < Duration::from_secs(2));
}
