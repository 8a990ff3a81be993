//! The loads of a drive: every design in every round.

use std::sync::Arc;

use anyhow::Result;
use bakeoff_driver::drive::{
    DEFAULT_DRAIN_LIMIT, NewRows, Plan as LoadPlan, Schedule, Stop, Target,
};
use bakeoff_driver::shuffled;
use bakeoff_stats::drive::DriveLog;

use super::execute::{Plan, fail};
use super::find;
use super::live::Live;
use super::trial::{Recorder, Trial};

/// Loads of one round on one design at most: more than a search has.
const LOADS_OF_A_ROUND: u32 = 64;

/// A design while it is driven.
pub struct Driving {
    pub target: Arc<dyn Target>,
    /// What its loads so far inserted.
    new_rows: Vec<NewRows>,
    /// It has failed, and is driven no more.
    is_out: bool,
}

impl Driving {
    /// Drives the next load, whose new rows come after those of the loads before.
    ///
    /// # Errors
    /// See [`Recorder::trial`].
    pub async fn load(
        &mut self,
        recorder: &mut Recorder<'_>,
        round: u32,
        mut load: LoadPlan,
        stop: &Stop,
    ) -> Result<Trial> {
        load.new_rows = std::mem::take(&mut self.new_rows);
        let trial = recorder.trial(self.target.clone(), round, &load, stop);
        let mut trial = trial.await?;
        self.new_rows = std::mem::take(&mut trial.driven.new_rows);
        Ok(trial)
    }
}

/// Every design once in every round, in random order; or a search on each.
pub async fn drive_all(
    plan: &Plan<'_>,
    targets: Vec<Arc<dyn Target>>,
    log: &mut DriveLog,
    stop: &Stop,
) -> Result<()> {
    let operations: Vec<String> = plan.mix.operations.iter().map(|o| o.name.clone()).collect();
    let mut recorder = Recorder {
        log,
        live: Live::new(&plan.progress, operations.clone()),
        operations,
        trials: 0,
    };
    let mut designs: Vec<Driving> = targets
        .into_iter()
        .map(|target| Driving {
            target,
            new_rows: Vec::new(),
            is_out: false,
        })
        .collect();
    for round in 1..=plan.options.rounds {
        let keys = [plan.workload.seed, u64::from(round)];
        for index in shuffled((0..designs.len()).collect(), &keys) {
            let design = &mut designs[index];
            if stop.is_asked() || design.is_out {
                continue;
            }
            let driven = match &plan.load.objective {
                None => one_load(&mut recorder, design, plan, round, stop).await,
                Some(objective) => {
                    find::highest_rate(&mut recorder, design, objective, plan, round, stop).await
                }
            };
            if let Err(error) = driven
                && !stop.is_asked()
            {
                design.is_out = true;
                fail(
                    recorder.log,
                    &plan.progress,
                    &design.target.info().id,
                    &error,
                )?;
            }
        }
    }
    Ok(())
}

async fn one_load(
    recorder: &mut Recorder<'_>,
    design: &mut Driving,
    plan: &Plan<'_>,
    round: u32,
    stop: &Stop,
) -> Result<()> {
    let mut load = load_plan(plan, plan.load.schedule.clone(), round, 0);
    // Later ones begin when they are ready.
    load.start_at = plan.options.start_at.filter(|_| recorder.trials == 0);
    design.load(recorder, round, load, stop).await.map(drop)
}

/// One load of this drive. All designs of a round have the same operations in their nth load, and no
/// two loads of a design have.
pub fn load_plan(plan: &Plan<'_>, schedule: Schedule, round: u32, number: u32) -> LoadPlan {
    let options = plan.options;
    LoadPlan {
        mix: plan.mix.clone(),
        seed: plan.workload.seed,
        ordinal: (round - 1) * LOADS_OF_A_ROUND + number,
        rows: plan.rows,
        new_rows: Vec::new(),
        shard: plan.load.shard,
        threads: u32::from(options.threads),
        in_flight: plan.load.in_flight,
        schedule,
        duration: plan.load.duration,
        drain_limit: DEFAULT_DRAIN_LIMIT,
        retries: options.retries,
        start_at: None,
    }
}
