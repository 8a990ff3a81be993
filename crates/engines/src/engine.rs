//! What an engine implements to be listed, started and asked for designs.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_driver::drive::Target;
use bakeoff_servers::survey::Survey;
use bakeoff_stats::{DesignInfo, EngineInfo, Role};
use bakeoff_workload::{Consistency, DesignId, Mix, RowValues, Table, Workload};

use crate::ranges::Ranges;
use crate::{Context, EngineError};

/// A layout of an engine, for `bakeoff list`.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// The part of a design id before `?`.
    pub name: &'static str,
    /// How rows are laid out, in one line.
    pub what: &'static str,
    /// Settings as `name=value|value`.
    pub settings: &'static str,
}

/// How a design takes point operations.
#[derive(Clone)]
pub struct TargetOptions {
    /// What is written, and compared with what is read.
    pub values: Arc<dyn RowValues>,
    pub mix: Arc<Mix>,
    /// The rows that this process loads before the load begins, so that they have to be there.
    pub loaded: Range<u64>,
    /// Whether rows have the same key, so that what they have is not known and only keys are
    /// compared ([`bakeoff_workload::source::keys_repeat`]).
    pub keys_repeat: bool,
    /// Operations that one worker thread has on their way at most.
    pub in_flight_per_worker: usize,
    /// The longest that one request may take.
    pub request_time_limit: Duration,
    /// Instead of the levels that the mix sets.
    pub consistency: Option<Consistency>,
}

/// A system that stores or computes.
#[async_trait]
pub trait Engine: Send + Sync {
    fn name(&self) -> &'static str;

    fn layouts(&self) -> &'static [Layout];

    /// What becomes of the rows of its designs.
    fn role(&self) -> Role {
        Role::Store
    }

    /// Whether processes of its own work alongside Bakeoff, so that their CPU time counts.
    fn has_server(&self) -> bool {
        false
    }

    /// Describes a design of this engine with its settings and statements.
    fn info_of(
        &self,
        id: &DesignId,
        settings: Vec<(String, String)>,
        statements: Vec<String>,
    ) -> DesignInfo {
        DesignInfo {
            id: id.to_string(),
            engine: self.name().to_owned(),
            role: self.role(),
            server: self.has_server(),
            settings,
            statements,
            unit_rows: None,
        }
    }

    /// Checks that a design takes the operations of a mix: see [`Running::target`].
    ///
    /// # Errors
    /// Why it takes none, with designs that do.
    fn check_operations(&self, id: &DesignId) -> Result<(), EngineError> {
        Err(no_point_operations(id))
    }

    /// Why a design of this engine is not for a workload, in words that need no more than the
    /// workload file; `None` where nothing is known against it.
    fn unfit(&self, _id: &DesignId, _workload: &Workload) -> Option<String> {
        None
    }

    /// What a run would start, or reach, in addition to its folder: the end of a sentence that
    /// begins with "The run would write to".
    fn would_touch(&self, _context: &Context) -> Option<String> {
        None
    }

    /// Whether that design takes batches of rows from many workers at a time: see
    /// [`Design::inserts`].
    fn takes_inserts(&self, _id: &DesignId) -> bool {
        true
    }

    /// Whether a design can have several tables at the same time, each made as if it were alone.
    fn takes_instances(&self, _id: &DesignId) -> bool {
        true
    }

    /// Whether it understands SQL itself, so that it may be asked what DataFusion could not plan.
    fn speaks_sql(&self) -> bool {
        false
    }

    /// Whether a query may have SQL of its own under that name: the one of this engine, or of a
    /// layout of it.
    fn is_place(&self, name: &str) -> bool {
        name == self.name() || self.layouts().iter().any(|layout| layout.name == name)
    }

    /// What it needs of this machine and whether that is here. Nothing is started.
    async fn survey(&self) -> Survey;

    /// Whether it can be used here: its version, or what is missing and how to get it.
    async fn availability(&self) -> Result<String, String> {
        let survey = self.survey().await;
        survey.verdict().map(str::to_owned).map_err(str::to_owned)
    }

    /// Settings and statements of a design, without touching anything; an error for a layout,
    /// setting or value that does not exist or does not fit the table.
    fn describe(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<DesignInfo, EngineError>;

    /// Checks what can be known of [`Engine::start`] without starting anything: programs, memory,
    /// disk, or that the server that was named answers.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    async fn check(&self, _context: &Context) -> Result<(), EngineError> {
        Ok(())
    }

    /// What [`Engine::start`] has to fetch first, which takes a while; `None` where all is here.
    fn fetches_first(&self, _context: &Context) -> Option<&'static str> {
        None
    }

    /// The ranges of the order key that each become a table of their own; `None` where none do.
    ///
    /// # Errors
    /// Those of [`Engine::describe`].
    fn ranges(&self, _id: &DesignId, _table: &Table) -> Result<Option<Ranges>, EngineError> {
        Ok(None)
    }

    /// Starts the engine, or connects to one that runs.
    async fn start(&self, context: &Context) -> Result<Box<dyn Running>, EngineError>;
}

fn no_point_operations(id: &DesignId) -> EngineError {
    EngineError(format!(
        "design {id}: `bakeoff drive` is for Cassandra, and {} has no point operations: choose a \
         design of cassandra with --designs, or dry for the harness alone",
        id.engine
    ))
}

/// An engine that answers.
#[async_trait]
pub trait Running: Send + Sync {
    fn info(&self) -> EngineInfo;

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError>;

    /// The design as one that takes the operations of a mix.
    ///
    /// # Errors
    /// If the engine has no point operations, or none for an action of the mix.
    async fn target(
        &self,
        id: &DesignId,
        _workload: &Workload,
        _context: &Context,
        _options: &TargetOptions,
    ) -> Result<Box<dyn Target>, EngineError> {
        Err(no_point_operations(id))
    }

    /// Tells the other processes of a start, which has a name of its own, that the tables in the
    /// keyspace that they share are made.
    async fn announce_tables(
        &self,
        _workload: &Workload,
        _context: &Context,
        _start: &str,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// Waits until the process that makes them has announced it. To be called before
    /// [`Running::target`], which makes the keyspace where it is not there yet.
    async fn wait_for_tables(
        &self,
        _workload: &Workload,
        _context: &Context,
        _start: &str,
        _patience: Duration,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// Ends the run: what it made is removed unless it is to be kept, and what was started is
    /// stopped.
    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError>;
}
