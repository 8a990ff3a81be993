//! The designs that a command names, before their engines run.

use async_trait::async_trait;
use bakeoff_stats::{EngineInfo, Event, EventLog, JournalError};

use crate::DesignError;

/// The designs of a measurement, on engines that start when the first design on them is asked for.
#[async_trait]
pub trait Candidates: Send {
    /// Type of a design whose engine is running.
    type Ready;

    /// Returns the ids, in the order in which designs are started.
    fn ids(&self) -> Vec<String>;

    /// Starts the engine of a design. Returns its description if this call started it, and `None` if it
    /// was running already.
    ///
    /// # Errors
    /// If the engine is not available, with the same reason for each of its designs.
    async fn start_engine(&mut self, design: usize) -> Result<Option<EngineInfo>, DesignError>;

    /// Makes a design on its engine, which has been started.
    ///
    /// # Errors
    /// If the engine refuses the design.
    async fn make(&mut self, design: usize) -> Result<Self::Ready, DesignError>;
}

/// Starts the engine of a design and records it; the inner error is the design's own.
///
/// # Errors
/// If the record cannot be written.
pub(crate) async fn start_engine<C: Candidates + ?Sized>(
    candidates: &mut C,
    design: usize,
    log: &mut dyn EventLog,
) -> Result<Result<(), DesignError>, JournalError> {
    match candidates.start_engine(design).await {
        Ok(Some(info)) => log.note(Event::Engine(info)).map(Ok),
        Ok(None) => Ok(Ok(())),
        Err(error) => Ok(Err(error)),
    }
}

/// Starts the engine of a design, records it, and makes the design; the inner error is the design's
/// own.
///
/// # Errors
/// If the record cannot be written.
pub(crate) async fn start<C: Candidates + ?Sized>(
    candidates: &mut C,
    design: usize,
    log: &mut dyn EventLog,
) -> Result<Result<C::Ready, DesignError>, JournalError> {
    match start_engine(candidates, design, log).await? {
        Ok(()) => Ok(candidates.make(design).await),
        Err(error) => Ok(Err(error)),
    }
}
