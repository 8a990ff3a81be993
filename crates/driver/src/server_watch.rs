//! Takes figures of designs' servers at the beginning of a step, about once a second while it lasts, and at its end.
//! Those of several nodes, and of servers that somebody else runs, are taken half as often, since others may need them;
//! so are they while a load lasts, which takes its samples itself.
//!
//! All samples together take no more than 2% of the time, since each is followed by a rest of 49 times as long. One
//! alongside a step holds nothing up and waits for a server that is busy, so that the quickest sample of the design
//! counts in its place. A sample that is not due yet is left out. From a quarter of an hour on samples are a thousandth
//! of the time so far apart, so that a long run has a few thousand of them, and a design that told nothing at first is
//! not asked any more.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bakeoff_stats::{During, SampleAt, ServerSample, ServerWindow};
use tokio::time::Instant;

use crate::Design;
use crate::call::within;

/// Shortest time between two samples of a step.
const EVERY: Duration = Duration::from_secs(1);

/// The same of several nodes, and of servers that Bakeoff did not start.
const EVERY_OF_A_CLUSTER: Duration = Duration::from_secs(2);

/// Part of the time since the first sample that passes between two samples, where that is longer.
const PART_OF_THE_TIME: u32 = 1_000;

/// Multiple of the time of a sample that passes until the next one.
const REST: u32 = 49;

/// Longest time that a sample may take, which a server that hangs would hold up otherwise.
const SAMPLE_LIMIT: Duration = Duration::from_secs(2);

/// Samples without a figure after which a design is not asked any more, such as one whose role may read no views.
const MOST_WITHOUT_A_FIGURE: u32 = 3;

/// Samples of all servers of a command so far.
#[derive(Debug, Default)]
pub struct ServerWatch {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Begin of the first sample.
    first: Option<Instant>,
    /// End of the last sample.
    last: Option<Instant>,
    /// End of the rest that the samples so far have to be followed by.
    rests_until: Option<Instant>,
    /// Time of the quickest sample with figures of each design.
    quickest: BTreeMap<String, Duration>,
    /// Designs that have several nodes, or servers that Bakeoff did not start.
    of_a_cluster: BTreeSet<String>,
    /// Number of samples without a figure of each design that never told one.
    without_a_figure: BTreeMap<String, u32>,
    /// Designs without a server that tells anything.
    silent: BTreeSet<String>,
}

impl State {
    fn rest(&self) -> (Option<Instant>, Option<Instant>) {
        (self.last, self.rests_until)
    }

    /// Returns the shortest time from any sample to one of a design at this moment.
    fn every(&self, id: &str, now: Instant) -> Duration {
        let so_far = self.first.map(|first| now - first).unwrap_or_default();
        let least = every(self.of_a_cluster.contains(id));
        least.max(so_far / PART_OF_THE_TIME)
    }

    /// Notes that a sample of a design had no figure.
    fn told_nothing(&mut self, id: &str) {
        if self.quickest.contains_key(id) {
            return;
        }
        let times = self.without_a_figure.entry(id.to_owned()).or_default();
        *times += 1;
        if *times >= MOST_WITHOUT_A_FIGURE {
            self.silent.insert(id.to_owned());
        }
    }
}

/// Returns the shortest time between two samples of a server, or of a cluster.
pub fn every(is_of_a_cluster: bool) -> Duration {
    if is_of_a_cluster {
        EVERY_OF_A_CLUSTER
    } else {
        EVERY
    }
}

/// Returns whether Bakeoff started the servers of a design: the system tells the CPU time of these, and of no others.
pub fn is_own(design: &dyn Design) -> bool {
    design.server_cpu_seconds().is_some()
}

/// Returns whether a sample is of several nodes, or of a server that Bakeoff did not start.
pub fn is_of_a_cluster(is_own: bool, sample: &ServerSample) -> bool {
    !is_own || sample.nodes.is_some()
}

/// A step while the server is sampled.
#[derive(Debug)]
pub struct Watched {
    began_at: SystemTime,
    began: Instant,
    samples: Vec<SampleAt>,
    is_sampled: bool,
}

impl Watched {
    /// Makes a step whose server is not sampled.
    pub fn unsampled() -> Watched {
        Watched {
            began_at: SystemTime::now(),
            began: Instant::now(),
            samples: Vec::new(),
            is_sampled: false,
        }
    }

    /// Sets the begin of the step to this moment, where it has waited for its moment since the first sample.
    pub fn begins_now(&mut self) {
        (self.began_at, self.began) = (SystemTime::now(), Instant::now());
    }
}

impl ServerWatch {
    /// Samples the server of a design if that is due. The step begins when this returns.
    pub async fn begin(&self, design: &dyn Design) -> Watched {
        self.begin_within(SAMPLE_LIMIT, design).await
    }

