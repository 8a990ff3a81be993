//! Trials: single loads on one design, recorded second by second.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bakeoff_stats::drive::{
    DriveLog, DriveRecord, HistogramLog, HistogramLogReader, NodeAdded, SecondCounts, Tally,
    TrialEnd, TrialStart, least_climb, warm_up_of,
};
use bakeoff_workload::Mix;
use tokio::sync::watch;

use super::added_node::{Joining, Recorded};
use super::beside::{AnsweredBy, marked};
use super::context::{LiveView, Trouble, or_why_dead, server_ended, why_dead};
use super::run::drive;
use super::{DriveObserver, Driven, Pass, Plan, Schedule, Second, Stop, Target};
use super::{profile, repairs};

/// Pause between two checks whether the server still runs.
const SERVER_POLL: Duration = Duration::from_millis(200);

/// Drives the loads of a drive, and records and shows each.
pub struct Trials<'a> {
    pub log: &'a mut DriveLog,
    live: &'a mut dyn LiveView,
    /// Names of the operations, in the order of the mix.
    operations: Vec<String>,
    /// Number of loads so far; each has a number from 1 on.
    pub count: u32,
    /// Whether the loads warm up a server, so that no figure includes them.
    pub is_warm_up: bool,
    /// Who answers questions beside the loads; `None` if none are asked.
    pub answered_by: Option<AnsweredBy>,
    /// Whether the loads are those of a search, which are many and short, so that their read repairs are not counted.
    pub is_search: bool,
    /// Time from the start of the next loads until a node is added to their servers, if one is to be added.
    pub add_node_after: Option<Duration>,
    /// Number of the load that began last.
    pub begun: watch::Sender<u32>,
}

impl<'a> Trials<'a> {
    /// Begins with the first load of a mix.
    pub fn new(log: &'a mut DriveLog, live: &'a mut dyn LiveView, mix: &Mix) -> Self {
        Trials {
            log,
            live,
            operations: mix.operations.iter().map(|o| o.name.clone()).collect(),
            count: 0,
            is_warm_up: false,
            answered_by: None,
            is_search: false,
            add_node_after: None,
            begun: watch::Sender::new(0),
        }
    }

    /// Drives one load on a design to its end, or until it is stopped.
    ///
    /// # Errors
    /// The load could not begin, its server ended, a worker ended early, or the results could not be
    /// recorded.
    pub async fn drive(
        &mut self,
        target: Arc<dyn Target>,
        round: u32,
        plan: &Plan,
        stop: &Stop,
    ) -> Result<Trial, Trouble> {
        if let Some(why) = why_dead(target.as_ref()) {
            return Err(server_ended(&why));
        }
        self.count += 1;
        let trial = self.count;
        let id = &target.info().id;
        let (what, lasts) = match plan.schedule.pass() {
            Some(pass) => (
                format!("{id}: {}", self.pass_in_words(pass)),
                Duration::ZERO,
            ),
            None if plan.schedule.ends_by_itself() => {
                (format!("{id}: {}", plan.schedule), Duration::ZERO)
            }
            None => (format!("{id} at {}", plan.schedule), plan.duration),
        };
        let what = marked(what, self.answered_by.as_ref());
        self.live.begin(&what, lasts);
        let repairs = if self.is_warm_up || self.is_search {
            None
        } else {
            repairs::so_far(target.as_ref()).await
        };
        let profile = if self.is_warm_up || self.answered_by.is_some() {
            None
        } else {
            profile::begin(target.as_ref(), self.log).await?
        };
        // This signal ends this load alone, if it cannot be recorded or its server has ended.
        let own_stop = Stop::new();
        let is_warm_up = self.is_warm_up;
        let (add_node_after, begun) = (self.add_node_after, self.begun.subscribe());
        let mut recording = Recording {
            trials: self,
            design: target.info().id.clone(),
            trial,
            round,
            plan,
            is_warm_up,
            histograms: None,
            seconds: Vec::new(),
            trouble: None,
            stop: own_stop.clone(),
        };
        let asked = async {
            stop.asked().await;
            own_stop.stop();
            std::future::pending().await
        };
        let server_ends = async {
            while why_dead(target.as_ref()).is_none() {
                tokio::time::sleep(SERVER_POLL).await;
            }
            own_stop.stop();
            std::future::pending().await
        };
        let mut joining = Joining::default();
        let joins = async {
            if let Some(after) = add_node_after {
                joining.join(target.as_ref(), after, trial, begun).await;
            }
            std::future::pending().await
        };
        // The others do not return: two of them ask the load to end, which is always awaited.
        let driven = tokio::select! {
            driven = drive(target.clone(), plan, &own_stop, &mut recording) => driven,
            driven = asked => driven,
            driven = server_ends => driven,
            driven = joins => driven,
        };
        let (trouble, seconds) = (recording.trouble, recording.seconds);
        if let Some(profile) = profile {
            let begun = driven.is_ok().then_some(trial);
            profile.end(target.as_ref(), self.log, begun).await?;
        }
        if let Some(repairs) = repairs {
            repairs::record(target.as_ref(), self.log, &repairs).await?;
        }
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        let driven = driven.map_err(|error| or_why_dead(target.as_ref(), error))?;
        let ended = end(trial, &driven);
        // The figures of a load are valid if the server ended after the last operation. It is only noticed
        // later, so any failure of the load is put down to the end of the server.
        let is_whole = ended.is_complete()
            && driven.unsent == 0
            && driven.failures.is_empty()
            && driven.background.failed == 0;
        self.log.append(&DriveRecord::TrialEnded(ended))?;
        if let Some(added) = joining.node_added(trial, id) {
            self.note_joining(added, &seconds, driven.duration)?;
        }
        // What a warm-up has warmed is to be as warm when the next load begins, and questions may still be under way.
        if !self.is_warm_up && self.answered_by.is_none() {
            self.between_loads();
        }
        if let Some(why) = why_dead(target.as_ref()).filter(|_| !is_whole) {
            return Err(format!("its server ended during the load: {why}").into());
        }
        if !driven.worker_failures.is_empty() {
            let failures = driven.worker_failures.join("; ");
            return Err(format!("the offered load was smaller than planned: {failures}").into());
        }
        Ok(Trial {
            number: trial,
            driven,
            seconds,
        })
    }

