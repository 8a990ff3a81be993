//! The rungs of a race: all designs are compared at smaller tables, so that one which another beats in
//! everything is never loaded in full.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use bakeoff_stats::race::{RUNG_ROUND, drops, rungs};
use bakeoff_stats::{Instance, InstanceKind, Journal, Record, Role, Step};
use bakeoff_workload::{RowSource, Workload};

use super::context::{Context, RunError, Settings};
use super::duplicates::duplicates_within;
use super::further::Instances;
use super::load::{self, READ_ROWS, load_one};
use super::look::drop_new;
use super::measure::{ask_rounds, is_asked, verify};
use super::questions::Questions;
use super::rows_by_partition::RowsByPartition;
use super::space::Highest;
use super::state::{Log, SliceBounds};
use super::tables::{create, read_footprints, settle};
use super::warm_up::warm_up;
use crate::order::shuffled;
use crate::reader::Reader;
use crate::server_watch::ServerWatch;
use crate::{Budget, Design, Observer, Oracle};

/// Share of a budget that one rung may take to warm up, twice over, and open questions as well.
pub const RUNG_SHARE: f64 = 0.1;
/// Rows a second that a design is assumed to load and settle, by which rungs are small enough for a budget. Rows of
/// CQL reach half of it on two cores. Rungs have 5/16 of the rows at most, so that such designs alone load them in
/// less than the time that all rows may take.
const ROWS_PER_SECOND: f64 = 10_000.0;

/// Everything but the designs that the rungs of a race need.
pub struct Race<'a> {
    pub workload: &'a Workload,
    pub source: Arc<dyn RowSource>,
    pub settings: &'a Settings,
    pub observer: &'a dyn Observer,
}

impl Race<'_> {
    /// Measures the designs at two numbers of rows, of which the larger is a small part of all, and drops
    /// those that another one beats in everything. A run that goes on and has loaded slices since then
    /// has this behind it.
    pub async fn climb(
        &self,
        designs: &[Arc<dyn Design>],
        instances: &mut dyn Instances,
        oracle: &dyn Oracle,
        journal: &mut Journal,
    ) -> Result<(), RunError> {
        let mut run = self.context(designs, journal);
        if !self.settings.race || run.log.state().begun_slice(0).is_some() {
            return Ok(());
        }
        let chosen = self.choose(&mut run, instances).await?;
        let sizes = sizes(&chosen);
        for rows in &sizes {
            let of_rung: Vec<&Instance> = { chosen.iter() }
                .filter(|instance| rows_of(instance) == Some(*rows))
                .collect();
            self.rung(*rows, &of_rung, instances, oracle, journal)
                .await?;
        }
        let mut run = self.context(designs, journal);
        let found = drops(run.log.records(), &sizes)?;
        drop_new(&mut run, found)
    }

    fn context<'b>(
        &'b self,
        designs: &'b [Arc<dyn Design>],
        journal: &'b mut Journal,
    ) -> Context<'b> {
        Context {
            workload: self.workload,
            source: self.source.clone(),
            designs,
            settings: self.settings,
            log: Log::new(journal),
            observer: self.observer,
            highest: Highest::default(),
            server: ServerWatch::default(),
            by_partition: RowsByPartition::default(),
            long_answers: BTreeMap::new(),
            confined_to: None,
        }
    }

    /// Chooses the tables of the rungs, unless an earlier process did. With one design there is nothing to
    /// drop, and so no rung.
    async fn choose(
        &self,
        run: &mut Context<'_>,
        instances: &dyn Instances,
    ) -> Result<Vec<Instance>, RunError> {
        if let Some(known) = &run.log.state().rungs {
            return Ok(known.clone());
        }
        let may_have = |design: &&dyn Design| {
            let info = design.info();
            info.role == Role::Store && instances.can_have(&info.id)
        };
        let designs: Vec<&dyn Design> = run.live().into_iter().filter(may_have).collect();
        let mut chosen = Vec::new();
        if designs.len() > 1 {
            let all = self.rows(designs.len()).await?;
            for rows in rungs(all) {
                let ids = designs.iter().map(|design| &design.info().id);
                chosen.extend(ids.map(|id| Instance::smaller(id, rows)));
            }
            if chosen.is_empty() {
                run.observer.note(&without_rungs(all));
            }
        }
        let rungs = chosen.clone();
        run.log.record(Record::Race { rungs })?;
        Ok(chosen)
    }

    /// Returns the rows that will be loaded. Where a budget decides, they are not known yet, and those
    /// that the workload names stand in for them, as far as so many designs would load them.
    async fn rows(&self, designs: usize) -> Result<u64, RunError> {
        let budget = self.settings.budget.map_or(u64::MAX, |budget| {
            let seconds = budget.loading().as_secs_f64() / designs.max(1) as f64;
            (ROWS_PER_SECOND * seconds) as u64
        });
        let named = self.workload.scale.default_rows;
        let most = self.settings.rows.unwrap_or(named.min(budget));
        let source = self.source.clone();
        let counting = tokio::task::spawn_blocking(move || source.count_rows(most));
        let there = counting
            .await
            .map_err(|e| RunError::Reader(e.to_string()))??;
        Ok(there.map_or(most, |there| there.min(most)))
    }

    /// Measures the tables of one rung.
    async fn rung(
        &self,
        rows: u64,
        chosen: &[&Instance],
        instances: &mut dyn Instances,
        oracle: &dyn Oracle,
        journal: &mut Journal,
    ) -> Result<(), RunError> {
        let what = format!("racing at {rows} rows");
        let began = Instant::now();
        let settings = rung_settings(self.settings);
        let designs = self.make(chosen, instances, journal).await?;
        let race = Race {
            settings: &settings,
            source: self.source.clone(),
            ..*self
        };
        let mut run = race.context(&designs, journal);
        create(&mut run).await?;
        run.observer.phase(&what);
        load_first(&mut run, rows).await?;
        settle(&mut run).await?;
        read_footprints(&mut run).await?;
        let mut own = oracle.over(self.source.clone());
        let duplicates = Arc::new(duplicates_within(&run, run.source.clone(), rows).await?);
        own.prepare(rows, duplicates).await?;
        let mut questions = Questions::new(self.workload, self.source.clone(), rows, own.as_ref());
        verify(&mut run, &mut questions).await?;
        if !is_asked(&run, RUNG_ROUND) {
            warm_up(&mut run, &mut questions, settings.budget).await?;
            ask_rounds(&mut run, &mut questions, RUNG_ROUND).await?;
        }
        run.observer.done(&what, began.elapsed());
        Ok(())
    }

    /// Makes the designs of a rung. One that cannot be made is left out alone.
    async fn make(
        &self,
        chosen: &[&Instance],
        instances: &mut dyn Instances,
        journal: &mut Journal,
    ) -> Result<Vec<Arc<dyn Design>>, RunError> {
        let mut made = Vec::new();
        for instance in chosen {
            match instances.make(instance).await {
                Ok(design) => made.push(design),
                Err(error) => {
                    self.observer.trouble(&instance.id, &error.0);
                    let mut log = Log::new(journal);
                    log.fail(&instance.id, Step::Start, None, error.0)?;
                }
            }
        }
        Ok(made)
    }
}

