//! Events that all measurements record: comparisons, loads and sweeps.

use crate::{EngineInfo, JournalError};

/// Event of any measurement.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// An engine was started.
    Engine(EngineInfo),
    /// A message that a reader of the results has to know.
    Warning(String),
    /// The user stopped the measurement, at this time (RFC 3339, UTC).
    Interrupted { at: String },
    /// The measurement is complete. The memory is that of Bakeoff itself.
    Finished {
        at: String,
        seconds: f64,
        peak_memory_bytes: u64,
    },
}

/// A log of any kind of measurement.
pub trait EventLog: Send {
    /// Writes an event; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or failed. The records before this one stay readable.
    fn note(&mut self, event: Event) -> Result<(), JournalError>;
}
