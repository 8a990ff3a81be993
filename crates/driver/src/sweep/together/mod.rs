//! A sweep that several processes make together on one table: each inserts its own rows, and all begin each setting at
//! the same moment.
//!
//! The moments follow from the start and from fixed durations ([`schedule`]). The first process recreates the table for
//! each setting and counts its rows when all have ended. What the processes have to know of each other is in notes
//! that they leave where the tables are ([`notes`]). A process that is late for a setting leaves it out and goes on
//! with the next one, and so do the others if one of them dies.

mod notes;
mod schedule;
mod start;
mod step;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bakeoff_stats::JournalError;
use bakeoff_stats::sweep::{Cell, Check, SweepHeader, SweepLog, SweepRecord};

use super::SweepPlan;
use super::measure::{check, limited};
use super::protocol::{fail, progress, show_trouble};
use crate::drive::Shard;
use crate::server_watch::ServerWatch;
use crate::{Candidates, Design, DesignError, Observer};
use notes::{Counts, TableNote};
use schedule::{Timed, schedule};
use start::Started;
use step::Done;

/// The designs of a sweep that several processes make, and the notes that these leave for each other.
#[async_trait]
pub trait SharedCandidates: Candidates<Ready = Box<dyn Design>> {
    /// Leaves a note for the other processes where the tables of a design's engine are, which was started.
    ///
    /// # Errors
    /// If it cannot be written.
    async fn leave_note(
        &mut self,
        design: usize,
        name: &str,
        text: &str,
    ) -> Result<(), DesignError>;

    /// Returns the note that a process has left under this name; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read, also since nobody has made the place for notes yet.
    async fn find_note(&mut self, design: usize, name: &str)
    -> Result<Option<String>, DesignError>;
}

/// What a sweep of several processes has in addition to its plan, the same in all of them.
pub struct Together {
    /// Moment at which the first setting begins.
    pub start_at: SystemTime,
    /// Time between the end of a setting and the begin of the next one, in which rows are counted and the table is
    /// recreated.
    pub pause: Duration,
    /// First record of this process, whose options the others have to have, too.
    pub header: SweepHeader,
}

/// The clock by which processes on several machines begin together.
#[async_trait]
trait WallClock: Send + Sync {
    fn now(&self) -> SystemTime;

    /// Waits until a moment, which may have passed.
    async fn sleep_until(&self, at: SystemTime);
}

struct SystemClock;

#[async_trait]
impl WallClock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    async fn sleep_until(&self, at: SystemTime) {
        // The clock may be set while this waits.
        while let Ok(left) = at.duration_since(SystemTime::now())
            && !left.is_zero()
        {
            tokio::time::sleep(left.min(Duration::from_secs(1))).await;
        }
    }
}

/// Sweeps with the other processes of the start. A failure of a design is recorded, and the others are still measured.
/// If the returned future is dropped, the sweep of this process ends, and what was recorded stays.
///
/// # Errors
/// If a record cannot be written.
pub async fn sweep_together(
    candidates: &mut dyn SharedCandidates,
    plan: &SweepPlan,
    together: &Together,
    log: &mut SweepLog,
    observer: &dyn Observer,
) -> Result<(), JournalError> {
    let sharing = Sharing {
        candidates,
        plan,
        together,
        log,
        observer,
        clock: &SystemClock,
        server: ServerWatch::default(),
        place: 0,
        lost: BTreeSet::new(),
        told_of_clocks: false,
    };
    sharing.sweep().await
}

/// The part that one process has in a sweep.
struct Sharing<'a> {
    candidates: &'a mut dyn SharedCandidates,
    plan: &'a SweepPlan,
    together: &'a Together,
    log: &'a mut SweepLog,
    observer: &'a dyn Observer,
    clock: &'a dyn WallClock,
    /// Samples of the server.
    server: ServerWatch,
    /// Index of a design whose engine was started, which has the notes.
    place: usize,
    /// Processes that left no note in time, which are waited for only within the pause until they leave one.
    lost: BTreeSet<u32>,
    /// Whether it was recorded that clocks are apart.
    told_of_clocks: bool,
}

