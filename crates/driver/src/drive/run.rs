//! A load from its beginning to its end.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use bakeoff_stats::{CpuSeconds, ServerSample};
use futures::future::join_all;
use tokio::sync::{mpsc, watch};

use super::background::{self, BackgroundRuns};
use super::clock::Clock;
use super::collector::Collector;
use super::recorder::Report;
use super::seat::Seat;
use super::{DriveError, DriveObserver, Driven, Plan, Stop, Target};
use crate::cpu::own_cpu_seconds;

/// Reports of one worker that may wait for the collector.
const REPORTS_PER_WORKER: usize = 8;
/// From the moment that all are ready until the load begins, so that all know of it by then.
const LEAD: Duration = Duration::from_millis(20);
/// How long the collector waits for workers beyond the moment when all should have ended.
const GRACE: Duration = Duration::from_secs(10);
/// The longest that a look at the server may take before and after the load.
const SAMPLE_LIMIT: Duration = Duration::from_secs(5);
/// Seconds that the results of a second wait for the server's figures.
const SAMPLE_PATIENCE: u64 = 2;

/// How long threads that were told to end are waited for: one that is held up by the system may take
/// longer, and would hold up the command.
const JOIN_LIMIT: Duration = Duration::from_secs(5);
const JOIN_POLL: Duration = Duration::from_millis(5);

const SECOND: u64 = 1_000_000_000;

/// Drives a load on threads of its own, and returns when all operations and threads have ended: what
/// the target holds can then be let go of. The target has been prepared. If the returned future is
/// dropped, the load ends.
///
/// # Errors
/// If the load could not begin.
pub async fn drive(
    target: Arc<dyn Target>,
    plan: &Plan,
    stop: &Stop,
    observer: &mut dyn DriveObserver,
) -> Result<Driven, DriveError> {
    let (seats, control) = prepare(target, plan, stop, Clock::precise())?;
    let threads: Vec<_> = seats
        .into_iter()
        .map(Seat::spawn)
        .collect::<Result<_, _>>()?;
    // Ends with a word to all that are still there.
    let driven = control.run(observer).await;
    let all_ended = async {
        while !threads.iter().all(JoinHandle::is_finished) {
            tokio::time::sleep(JOIN_POLL).await;
        }
    };
    tokio::time::timeout(JOIN_LIMIT, all_ended).await.ok();
    driven
}

/// The same, but all workers are on the caller's thread, in its runtime and on its clock, which
/// may be paused.
///
/// # Errors
/// If the load could not begin.
pub async fn drive_here(
    target: Arc<dyn Target>,
    plan: &Plan,
    stop: &Stop,
    observer: &mut dyn DriveObserver,
) -> Result<Driven, DriveError> {
    let (seats, control) = prepare(target, plan, stop, Clock::tokio())?;
    let workers = join_all(seats.into_iter().map(Seat::occupy));
    let (_, driven) = futures::join!(workers, control.run(observer));
    driven
}

fn prepare<'a>(
    target: Arc<dyn Target>,
    plan: &'a Plan,
    stop: &Stop,
    clock: Clock,
) -> Result<(Vec<Seat>, Control<'a>), DriveError> {
    plan.check()?;
    let (start, started) = watch::channel(None);
    let (collector, reports) = mpsc::channel(REPORTS_PER_WORKER * plan.threads as usize);
    let give_up = GiveUp(Stop::new());
    let shared_plan = Arc::new(plan.clone());
    let seats = (0..plan.threads).map(|thread| Seat {
        thread,
        target: target.clone(),
        plan: shared_plan.clone(),
        clock,
        start: started.clone(),
        stop: stop.clone(),
        give_up: give_up.0.clone(),
        collector: collector.clone(),
    });
    let seats = seats.collect();
    let control = Control {
        target,
        plan,
        clock,
        stop: stop.clone(),
        give_up,
        start,
        reports,
    };
    Ok((seats, control))
}

