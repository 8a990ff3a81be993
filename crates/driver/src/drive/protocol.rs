//! The protocol of a drive: fills all tables, those of designs that answer questions beside the loads included,
//! and brings them to rest, then puts a load on every design in every round, or searches for its highest rate.

use super::asking::none_left;
use super::context::{DriveCandidates, Driving, RecordError, Trouble, fail};
use super::fill::Filling;
use super::rounds::drive_rounds;

/// Starts the designs, fills their tables and drives them, to the end or until the drive is stopped. A
/// failure of a design is recorded, and the others are still driven.
///
/// # Errors
/// If a record cannot be written.
pub async fn drive_designs(
    candidates: &mut dyn DriveCandidates,
    driving: Driving<'_>,
) -> Result<(), RecordError> {
    let mut filling = Filling {
        settings: driving.settings,
        source: driving.source.clone(),
        values: driving.values.clone(),
        partitions: Vec::new(),
        with_statistics: Vec::new(),
        log: &mut *driving.log,
        observer: driving.observer,
    };
    let answerers = tokio::select! {
        answerers = filling.fill_beside(candidates) => answerers?,
        () = driving.stop.asked() => return Ok(()),
    };
    // Without an answer to the questions no load is worth its time.
    if let Some(why) = none_left(driving.settings.beside.as_ref(), &answerers) {
        let trouble: Trouble = why.into();
        for id in candidates.ids() {
            fail(filling.log, driving.observer, &id, &trouble)?;
        }
        return Ok(());
    }
    let targets = tokio::select! {
        targets = filling.fill_all(candidates) => targets?,
        () = driving.stop.asked() => return Ok(()),
    };
    let with_statistics = std::mem::take(&mut filling.with_statistics);
    drive_rounds(targets, answerers, &with_statistics, driving).await
}
