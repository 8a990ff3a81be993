//! Further tables of the designs, which are loaded after their own and asked alongside them.
//!
//! A twin holds the same rows as the table of its design: by how much the two differ, a design
//! differs from itself. Smaller tables hold the first rows only, so that a report can follow how
//! figures grow. All of them are asked in the same rounds, on the same engines.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use bakeoff_stats::{Instance, InstanceKind, Record, Role, Step};

use super::context::{Context, RunError};
use super::load::{READ_ROWS, load_one};
use super::scales::rows_to_forecast;
use super::state::SliceBounds;
use crate::order::shuffled;
use crate::reader::Reader;
use crate::{Design, DesignError};

/// Makes further tables of designs whose engines run.
#[async_trait]
pub trait Instances: Send {
    /// Returns whether a design can have several tables at the same time.
    fn can_have(&self, design: &str) -> bool;

    /// Makes the table's design, without touching its storage.
    ///
    /// # Errors
    /// If the engine does not take it.
    async fn make(&mut self, instance: &Instance) -> Result<Arc<dyn Design>, DesignError>;
}

/// Chooses the further tables, unless an earlier process did, and makes their designs. One that
/// cannot be made is left out alone, and tried again when the run is resumed.
pub async fn make(
    run: &mut Context<'_>,
    instances: &mut dyn Instances,
) -> Result<Vec<Arc<dyn Design>>, RunError> {
    if run.log.state().instances.is_none() {
        let chosen = choose(run, instances);
        run.log.record(Record::Instances { instances: chosen })?;
    }
    let mut made = Vec::new();
    for instance in run.log.state().instances.clone().unwrap_or_default() {
        match instances.make(&instance).await {
            Ok(design) => made.push(design),
            Err(error) => {
                let (id, reason) = (&instance.id, error.0);
                run.observer.trouble(id, &reason);
                run.log.fail(id, Step::Start, None, reason)?;
            }
        }
    }
    Ok(made)
}

/// Chooses smaller tables of all designs that are loaded, and twins of two of them.
fn choose(run: &Context<'_>, instances: &dyn Instances) -> Vec<Instance> {
    let further = run.settings.further;
    let rows = run.log.state().loaded_rows.unwrap_or(0);
    let may_have = |design: &&dyn Design| {
        let info = design.info();
        info.role == Role::Store && instances.can_have(&info.id)
    };
    let designs: Vec<&dyn Design> = run.live().into_iter().filter(may_have).collect();
    let infos = designs.iter().map(|design| design.info());
    let fewest = rows_to_forecast(infos);
    let scales = further.scales(rows, run.workload.scale.full_rows, fewest);
    let mut chosen = Vec::new();
    for rows in scales.smaller_than(rows) {
        let ids = designs.iter().map(|design| &design.info().id);
        chosen.extend(ids.map(|id| Instance::smaller(id, rows)));
    }
    if further.twins {
        let twins = twinned(run, &designs).into_iter();
        chosen.extend(twins.map(|design| Instance::twin(&design.info().id)));
    }
    chosen
}

/// Returns the design that was loaded fastest and the one in the middle: a fast and a slow one, but
/// none that takes longest.
fn twinned<'a>(run: &Context<'_>, designs: &[&'a dyn Design]) -> Vec<&'a dyn Design> {
    let mut by_time = designs.to_vec();
    let seconds = |design: &&dyn Design| run.log.seconds_loading(&design.info().id);
    by_time.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    let places = BTreeSet::from([0, by_time.len() / 2]);
    { places.into_iter() }
        .filter_map(|place| by_time.get(place).copied())
        .collect()
}

/// Loads the slices of the designs' own tables into the further ones, as far as each of them goes.
pub async fn load(run: &mut Context<'_>) -> Result<(), RunError> {
    if run.designs.is_empty() {
        return Ok(());
    }
    run.observer.phase("loading twins and smaller tables");
    let began = Instant::now();
    let mut reader = Reader::new(run.source.clone(), READ_ROWS as usize);
    let mut slice = 0;
    while let Some(bounds) = run.log.state().slice(slice) {
        let needing = needing(run, slice, bounds);
        if !needing.is_empty() {
            let Some(rows) = reader.take(bounds.first_row, bounds.rows).await? else {
                break;
            };
            for (design, count) in needing {
                let part = SliceBounds {
                    rows: count,
                    ..bounds
                };
                load_one(run, design, slice, part, &rows.slice(0, count as usize)).await?;
            }
        }
        slice += 1;
    }
    let tables = run.live().len();
    let what = format!("loaded {tables} twins and smaller tables");
    run.observer.done(&what, began.elapsed());
    Ok(())
}

/// Returns the tables that lack this slice, each with the number of its rows that they get.
fn needing<'a>(run: &Context<'a>, slice: u64, bounds: SliceBounds) -> Vec<(&'a dyn Design, u64)> {
    let state = run.log.state();
    let lacking = run.live().into_iter().filter_map(|design| {
        let id = &design.info().id;
        let of_slice = match state.instance(id)?.kind {
            InstanceKind::Twin => bounds.rows,
            InstanceKind::Smaller { rows } => {
                rows.saturating_sub(bounds.first_row).min(bounds.rows)
            }
        };
        (of_slice > 0 && state.design(id).slices <= slice).then_some((design, of_slice))
    });
    shuffled(lacking.collect(), &[run.workload.seed, 4, slice])
}