    /// Records that a node was added during a load, with the load's parts, and as a warning if it did not join.
    fn note_joining(
        &mut self,
        mut added: NodeAdded,
        seconds: &[SecondCounts],
        duration: Duration,
    ) -> Result<(), Trouble> {
        if let Some(why) = &added.failed {
            let message = format!("the node that was added did not join: {why}");
            self.log.append(&DriveRecord::Warning { message })?;
        }
        let load = Recorded {
            dir: self.log.dir(),
            operations: &self.operations,
            seconds,
            duration,
        };
        added.parts = load.parts(&added)?;
        Ok(self.log.append(&DriveRecord::NodeAdded(added))?)
    }

    /// Says that a load has ended with all that belongs to it, and is on record.
    pub fn between_loads(&mut self) {
        self.live.between_loads();
    }

    /// Names a pass: `read, each of 1000 rows once`.
    fn pass_in_words(&self, pass: Pass) -> String {
        let operation = self.operations.get(pass.operation);
        let name = operation.map_or("", String::as_str);
        format!("{name}, {}", Schedule::Pass(pass))
    }

    /// Sums up the measurements of a trial by operation, as reports show them: the times after the
    /// warm-up, and the counts of the whole load.
    ///
    /// # Errors
    /// The trial's histograms cannot be read back.
    pub fn steady_part(&self, trial: &Trial) -> Result<Vec<Tally>, Trouble> {
        let warm_up = warm_up_of(&trial.seconds, trial.driven.duration.as_secs_f64());
        let from = warm_up.seconds as u32;
        let mut sums = vec![Tally::default(); self.operations.len()];
        let path = HistogramLog::path(self.log.dir(), trial.number);
        for logged in HistogramLogReader::open(&path, &self.operations)? {
            let logged = logged?;
            if logged.second >= from {
                for (sum, tally) in sums.iter_mut().zip(&logged.tallies) {
                    *sum += tally;
                }
            }
        }
        for second in &trial.seconds {
            for (sum, counts) in sums.iter_mut().zip(&second.operations) {
                counts.add_to(sum);
            }
        }
        Ok(sums)
    }
}

impl Trial {
    /// Returns the lower bound of the growth of response times after the warm-up, in seconds each second;
    /// `None` for a load that is too short.
    pub fn least_climb(&self) -> Option<f64> {
        let duration = self.driven.duration.as_secs_f64();
        let from = warm_up_of(&self.seconds, duration).seconds as u32;
        least_climb(&self.seconds, from, duration as u32)
    }

