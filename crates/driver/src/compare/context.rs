//! The state that all steps of a comparison share, and what ends one of them or all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_stats::{During, JournalError, Record, Step, SummaryError};
use bakeoff_workload::{Concurrent, Query, RowSource, Workload};

use super::Budget;
use super::rows_by_partition::RowsByPartition;
use super::smaller::FurtherTables;
use super::space::Highest;
use super::state::Log;
use crate::call::within;
use crate::reader::ReadError;
use crate::server_watch::{ServerWatch, Watched};
use crate::{Design, DesignError, Observer};

/// Time after which the right answers to no further set of parameters are computed before clients ask.
pub const RIGHT_ANSWERS_WITHIN: Duration = Duration::from_secs(20);

/// Time for which the questions of a design are asked for its profile. A build without optimisation, as for tests,
/// measures nothing.
pub const PROFILED_FOR: Duration = if cfg!(debug_assertions) {
    Duration::from_secs(2)
} else {
    Duration::from_secs(10)
};

/// Settings that the command line decided.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Rows to load; `None` lets the budget decide.
    pub rows: Option<u64>,
    /// Rounds to measure; `None` lets the budget decide.
    pub rounds: Option<u32>,
    pub budget: Option<Budget>,
    /// The longest that one call to an engine (a slice, a compaction, a query) may take.
    pub call_limit: Duration,
    /// Clients that ask at the same time, after the rounds; `None` for none.
    pub concurrent: Option<Concurrent>,
    /// The longest that right answers to the questions of such clients are computed beforehand;
    /// [`RIGHT_ANSWERS_WITHIN`] outside of tests.
    pub right_answers_within: Duration,
    /// Whether designs that another one beats in everything are dropped, and measuring ends when it
    /// cannot pay. No design may read the table of another one then, which would be dropped with it.
    pub race: bool,
    /// Twins and smaller tables that are measured alongside.
    pub further: FurtherTables,
    /// Whether the first rows of each design are read as they are stored.
    pub shows_stored: bool,
    /// Queries that designs are not asked, by the ids of the designs, in addition to those that their descriptions
    /// name.
    pub not_asked: BTreeMap<String, BTreeSet<String>>,
    /// Queries of which the user knows that no row fulfils their condition, so that it is not told again.
    pub known_unmet: BTreeSet<String>,
    /// Profiles of the designs' servers; `None` for none.
    pub profiles: Option<Profiles>,
}

impl Settings {
    /// Returns how long a step may take that only explains figures: `most`, or less with a budget, but a second at
    /// least.
    pub fn explaining(&self, most: Duration) -> Duration {
        let share = |budget: Budget| budget.explaining().max(Duration::from_secs(1));
        self.budget.map_or(most, |budget| most.min(share(budget)))
    }
}

/// Profiles of what servers run while questions are asked, after all that is timed.
#[derive(Debug, Clone)]
pub struct Profiles {
    /// The run folder, which gets their files.
    pub dir: PathBuf,
    /// The time for which the questions of a design are asked, each of them at least once; [`PROFILED_FOR`] outside of
    /// tests.
    pub lasts: Duration,
}

/// Reason why a whole run is impossible; a single design's trouble is a record instead.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Workload(#[from] bakeoff_workload::Error),
    #[error("cannot compute the right answers: {0}")]
    Oracle(#[from] DesignError),
    #[error("{0}")]
    Expectation(String),
    #[error("{0} has no rows: there is nothing to compare")]
    NoRows(String),
    #[error("the thread that reads the rows stopped: {0}")]
    Reader(String),
    #[error("cannot compare designs in the race: {0}")]
    Race(#[from] SummaryError),
    #[error("a client that asked stopped: {0}")]
    Client(String),
}

impl From<ReadError> for RunError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Source(error) => RunError::Workload(error),
            ReadError::Stopped(why) => RunError::Reader(why),
        }
    }
}

/// State that the steps share.
pub struct Context<'a> {
    pub workload: &'a Workload,
    pub source: Arc<dyn RowSource>,
    pub designs: &'a [Arc<dyn Design>],
    pub settings: &'a Settings,
    pub log: Log<'a>,
    pub observer: &'a dyn Observer,
    /// Most bytes that the tables took so far.
    pub highest: Highest,
    /// Samples of the servers.
    pub server: ServerWatch,
    /// Rows by partition, as far as they were counted.
    pub by_partition: RowsByPartition,
    /// Times of the right answers that took so long when they were verified that nothing is warmed up by asking again.
    pub long_answers: BTreeMap<(String, String), Duration>,
    /// Designs and questions to which a step is confined, as pairs of their names; `None` for all.
    pub confined_to: Option<BTreeSet<(String, String)>>,
}

