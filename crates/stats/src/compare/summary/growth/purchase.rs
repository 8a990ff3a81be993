//! Storage to buy: bytes at rest with room for what storage needs besides, on disks that are not full.

use serde::Serialize;

use super::{StorageForecast, fit};
use crate::compare::DesignSummary;
use crate::decide::Curve;

/// Share of a disk that is in use at most; beyond it file systems and compaction slow down.
const FILL: f64 = 0.8;

/// Storage to buy for all copies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Purchase {
    pub bytes: f64,
    /// 90% interval, of which the room has no part.
    pub interval: Option<(f64, f64)>,
    /// Multiple of the bytes at rest that there has to be room for.
    pub room: f64,
    pub room_from: RoomFrom,
    /// Bytes of the log of one copy, estimated.
    pub log_bytes: f64,
    /// Share of the disks that is in use at most.
    pub fill: f64,
    #[serde(skip)]
    pub curve: Option<Curve>,
    /// Bytes to buy for each byte at rest, and those that do not depend on them.
    #[serde(skip)]
    line: (f64, f64),
}

/// Where the room comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoomFrom {
    /// It is the highest that was seen while the rows were loaded and settled.
    Measured,
    /// It is estimated from the way in which the storage works.
    Estimated { why: String },
}

impl RoomFrom {
    /// Returns the words for it: `measured`, `estimated: it rewrites all of it`.
    pub fn in_words(&self) -> String {
        match self {
            RoomFrom::Measured => "measured".to_owned(),
            RoomFrom::Estimated { why } => format!("estimated: {why}"),
        }
    }
}

impl Purchase {
    /// Returns what to buy for these bytes at rest. Returns `None` for a design without a record of
    /// the bytes before they were at rest, as in runs of earlier versions.
    pub fn of(design: &DesignSummary, at_rest: &StorageForecast, copies: u32) -> Option<Purchase> {
        let (room, room_from) = room(design)?;
        let copies = f64::from(copies.max(1));
        let log_bytes = log(design, at_rest.bytes / copies);
        let (times, plus) = (room / FILL, copies * log_bytes / FILL);
        let bought = |bytes: f64| bytes * times + plus;
        Some(Purchase {
            bytes: bought(at_rest.bytes),
            interval: at_rest
                .interval
                .map(|(low, high)| (bought(low), bought(high))),
            room,
            room_from,
            log_bytes,
            fill: FILL,
            line: (times, plus),
            curve: at_rest.curve.map(|curve| {
                let curve = fit::times(curve, times);
                Curve {
                    constant: curve.constant + plus,
                    ..curve
                }
            }),
        })
    }
}

impl Purchase {
    /// Returns what to buy for other bytes at rest, as they are in a resample.
    pub fn at(&self, at_rest: f64) -> f64 {
        let (times, plus) = self.line;
        at_rest * times + plus
    }
}

/// Returns the larger of what was seen and of what the engine needs by the way it works.
fn room(design: &DesignSummary) -> Option<(f64, RoomFrom)> {
    let space = design.space.as_ref()?;
    let settled = design
        .footprint
        .as_ref()?
        .bytes()
        .filter(|bytes| *bytes > 0)?;
    let seen = space
        .highest
        .map(|highest| (highest as f64 / settled as f64).max(1.0));
    let needs = &space.needs;
    let needed = needs
        .times
        .filter(|times| times.is_finite() && *times >= 1.0);
    match (seen, needed) {
        (Some(seen), Some(needed)) if seen >= needed => Some((seen, RoomFrom::Measured)),
        (Some(seen), None) => Some((seen, RoomFrom::Measured)),
        (_, Some(needed)) => {
            let why = needs.why.clone().unwrap_or_default();
            Some((needed, RoomFrom::Estimated { why }))
        }
        (None, None) => None,
    }
}

/// Returns the bytes of the log: as many as a node keeps of it, but no more than were ever written, which
/// are the bytes at rest before compression.
fn log(design: &DesignSummary, at_rest: f64) -> f64 {
    let needs = design.space.as_ref().map(|space| &space.needs);
    let most = needs.and_then(|needs| needs.log_bytes).unwrap_or(0) as f64;
    let ratio = design.footprint.as_ref().and_then(|f| f.compression_ratio);
    let ratio = ratio.filter(|ratio| *ratio > 0.0 && *ratio <= 1.0);
    most.min(at_rest / ratio.unwrap_or(1.0))
}