    /// Samples the server of a design if that is due, for no longer than `limit`, after which a step begins.
    pub async fn begin_within(&self, limit: Duration, design: &dyn Design) -> Watched {
        let is_due = !limit.is_zero() && self.pause(design) == Some(Duration::ZERO);
        let first = if is_due {
            self.sample(design, Beside::Nothing, limit).await
        } else {
            None
        };
        let samples = first.map(|server| SampleAt {
            seconds: 0.0,
            server,
        });
        Watched {
            samples: samples.into_iter().collect(),
            is_sampled: true,
            ..Watched::unsampled()
        }
    }

    /// Performs a step, and samples the server whenever that is due while it lasts.
    pub async fn during<T>(
        &self,
        design: &dyn Design,
        watched: &mut Watched,
        step: impl Future<Output = T>,
    ) -> T {
        let mut step = pin!(step);
        loop {
            let Some(mut pause) = self.pause(design).filter(|_| watched.is_sampled) else {
                return step.await;
            };
            if watched.samples.is_empty() {
                // A short step would cut the sample off, whose time would be spent for nothing: the next one begins
                // with it instead.
                pause = pause.max(EVERY.saturating_sub(watched.began.elapsed()));
            }
            let sampling = async {
                tokio::time::sleep(pause).await;
                let at = watched.began.elapsed();
                (at, self.sample(design, Beside::Step, SAMPLE_LIMIT).await)
            };
            let (at, seen) = tokio::select! {
                biased;
                ended = &mut step => return ended,
                sampled = sampling => sampled,
            };
            watched.samples.extend(seen.map(|server| SampleAt {
                seconds: at.as_secs_f64(),
                server,
            }));
        }
    }

    /// Samples the server once more, and returns all samples of a step that took so long; `None` if there were none
    /// before, with which counters could be compared.
    pub async fn end(
        &self,
        design: &dyn Design,
        watched: Watched,
        during: During,
        seconds: f64,
    ) -> Option<ServerWindow> {
        let Watched {
            began_at,
            mut samples,
            ..
        } = watched;
        if samples.is_empty() || design.dead().is_some() {
            return None;
        }
        let last = self.sample(design, Beside::Nothing, SAMPLE_LIMIT).await;
        samples.extend(last.map(|server| SampleAt { seconds, server }));
        let since_1970 = began_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(ServerWindow {
            design: design.info().id.clone(),
            during,
            began_at_ns: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX),
            seconds,
            samples,
        })
    }

    /// Returns the time until the next sample is due; `None` for a design whose server tells nothing.
    fn pause(&self, design: &dyn Design) -> Option<Duration> {
        let state = self.state();
        let id = &design.info().id;
        if state.silent.contains(id) {
            return None;
        }
        let now = Instant::now();
        let next = state.last.map_or(now, |last| last + state.every(id, now));
        let next = state.rests_until.map_or(next, |rest| rest.max(next));
        Some(next.saturating_duration_since(now))
    }

    /// Samples the server of a design. What fails here is no failure of the design: it has no figures then.
    async fn sample(
        &self,
        design: &dyn Design,
        beside: Beside,
        limit: Duration,
    ) -> Option<ServerSample> {
        let id = &design.info().id;
        let before = self.state().rest();
        let quickest = self.state().quickest.get(id).copied();
        let asked = Asked {
            watch: self,
            at: Instant::now(),
            counts_at_most: quickest.filter(|_| beside == Beside::Step),
        };
        self.state().first.get_or_insert(asked.at);
        let limit = limit.min(SAMPLE_LIMIT);
        let told = within(limit, async { Ok(design.server_sample().await) }).await;
        let took = asked.at.elapsed();
        drop(asked);
        let is_own = is_own(design);
        let mut state = self.state();
        match told {
            Ok(None) => {
                state.silent.insert(id.clone());
                // What nothing was asked of delays no sample of another one.
                (state.last, state.rests_until) = before;
                None
            }
            Ok(Some(sample)) if !sample.is_empty() => {
                let quickest = quickest.map_or(took, |quickest| quickest.min(took));
                state.quickest.insert(id.clone(), quickest);
                if is_of_a_cluster(is_own, &sample) {
                    state.of_a_cluster.insert(id.clone());
                }
                Some(sample)
            }
            Ok(Some(_)) | Err(_) => {
                state.told_nothing(id);
                None
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What else is under way while a server is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    Step,
}

/// A sample that is under way. Its time counts even if the step ends before it does.
struct Asked<'a> {
    watch: &'a ServerWatch,
    at: Instant,
    /// Longest time that counts; `None` if all of it does.
    counts_at_most: Option<Duration>,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let mut state = self.watch.state();
        let now = Instant::now();
        let took = now - self.at;
        let counts = self.counts_at_most.map_or(took, |most| most.min(took));
        let rest_from = state.rests_until.map_or(now, |rest| rest.max(now));
        state.rests_until = Some(rest_from + counts * REST);
        state.last = Some(now);
    }
}

#[cfg(test)]
mod tests;
