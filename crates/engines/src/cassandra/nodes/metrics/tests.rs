use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

fn metrics(url: &str) -> Metrics {
    url.parse().unwrap()
}

#[test]
fn a_host_is_put_into_a_url() {
    let of = |url: &str, host: &str| {
        let (authority, path) = metrics(url).of(host).unwrap();
        authority + &path
    };
    assert_eq!(
        of("http://{host}:9100/metrics", "10.0.0.1"),
        "10.0.0.1:9100/metrics"
    );
    assert_eq!(of("http://{host}", "10.0.0.1"), "10.0.0.1:80/metrics");
    assert_eq!(of("http://{host}:7070/", "fd00::7"), "[fd00::7]:7070/");
    let by_proxy = of("http://proxy:80/{host}/metrics", "10.0.0.1");
    assert_eq!(by_proxy, "proxy:80/10.0.0.1/metrics");
    assert_eq!(
        metrics("http://{host}:1").to_string(),
        "http://{host}:1/metrics"
    );
}

#[test]
fn the_query_of_a_url_is_sent_and_not_shown() {
    let metrics = metrics("http://{host}:1/metrics?token=secret");
    assert_eq!(metrics.of("h").unwrap().1, "/metrics?token=secret");
    assert_eq!(metrics.to_string(), "http://{host}:1/metrics");
}

#[tokio::test]
async fn nodes_that_one_host_stands_for_are_not_told_apart() {
    let url = [metrics("http://{host}:1/metrics")];
    let mut nodes = nodes(&["127.0.0.1", "127.0.0.1"]);
    Metrics::add_to(&url, &mut nodes, Looks::Once).await;
    for node in &nodes {
        assert_eq!(node.metrics, None);
        assert!(node.why(&url[0].to_string()).contains("several nodes"));
    }
}

#[test]
fn urls_that_cannot_be_right_are_refused() {
    for (url, why) in [
        ("https://{host}:9100/metrics", "plain http"),
        ("{host}:9100", "plain http"),
        ("http://ops:secret@{host}:9100/", "no user or password"),
        ("http://{host}:port/", "no host and port"),
        ("http://{host}:99999/", "no host and port"),
        ("http:///metrics", "no URL"),
        ("http://{host}:1/a\r\nHost: x", "no URL"),
    ] {
        let error = url.parse::<Metrics>().unwrap_err().to_string();
        assert!(error.contains(why), "{url}: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
}

/// Answers one request with each page, then listens no more, and returns the port.
async fn exporter(pages: &'static [&'static str]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        for page in pages {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 256];
            let _ = stream.read(&mut request).await.unwrap();
            let reply = format!("HTTP/1.0 200 OK\r\n\r\n{page}");
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
    });
    port
}

#[tokio::test]
async fn a_second_look_brings_rates_where_it_succeeds() {
    let jvm: &[&str] = &["jvm_memory_used_bytes{area=\"heap\"} 5\nprocess_cpu_seconds_total 1\n"];
    let machine: &[&str] = &[
        "node_cpu_seconds_total{mode=\"user\"} 1\nnode_disk_read_bytes_total 10\n",
        "node_cpu_seconds_total{mode=\"user\"} 3\nnode_disk_read_bytes_total 16\n",
    ];
    let ports = [exporter(jvm).await, exporter(machine).await];
    let urls = ports.map(|port| metrics(&format!("http://{{host}}:{port}/metrics")));
    let hosts = ["127.0.0.1".to_owned()];
    let seen = look(&urls, &hosts, true, Some(Duration::from_millis(10))).await;
    let (exposed, missing) = &seen[0];
    assert_eq!(exposed.cpu_seconds, Some(1.0));
    let rates = exposed.rates.unwrap();
    assert_eq!(rates.cpus, None, "the exporter of the JVM is gone");
    let (cpus, read) = (rates.machine_cpus, rates.disk_read_bytes);
    let ratio = read.unwrap() / cpus.unwrap();
    assert!((ratio - 3.0).abs() < 1e-9, "{rates:?}");
    let figures: Vec<&str> = missing.iter().map(|m| m.figure.as_str()).collect();
    let rates_of = format!("rates of {}", urls[0]);
    let lacking = ["page cache", "disk queue", "network", rates_of.as_str()];
    assert_eq!(figures, lacking);
}

fn nodes(hosts: &[&str]) -> Vec<NodeFigures> {
    let node = |host: &&str| NodeFigures {
        host: (*host).to_owned(),
        ..NodeFigures::default()
    };
    hosts.iter().map(node).collect()
}

#[tokio::test]
async fn figures_and_reasons_are_those_of_each_url() {
    let jvm = exporter(&["jvm_memory_used_bytes{area=\"heap\"} 5\n"]).await;
    let wrong = exporter(&["<html>Exporter</html>"]).await;
    let urls = [jvm, wrong].map(|port| metrics(&format!("http://{{host}}:{port}/metrics")));
    let mut nodes = nodes(&["127.0.0.1"]);
    Metrics::add_to(&urls, &mut nodes, Looks::Once).await;
    let exposed = nodes[0].metrics.unwrap();
    assert_eq!(exposed.heap_used_bytes, Some(5.0));
    let why = nodes[0].why(&urls[1].to_string());
    assert!(why.contains("HTML"), "{why}");
    assert_eq!(nodes[0].missing.len(), 1);
}

#[tokio::test]
async fn a_url_of_one_node_is_not_read_for_several() {
    let url = [metrics("http://127.0.0.1:1/metrics")];
    let mut nodes = nodes(&["127.0.0.1", "127.0.0.2"]);
    Metrics::add_to(&url, &mut nodes, Looks::Once).await;
    for node in &nodes {
        assert!(node.why(&url[0].to_string()).contains("no {host}"));
    }
}
