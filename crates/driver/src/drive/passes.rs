//! Passes: operations of a mix that go through the rows once, each to its end, in the place of loads.

use bakeoff_stats::drive::{DriveRecord, PassRecord};

use super::context::{DriveSettings, Trouble, or_why_dead};
use super::pass_plan::planned;
use super::trial::Trial;
use super::turn::Turn;
use super::{Pass, PassesFor, Schedule, warm_up};

/// Carries out all passes on a design, one after the other. Before the first round of a design with a
/// server all of them are made once without being recorded as passes, so that the first ones are not those
/// of a server that has just started.
///
/// # Errors
/// A pass failed or was stopped, or a record cannot be written.
pub async fn carry_out(turn: &mut Turn<'_, '_>, passes: &PassesFor) -> Result<(), Trouble> {
    if !turn.design.is_warm && warms_up(turn.settings, passes) {
        turn.trials.is_warm_up = true;
        let warmed = all(turn, passes).await;
        turn.trials.is_warm_up = false;
        warmed?;
        turn.design.is_warm = true;
    }
    all(turn, passes).await
}

/// Returns whether the passes can be made once before they count. Rows that passes delete would be missing
/// in the next round, unless it begins with recreated tables.
fn warms_up(settings: &DriveSettings, passes: &PassesFor) -> bool {
    if passes.from_empty {
        settings.warms_up
    } else {
        warm_up::is_possible(settings)
    }
}

async fn all(turn: &mut Turn<'_, '_>, passes: &PassesFor) -> Result<(), Trouble> {
    if passes.from_empty {
        make_empty(turn).await?;
    }
    for (place, pass) in passes.passes.iter().enumerate() {
        if turn.stop.is_asked() {
            return Err("stopped".into());
        }
        let plan = planned(turn.plan(Schedule::Pass(*pass)), *pass);
        let trial = turn.drive(plan).await?;
        if trial.driven.stopped {
            return Err("stopped".into());
        }
        if !turn.trials.is_warm_up {
            let record = record(turn, place, *pass, &trial);
            turn.trials.log.append(&DriveRecord::Pass(record))?;
        }
    }
    Ok(())
}

/// Creates the empty tables of the design again, and prepares its statements for them.
async fn make_empty(turn: &mut Turn<'_, '_>) -> Result<(), Trouble> {
    let target = turn.design.target.clone();
    let Some(design) = target.design() else {
        return Ok(());
    };
    let made = design.create().await;
    made.map_err(|error| or_why_dead(target.as_ref(), error))?;
    let prepared = target.prepare().await;
    prepared.map_err(|error| or_why_dead(target.as_ref(), error))
}

fn record(turn: &Turn<'_, '_>, place: usize, pass: Pass, trial: &Trial) -> PassRecord {
    let driven = &trial.driven;
    let done = trial.total(pass.operation);
    let used = &driven.used;
    PassRecord {
        trial: trial.number,
        design: turn.design.target.info().id.clone(),
        round: turn.round,
        place,
        succeeded: done.succeeded,
        failed: done.failed,
        not_applied: done.not_applied,
        rows: done.rows,
        bytes: done.bytes,
        real: driven.duration.as_secs_f64(),
        user: used.client.user,
        system: used.client.system,
        server_cpu: driven.cpu.server,
        disk_read: used.server.disk_read_bytes,
        disk_written: used.server.disk_written_bytes,
        gc: used.server.gc_seconds,
        gc_count: used.server.gc_count,
    }
}
