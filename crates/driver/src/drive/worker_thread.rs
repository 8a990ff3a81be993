//! The thread of a worker, with its runtime.

use std::cell::{Cell, RefCell};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;

use futures::FutureExt;
use tokio::sync::mpsc::Sender;
use tokio::sync::watch;

use super::clock::Clock;
use super::recorder::{Recorder, Report};
use super::worker::Record;
use super::{Plan, Stop, Target, Worker};
use crate::call::describe_panic;

/// A worker that is about to run, on a separate thread or on the caller's.
pub struct WorkerThread {
    pub thread: u32,
    pub target: Arc<dyn Target>,
    pub plan: Arc<Plan>,
    pub clock: Clock,
    pub start: watch::Receiver<Option<u64>>,
    pub stop: Stop,
    /// Signal that the load was abandoned, so that nothing is waited for any more.
    pub give_up: Stop,
    pub collector: Sender<Report>,
}

impl WorkerThread {
    /// Performs the worker's share on a new thread, and reports to the collector how it ended.
    ///
    /// # Errors
    /// If the system gives no further thread.
    pub fn spawn(self) -> std::io::Result<JoinHandle<()>> {
        let name = format!("load-{}", self.thread);
        std::thread::Builder::new().name(name).spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            match runtime {
                Ok(runtime) => {
                    runtime.block_on(self.run());
                    // Blocking tasks, such as resolving a host name, are not waited for.
                    runtime.shutdown_background();
                }
                Err(error) => self.report_no_runtime(&error),
            }
        })
    }

    /// Performs the worker's share in the runtime of the caller.
    pub async fn run(self) {
        let operations = self.plan.mix.operations.len();
        let recorder = Recorder::new(self.thread, operations, self.collector.clone());
        let record = Rc::new(Record {
            recorder: RefCell::new(recorder),
            began: Cell::new(false),
            error: RefCell::new(None),
        });
        let error = self.work(record.clone()).await;
        let error = error.or_else(|| record.error.take());
        // The worker has been dropped, so nothing else borrows the recorder.
        let reports = record.recorder.borrow_mut().last_reports(error);
        for report in reports {
            if self.collector.send(report).await.is_err() {
                // The load was abandoned.
                return;
            }
        }
    }

    /// Has the engine perform the worker's operations, and returns the error if that failed.
    async fn work(&self, record: Rc<Record>) -> Option<String> {
        let worker = Worker {
            thread: self.thread,
            plan: self.plan.clone(),
            clock: self.clock,
            start: self.start.clone(),
            stop: self.stop.clone(),
            asked_at: self.clock.now(),
            record: record.clone(),
        };
        // Called within the future, so that a panic of the call itself is caught, too.
        let work = async { self.target.work(worker).await };
        let work = AssertUnwindSafe(work).catch_unwind();
        tokio::select! {
            ended = work => match ended {
                Ok(Ok(())) if record.began.get() => None,
                Ok(Ok(())) => Some("the engine ended without performing operations".to_owned()),
                Ok(Err(error)) => Some(error.0),
                Err(panic) => Some(describe_panic(panic.as_ref())),
            },
            () = self.give_up.asked() => Some("it did not end in time and was abandoned".to_owned()),
        }
    }

    fn report_no_runtime(self, error: &std::io::Error) {
        let operations = self.plan.mix.operations.len();
        let mut recorder = Recorder::new(self.thread, operations, self.collector.clone());
        let error = format!("its runtime could not be created: {error}");
        for report in recorder.last_reports(Some(error)) {
            if self.collector.blocking_send(report).is_err() {
                return;
            }
        }
    }
}
