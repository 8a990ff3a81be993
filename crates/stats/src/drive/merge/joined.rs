//! Joins one trial of several shards.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::time::{Duration, UNIX_EPOCH};

use super::shard::{Shard, ShardTrial};
use super::{MergeError, SECOND_NS};
use crate::counts::{add, total};
use crate::drive::{
    DriveLog, DriveRecord, HistogramLog, HistogramLogReader, LoggedSecond, SecondCounts,
    ServerSample, Tally, TrialEnd, TrialStart,
};
use crate::{CpuSeconds, JournalError};

/// Most messages of failures that a joined trial keeps.
const MOST_MESSAGES: usize = 20;

/// One trial in all shards that have it.
pub struct Joined<'a> {
    start: TrialStart,
    /// Trial of each shard, with the joined trial's second nearest to the moment in which it began.
    parts: Vec<Option<(&'a ShardTrial, u32)>>,
}

pub fn trials(shards: &[Shard]) -> Result<Vec<Joined<'_>>, MergeError> {
    let mut keys: Vec<(&str, u32)> = Vec::new();
    for trial in shards.iter().flat_map(|s| &s.trials) {
        let key = (trial.start.design.as_str(), trial.start.round);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let joined = (1..).zip(keys).map(|(number, (design, round))| {
        let parts = shards.iter().map(|s| s.trial(design, round)).collect();
        Joined::new(number, shards, parts)
    });
    joined.collect()
}

impl<'a> Joined<'a> {
    fn new(
        trial: u32,
        shards: &[Shard],
        parts: Vec<Option<&'a ShardTrial>>,
    ) -> Result<Joined<'a>, MergeError> {
        let there: Vec<(&Shard, &'a ShardTrial)> = shards
            .iter()
            .zip(&parts)
            .filter_map(|(shard, part)| Some((shard, (*part)?)))
            .collect();
        let starts = there.iter().map(|(_, part)| part.start.started_at_ns);
        let (earliest, latest) = (starts.clone().min().unwrap_or(0), starts.max().unwrap_or(0));
        // A shard that had ended before the last one began did not drive with it, and a sum of
        // their rates would be that of no moment.
        let ended = there.iter().find(|(_, part)| part.ends_at_ns() <= latest);
        let late = there
            .iter()
            .find(|(_, part)| part.start.started_at_ns == latest);
        if let (Some((first, _)), Some((second, part))) = (ended, late)
            && earliest < latest
        {
            return Err(MergeError::Apart {
                trial,
                design: part.start.design.clone(),
                first: first.dir(),
                second: second.dir(),
            });
        }
        let rates: Option<Vec<f64>> = there
            .iter()
            .map(|(_, part)| part.start.scheduled_rate)
            .collect();
        // A key comes from a trial, so that there is one.
        let (_, first) = there.first().ok_or(MergeError::TooFew)?;
        let start = TrialStart {
            trial,
            scheduled_rate: rates.map(|rates| rates.iter().sum()),
            started_at_ns: earliest,
            ..first.start.clone()
        };
        let parts = parts.into_iter();
        Ok(Joined {
            start,
            parts: parts
                .map(|part| part.map(|part| (part, seconds_after(earliest, part))))
                .collect(),
        })
    }

    pub fn warnings(&self, shards: &[Shard]) -> Vec<String> {
        let mut warnings = Vec::new();
        let TrialStart {
            trial,
            design,
            started_at_ns: earliest,
            ..
        } = &self.start;
        for (shard, part) in shards.iter().zip(&self.parts) {
            let Some((part, offset)) = part else {
                warnings.push(format!("trial {trial} ({design}) has no {}", shard.name()));
                continue;
            };
            let late = part.start.started_at_ns - earliest;
            if *offset > 0 {
                warnings.push(format!(
                    "trial {trial} ({design}): {} began {:.1} s after the first; until then the \
                     rate is not that of all shards",
                    shard.name(),
                    late as f64 / SECOND_NS as f64
                ));
            }
        }
        warnings
    }

    pub fn write(&self, shards: &[Shard], log: &mut DriveLog) -> Result<(), MergeError> {
        let names = shards[0].header().operation_names();
        let path = HistogramLog::path(log.dir(), self.start.trial);
        let at = UNIX_EPOCH + Duration::from_nanos(self.start.started_at_ns);
        let mut histograms = HistogramLog::create(&path, at)?;
        log.append(&DriveRecord::TrialStarted(self.start.clone()))?;
        let mut sources = self.sources(shards, &names)?;
        let seconds: BTreeSet<u32> = sources.iter().flat_map(Source::seconds).collect();
        for second in seconds {
            let mut tallies = vec![Tally::default(); names.len()];
            let mut queued = 0;
            let mut server = ServerSample::default();
            for source in &mut sources {
                if let Some(counts) = source.add(second, &mut tallies)? {
                    add(&mut queued, counts.queued);
                    if source.sees_the_server {
                        server = counts.server.clone();
                    }
                }
            }
            histograms.write(second, &names, &tallies)?;
            let counts = SecondCounts::new(self.start.trial, second, &tallies, queued, server);
            log.append(&DriveRecord::Second(counts))?;
        }
        if let Some(end) = self.end() {
            log.append(&DriveRecord::TrialEnded(end))?;
        }
        Ok(())
    }

