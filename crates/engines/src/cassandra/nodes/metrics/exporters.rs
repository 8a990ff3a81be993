//! Exporters of metrics on the hosts of a cluster while it is measured: one that fails costs figures and a note.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bakeoff_servers::HOST_PLACEHOLDER;
use tokio::time::Instant;

use super::text::Sample;
use super::{Metrics, http, known};
use crate::EngineError;
use crate::cassandra::cluster::at_once::{NODES_AT_ONCE, at_once};
use crate::cassandra::nodes::exposed::Exposed;

/// Limits of a page that is read beside a measurement, whose time and memory it shares.
const LIMITS: http::Limits = http::Limits {
    time: Duration::from_secs(1),
    bytes: 8 << 20,
};
/// Time of a sample after which no further exporter is asked in it, so that hundreds of them that hang take no more
/// time than one.
const TURNS: Duration = Duration::from_millis(500);
/// The same time of the check, which asks all of them.
const TURNS_OF_CHECK: Duration = Duration::from_secs(60);
/// Time for which an exporter is left alone after it has failed.
const REST: Duration = Duration::from_secs(30);

/// Exporters on the hosts of a cluster that is measured.
#[derive(Debug)]
pub struct Exporters {
    all: Vec<Metrics>,
    /// Until when exporters are left alone, by the place of their URL and the host.
    rests: Mutex<BTreeMap<(usize, String), Instant>>,
}

/// What the exporters of all nodes tell together.
#[derive(Debug, Default, PartialEq)]
pub struct Told {
    /// Sums over all nodes, and the highest load average. What one of them does not tell is not known of all.
    pub exposed: Exposed,
    /// What has failed, each with the URL, the host and the reason.
    pub notes: Vec<String>,
}

/// What became of a page.
enum Page {
    Read(Vec<Sample>),
    Failed(String),
    /// Its exporter is left alone, or its turn would come too late.
    NotAsked,
}

impl Exporters {
    /// Makes the exporters of these URLs on each host.
    pub fn new(all: Vec<Metrics>) -> Exporters {
        Exporters {
            all,
            rests: Mutex::default(),
        }
    }

    /// Checks that each exporter of each host answers with metrics, fast enough to be read beside a measurement.
    ///
    /// # Errors
    /// Names the first URL and host of which it does not, and hosts that stand for several nodes.
    pub async fn check(&self, hosts: &[String]) -> Result<(), EngineError> {
        if self.all.is_empty() {
            return Ok(());
        }
        let mut seen = BTreeSet::new();
        if let Some(host) = hosts.iter().find(|host| !seen.insert(host.as_str())) {
            return Err(EngineError(format!(
                "--metrics: several nodes of the cluster have the address {host}, which {HOST_PLACEHOLDER} stands \
                 for, so that their figures would be those of one of them; leave it out"
            )));
        }
        let told = self.sample_in_turns(hosts, TURNS_OF_CHECK).await;
        match told.notes.first() {
            None => Ok(()),
            Some(note) => Err(EngineError(format!(
                "--metrics {note}; correct it, or leave it out"
            ))),
        }
    }

    /// Reads the exporters of all hosts, each of which is a node, many of them at the same time.
    pub async fn sample(&self, hosts: &[String]) -> Told {
        self.sample_in_turns(hosts, TURNS).await
    }

    /// Reads them as [`sample`](Self::sample) does, but none whose turn comes later than after this time.
    async fn sample_in_turns(&self, hosts: &[String], turns: Duration) -> Told {
        let is_one = hosts.len() == 1;
        let last_turn = Instant::now() + turns;
        let mut reading = Vec::with_capacity(hosts.len() * self.all.len());
        for host in hosts {
            for (place, metrics) in self.all.iter().enumerate() {
                reading.push(self.read(place, metrics, host, is_one, last_turn));
            }
        }
        let mut pages = at_once(NODES_AT_ONCE, reading).await.into_iter();
        let mut told = Told::default();
        let mut nodes = Vec::with_capacity(hosts.len());
        for host in hosts {
            let of_host = pages.by_ref().take(self.all.len());
            nodes.push(self.of_node(host, of_host, &mut told.notes));
        }
        told.exposed = nodes.into_iter().reduce(Exposed::and).unwrap_or_default();
        told
    }

    async fn read(
        &self,
        place: usize,
        metrics: &Metrics,
        host: &str,
        is_one: bool,
        last_turn: Instant,
    ) -> Page {
        let now = Instant::now();
        let rests_until = self.rests().get(&(place, host.to_owned())).copied();
        if now > last_turn || rests_until.is_some_and(|until| now < until) {
            return Page::NotAsked;
        }
        match metrics.samples(host, is_one, &LIMITS).await {
            Ok(samples) => Page::Read(samples),
            Err(why) => Page::Failed(why),
        }
    }

    /// Takes the figures of a node out of its pages, and notes what has failed.
    fn of_node(
        &self,
        host: &str,
        pages: impl Iterator<Item = Page>,
        notes: &mut Vec<String>,
    ) -> Exposed {
        let mut exposed = Exposed::default();
        for ((place, metrics), page) in self.all.iter().enumerate().zip(pages) {
            let read = match page {
                Page::Read(samples) => known::put(&samples, &mut exposed).map(|_| ()),
                Page::Failed(why) => Err(why),
                Page::NotAsked => continue,
            };
            if let Err(why) = read {
                notes.push(format!("{metrics} of {host}: {why}"));
                let until = Instant::now() + REST;
                self.rests().insert((place, host.to_owned()), until);
            }
        }
        exposed
    }

    fn rests(&self) -> MutexGuard<'_, BTreeMap<(usize, String), Instant>> {
        self.rests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
