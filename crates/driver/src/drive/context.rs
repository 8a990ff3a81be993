//! The state that all steps of a drive share, and what ends one of them or all.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_stats::JournalError;
use bakeoff_stats::drive::{DriveLog, DriveRecord};
use bakeoff_workload::RowSource;

use super::{Objective, Plan, Second, Stop, Target};
use crate::{Candidates, DesignError, Observer, explain};

/// What a drive does with each of its designs.
#[derive(Debug, Clone)]
pub struct DriveSettings {
    /// The load that each design is put under. Each one gets a number, and new rows, of its own, and
    /// a search chooses the schedules.
    pub load: Plan,
    /// How often each design is driven.
    pub rounds: u32,
    /// Searches the highest rate in place of each load.
    pub search: Option<SearchFor>,
    /// Whether each design's server is warmed up before its first load. A search always does that.
    pub warms_up: bool,
    /// Whether the tables are filled; else an earlier command did it.
    pub fills_tables: bool,
}

/// The rate that a search is for.
#[derive(Debug, Clone)]
pub struct SearchFor {
    /// Has to hold at the rate.
    pub objective: Objective,
    /// Whether operations arrive at random, as those of independent users do.
    pub at_random: bool,
}

/// The designs of a drive, and the other processes that drive the same table.
#[async_trait]
pub trait DriveCandidates: Candidates<Ready = Box<dyn Target>> {
    /// Waits until the first shard has announced that the table of a design is made. Comes before
    /// [`Candidates::make`].
    ///
    /// # Errors
    /// If that takes longer than `patience`.
    async fn wait_for_table(
        &mut self,
        design: usize,
        patience: Duration,
    ) -> Result<(), DesignError>;

    /// Announces to the other shards that the table of a design is made.
    async fn announce_table(&mut self, design: usize) -> Result<(), DesignError>;
}

/// Shows the loads of a drive while they last. Each call must return at once.
pub trait LiveView: Send {
    /// Shows that a load begins: in words what is driven, and for how long.
    fn begin(&mut self, what: &str, duration: Duration);

    /// Shows the results of a second.
    fn second(&mut self, second: &Second);
}

/// What a drive works with.
pub struct Driving<'a> {
    pub settings: &'a DriveSettings,
    /// The rows that tables are filled with.
    pub source: Arc<dyn RowSource>,
    pub log: &'a mut DriveLog,
    pub observer: &'a dyn Observer,
    pub live: &'a mut dyn LiveView,
    pub stop: &'a Stop,
}

/// What ends a whole drive; a single design's trouble is a record instead.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("writing down a failure")]
    Failure(#[source] JournalError),
}

/// What went wrong with one design.
pub(super) type Trouble = Box<dyn Error + Send + Sync>;

/// Records that a design is out from here on.
pub(super) fn fail(
    log: &mut DriveLog,
    observer: &dyn Observer,
    design: &str,
    trouble: &Trouble,
) -> Result<(), RecordError> {
    let reason = explain(trouble.as_ref());
    observer.trouble(design, &reason);
    let failed = DriveRecord::Failed {
        design: design.to_owned(),
        reason,
    };
    log.append(&failed).map_err(RecordError::Failure)
}

/// Returns why the server of a design, one of our own, serves no more; `None` while it does, and
/// where it is not ours.
pub(super) fn why_dead(target: &dyn Target) -> Option<String> {
    target.design()?.dead()
}

/// Returns the end of a design's server where that is why something failed, and else the failure.
pub(super) fn or_why_dead(target: &dyn Target, trouble: impl Into<Trouble>) -> Trouble {
    match why_dead(target) {
        Some(why) => server_ended(&why),
        None => trouble.into(),
    }
}

pub(super) fn server_ended(why: &str) -> Trouble {
    format!("its server ended: {why}").into()
}