impl<'a> Context<'a> {
    /// Returns whether the present step has this question of this design, which stores what it needs and is to be
    /// asked.
    pub fn has(&self, design: &dyn Design, query: &Query) -> bool {
        let info = design.info();
        let further = self.log.state().instance(&info.id);
        let own = further.map_or(&info.id, |further| &further.design);
        let not_asked = self.settings.not_asked.get(own);
        if info.why_not_asked(&query.name).is_some()
            || not_asked.is_some_and(|queries| queries.contains(&query.name))
        {
            return false;
        }
        self.confined_to.as_ref().is_none_or(|pairs| {
            let pair = (design.info().id.clone(), query.name.clone());
            pairs.contains(&pair)
        })
    }

    /// Returns the designs that have not failed and that a race did not drop.
    pub fn live(&self) -> Vec<&'a dyn Design> {
        self.designs
            .iter()
            .map(Arc::as_ref)
            .filter(|d| self.log.state().design(&d.info().id).takes_part())
            .collect()
    }

    /// Returns those of them that have tables of their own, and do not read that of another one.
    pub fn live_tables(&self) -> Vec<&'a dyn Design> {
        let mut designs = self.live();
        designs.retain(|design| design.info().has_own_table());
        designs
    }

    /// Returns those of them that read the table of this design.
    pub fn readers_of(&self, table: &str) -> Vec<&'a dyn Design> {
        let mut designs = self.live();
        designs.retain(|design| design.info().table_of.as_deref() == Some(table));
        designs
    }

    /// Replaces the designs by these ones.
    pub fn with_designs<'b>(self, designs: &'b [Arc<dyn Design>]) -> Context<'b>
    where
        'a: 'b,
    {
        Context { designs, ..self }
    }

    /// Returns whether the table is a design's own, and no twin or smaller one.
    pub fn is_own_table(&self, design: &dyn Design) -> bool {
        self.log.state().instance(&design.info().id).is_none()
    }

    /// Begins to sample the server of a design, in a step with its own table: twins and smaller ones are left out.
    pub async fn watch(&self, design: &dyn Design) -> Watched {
        if self.is_own_table(design) {
            self.server.begin(design).await
        } else {
            Watched::unsampled()
        }
    }

    /// Records what the server of a design did in a step that took so long, if it was sampled.
    pub async fn record_server(
        &mut self,
        design: &dyn Design,
        watched: Watched,
        during: During,
        seconds: f64,
    ) -> Result<(), RunError> {
        let window = self.server.end(design, watched, during, seconds).await;
        if let Some(window) = window {
            self.log.record(Record::Server(window))?;
        }
        Ok(())
    }

    /// Returns how long a step may take that only explains figures, as [`Settings::explaining`] does.
    pub fn explaining(&self, most: Duration) -> Duration {
        self.settings.explaining(most)
    }

    /// Returns whether how much is loaded is still open.
    pub fn budget_decides(&self) -> bool {
        let settings = &self.settings;
        let open = settings.rows.is_none() && settings.budget.is_some();
        open && self.log.state().loaded_rows.is_none()
    }

    /// Waits for a call to an engine, within the limit.
    pub async fn limited<T>(
        &self,
        call: impl Future<Output = Result<T, DesignError>>,
    ) -> Result<T, DesignError> {
        within(self.settings.call_limit, call).await
    }

    /// Records the failure of a design, which takes no further part, and with it those that read its table, if that is
    /// what failed.
    pub fn fail(
        &mut self,
        design: &dyn Design,
        step: Step,
        query: Option<&str>,
        error: DesignError,
    ) -> Result<(), RunError> {
        let reason = match design.dead() {
            Some(why) => format!("{error}; {why}"),
            None => error.0,
        };
        let id = &design.info().id;
        self.observer.trouble(id, &reason);
        self.log.fail(id, step, query, reason.clone())?;
        self.fail_readers(id, step, &reason)
    }

    /// Records the failure of the designs that read a table which this step could not make, load or measure.
    fn fail_readers(&mut self, table: &str, step: Step, reason: &str) -> Result<(), RunError> {
        if !step.is_of_table() {
            return Ok(());
        }
        for reader in self.readers_of(table) {
            let reason = format!("it reads the table of {table}, which failed: {reason}");
            self.log.fail(&reader.info().id, step, None, reason)?;
        }
        Ok(())
    }

    /// Records a message for readers of the results, unless an earlier process of the run did.
    pub fn warn(&mut self, message: String) -> Result<(), RunError> {
        let record = Record::Warning { message };
        if self.log.records().contains(&record) {
            return Ok(());
        }
        if let Record::Warning { message } = &record {
            self.observer.note(message);
        }
        Ok(self.log.record(record)?)
    }
}
