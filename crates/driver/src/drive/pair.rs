//! A turn with questions beside: loads of a design that follow each other, one without questions and one for each
//! design that answers them.

use bakeoff_stats::drive::{BesideRecord, DriveRecord};

use super::asking::Asking;
use super::context::Trouble;
use super::turn::Turn;
use super::{Plan, warm_up};

/// Drives a design without questions, and with them once for each design that answers. The order is another one in
/// each round, so that a drift of the machine is no difference between the loads.
///
/// # Errors
/// A load failed or was stopped, the engines of all that answer have ended, or a record cannot be written.
pub async fn drive(turn: &mut Turn<'_, '_>, asking: &mut Asking<'_>) -> Result<(), Trouble> {
    asking.check()?;
    let schedule = &turn.settings.load.schedule;
    let mut loads: Vec<(usize, Plan)> = Vec::new();
    // All are planned before the warm-up, which has another number of loads for each design.
    for alternative in order(1 + asking.asked.answerers(), turn.round) {
        let load = turn.plan(schedule.clone());
        turn.loads += 1;
        // Only the first load of all may wait for a given moment.
        let start_at = load.start_at.filter(|_| loads.is_empty());
        loads.push((alternative, Plan { start_at, ..load }));
    }
    warm(turn, asking).await?;
    for (alternative, load) in loads {
        match alternative.checked_sub(1) {
            None => without(turn, load).await?,
            Some(place) if asking.can_answer(place) => with(turn, asking, place, load).await?,
            Some(_) => {}
        }
    }
    Ok(())
}

/// Returns the order in which so many alternatives take turns in a round, counted from 1: that of a balanced Latin
/// square (E. J. Williams, 1949). After as many rounds as there are alternatives each of them has been at each place,
/// and after those, or twice as many if their number is odd, each has followed each other one equally often.
fn order(alternatives: usize, round: u32) -> Vec<usize> {
    let round = round.saturating_sub(1) as usize;
    let turned = round % alternatives;
    let of_place = |place: usize| {
        // 0, 1, last, 2, last but one, ...
        let step = place.div_ceil(2);
        let first = if place % 2 == 1 {
            step
        } else {
            alternatives - step
        };
        (first + turned) % alternatives
    };
    let mut order: Vec<usize> = (0..alternatives).map(of_place).collect();
    let is_mirrored = alternatives % 2 == 1 && (round / alternatives) % 2 == 1;
    if is_mirrored {
        order.reverse();
    }
    order
}

/// Warms up the server and whoever answers, before the first loads of a design.
async fn warm(turn: &mut Turn<'_, '_>, asking: &mut Asking<'_>) -> Result<(), Trouble> {
    if !turn.design.is_warm && warm_up::is_possible(turn.settings) {
        warm_up::warm_up(turn).await?;
        turn.design.is_warm = true;
    }
    if !turn.design.was_asked {
        for place in asking.places() {
            let client = asking.client(&turn.design.target, place, turn.round);
            client.warm_up(turn.stop).await;
            asking.keep(&turn.design.target, place, client);
        }
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

/// Drives a load beside which the design at this place answers.
async fn with(
    turn: &mut Turn<'_, '_>,
    asking: &mut Asking<'_>,
    place: usize,
    load: Plan,
) -> Result<(), Trouble> {
    if turn.stop.is_asked() {
        return Err("stopped".into());
    }
    let client = asking.client(&turn.design.target, place, turn.round);
    let at_work = client.begin(turn.trials.begun.subscribe(), turn.trials.count + 1);
    turn.trials.answered_by = Some(asking.answered_by(place));
    let driven = turn.drive(load).await;
    turn.trials.answered_by = None;
    let trial = driven?;
    let (client, questions) = tokio::select! {
        ended = at_work.end(trial.driven.duration) => ended?,
        () = turn.stop.asked() => return Err("stopped".into()),
    };
    asking.keep(&turn.design.target, place, client);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn two_loads_change_their_order_in_every_round() {
        let orders: Vec<Vec<usize>> = (1..=4).map(|round| order(2, round)).collect();
        assert_eq!(orders, [[0, 1], [1, 0], [0, 1], [1, 0]]);
    }

    #[test]
    fn each_load_is_at_each_place_and_after_each_other_one_equally_often() {
        for alternatives in 2..=6 {
            let times = 1 + alternatives % 2;
            let rounds = times * alternatives;
            let orders = (1..).take(rounds).map(|round| order(alternatives, round));
            let orders: Vec<Vec<usize>> = orders.collect();
            let (mut places, mut pairs) = (BTreeMap::new(), BTreeMap::new());
            for order in &orders {
                for at in order.iter().enumerate() {
                    *places.entry(at).or_insert(0) += 1;
                }
                for pair in order.windows(2) {
                    *pairs.entry((pair[0], pair[1])).or_insert(0) += 1;
                }
            }
            assert_eq!(places.len(), alternatives * alternatives);
            assert!(places.values().all(|count| *count == times));
            assert_eq!(pairs.len(), alternatives * (alternatives - 1));
            assert!(pairs.values().all(|count| *count == times), "{pairs:?}");
        }
    }
}