/// Says that a race over so few rows has no smaller tables, and what would allow them.
fn without_rungs(rows: u64) -> String {
    format!(
        "the race begins with the tables themselves, since {rows} rows are too few for smaller \
         ones; a longer --budget or more rows allow them"
    )
}

/// Returns the numbers of rows that the tables of rungs have, the fewest first.
pub fn sizes(rungs: &[Instance]) -> Vec<u64> {
    let mut sizes: Vec<u64> = rungs.iter().filter_map(rows_of).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn rows_of(instance: &Instance) -> Option<u64> {
    match instance.kind {
        InstanceKind::Smaller { rows } => Some(rows),
        InstanceKind::Twin | InstanceKind::Part { .. } => None,
    }
}

/// Returns the settings of a rung, which has a small part of a budget for itself.
fn rung_settings(settings: &Settings) -> Settings {
    let budget = settings.budget.map(|budget| budget.part(RUNG_SHARE));
    Settings {
        budget,
        ..settings.clone()
    }
}

/// Returns the settings of the run after its rungs, which took their time.
pub fn settings_after(settings: &Settings) -> Settings {
    let budget = settings.budget.map(Budget::from_now);
    Settings {
        budget: if settings.race {
            budget
        } else {
            settings.budget
        },
        ..settings.clone()
    }
}

/// Loads the first rows into all tables, in slices of one size, so that a run that goes on sends the same
/// ones.
async fn load_first(run: &mut Context<'_>, rows: u64) -> Result<(), RunError> {
    let mut reader = Reader::new(run.source.clone(), READ_ROWS as usize);
    for slice in 0..rows.div_ceil(READ_ROWS) {
        let first_row = slice * READ_ROWS;
        let mut needing = run.live_tables();
        needing.retain(|design| run.log.state().design(&design.info().id).slices <= slice);
        if needing.is_empty() {
            continue;
        }
        let wanted = READ_ROWS.min(rows - first_row);
        let Some(batch) = reader.take(first_row, wanted).await? else {
            break;
        };
        let bounds = SliceBounds {
            first_row,
            rows: batch.num_rows() as u64,
        };
        for design in shuffled(needing, &[run.workload.seed, 5, slice]) {
            load_one(run, design, slice, bounds, &batch).await?;
        }
    }
    Ok(())
}

/// Loads the designs that are left. If the one that beat a dropped design fails, that one takes part again.
/// Returns how many rows every live design holds.
pub async fn load(run: &mut Context<'_>) -> Result<u64, RunError> {
    loop {
        let rows = load::load(run).await?;
        if !return_dropped(run)? {
            return Ok(rows);
        }
        create(run).await?;
    }
}

/// Lets dropped designs take part again whose winner failed. Returns whether there were any.
fn return_dropped(run: &mut Context<'_>) -> Result<bool, RunError> {
    let state = run.log.state();
    let returning: Vec<String> = { state.dropped.iter() }
        .filter(|(_, by)| state.design(by).failed)
        .map(|(design, _)| design.clone())
        .collect();
    for design in &returning {
        let line = format!("{design} takes part again, since the design that beat it failed");
        run.observer.note(&line);
        run.log.record(Record::Returned {
            design: design.clone(),
        })?;
    }
    Ok(!returning.is_empty())
}
