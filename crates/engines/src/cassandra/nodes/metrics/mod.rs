//! Exporters of metrics on the hosts of a cluster, over plain HTTP.

#[cfg(test)]
mod hostile;
mod http;
mod known;
mod text;

use std::fmt;
use std::str::FromStr;

use bakeoff_servers::HOST_PLACEHOLDER;

use super::exposed::Exposed;
use super::figures::{Missing, NodeFigures, shared_hosts};
use crate::EngineError;
use crate::cassandra::cluster::at_once::{HOSTS_AT_ONCE, at_once};

const SCHEME: &str = "http://";
/// Path of a URL that has none.
const PATH: &str = "/metrics";
/// Port of a URL that has none.
const PORT: u16 = 80;

/// The URL of an exporter on each host, such as `http://{host}:9100/metrics`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metrics {
    /// Host and port, with the placeholder.
    authority: String,
    path: String,
}

impl FromStr for Metrics {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let refused = |why: &str| {
            EngineError(format!(
                "{why}: write for example http://{HOST_PLACEHOLDER}:9100/metrics"
            ))
        };
        let Some(rest) = text.strip_prefix(SCHEME) else {
            return Err(refused("metrics are read over plain http"));
        };
        let (authority, path) = match rest.find('/') {
            Some(place) => rest.split_at(place),
            None => (rest, PATH),
        };
        if authority.contains('@') {
            return Err(refused("a URL of metrics has no user or password in it"));
        }
        let is_visible = |c: char| c.is_ascii_graphic();
        if authority.is_empty() || !text.chars().all(is_visible) {
            return Err(refused("this is no URL"));
        }
        let metrics = Metrics {
            authority: authority.to_owned(),
            path: path.to_owned(),
        };
        match metrics.of("host") {
            Some(_) => Ok(metrics),
            None => Err(refused("this is no host and port")),
        }
    }
}

impl fmt::Display for Metrics {
    /// Writes the URL without its query, which may hold a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.split_once('?').map(|(path, _)| path);
        let path = path.unwrap_or(&self.path);
        write!(f, "{SCHEME}{}{path}", self.authority)
    }
}

impl Metrics {
    /// Adds what the exporters of all URLs expose to the figures of nodes. What cannot be read is missing there with
    /// the reason.
    pub async fn add_to(all: &[Metrics], nodes: &mut [NodeFigures]) {
        let is_one = nodes.len() == 1;
        let shared = shared_hosts(nodes);
        let own = { nodes.iter_mut() }.filter(|node| !shared.contains(&node.host));
        let reading = own.map(|node| add_to_node(all, node, is_one));
        at_once(HOSTS_AT_ONCE, reading.collect()).await;
        for node in nodes.iter_mut().filter(|node| shared.contains(&node.host)) {
            let missing = all.iter().map(|metrics| metrics.to_string());
            let missing = missing.map(|url| Missing::of_shared_host(&url, &node.host));
            node.missing.extend(missing);
        }
    }

    /// Returns what the exporters of all URLs expose of a host, which is the only one that is asked or one of several,
    /// and what is missing of it.
    pub async fn of_host(all: &[Metrics], host: &str, is_one: bool) -> (Exposed, Vec<Missing>) {
        let mut exposed = Exposed::default();
        let mut missing = Vec::new();
        for metrics in all {
            if let Err(reason) = metrics.read(host, is_one, &mut exposed).await {
                missing.push(Missing::new(&metrics.to_string(), reason));
            }
        }
        (exposed, missing)
    }

    /// Returns the host and port, and the path, for a host; `None` if it has no port that there is.
    fn of(&self, host: &str) -> Option<(String, String)> {
        let host = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };
        let authority = self.authority.replace(HOST_PLACEHOLDER, &host);
        let path = self.path.replace(HOST_PLACEHOLDER, &host);
        let behind = authority
            .rsplit_once(']')
            .map_or(authority.as_str(), |(_, rest)| rest);
        match behind.split_once(':') {
            Some((_, port)) => port.parse::<u16>().ok().map(|_| (authority.clone(), path)),
            None => Some((format!("{authority}:{PORT}"), path)),
        }
    }

    async fn read(&self, host: &str, is_one: bool, into: &mut Exposed) -> Result<(), String> {
        let has_host =
            self.authority.contains(HOST_PLACEHOLDER) || self.path.contains(HOST_PLACEHOLDER);
        if !has_host && !is_one {
            return Err(format!(
                "it has no {HOST_PLACEHOLDER}, and so is of one node only"
            ));
        }
        let Some((authority, path)) = self.of(host) else {
            return Err("it has no port that there is".to_owned());
        };
        let page = http::fetch(&authority, &path).await?;
        let samples = text::samples(&page, known::is_known)?;
        known::put(&samples, into)
    }
}

async fn add_to_node(all: &[Metrics], node: &mut NodeFigures, is_one: bool) {
    let (exposed, missing) = Metrics::of_host(all, &node.host, is_one).await;
    node.missing.extend(missing);
    node.metrics = Some(exposed);
}

#[cfg(test)]
mod tests {
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
        Metrics::add_to(&url, &mut nodes).await;
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

    /// Answers one request with a page, and returns the port.
    async fn exporter(page: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 256];
            let _ = stream.read(&mut request).await.unwrap();
            let reply = format!("HTTP/1.0 200 OK\r\n\r\n{page}");
            stream.write_all(reply.as_bytes()).await.unwrap();
        });
        port
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
        let jvm = exporter("jvm_memory_used_bytes{area=\"heap\"} 5\n").await;
        let wrong = exporter("<html>Exporter</html>").await;
        let urls = [jvm, wrong].map(|port| metrics(&format!("http://{{host}}:{port}/metrics")));
        let mut nodes = nodes(&["127.0.0.1"]);
        Metrics::add_to(&urls, &mut nodes).await;
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
        Metrics::add_to(&url, &mut nodes).await;
        for node in &nodes {
            assert!(node.why(&url[0].to_string()).contains("no {host}"));
        }
    }
}