    /// Counts an operation over the whole load.
    pub fn total(&self, operation: usize) -> Counts {
        let mut total = Counts::default();
        let seconds = self.seconds.iter();
        for counts in seconds.filter_map(|second| second.operations.get(operation)) {
            total.succeeded += counts.successes;
            total.failed += counts.failed();
            total.not_applied += counts.not_applied;
            total.rows += counts.rows;
            total.bytes += counts.bytes;
        }
        total
    }
}

/// Counts of one operation over a load.
#[derive(Debug, Default)]
pub struct Counts {
    pub succeeded: u64,
    pub failed: u64,
    pub not_applied: u64,
    pub rows: u64,
    pub bytes: u64,
}

/// A load that has ended.
pub struct Trial {
    /// Number of the trial, counted from 1.
    pub number: u32,
    pub driven: Driven,
    /// Counts of each second.
    seconds: Vec<SecondCounts>,
}

fn end(trial: u32, driven: &Driven) -> TrialEnd {
    TrialEnd {
        trial,
        seconds: driven.duration.as_secs_f64(),
        stopped: driven.stopped,
        scheduled: driven.scheduled,
        sent: driven.sent,
        unsent: driven.unsent,
        queued: driven.queued,
        limited_seconds: driven.limited_seconds,
        rate_reached: driven.rate_reached,
        lateness_p99_ns: if driven.lateness.is_empty() {
            None
        } else {
            Some(driven.lateness.value_at_quantile(0.99))
        },
        cpu: driven.cpu,
        connect_seconds: driven
            .connecting
            .iter()
            .map(Duration::as_secs_f64)
            .collect(),
        messages: driven.failures.iter().map(ToString::to_string).collect(),
        background: driven.background.messages.clone(),
        background_statements: driven.background.statements,
        background_failed: driven.background.failed,
        worker_failures: driven.worker_failures.clone(),
    }
}

/// Records each second of a load as it comes. If that fails, the load is asked to end, and the failure is
/// kept for the caller.
struct Recording<'a, 'b> {
    trials: &'a mut Trials<'b>,
    design: String,
    trial: u32,
    round: u32,
    plan: &'a Plan,
    is_warm_up: bool,
    histograms: Option<HistogramLog>,
    seconds: Vec<SecondCounts>,
    trouble: Option<Trouble>,
    stop: Stop,
}

impl Recording<'_, '_> {
    fn begin(&mut self, at: SystemTime) -> Result<(), Trouble> {
        let path = HistogramLog::path(self.trials.log.dir(), self.trial);
        self.histograms = Some(HistogramLog::create(&path, at)?);
        let started_at = at.duration_since(SystemTime::UNIX_EPOCH)?;
        let by = self.trials.answered_by.as_ref();
        let schedule = match self.plan.schedule.pass() {
            Some(pass) => self.trials.pass_in_words(pass),
            None => self.plan.schedule.to_string(),
        };
        let start = TrialStart {
            trial: self.trial,
            design: self.design.clone(),
            round: self.round,
            schedule: marked(schedule, by),
            scheduled_rate: self.plan.expected_rate(),
            even: !matches!(
                self.plan.schedule,
                Schedule::Ramp { .. } | Schedule::Steps { .. } | Schedule::Pass(_)
            ),
            warm_up: self.is_warm_up,
            beside: by.is_some(),
            answered_by: by.and_then(AnsweredBy::another).map(str::to_owned),
            started_at_ns: started_at.as_nanos() as u64,
        };
        Ok(self.trials.log.append(&DriveRecord::TrialStarted(start))?)
    }

    fn write(&mut self, second: &Second) -> Result<(), Trouble> {
        if let Some(histograms) = &mut self.histograms {
            histograms.write(second.second, &self.trials.operations, &second.operations)?;
        }
        let counts = SecondCounts::new(
            self.trial,
            second.second,
            &second.operations,
            second.queued,
            second.server.clone(),
        );
        self.seconds.push(counts.clone());
        Ok(self.trials.log.append(&DriveRecord::Second(counts))?)
    }

    fn keep(&mut self, result: Result<(), Trouble>) {
        if let (Err(error), None) = (result, &self.trouble) {
            self.trouble = Some(error);
            self.stop.stop();
        }
    }
}

impl DriveObserver for Recording<'_, '_> {
    fn started(&mut self, at: SystemTime) {
        let begun = self.begin(at);
        self.keep(begun);
        self.trials.begun.send_replace(self.trial);
    }

    fn second(&mut self, second: Second) {
        let written = self.write(&second);
        self.keep(written);
        self.trials.live.second(&second);
    }
}
