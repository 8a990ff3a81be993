//! The rounds of a drive, in each of which every design has one turn.

use std::sync::Arc;

use bakeoff_stats::drive::{DriveLog, DriveRecord};

use super::asking::{Answerer, Asking};
use super::context::{Driving, RecordError, Trouble, fail};
use super::trial::Trials;
use super::turn::{DrivenDesign, Turn};
use super::{Stop, Target, highest_rate, pair, passes, warm_up};
use crate::{DesignError, shuffled};

/// Drives every design once in every round, in random order, searches for its highest rate, or makes its
/// passes. Questions beside the loads are answered by each of these designs in turn, or, if there are none, by each
/// driven one itself. Then records the footprints of the designs with statistics, as the loads left their tables.
///
/// # Errors
/// If a record cannot be written.
pub async fn drive_rounds(
    targets: Vec<Arc<dyn Target>>,
    answerers: Vec<Answerer>,
    with_statistics: &[String],
    driving: Driving<'_>,
) -> Result<(), RecordError> {
    let Driving { settings, stop, .. } = driving;
    let mut designs: Vec<DrivenDesign> = targets.into_iter().map(DrivenDesign::new).collect();
    let mut asking = { settings.beside.as_ref() }.map(|asked| Asking::new(asked, answerers));
    let mut trials = Trials::new(driving.log, driving.live, &settings.load.mix);
    trials.is_search = settings.search.is_some();
    for round in 1..=settings.rounds {
        let keys = [settings.load.seed, u64::from(round)];
        for index in shuffled((0..designs.len()).collect(), &keys) {
            let design = &mut designs[index];
            if stop.is_asked() || design.is_out {
                continue;
            }
            if let Some(asking) = &mut asking {
                asking.note_ended(trials.log, driving.observer)?;
            }
            let turn = Turn {
                trials: &mut trials,
                design,
                settings,
                round,
                stop,
                loads: 0,
            };
            // A turn that ended because the drive was stopped has not failed.
            if let Err(trouble) = drive_turn(turn, asking.as_mut()).await
                && !stop.is_asked()
            {
                design.is_out = true;
                let id = &design.target.info().id;
                fail(trials.log, driving.observer, id, &trouble)?;
            }
        }
    }
    // An engine may have ended in the last turn. Of a drive that is stopped the user may have ended it.
    if let Some(asking) = asking.as_mut().filter(|_| !stop.is_asked()) {
        asking.note_ended(trials.log, driving.observer)?;
    }
    for design in designs.iter().filter(|design| !design.is_out) {
        let told = with_statistics.contains(&design.target.info().id);
        if told && !stop.is_asked() {
            record_footprint(design.target.as_ref(), trials.log, stop).await?;
        }
    }
    Ok(())
}

/// Records the footprint of a design after its last load, unless the drive is stopped while it is read.
async fn record_footprint(
    target: &dyn Target,
    log: &mut DriveLog,
    stop: &Stop,
) -> Result<(), RecordError> {
    let Some(design) = target.design() else {
        return Ok(());
    };
    let footprint = tokio::select! {
        footprint = design.footprint() => footprint,
        () = stop.asked() => return Ok(()),
    };
    log.append(&match footprint {
        Ok(footprint) => DriveRecord::FootprintAfter(footprint),
        Err(DesignError(message)) => DriveRecord::Warning { message },
    })?;
    Ok(())
}

async fn drive_turn(
    mut turn: Turn<'_, '_>,
    asking: Option<&mut Asking<'_>>,
) -> Result<(), Trouble> {
    let settings = turn.settings;
    if let Some(search) = &settings.search {
        return highest_rate::find(turn, search).await;
    }
    if let Some(passes) = &settings.passes {
        return passes::carry_out(&mut turn, passes).await;
    }
    if let Some(asking) = asking {
        return pair::drive(&mut turn, asking).await;
    }
    // The load is planned before the warm-up, since the number of loads in a warm-up differs between
    // designs, and all designs are to have the same load.
    let load = turn.plan(settings.load.schedule.clone());
    if !turn.design.is_warm && warm_up::is_possible(settings) {
        turn.loads += 1;
        warm_up::warm_up(&mut turn).await?;
        turn.design.is_warm = true;
    }
    turn.trials.add_node_after = settings.add_node_after;
    let driven = turn.drive(load).await;
    turn.trials.add_node_after = None;
    driven.map(drop)
}
