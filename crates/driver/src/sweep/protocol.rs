//! The protocol of a sweep: every setting of every design once in each round, in random order.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use bakeoff_stats::sweep::{Cell, SweepLog, SweepRecord};
use bakeoff_stats::{DesignInfo, JournalError};

use super::measure::{Besides, Measured, check_inserts, measure, warm_up};
use super::over_any::{OverAny, over_any_id};
use super::{Grid, Setting, Sweeping};
use crate::candidates::{Candidates, start};
use crate::server_watch::ServerWatch;
use crate::{Design, Observer, shuffled};

/// Length of the warm-up before a design's first setting, as a multiple of the others': a server that
/// has just started has to compile its code and fill its caches.
pub(super) const FIRST_WARM_UP: u32 = 10;

/// Settings of a sweep, with the options of their measurement.
pub struct SweepPlan {
    pub sweeping: Sweeping,
    pub grid: Grid,
    /// Number of rounds, in each of which every setting is measured once.
    pub rounds: u32,
    /// Seed of the random order.
    pub seed: u64,
    /// Designs whose batches hold rows of any partitions, as they are described then: by the id that
    /// [`over_any_id`] returns for theirs.
    pub over_any: Vec<DesignInfo>,
    /// Whether these designs are measured with batches of one partition, too; others always are.
    pub over_partition: bool,
    /// Whether the table of the last setting of each design is brought to rest, and its bytes are read. A sweep of
    /// several processes never does so.
    pub reads_bytes: bool,
}

impl SweepPlan {
    /// Returns how a design is described whose batches hold rows of any partitions, if it has such ones.
    pub(super) fn over_any(&self, design: &str) -> Option<&DesignInfo> {
        let id = over_any_id(design);
        self.over_any.iter().find(|info| info.id == id)
    }

    /// Returns whether a design is measured with batches of one partition.
    pub(super) fn is_over_partition(&self, design: &str) -> bool {
        self.over_partition || self.over_any(design).is_none()
    }
}

/// Measurement of a setting, with its place among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Index of the design.
    pub design: usize,
    pub setting: Setting,
    pub round: u32,
}

/// Starts the designs and measures each with every setting. A failure of a design is recorded, and the
/// others are still measured. If the returned future is dropped, the sweep ends, and what was recorded
/// stays.
///
/// # Errors
/// If a record cannot be written.
pub async fn sweep(
    candidates: &mut dyn Candidates<Ready = Box<dyn Design>>,
    plan: &SweepPlan,
    log: &mut SweepLog,
    observer: &dyn Observer,
) -> Result<(), JournalError> {
    let designs = start_designs(candidates, plan, log, observer).await?;
    let steps: Vec<Step> = { 1..=plan.rounds }
        .flat_map(|round| order(plan, designs.len(), round))
        .collect();
    let (mut warmed_up, mut dead) = (HashSet::new(), HashSet::new());
    let (watch, at_rest) = (ServerWatch::default(), brought_to_rest(&steps, plan));
    for (done, step) in steps.iter().enumerate() {
        let (index, design) = (step.design, designs[step.design].as_ref());
        if dead.contains(&index) {
            continue;
        }
        observer.phase(&progress(design, step, plan.rounds, (done, steps.len())));
        if warmed_up.insert(index)
            && let Err(reason) = first_warm_up(design, plan, step.setting).await
        {
            let message = format!("{} did not warm up: {reason}", design.info().id);
            log.append(&SweepRecord::Warning { message })?;
        }
        let (sweeping, setting) = (&plan.sweeping, step.setting);
        let besides = Besides {
            watch: &watch,
            rests: at_rest.contains(&done),
        };
        let measured = measure(design, sweeping, setting, step.round, besides).await;
        let Measured {
            cell,
            server,
            at_rest,
        } = measured;
        show_trouble(&cell, observer);
        if let Some(server) = server {
            log.append(&SweepRecord::Server(server))?;
        }
        match at_rest {
            Some(Ok(at_rest)) => log.append(&SweepRecord::AtRest(at_rest))?,
            Some(Err(why)) => {
                let message = format!("{}: {why}", cell.design);
                observer.note(&message);
                log.append(&SweepRecord::Warning { message })?;
            }
            None => {}
        }
        log.append(&SweepRecord::Cell(cell))?;
        if let Some(reason) = design.dead() {
            dead.insert(index);
            fail(log, observer, &design.info().id, reason)?;
        }
        observer.between_steps();
    }
    Ok(())
}

