//! What a comparison, a load and a sweep record alike.

use crate::{EngineInfo, JournalError};

/// A step that every kind of measurement has.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// An engine was started.
    Engine(EngineInfo),
    /// Something that a reader of the results has to know.
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
    /// Writes what all kinds record alike; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or failed. The records before this one stay readable.
    fn note(&mut self, event: Event) -> Result<(), JournalError>;
}
