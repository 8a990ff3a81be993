//! Exporters of metrics on the hosts of a cluster, over plain HTTP.

mod exporters;
#[cfg(test)]
mod hostile;
mod http;
mod known;
mod text;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use bakeoff_servers::HOST_PLACEHOLDER;
use tokio::time::Instant;

pub use exporters::{Exporters, Told};

use super::exposed::Exposed;
use super::figures::{Missing, NodeFigures, shared_hosts};
use crate::EngineError;
use crate::cassandra::cluster::at_once::{HOSTS_AT_ONCE, at_once};

const SCHEME: &str = "http://";
/// Path of a URL that has none.
const PATH: &str = "/metrics";
/// Port of a URL that has none.
const PORT: u16 = 80;

/// Time between two looks at exporters, whose difference is a rate.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// How often exporters are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    Once,
    /// Twice, about a second apart, so that counters have rates.
    Twice,
}

/// What the exporters of one host expose, and when they were asked for it.
#[derive(Debug, Default)]
struct Look {
    exposed: Exposed,
    jvm: Option<Instant>,
    machine: Option<Instant>,
    missing: Vec<Missing>,
}

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
    pub async fn add_to(all: &[Metrics], nodes: &mut [NodeFigures], looks: Looks) {
        let is_one = nodes.len() == 1;
        let shared = shared_hosts(nodes);
        let mut own: Vec<&mut NodeFigures> = { nodes.iter_mut() }
            .filter(|node| !shared.contains(&node.host))
            .collect();
        let hosts: Vec<String> = own.iter().map(|node| node.host.clone()).collect();
        let seen = look(all, &hosts, is_one, pause(looks)).await;
        for (node, (exposed, missing)) in own.iter_mut().zip(seen) {
            node.metrics = Some(exposed);
            node.missing.extend(missing);
        }
        for node in nodes.iter_mut().filter(|node| shared.contains(&node.host)) {
            let missing = all.iter().map(|metrics| metrics.to_string());
            let missing = missing.map(|url| Missing::of_shared_host(&url, &node.host));
            node.missing.extend(missing);
        }
    }

    /// Returns what the exporters of all URLs expose of each of these hosts, which are all that there are, and what is
    /// missing of it.
    pub async fn of_hosts(
        all: &[Metrics],
        hosts: &[String],
        looks: Looks,
    ) -> Vec<(Exposed, Vec<Missing>)> {
        look(all, hosts, hosts.len() == 1, pause(looks)).await
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

    async fn read(&self, host: &str, is_one: bool, into: &mut Look) -> Result<(), String> {
        let asked = Instant::now();
        let samples = self.samples(host, is_one, &http::WIDE).await?;
        let kinds = known::put(&samples, &mut into.exposed)?;
        if kinds.jvm {
            into.jvm = Some(asked);
        }
        if kinds.machine {
            into.machine = Some(asked);
        }
        Ok(())
    }

    /// Reads the page of a host, and returns the samples in it that are understood.
    async fn samples(
        &self,
        host: &str,
        is_one: bool,
        limits: &http::Limits,
    ) -> Result<Vec<text::Sample>, String> {
        let (authority, path) = self.place(host, is_one)?;
        let page = http::fetch(&authority, &path, limits).await?;
        text::samples(&page, known::is_known)
    }

    /// Returns the host and port, and the path, of a host, which is the only one that is asked or one of several.
    fn place(&self, host: &str, is_one: bool) -> Result<(String, String), String> {
        let has_host =
            self.authority.contains(HOST_PLACEHOLDER) || self.path.contains(HOST_PLACEHOLDER);
        if !has_host && !is_one {
            return Err(format!(
                "it has no {HOST_PLACEHOLDER}, and so is of one node only"
            ));
        }
        let place = self.of(host);
        place.ok_or_else(|| "it has no port that there is".to_owned())
    }
}

/// Returns the time until the second look, if there is one.
fn pause(looks: Looks) -> Option<Duration> {
    (looks == Looks::Twice).then_some(BETWEEN_LOOKS)
}

/// Looks at the exporters of all hosts, and a second time after a pause, if there is one.
async fn look(
    all: &[Metrics],
    hosts: &[String],
    is_one: bool,
    pause: Option<Duration>,
) -> Vec<(Exposed, Vec<Missing>)> {
    let mut looks = look_once(all, hosts, is_one).await;
    let has_any = looks.iter().any(|l| l.jvm.is_some() || l.machine.is_some());
    if let Some(pause) = pause.filter(|_| has_any) {
        looks.iter_mut().for_each(Look::add_lacking);
        tokio::time::sleep(pause).await;
        let again = look_once(all, hosts, is_one).await;
        for (first, second) in looks.iter_mut().zip(again) {
            first.add_rates(second);
        }
    }
    let seen = looks.into_iter().map(|look| (look.exposed, look.missing));
    seen.collect()
}

async fn look_once(all: &[Metrics], hosts: &[String], is_one: bool) -> Vec<Look> {
    let looking = hosts.iter().map(|host| look_at(all, host, is_one));
    at_once(HOSTS_AT_ONCE, looking.collect()).await
}

async fn look_at(all: &[Metrics], host: &str, is_one: bool) -> Look {
    let mut look = Look::default();
    for metrics in all {
        if let Err(reason) = metrics.read(host, is_one, &mut look).await {
            let missing = Missing::new(&metrics.to_string(), reason);
            look.missing.push(missing);
        }
    }
    look
}

impl Look {
    /// Notes what the exporter of the machine does not show.
    fn add_lacking(&mut self) {
        if self.machine.is_some() {
            let reason = "the exporter of the machine does not show it";
            let lacking = known::lacking(&self.exposed).into_iter();
            let lacking = lacking.map(|figure| Missing::new(figure, reason.to_owned()));
            self.missing.extend(lacking);
        }
    }

    /// Adds the rates since this look, by a second one. What only the second one lacks has no rates, for its reason.
    fn add_rates(&mut self, second: Look) {
        let between = |first: Option<Instant>, second: Option<Instant>| Some(second? - first?);
        let jvm = between(self.jvm, second.jvm);
        let machine = between(self.machine, second.machine);
        let rates = second.exposed.rates_since(&self.exposed, jvm, machine);
        self.exposed.rates = Some(rates);
        for missing in second.missing {
            let is_known = self.missing.iter().any(|m| m.figure == missing.figure);
            if !is_known {
                let figure = format!("rates of {}", missing.figure);
                self.missing.push(Missing::new(&figure, missing.reason));
            }
        }
    }
}

#[cfg(test)]
mod tests;