/// Returns the places of the steps whose tables are brought to rest: of each design the last one that has enough rows.
fn brought_to_rest(steps: &[Step], plan: &SweepPlan) -> HashSet<usize> {
    let (known, shard) = (plan.sweeping.source.known_rows(), plan.sweeping.shard);
    let possible = steps
        .iter()
        .enumerate()
        .filter(|(_, step)| plan.reads_bytes && step.setting.obstacle(known, shard).is_none());
    let last: BTreeMap<usize, usize> = possible.map(|(place, step)| (step.design, place)).collect();
    last.into_values().collect()
}

/// Starts the designs, and returns those that take inserts, each once for what its batches hold. The others are
/// recorded as failed.
async fn start_designs(
    candidates: &mut dyn Candidates<Ready = Box<dyn Design>>,
    plan: &SweepPlan,
    log: &mut SweepLog,
    observer: &dyn Observer,
) -> Result<Vec<Arc<dyn Design>>, JournalError> {
    let mut designs: Vec<Arc<dyn Design>> = Vec::new();
    for (index, id) in candidates.ids().into_iter().enumerate() {
        let started = start(candidates, index, log).await?;
        let started = started.map(|design| -> Arc<dyn Design> { Arc::from(design) });
        let over_partition = plan.is_over_partition(&id).then(|| started.clone());
        let over_any = plan.over_any(&id).map(|info| {
            let with_info =
                |design| -> Arc<dyn Design> { Arc::new(OverAny::new(design, info.clone())) };
            started.map(with_info)
        });
        let named = [(id.clone(), over_partition), (over_any_id(&id), over_any)];
        for (id, started) in named {
            let checked = match started {
                Some(Ok(design)) => check_inserts(design.as_ref()).await.map(|()| design),
                Some(Err(error)) => Err(error.0),
                None => continue,
            };
            match checked {
                Ok(design) => designs.push(design),
                Err(reason) => fail(log, observer, &id, reason)?,
            }
        }
    }
    Ok(designs)
}

/// Orders the settings of all designs at random, so that drift within a round hits all alike.
pub(super) fn order(plan: &SweepPlan, designs: usize, round: u32) -> Vec<Step> {
    let settings = plan.grid.settings();
    let mut all = Vec::with_capacity(designs * settings.len());
    for design in 0..designs {
        for setting in &settings {
            all.push(Step {
                design,
                setting: *setting,
                round,
            });
        }
    }
    shuffled(all, &[plan.seed, u64::from(round)])
}

/// Warms up with the middle setting, or with the one that is measured next if the middle one fails.
async fn first_warm_up(design: &dyn Design, plan: &SweepPlan, next: Setting) -> Result<(), String> {
    let sweeping = &plan.sweeping;
    let length = sweeping.warm_up * FIRST_WARM_UP;
    if let Some(middle) = plan.grid.middle()
        && warm_up(design, sweeping, middle, length).await.is_ok()
    {
        return Ok(());
    }
    warm_up(design, sweeping, next, length).await
}

pub(super) fn fail(
    log: &mut SweepLog,
    observer: &dyn Observer,
    design: &str,
    reason: String,
) -> Result<(), JournalError> {
    observer.trouble(design, &reason);
    log.append(&SweepRecord::Failed {
        design: design.to_owned(),
        reason,
    })
}

/// Describes the setting that is being measured, with its number and, of several, its round.
pub(super) fn progress(
    design: &dyn Design,
    step: &Step,
    rounds: u32,
    (done, of): (usize, usize),
) -> String {
    let Setting {
        batch_rows,
        workers,
    } = step.setting;
    let round = match rounds {
        1 => String::new(),
        rounds => format!(", round {} of {rounds}", step.round),
    };
    format!(
        "setting {} of {of}{round}: {}, batches of {batch_rows}, {workers} workers",
        done + 1,
        design.info().id
    )
}

/// Shows the first failure of a setting, if there was one.
pub(super) fn show_trouble(cell: &Cell, observer: &dyn Observer) {
    let first = cell.reason.as_ref().or(cell.failures.messages.first());
    if let Some(what) = first {
        observer.note(&format!(
            "{}, batches of {}, {} workers: {what}",
            cell.design, cell.batch_rows, cell.workers
        ));
    }
}
