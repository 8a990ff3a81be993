//! Racing: which designs need no further measuring, and when a run has measured enough.
//!
//! Everything is a function of the records so far, so that a run that is resumed decides as it did
//! before, and a race can be played over the journal of a run that measured everything
//! ([`replay`]).

mod drop;
mod look;
mod open;
mod replay;
mod rung;
mod tables;

pub use look::{Look, look};
pub use open::{claims, open_drops};
pub use replay::{Played, Replay, ReplayError, replay};
pub use rung::{RUNG_ROUND, RUNG_ROUNDS, drops, rungs};

pub use crate::compare::{LOOKS, OPEN_ROUND};

/// Looks of a whole race: those of the rounds, one at the rungs, and one at the questions that these leave
/// open.
const ALL_LOOKS: usize = LOOKS.len() + 2;

#[cfg(test)]
mod tests;
