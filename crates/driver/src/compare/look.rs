//! Looks of a race at its figures between two rounds.

use bakeoff_stats::race::{LOOKS, look as look_at};
use bakeoff_stats::{Dropped, Record, Stopped, WhyStopped};

use super::context::{Context, RunError};

/// Drops the designs that another one beats in everything, and ends measuring if no further round pays,
/// where a look is due after this round. A resumed run does not look again at what was looked at.
pub fn look(run: &mut Context<'_>, round: u32) -> Result<(), RunError> {
    let is_last_asked = run.log.state().latest_round == Some(round);
    if !run.settings.race || !is_last_asked || !LOOKS.contains(&(round + 1)) {
        return Ok(());
    }
    let found = look_at(run.log.records())?;
    for dropped in found.dropped {
        drop_one(run, dropped)?;
    }
    match found.stop {
        Some(why) => stop(run, round + 1, why),
        None => Ok(()),
    }
}

/// Records that all rounds were asked, unless a look ended them before.
pub fn end(run: &mut Context<'_>, rounds: u32) -> Result<(), RunError> {
    if !run.settings.race || run.log.state().is_stopped {
        return Ok(());
    }
    stop(run, rounds, WhyStopped::Rounds)
}

/// Drops those of the designs that the journal does not have as dropped yet.
pub fn drop_new(run: &mut Context<'_>, found: Vec<Dropped>) -> Result<(), RunError> {
    for dropped in found {
        let is_known = run.log.records().iter().any(|record| match record {
            Record::Dropped(known) => known.design == dropped.design,
            _ => false,
        });
        if !is_known {
            drop_one(run, dropped)?;
        }
    }
    Ok(())
}

/// Records that a design is measured no further, and says so.
fn drop_one(run: &mut Context<'_>, dropped: Dropped) -> Result<(), RunError> {
    run.observer.note(&in_words(&dropped));
    Ok(run.log.record(Record::Dropped(Box::new(dropped)))?)
}

fn stop(run: &mut Context<'_>, rounds: u32, why: WhyStopped) -> Result<(), RunError> {
    run.log.record(Record::Rounds { rounds })?;
    Ok(run.log.record(Record::Stopped(Stopped { rounds, why }))?)
}

fn in_words(dropped: &Dropped) -> String {
    let (design, by) = (&dropped.design, &dropped.by);
    let what = if dropped.is_control {
        "is kept as a control"
    } else {
        "is dropped"
    };
    format!(
        "{design} {what}: {by} beats it in everything at {} rows",
        dropped.rows
    )
}