impl Sharing<'_> {
    async fn sweep(mut self) -> Result<(), JournalError> {
        let designs = self.start_designs().await?;
        let steps = schedule(self.plan, designs.len(), self.together.pause);
        let settings = steps.iter().filter(|step| step.length.is_some()).count();
        let mut measured = 0;
        for (number, timed) in steps.iter().enumerate() {
            let Started { id, ready } = &designs[timed.step.design];
            let Some(design) = ready else {
                self.leave_out(number, id).await;
                continue;
            };
            self.observer.phase(&match timed.length {
                Some(_) => progress(
                    design.as_ref(),
                    &timed.step,
                    self.plan.rounds,
                    (measured, settings),
                ),
                None => format!("warming up {id}"),
            });
            measured += usize::from(timed.length.is_some());
            self.take_part(timed, number, design).await?;
        }
        Ok(())
    }

    /// Says that this process leaves out a step, since its design failed before. The others would wait for it
    /// otherwise.
    async fn leave_out(&mut self, number: usize, id: &str) {
        self.say_done(number, Counts::default()).await;
        if self.shard().index == 0 {
            let note = TableNote::Failed {
                why: format!("{id} failed there before the sweep began"),
            };
            // Without it the others find that the table is missing.
            let _ = self.say(&notes::table(number), &note.text()).await;
        }
    }

    /// Takes part in one step, and records what came of it.
    async fn take_part(
        &mut self,
        timed: &Timed,
        number: usize,
        design: &Arc<dyn Design>,
    ) -> Result<(), JournalError> {
        let mut done = self.insert(timed, number, design).await;
        if self.shard().index == 0 {
            self.conclude(timed, number, design, &mut done).await;
        } else {
            self.say_done(number, done.counts()).await;
            done.cell.check = Some(Check::NotDone {
                why: format!("shard 1/{} counts the rows of all", self.shard().of),
            });
        }
        let Done {
            cell, part, server, ..
        } = done;
        if timed.length.is_none() {
            return self.record_warm_up(cell);
        }
        show_trouble(&cell, self.observer);
        if let Some(server) = server {
            self.log.append(&SweepRecord::Server(server))?;
        }
        if let Some(part) = part {
            self.log.append(&SweepRecord::Part(part))?;
        }
        self.log.append(&SweepRecord::Cell(cell))
    }

    /// Waits until all processes have ended a step, counts the rows of the table, and empties it.
    async fn conclude(
        &mut self,
        timed: &Timed,
        number: usize,
        design: &Arc<dyn Design>,
        done: &mut Done,
    ) {
        if !done.announced {
            return;
        }
        let others = self.gather(timed, number).await;
        if timed.length.is_some() {
            done.cell.check = Some(match others {
                Ok(others) => {
                    let mut all = done.counts();
                    all += others;
                    design.forget().await;
                    let sweeping = &self.plan.sweeping;
                    check(design.as_ref(), sweeping, all.acknowledged, all.failed).await
                }
                Err(why) => Check::NotDone { why },
            });
        }
        // Work that the server still has with these rows would slow down other settings, so they are
        // dropped at once. If that fails, this design's next setting will report it.
        let _ = limited(design.create()).await;
    }

    fn record_warm_up(&mut self, cell: Cell) -> Result<(), JournalError> {
        let Some(reason) = cell.reason else {
            return Ok(());
        };
        let message = format!("{} did not warm up: {reason}", cell.design);
        self.log.append(&SweepRecord::Warning { message })
    }

    fn shard(&self) -> Shard {
        self.plan.sweeping.shard
    }

    fn fail(&mut self, design: &str, reason: String) -> Result<(), JournalError> {
        fail(self.log, self.observer, design, reason)
    }
}

#[cfg(test)]
mod tests;
