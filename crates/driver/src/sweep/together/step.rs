//! One step of a sweep of several processes: this process inserts its rows at the moments of the schedule.

use std::sync::Arc;
use std::time::Instant;

use bakeoff_stats::ServerWindow;
use bakeoff_stats::sweep::{Cell, CellPart, Failures, InsertTally};

use super::super::burst::{Worker, burst, connect};
use super::super::feed::Feed;
use super::super::measure::{
    check_inserts, during, inserted, limited, not_measured, unconnected, why_none,
};
use super::super::{Inserts, Setting};
use super::Sharing;
use super::notes::{self, Counts, TableNote};
use super::schedule::Timed;
use crate::server_watch::Watched;
use crate::{Design, DesignError};

/// What this process did in a step.
pub struct Done {
    pub cell: Cell,
    /// Inserts of the measured time, whole; absent if there were none.
    pub part: Option<CellPart>,
    /// Figures of the server in the measured time, if this process sampled it.
    pub server: Option<ServerWindow>,
    /// Whether the other processes were told that the table is there, so that they insert into it.
    pub announced: bool,
    /// Rows that were acknowledged, those of the warm-up included.
    acknowledged: u64,
}

impl Done {
    fn new(design: &str, timed: &Timed) -> Done {
        let Setting {
            batch_rows,
            workers,
        } = timed.step.setting;
        Done {
            cell: Cell {
                design: design.to_owned(),
                batch_rows,
                workers,
                round: timed.step.round,
                inserted: None,
                failures: Failures::default(),
                check: None,
                reason: None,
            },
            part: None,
            server: None,
            announced: false,
            acknowledged: 0,
        }
    }

    pub fn counts(&self) -> Counts {
        Counts {
            acknowledged: self.acknowledged,
            failed: self.cell.failures.rows,
        }
    }
}

