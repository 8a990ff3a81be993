//! Racing: which designs need no further measuring, and when a run has measured enough.
//!
//! Everything is a function of the records so far, so that a run that is resumed decides as it did
//! before, and a race can be played over the journal of a run that measured everything
//! ([`replay`]).

mod drop;
mod look;
mod replay;
mod rung;

pub use look::{Look, look};
pub use replay::{Replay, ReplayError, replay};
pub use rung::{RUNG_ROUND, RUNG_ROUNDS, drops, rungs};

pub use crate::compare::LOOKS;

/// Looks of a whole race: those of the rounds, and one at the rungs.
const ALL_LOOKS: usize = LOOKS.len() + 1;

#[cfg(test)]
mod tests;
