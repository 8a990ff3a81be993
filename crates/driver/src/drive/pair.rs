//! A turn with questions beside: two loads of a design that follow each other, one of them with the questions.

use bakeoff_stats::drive::{BesideRecord, DriveRecord};

use super::client::Asking;
use super::context::Trouble;
use super::turn::Turn;
use super::{Plan, warm_up};

/// Drives a design without questions and with them. The load without them comes first in every second round,
/// so that a drift of the machine is no difference between the two.
///
/// # Errors
/// A load failed or was stopped, the engine that answers has ended, or a record cannot be written.
pub async fn drive(turn: &mut Turn<'_, '_>, asking: &mut Asking<'_>) -> Result<(), Trouble> {
    asking.check()?;
    let schedule = turn.settings.load.schedule.clone();
    // Both are planned before the warm-up, which has another number of loads for each design.
    let one = turn.plan(schedule.clone());
    turn.loads += 1;
    let other = Plan {
        start_at: None,
        ..turn.plan(schedule)
    };
    turn.loads += 1;
    warm(turn, asking).await?;
    if turn.round % 2 == 1 {
        without(turn, one).await?;
        with(turn, asking, other).await
    } else {
        with(turn, asking, one).await?;
        without(turn, other).await
    }
}

/// Warms up the server and whoever answers, before the first loads of a design.
async fn warm(turn: &mut Turn<'_, '_>, asking: &mut Asking<'_>) -> Result<(), Trouble> {
    if !turn.design.is_warm && warm_up::is_possible(turn.settings) {
        warm_up::warm_up(turn).await?;
        turn.design.is_warm = true;
    }
    if !turn.design.was_asked {
        let client = asking.client(&turn.design.target, turn.round);
        client.warm_up(turn.stop).await;
        asking.keep(client);
        turn.design.was_asked = true;
    }
    Ok(())
}

async fn without(turn: &mut Turn<'_, '_>, load: Plan) -> Result<(), Trouble> {
    if turn.stop.is_asked() {
        return Err("stopped".into());
    }
    turn.drive(load).await.map(drop)
}

async fn with(turn: &mut Turn<'_, '_>, asking: &mut Asking<'_>, load: Plan) -> Result<(), Trouble> {
    if turn.stop.is_asked() {
        return Err("stopped".into());
    }
    let client = asking.client(&turn.design.target, turn.round);
    let at_work = client.begin(turn.trials.begun.subscribe(), turn.trials.count + 1);
    turn.trials.is_beside = true;
    let driven = turn.drive(load).await;
    turn.trials.is_beside = false;
    let trial = driven?;
    let (client, questions) = tokio::select! {
        ended = at_work.end(trial.driven.duration) => ended?,
        () = turn.stop.asked() => return Err("stopped".into()),
    };
    asking.keep(client);
    let record = BesideRecord {
        trial: trial.number,
        design: turn.design.target.info().id.clone(),
        round: turn.round,
        questions,
    };
    turn.trials.log.append(&DriveRecord::Beside(record))?;
    turn.trials.between_loads();
    Ok(())
}
