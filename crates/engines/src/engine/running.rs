//! The trait of an engine that runs: it makes designs in the forms that the three measurements take.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_driver::Design;
use bakeoff_driver::drive::Target;
use bakeoff_stats::EngineInfo;
use bakeoff_workload::{Consistency, DesignId, Mix, RowValues, Workload};

use super::no_point_operations;
use crate::{Context, EngineError};

/// The options of a design that takes the operations of a mix.
#[derive(Clone)]
pub struct TargetOptions {
    /// The values that are written, and that reads are compared with.
    pub values: Arc<dyn RowValues>,
    pub mix: Arc<Mix>,
    /// The rows that this process loads before the load begins, so that reads have to find them.
    pub loaded: Range<u64>,
    /// Whether rows may have the same key ([`bakeoff_workload::source::keys_repeat`]). If so, the
    /// values of a key are not known, and only keys are compared.
    pub keys_repeat: bool,
    /// The highest number of operations that a worker thread has in flight.
    pub in_flight_per_worker: usize,
    /// The time limit of one request.
    pub request_time_limit: Duration,
    /// The consistency level of all operations, or `None` for the levels that the mix sets.
    pub consistency: Option<Consistency>,
}

/// A running engine.
#[async_trait]
pub trait Running: Send + Sync {
    fn info(&self) -> EngineInfo;

    /// Returns what its user should know of how it was started, if that is not as it should be.
    fn remark(&self) -> Option<String> {
        None
    }

    async fn design(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
    ) -> Result<Box<dyn Design>, EngineError>;

    /// Makes the design in the form that takes the operations of a mix.
    ///
    /// # Errors
    /// Fails if the engine has no point operations, or none for an action of the mix.
    async fn target(
        &self,
        id: &DesignId,
        _workload: &Workload,
        _context: &Context,
        _options: &TargetOptions,
    ) -> Result<Box<dyn Target>, EngineError> {
        Err(no_point_operations(id))
    }

    /// Announces to the other processes with the same start name that the tables in their shared
    /// keyspace exist.
    async fn announce_tables(
        &self,
        _workload: &Workload,
        _context: &Context,
        _start: &str,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// Waits until the process that creates the tables has announced them. It has to be called before
    /// [`Running::target`], which creates a missing keyspace.
    async fn wait_for_tables(
        &self,
        _workload: &Workload,
        _context: &Context,
        _start: &str,
        _patience: Duration,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// Leaves a note for the other processes that share the tables, where these are.
    ///
    /// # Errors
    /// Fails if the engine's tables are not shared, or the place for them is not made yet.
    async fn leave_note(
        &self,
        _workload: &Workload,
        _context: &Context,
        _name: &str,
        _text: &str,
    ) -> Result<(), EngineError> {
        Err(not_shared(&self.info()))
    }

    /// Returns the note that a process has left under a name; `None` if there is none.
    ///
    /// # Errors
    /// Fails if the engine's tables are not shared, or the place for them is not made yet.
    async fn find_note(
        &self,
        _workload: &Workload,
        _context: &Context,
        _name: &str,
    ) -> Result<Option<String>, EngineError> {
        Err(not_shared(&self.info()))
    }

    /// Ends the run: what it created is removed unless `keep` is set, and what it started is stopped.
    async fn finish(self: Box<Self>, keep: bool) -> Result<(), EngineError>;
}

fn not_shared(engine: &EngineInfo) -> EngineError {
    EngineError(format!(
        "several processes cannot fill one table of {}: sweep its designs without --shard",
        engine.engine
    ))
}