    fn there(&self) -> impl Iterator<Item = (&'a ShardTrial, u32)> {
        self.parts.iter().flatten().copied()
    }

    /// Returns the trial that saw most of the server.
    fn watcher(&self) -> Option<&'a ShardTrial> {
        // The first of equals.
        let parts: Vec<&ShardTrial> = self.there().map(|(p, _)| p).collect();
        parts.into_iter().rev().max_by_key(|p| p.seen())
    }

    fn sources(&self, shards: &[Shard], names: &[String]) -> Result<Vec<Source<'a>>, MergeError> {
        let mut sources = Vec::new();
        let watcher = self.watcher();
        for (shard, part) in shards.iter().zip(&self.parts) {
            let Some((trial, offset)) = part else {
                continue;
            };
            if trial.seconds.is_empty() {
                continue;
            }
            let path = HistogramLog::path(shard.run.dir(), trial.start.trial);
            sources.push(Source {
                trial,
                offset: *offset,
                log: HistogramLogReader::open(&path, names)?.peekable(),
                sees_the_server: watcher.is_some_and(|w| std::ptr::eq(w, *trial)),
            });
        }
        Ok(sources)
    }

    /// Joins the ends. Returns `None` unless the trial ended in all shards that have it.
    fn end(&self) -> Option<TrialEnd> {
        let ends: Vec<(&TrialEnd, u32)> = self
            .there()
            .map(|(p, offset)| Some((p.end.as_ref()?, offset)))
            .collect::<Option<_>>()?;
        let sum = |value: fn(&TrialEnd) -> u64| total(ends.iter().map(|(e, _)| value(e)));
        // Once one shard has ended, the rate is no longer that of all.
        let all_drove = ends
            .iter()
            .map(|(e, offset)| e.seconds + f64::from(*offset));
        let messages = |of: fn(&TrialEnd) -> &Vec<String>| {
            let all = ends.iter().flat_map(|(e, _)| of(e).iter().cloned());
            all.take(MOST_MESSAGES).collect()
        };
        let server = self.watcher().and_then(|w| w.end.as_ref()?.cpu.server);
        Some(TrialEnd {
            trial: self.start.trial,
            seconds: all_drove.reduce(f64::min).unwrap_or(0.0),
            stopped: ends.iter().any(|(e, _)| e.stopped),
            scheduled: sum(|e| e.scheduled),
            sent: sum(|e| e.sent),
            unsent: sum(|e| e.unsent),
            queued: sum(|e| e.queued),
            limited_seconds: ends
                .iter()
                .map(|(e, _)| e.limited_seconds)
                .max()
                .unwrap_or(0),
            rate_reached: ends.iter().map(|(e, _)| e.rate_reached).sum(),
            lateness_p99_ns: ends.iter().filter_map(|(e, _)| e.lateness_p99_ns).max(),
            cpu: CpuSeconds {
                client: ends.iter().map(|(e, _)| e.cpu.client).sum(),
                server: server.or_else(|| ends.iter().find_map(|(e, _)| e.cpu.server)),
                in_ticks: false,
            },
            connect_seconds: { ends.iter() }
                .flat_map(|(e, _)| e.connect_seconds.iter().copied())
                .collect(),
            messages: messages(|e| &e.messages),
            background: messages(|e| &e.background),
            background_statements: sum(|e| e.background_statements),
            background_failed: sum(|e| e.background_failed),
            worker_failures: messages(|e| &e.worker_failures),
        })
    }
}

/// Returns how many seconds after the earliest shard a trial began, to the nearest second.
fn seconds_after(earliest_ns: u64, part: &ShardTrial) -> u32 {
    let late_ns = part.start.started_at_ns - earliest_ns;
    ((late_ns + SECOND_NS / 2) / SECOND_NS) as u32
}

/// Seconds of a shard's trial, read one after the other.
struct Source<'a> {
    trial: &'a ShardTrial,
    offset: u32,
    log: Peekable<HistogramLogReader>,
    sees_the_server: bool,
}

impl<'a> Source<'a> {
    /// Returns its seconds as the joined trial counts them.
    fn seconds(&self) -> impl Iterator<Item = u32> {
        let offset = self.offset;
        self.trial.seconds.keys().map(move |second| second + offset)
    }

    /// Adds this shard's counts of a second of the joined trial. Seconds have to be asked for in
    /// order.
    fn add(
        &mut self,
        second: u32,
        tallies: &mut [Tally],
    ) -> Result<Option<&'a SecondCounts>, MergeError> {
        let Some(own) = second.checked_sub(self.offset) else {
            return Ok(None);
        };
        let Some(counts) = self.trial.seconds.get(&own) else {
            return Ok(None);
        };
        let until_own = |logged: &Result<LoggedSecond, JournalError>| match logged {
            Ok(logged) => logged.second <= own,
            Err(_) => true,
        };
        while let Some(logged) = self.log.next_if(until_own) {
            let logged = logged?;
            if logged.second == own {
                for (tally, times) in tallies.iter_mut().zip(&logged.tallies) {
                    *tally += times;
                }
            }
        }
        for (tally, counts) in tallies.iter_mut().zip(&counts.operations) {
            counts.add_to(tally);
        }
        Ok(Some(counts))
    }
}
