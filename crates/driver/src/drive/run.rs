//! Execution of a load, from its beginning to its end.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use bakeoff_stats::{CpuSeconds, ServerSample, server_growth_between};
use futures::future::join_all;
use tokio::sync::{mpsc, watch};

use super::background::{self, BackgroundRuns};
use super::clock::Clock;
use super::collector::Collector;
use super::recorder::Report;
use super::worker_thread::WorkerThread;
use super::{DriveError, DriveObserver, Driven, Plan, ServerUse, Stop, Target, Used};
use crate::cpu::{OwnCpu, own_cpu_seconds};
use crate::server_watch::{every, is_of_a_cluster, is_own};

/// Number of reports of one worker that may wait for the collector.
const REPORTS_PER_WORKER: usize = 8;
/// Time between the moment when all workers are ready and the start of the load, so that all workers know
/// the start before it comes.
const LEAD: Duration = Duration::from_millis(20);
/// Time that the collector waits for workers after all should have ended.
const GRACE: Duration = Duration::from_secs(10);
/// Longest time that sampling the server may take before and after the load.
const SAMPLE_LIMIT: Duration = Duration::from_secs(5);
/// Number of seconds for which the results of a second wait for the sample of the server.
const SAMPLE_PATIENCE: u64 = 2;

/// Longest time that threads are waited for once they were asked to end. One that is stuck in a system
/// call could take longer, and would delay the command.
const JOIN_LIMIT: Duration = Duration::from_secs(5);
/// Pause between two checks whether all threads have ended.
const JOIN_POLL: Duration = Duration::from_millis(5);

/// One second in nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// Drives a load on separate threads. Returns when all operations and threads have ended, so that the
/// target can then be dropped. The target has to be prepared. If the returned future is dropped, the load
/// ends.
///
/// # Errors
/// If the load could not begin.
pub async fn drive(
    target: Arc<dyn Target>,
    plan: &Plan,
    stop: &Stop,
    observer: &mut dyn DriveObserver,
) -> Result<Driven, DriveError> {
    let (workers, control) = prepare(target, plan, stop, Clock::precise())?;
    let threads: Vec<_> = workers
        .into_iter()
        .map(WorkerThread::spawn)
        .collect::<Result<_, _>>()?;
    // When this returns, `control` has been dropped, which asks all remaining threads to end.
    let driven = control.run(observer).await;
    let all_ended = async {
        while !threads.iter().all(JoinHandle::is_finished) {
            tokio::time::sleep(JOIN_POLL).await;
        }
    };
    tokio::time::timeout(JOIN_LIMIT, all_ended).await.ok();
    driven
}

/// Drives a load as [`drive`] does, but with all workers on the caller's thread, in its runtime, and on its
/// clock, which may be paused.
///
/// # Errors
/// If the load could not begin.
pub async fn drive_here(
    target: Arc<dyn Target>,
    plan: &Plan,
    stop: &Stop,
    observer: &mut dyn DriveObserver,
) -> Result<Driven, DriveError> {
    let (workers, control) = prepare(target, plan, stop, Clock::tokio())?;
    let workers = join_all(workers.into_iter().map(WorkerThread::run));
    let (_, driven) = futures::join!(workers, control.run(observer));
    driven
}

fn prepare<'a>(
    target: Arc<dyn Target>,
    plan: &'a Plan,
    stop: &Stop,
    clock: Clock,
) -> Result<(Vec<WorkerThread>, Control<'a>), DriveError> {
    plan.check()?;
    let (start, started) = watch::channel(None);
    let (collector, reports) = mpsc::channel(REPORTS_PER_WORKER * plan.threads as usize);
    let give_up = Stop::new();
    let shared_plan = Arc::new(plan.clone());
    let workers = (0..plan.threads).map(|thread| WorkerThread {
        thread,
        target: target.clone(),
        plan: shared_plan.clone(),
        clock,
        start: started.clone(),
        stop: stop.clone(),
        give_up: give_up.clone(),
        collector: collector.clone(),
    });
    let control = Control {
        target: target.clone(),
        plan,
        clock,
        stop: stop.clone(),
        give_up: GiveUp(give_up.clone()),
        start,
        reports,
    };
    Ok((workers.collect(), control))
}