impl Sharing<'_> {
    /// Inserts the rows of this process in a step. Failures are in what is returned.
    pub(super) async fn insert(
        &mut self,
        timed: &Timed,
        number: usize,
        design: &Arc<dyn Design>,
    ) -> Done {
        let mut done = Done::new(&design.info().id, timed);
        if let Err(why) = self.try_insert(timed, number, design, &mut done).await {
            done.cell.reason = Some(why);
        }
        design.look().await;
        done.cell.reason = design.dead().or(done.cell.reason);
        done
    }

    async fn try_insert(
        &mut self,
        timed: &Timed,
        number: usize,
        design: &Arc<dyn Design>,
        done: &mut Done,
    ) -> Result<(), String> {
        let (sweeping, setting) = (&self.plan.sweeping, timed.step.setting);
        let known = sweeping.source.known_rows();
        if let Some(why) = setting.obstacle(known, sweeping.shard) {
            return Err(not_measured(&why));
        }
        if sweeping.shard.index == 0 {
            self.make_table(timed, number, design, done).await?;
        } else {
            self.await_table(timed, number, design).await?;
        }
        let inserts = limited(inserts(design.as_ref())).await;
        let inserts = inserts.map_err(|error| format!("opening the table failed: {error}"))?;
        let feed = sweeping.feed(&inserts, setting);
        let workers = match connect(&inserts, setting.workers).await {
            Ok(workers) => workers,
            Err(failures) => {
                done.cell.failures = failures;
                return Err(unconnected(&done.cell.failures, setting));
            }
        };
        self.check_in_time(timed, "was ready to insert")?;
        self.clock
            .sleep_until(timed.begin(self.together.start_at))
            .await;
        let design = design.as_ref();
        self.insert_for(timed, design, workers, &feed, done).await?;
        match feed.broken().await {
            Some(why) => Err(why),
            None => Ok(()),
        }
    }

    /// Recreates the table, and tells the other processes of it.
    async fn make_table(
        &mut self,
        timed: &Timed,
        number: usize,
        design: &Arc<dyn Design>,
        done: &mut Done,
    ) -> Result<(), String> {
        self.check_in_time(timed, "could recreate the table")?;
        let made = check_inserts(design.as_ref()).await;
        let name = notes::table(number);
        if let Err(why) = made {
            let note = TableNote::Failed { why: why.clone() };
            // Without it the others find that the table is missing.
            let _ = self.say(&name, &note.text()).await;
            return Err(why);
        }
        self.check_in_time(timed, "had recreated the table")?;
        let note = TableNote::Made {
            at: self.clock.now(),
        };
        // Even if it fails, the note may be there.
        done.announced = true;
        self.say(&name, &note.text()).await
    }

    /// Waits until the first process has recreated the table.
    async fn await_table(
        &mut self,
        timed: &Timed,
        number: usize,
        design: &Arc<dyn Design>,
    ) -> Result<(), String> {
        let begin = timed.begin(self.together.start_at);
        self.check_in_time(timed, "could look for the table")?;
        let found = self.wait_for(&notes::table(number), begin).await;
        let found = found.map_err(|why| {
            not_measured(&format!(
                "shard 1 had not recreated the table when the setting was to begin; a longer --pause gives it more \
                 time{why}"
            ))
        })?;
        match TableNote::read(&found.text) {
            Some(TableNote::Made { at }) => {
                let recorded = self.compare_clocks(&found, at);
                recorded.map_err(|error| error.to_string())?;
                design.forget().await;
                Ok(())
            }
            Some(TableNote::Failed { why }) => Err(not_measured(&format!("shard 1: {why}"))),
            None => Err(not_measured(
                "the note of shard 1 cannot be read: start all shards with the same version of Bakeoff",
            )),
        }
    }

    /// Refuses to begin a step late.
    fn check_in_time(&self, timed: &Timed, what: &str) -> Result<(), String> {
        let late = { self.clock.now() }.duration_since(timed.begin(self.together.start_at));
        match late {
            Ok(late) if !late.is_zero() => Err(not_measured(&format!(
                "this process {what} only {:.1} s after the setting was to begin; a longer --pause gives it more time",
                late.as_secs_f64()
            ))),
            _ => Ok(()),
        }
    }

    /// Inserts for the warm-up, and for the measured time from its moment on.
    async fn insert_for(
        &mut self,
        timed: &Timed,
        design: &dyn Design,
        workers: Vec<Worker>,
        feed: &Arc<Feed>,
        done: &mut Done,
    ) -> Result<(), String> {
        let (start, time_out) = (self.together.start_at, self.plan.sweeping.time_out);
        let (workers, mut all) = burst(workers, feed, timed.warm_up, time_out).await;
        done.note(&all);
        let Some(length) = timed.length else {
            return Ok(());
        };
        let late = { self.clock.now() }.duration_since(timed.latest_measure(start));
        if late.is_ok_and(|late| !late.is_zero()) {
            return Err(not_measured(
                "the inserts of the warm-up ended only when the measured time was over: ask for a longer --for, or for \
                 fewer workers or smaller batches",
            ));
        }
        // All processes have the same server. A sample makes none of them late.
        let left = timed.measure(start).duration_since(self.clock.now());
        let mut watched = match self.plan.sweeping.shard.index {
            0 => {
                let left = left.unwrap_or_default();
                self.server.begin_within(left, design).await
            }
            _ => Watched::unsampled(),
        };
        self.clock.sleep_until(timed.measure(start)).await;
        let (began_at, began) = (self.clock.now(), Instant::now());
        watched.begins_now();
        let inserting = burst(workers, feed, length, time_out);
        let watching = self.server.during(design, &mut watched, inserting);
        let (_, measured) = watching.await;
        let took = began.elapsed().as_secs_f64();
        let setting = during(&done.cell, &measured);
        done.server = self.server.end(design, watched, setting, took).await;
        all += &measured;
        done.note(&all);
        done.cell.inserted = inserted(&measured, done.cell.workers);
        if done.cell.inserted.is_none() {
            return Err(why_none(&done.cell.failures));
        }
        done.part = Some(CellPart::new(&done.cell, began_at, &measured)?);
        Ok(())
    }
}

impl Done {
    /// Notes everything that was inserted in the step so far.
    fn note(&mut self, all: &InsertTally) {
        self.acknowledged = all.rows();
        self.cell.failures = all.failures();
    }
}

async fn inserts(design: &dyn Design) -> Result<Arc<dyn Inserts>, DesignError> {
    let inserts = design.inserts().await?;
    inserts.ok_or_else(|| DesignError::new("it takes no inserts from several workers"))
}