/// Has all workers end when it goes.
struct GiveUp(Stop);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// What starts the workers together, and joins what they report.
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
        let cpu = self.cpu_seconds(&span).await;
        let end = stopped_at.unwrap_or(span.end);
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
            worker_failures: collector.worker_failures,
            background: runs.into_inner().unwrap_or_default(),
            new_rows,
        })
    }

    /// Waits until each worker is ready or has failed.
    async fn gather(&mut self, collector: &mut Collector<'_>) -> Result<(), DriveError> {
        while !collector.all_are_ready() {
            tokio::select! {
                biased; // So that a load that was stopped before it began does not begin.
                () = self.stop.asked() => return Err(DriveError::Stopped),
                report = self.reports.recv() => match report {
                    Some(report) => collector.take(report),
                    None => collector.give_up("it ended without a word"),
                },
            }
        }
        let failures = std::mem::take(&mut collector.worker_failures);
        if failures.is_empty() {
            Ok(())
        } else {
            // Of the others alone it would not be the load that was asked for.
            Err(DriveError::Workers(failures))
        }
    }

    /// Tells all workers when the load begins. Afterwards the wall clock does not matter.
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
            server,
        })
    }

    /// How long it is until the load begins.
    fn lead(&self) -> Result<Duration, DriveError> {
        match self.plan.start_at {
            None => Ok(LEAD),
            Some(at) => at
                .duration_since(SystemTime::now())
                .map_err(|late| DriveError::TooLate(late.duration())),
        }
    }

    /// Collects until all workers have ended; the moment when the load was stopped, if it was.
    async fn collect(
        &mut self,
        collector: &mut Collector<'_>,
        span: &Span,
        runs: &Mutex<BackgroundRuns>,
    ) -> Option<u64> {
        let (target, clock, stop) = (self.target.clone(), self.clock, self.stop.clone());
        let mut background = background(target.as_ref(), self.plan, clock, span, runs);
        let mut background_runs = true;
        let mut sample = Box::pin(sample_after(target.clone(), clock, span.start, 0));
        let mut stopped_at = None;
        let drain = 2 * self.plan.drain_limit.as_nanos() as u64;
        let mut overdue = false;
        let mut deadline = Box::pin(clock.sleep_until(span.end.saturating_add(drain)));
        while !collector.all_have_ended() {
            tokio::select! {
                report = self.reports.recv() => match report {
                    Some(report) => collector.take(report),
                    None => collector.give_up("it ended without a word"),
                },
                (second, seen) = &mut sample => {
                    // One that took long is for the second that ended last.
                    let now = ((clock.now() - span.start) / SECOND) as u32;
                    collector.take_sample(second.max(now.saturating_sub(1)), seen);
                    let next = now.max(second + 1);
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
                        // Those that can still hear it end themselves; none is waited for.
                        self.give_up.0.stop();
                        collector.give_up("it did not come to an end and was given up");
                    }
                    // Counted from now, since the clock may have jumped.
                    overdue = true;
                    deadline.set(clock.sleep_until(clock.now() + GRACE.as_nanos() as u64));
                }
            }
            let second = clock.now().saturating_sub(span.start) / SECOND;
            collector.show(second.saturating_sub(SAMPLE_PATIENCE) as u32);
        }
        stopped_at.filter(|at| *at < span.end)
    }

    async fn cpu_seconds(&self, span: &Span) -> CpuSeconds {
        let client = own_cpu_seconds() - span.client_cpu;
        let server = self.sample().await.cpu_seconds;
        CpuSeconds {
            client,
            server: server
                .zip(span.server.cpu_seconds)
                .map(|(now, then)| (now - then).max(0.0)),
        }
    }

    async fn sample(&self) -> ServerSample {
        let sample = tokio::time::timeout(SAMPLE_LIMIT, self.target.sample());
        sample.await.unwrap_or_default()
    }
}

/// With several shards, the first one runs the statements for all.
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

/// Looks at the server when this second of the load is over.
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
    match duration.as_secs_f64() {
        0.0 => 0.0,
        seconds => operations as f64 / seconds,
    }
}