/// Ends all workers when it is dropped.
struct GiveUp(Stop);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Starts the workers together, and joins their reports.
struct Control<'a> {
    target: Arc<dyn Target>,
    plan: &'a Plan,
    clock: Clock,
    stop: Stop,
    give_up: GiveUp,
    start: watch::Sender<Option<u64>>,
    reports: mpsc::Receiver<Report>,
}

/// The moments of a load, on its clock.
struct Span {
    start: u64,
    end: u64,
    started_at: SystemTime,
    client_cpu: f64,
    client: OwnCpu,
    server: ServerSample,
}

impl Control<'_> {
    async fn run(mut self, observer: &mut dyn DriveObserver) -> Result<Driven, DriveError> {
        let operations = self.plan.mix.operations.len();
        let mut collector = Collector::new(observer, operations, self.plan.threads);
        self.gather(&mut collector).await?;
        let span = self.begin().await?;
        collector.started(span.started_at);
        let runs = Mutex::new(BackgroundRuns::default());
        let stopped_at = self.collect(&mut collector, &span, &runs).await;
        let (cpu, used) = self.used_since(&span).await;
        let end = match stopped_at {
            Some(at) => at,
            None if self.plan.schedule.ends_by_itself() => {
                collector.totals.last_done.max(span.start)
            }
            None => span.end,
        };
        let seconds = (end - span.start).div_ceil(SECOND) as u32;
        collector.show_rest(seconds);
        let duration = Duration::from_nanos(end - span.start);
        let new_rows = collector.totals.take_new_rows();
        Ok(Driven {
            started_at: span.started_at,
            duration,
            stopped: stopped_at.is_some(),
            scheduled: collector.totals.scheduled,
            sent: collector.totals.sent,
            unsent: collector.totals.unsent,
            queued: collector.totals.queued,
            limited_seconds: collector.limited_seconds,
            rate_reached: rate(collector.totals.sent_in_time, duration),
            lateness: collector.totals.lateness,
            failures: collector.totals.failures,
            cpu,
            used,
            connecting: collector.connecting,
            worker_failures: collector.worker_failures,
            background: runs.into_inner().unwrap_or_default(),
            new_rows,
        })
    }

    /// Waits until each worker is ready or has failed.
    async fn gather(&mut self, collector: &mut Collector<'_>) -> Result<(), DriveError> {
        while !collector.all_are_ready() {
            tokio::select! {
                biased; // A load that was stopped before it began must not begin.
                () = self.stop.asked() => return Err(DriveError::Stopped),
                report = self.reports.recv() => match report {
                    Some(report) => collector.take(report),
                    None => collector.give_up("it ended without a report"),
                },
            }
        }
        let failures = std::mem::take(&mut collector.worker_failures);
        if failures.is_empty() {
            Ok(())
        } else {
            // The remaining workers alone would offer a smaller load than planned.
            Err(DriveError::Workers(failures))
        }
    }

    /// Announces the start of the load to all workers, and waits for it. From then on the wall clock does
    /// not matter.
    async fn begin(&self) -> Result<Span, DriveError> {
        let early = self.lead()?.saturating_sub(SAMPLE_LIMIT);
        tokio::select! {
            biased;
            () = self.stop.asked() => return Err(DriveError::Stopped),
            () = tokio::time::sleep(early) => {}
        }
        let server = self.sample().await;
        let lead = self.lead()?;
        let start = self.clock.now() + lead.as_nanos() as u64;
        let started_at = SystemTime::now() + lead;
        self.start.send_replace(Some(start));
        tokio::select! {
            biased;
            () = self.stop.asked() => return Err(DriveError::Stopped),
            () = self.clock.sleep_until(start) => {}
        }
        Ok(Span {
            start,
            end: start.saturating_add(self.plan.duration.as_nanos() as u64),
            started_at,
            client_cpu: own_cpu_seconds(),
            client: OwnCpu::now(),
            server,
        })
    }

    /// Returns the time until the load begins.
    fn lead(&self) -> Result<Duration, DriveError> {
        match self.plan.start_at {
            None => Ok(LEAD),
            Some(at) => at
                .duration_since(SystemTime::now())
                .map_err(|late| DriveError::TooLate(late.duration())),
        }
    }

    /// Collects reports until all workers have ended. Returns the moment when the load was stopped, if it
    /// was.
    async fn collect(
        &mut self,
        collector: &mut Collector<'_>,
        span: &Span,
        runs: &Mutex<BackgroundRuns>,
    ) -> Option<u64> {
        let (target, clock, stop) = (self.target.clone(), self.clock, self.stop.clone());
        let mut background = background(target.as_ref(), self.plan, clock, span, runs);
        let mut background_runs = true;
        let is_own = target.design().is_none_or(is_own);
        let mut sample = Box::pin(sample_after(target.clone(), clock, span.start, 0));
        let mut stopped_at = None;
        let drain = 2 * self.plan.drain_limit.as_nanos() as u64;
        let mut overdue = false;
        let mut deadline = Box::pin(clock.sleep_until(span.end.saturating_add(drain)));
        while !collector.all_have_ended() {
            tokio::select! {
                report = self.reports.recv() => match report {
                    Some(report) => collector.take(report),
                    None => collector.give_up("it ended without a report"),
                },
                (second, seen) = &mut sample => {
                    // A sample that took long is counted for the second that ended last.
                    let now = ((clock.now() - span.start) / SECOND) as u32;
                    let pause = every(is_of_a_cluster(is_own, &seen)).as_secs() as u32;
                    collector.take_sample(second.max(now.saturating_sub(1)), seen);
                    let next = now.max(second.saturating_add(pause));
                    sample.set(sample_after(target.clone(), clock, span.start, next));
                }
                () = &mut background, if background_runs => background_runs = false,
                () = stop.asked(), if stopped_at.is_none() => {
                    let now = clock.now();
                    stopped_at = Some(now.clamp(span.start, span.end));
                    background_runs = false;
                    deadline.set(clock.sleep_until(now.saturating_add(drain)));
                }
                () = &mut deadline => {
                    if overdue {
                        // Workers that still respond will end by themselves; none is waited for.
                        self.give_up.0.stop();
                        collector.give_up("it did not end in time and was abandoned");
                    }
                    // The grace time begins now, and not at the deadline, since the clock may have jumped.
                    overdue = true;
                    deadline.set(clock.sleep_until(clock.now() + GRACE.as_nanos() as u64));
                }
            }
            let second = clock.now().saturating_sub(span.start) / SECOND;
            collector.show(second.saturating_sub(SAMPLE_PATIENCE) as u32);
        }
        stopped_at.filter(|at| *at < span.end)
    }

    /// Returns the CPU time and the other resources that were used since the start of the load.
    async fn used_since(&self, span: &Span) -> (CpuSeconds, Used) {
        let client = own_cpu_seconds() - span.client_cpu;
        let by_mode = OwnCpu::now().since(span.client);
        let server = self.sample().await;
        let cpu = CpuSeconds {
            client,
            server: server_growth_between(&span.server, &server, |s| s.cpu_seconds),
            in_ticks: false,
        };
        let used = Used {
            client: by_mode,
            server: ServerUse::between(&span.server, &server),
        };
        (cpu, used)
    }

    async fn sample(&self) -> ServerSample {
        let sample = tokio::time::timeout(SAMPLE_LIMIT, self.target.sample_now());
        sample.await.unwrap_or_default()
    }
}

/// Runs the background statements of the mix. With several shards, the first one runs them for all.
fn background<'a>(
    target: &'a dyn Target,
    plan: &'a Plan,
    clock: Clock,
    span: &Span,
    runs: &'a Mutex<BackgroundRuns>,
) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
    if plan.shard.index != 0 {
        return Box::pin(async {});
    }
    let span = span.start..span.end;
    Box::pin(background::run(target, &plan.mix, clock, span, runs))
}

/// Samples the server when a second of the load is over, each one or, of a cluster, every second one.
async fn sample_after(
    target: Arc<dyn Target>,
    clock: Clock,
    start: u64,
    second: u32,
) -> (u32, ServerSample) {
    clock
        .sleep_until(start + (u64::from(second) + 1) * SECOND)
        .await;
    (second, target.sample().await)
}

fn rate(operations: u64, duration: Duration) -> f64 {
    let seconds = duration.as_secs_f64();
    if seconds == 0.0 {
        return 0.0;
    }
    operations as f64 / seconds
}
