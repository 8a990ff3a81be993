//! The state that all steps of a drive share, and the errors that end one of them or all.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_stats::drive::{AnsweringEnded, DriveLog, DriveRecord};
use bakeoff_stats::{EngineInfo, JournalError};
use bakeoff_workload::{RowSource, RowValues};

use super::{BesideFor, Objective, PassesFor, Plan, Second, Stop, Target};
use crate::{Candidates, Design, DesignError, Observer, explain};

/// Options of a drive, which are the same for all designs.
#[derive(Debug, Clone)]
pub struct DriveSettings {
    /// The load that is offered to each design. Each trial gets its own number and new rows, and a
    /// search chooses the schedules.
    pub load: Plan,
    /// Number of times that each design is driven.
    pub rounds: u32,
    /// The search for the highest rate that takes the place of each load, if one was asked for.
    pub search: Option<SearchFor>,
    /// The passes that take the place of each load, if some were asked for.
    pub passes: Option<PassesFor>,
    /// The questions that are asked beside some of the loads, if some were given.
    pub beside: Option<BesideFor>,
    /// Time from the start of a load until a node is added to its servers, if one is to be added.
    pub add_node_after: Option<Duration>,
    /// Whether each design's server is warmed up before its first load. A search always does that.
    pub warms_up: bool,
    /// Whether the tables are filled; otherwise an earlier command has filled them.
    pub fills_tables: bool,
    /// Longest time that loading a slice of a table, or bringing a table to rest, may take; the latter may also take as
    /// long as loading took.
    pub call_limit: Duration,
}

impl DriveSettings {
    /// Returns whether the tables have no rows before the first load.
    pub(super) fn begins_empty(&self) -> bool {
        self.passes.as_ref().is_some_and(|passes| passes.from_empty)
    }
}

/// Options of a search for the highest rate.
#[derive(Debug, Clone)]
pub struct SearchFor {
    /// Objective that has to hold at the rate.
    pub objective: Objective,
    /// Whether operations arrive at random, as those of independent users do.
    pub at_random: bool,
}

/// The designs of a drive, and the other processes that drive the same table.
#[async_trait]
pub trait DriveCandidates: Candidates<Ready = Box<dyn Target>> {
    /// Waits until the first shard has announced that the table of a design exists. It is called before
    /// [`Candidates::make`].
    ///
    /// # Errors
    /// If the wait takes longer than `patience`.
    async fn wait_for_table(
        &mut self,
        design: usize,
        patience: Duration,
    ) -> Result<(), DesignError>;

    /// Announces to the other shards that the table of a design exists.
    async fn announce_table(&mut self, design: usize) -> Result<(), DesignError>;

    /// Starts the engine of the design at this place of those that answer the questions beside the loads in place of
    /// the driven ones, and makes this design. Returns the engine's description if this call started it.
    ///
    /// # Errors
    /// If the engine is not available or refuses the design, or there is no such design.
    async fn make_beside(
        &mut self,
        _place: usize,
    ) -> Result<(Option<EngineInfo>, Box<dyn Design>), DesignError> {
        Err(DesignError::new(
            "no design was named to answer the questions",
        ))
    }
}

/// Shows the loads of a drive while they last. Each call but [`LiveView::between_loads`] must return at once.
pub trait LiveView: Send {
    /// Shows that a load begins; `what` describes it in words, and `duration` is its length; 0 if that
    /// is not known.
    fn begin(&mut self, what: &str, duration: Duration);

    /// Shows the results of a second.
    fn second(&mut self, second: &Second);

    /// Is called when a load has ended and is on record, and nothing is under way: a moment's work here disturbs no
    /// figure.
    fn between_loads(&mut self) {}
}

/// Everything that a drive needs besides its designs.
pub struct Driving<'a> {
    pub settings: &'a DriveSettings,
    /// The rows that tables are filled with.
    pub source: Arc<dyn RowSource>,
    /// The same rows by number, of which the requests to single partitions are counted.
    pub values: Arc<dyn RowValues>,
    pub log: &'a mut DriveLog,
    pub observer: &'a dyn Observer,
    pub live: &'a mut dyn LiveView,
    pub stop: &'a Stop,
}

/// Failure to write a record, which ends a whole drive. A failure of a single design is recorded instead.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("recording the failure of a design")]
    Failure(#[source] JournalError),
}

/// Failure of one design.
pub(super) type Trouble = Box<dyn Error + Send + Sync>;

/// Records the failure of a design, which takes no further part in the drive.
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

/// Records that a design answers no more questions beside loads, while others go on.
pub(super) fn answering_ended(
    log: &mut DriveLog,
    observer: &dyn Observer,
    design: &str,
    reason: &str,
) -> Result<(), RecordError> {
    observer.trouble(design, reason);
    let ended = DriveRecord::AnsweringEnded(AnsweringEnded {
        design: design.to_owned(),
        reason: reason.to_owned(),
    });
    log.append(&ended).map_err(RecordError::Failure)
}

/// Returns why the server of a design has ended, if Bakeoff started it. Returns `None` while it runs, and
/// for any other server.
pub(super) fn why_dead(target: &dyn Target) -> Option<String> {
    target.design()?.dead()
}

/// Returns the end of a design's server if it has ended, since that is then the cause of the failure;
/// otherwise returns the failure itself.
pub(super) fn or_why_dead(target: &dyn Target, trouble: impl Into<Trouble>) -> Trouble {
    match why_dead(target) {
        Some(why) => server_ended(&why),
        None => trouble.into(),
    }
}

pub(super) fn server_ended(why: &str) -> Trouble {
    format!("its server ended: {why}").into()
}
