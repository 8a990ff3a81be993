//! Further tables of the designs, which are loaded after their own and asked alongside them.
//!
//! A twin holds the same rows as the table of its design: by how much the two differ, a design
//! differs from itself. Smaller tables hold the first rows only, or a share of the series and of the time,
//! so that a report can follow how figures grow. All of them are asked in the same rounds, on the same engines.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use bakeoff_stats::{Instance, InstanceKind, Record, Role, Step};
use bakeoff_workload::RowSource;

use super::context::{Context, RunError};
use super::load::{READ_ROWS, load_one};
use super::parts::{self, Parts};
use super::shared::without_table;
use super::smaller::{SmallerTables, rows_to_forecast};
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
) -> Result<Further, RunError> {
    let rows = run.log.state().loaded_rows.unwrap_or(0);
    let parts = match run.log.state().instances.clone() {
        Some(chosen) => parts::known(run, &chosen, rows).await?,
        None => choose(run, instances, rows).await?,
    };
    let mut made: Vec<Arc<dyn Design>> = Vec::new();
    for instance in run.log.state().instances.clone().unwrap_or_default() {
        let with_table = instances.make(&instance).await.and_then(|design| {
            let lacking = without_table(&made, design.as_ref());
            lacking.map_or(Ok(design), Err)
        });
        match with_table {
            Ok(design) => made.push(design),
            Err(error) => {
                let (id, reason) = (&instance.id, error.0);
                run.observer.trouble(id, &reason);
                run.log.fail(id, Step::Start, None, reason)?;
            }
        }
    }
    Ok(Further {
        designs: made,
        parts,
    })
}

/// Further tables of the designs.
pub struct Further {
    pub designs: Vec<Arc<dyn Design>>,
    /// Rows of those that hold a share of the series and of the time.
    pub parts: Parts,
}

/// Chooses smaller tables of all designs that are loaded, and twins of two of them. Returns the rows of
/// tables that do not hold the first rows.
async fn choose(
    run: &mut Context<'_>,
    instances: &dyn Instances,
    rows: u64,
) -> Result<Parts, RunError> {
    let (further, scale) = (run.settings.further, &run.workload.scale);
    let may_have = |design: &&dyn Design| {
        let info = design.info();
        info.role == Role::Store && instances.can_have(&info.id)
    };
    let designs: Vec<&dyn Design> = run.live().into_iter().filter(may_have).collect();
    let fewest = rows_to_forecast(designs.iter().map(|design| design.info()));
    let smaller = further.smaller(scale, rows, &fewest);
    let ids = || designs.iter().map(|design| &design.info().id);
    let mut chosen = Vec::new();
    let mut made = Parts::new();
    if let SmallerTables::First(scales) = smaller {
        for rows in scales.smaller_than(rows) {
            chosen.extend(ids().map(|id| Instance::smaller(id, rows)));
        }
    }
    if let Some(growth) = scale.growth_from(rows) {
        let survey = parts::survey(run, rows).await?;
        let axes = parts::axes(run.workload, &survey, growth);
        run.log.record(Record::Axes(axes))?;
        if let SmallerTables::Star(star) = smaller {
            made = parts::chosen(run, &survey, star.divided(), rows).await?;
            for (shares, part) in &made {
                let rows = part.rows();
                chosen.extend(ids().map(|id| Instance::part(id, *shares, rows)));
            }
        }
    }
    if further.twins {
        let twins = twinned(run, &designs).into_iter();
        chosen.extend(twins.map(|design| Instance::twin(&design.info().id)));
    }
    run.log.record(Record::Instances { instances: chosen })?;
    Ok(made)
}

/// Returns the design that was loaded fastest and the one in the middle: a fast and a slow one, but
/// none that takes longest. One that reads the table of another one is not loaded.
fn twinned<'a>(run: &Context<'_>, designs: &[&'a dyn Design]) -> Vec<&'a dyn Design> {
    let mut by_time = designs.to_vec();
    by_time.retain(|design| design.info().has_own_table());
    let seconds = |design: &&dyn Design| run.log.seconds_loading(&design.info().id);
    by_time.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    let places = BTreeSet::from([0, by_time.len() / 2]);
    { places.into_iter() }
        .filter_map(|place| by_time.get(place).copied())
        .collect()
}

/// Loads the further tables in slices of as many rows as those of the designs' own ones.
pub async fn load(run: &mut Context<'_>, parts: &Parts) -> Result<(), RunError> {
    if run.designs.is_empty() {
        return Ok(());
    }
    run.observer.phase("loading twins and smaller tables");
    let began = Instant::now();
    load_from(run, run.source.clone(), None).await?;
    for (shares, part) in parts {
        load_from(run, part.clone(), Some(*shares)).await?;
    }
    let tables = run.live_tables().len();
    let what = match tables {
        1 => "loaded a twin or smaller table".to_owned(),
        tables => format!("loaded {tables} twins and smaller tables"),
    };
    run.observer.done(&what, began.elapsed());
    Ok(())
}

/// Returns the source and the number of the rows that a smaller table holds.
pub fn rows_of(
    run: &Context<'_>,
    parts: &Parts,
    kind: InstanceKind,
) -> Option<(Arc<dyn RowSource>, u64)> {
    match kind {
        InstanceKind::Twin => None,
        InstanceKind::Smaller { rows } => Some((run.source.clone(), rows)),
        InstanceKind::Part { series, time, rows } => {
            let part = parts.get(&(series, time))?;
            Some((part.clone(), rows))
        }
    }
}

/// Loads the tables that hold a share of the series and of the time, or those of the first rows, from
/// the source of their rows.
async fn load_from(
    run: &mut Context<'_>,
    source: Arc<dyn RowSource>,
    shares: Option<(u32, u32)>,
) -> Result<(), RunError> {
    let mut reader = Reader::new(source, READ_ROWS as usize);
    let mut slice = 0;
    while let Some(bounds) = run.log.state().slice(slice) {
        let needing = needing(run, slice, bounds, shares);
        if !needing.is_empty() {
            let most = needing.iter().map(|(_, count)| *count).max().unwrap_or(0);
            let Some(rows) = reader.take(bounds.first_row, most).await? else {
                break;
            };
            for (design, count) in needing {
                let part = SliceBounds {
                    rows: count,
                    ..bounds
                };
                load_one(run, design, slice, part, &rows.slice(0, count as usize)).await?;
            }
            run.observer.between_steps();
        }
        slice += 1;
    }
    Ok(())
}

/// Returns the tables from one source that lack this slice, each with the number of its rows that they get.
fn needing<'a>(
    run: &Context<'a>,
    slice: u64,
    bounds: SliceBounds,
    shares: Option<(u32, u32)>,
) -> Vec<(&'a dyn Design, u64)> {
    let state = run.log.state();
    let lacking = run.live_tables().into_iter().filter_map(|design| {
        let id = &design.info().id;
        let up_to = |rows: u64| rows.saturating_sub(bounds.first_row).min(bounds.rows);
        let of_slice = match (state.instance(id)?.kind, shares) {
            (InstanceKind::Twin, None) => bounds.rows,
            (InstanceKind::Smaller { rows }, None) => up_to(rows),
            (InstanceKind::Part { series, time, rows }, Some(shares))
                if shares == (series, time) =>
            {
                up_to(rows)
            }
            _ => 0,
        };
        (of_slice > 0 && state.design(id).slices <= slice).then_some((design, of_slice))
    });
    shuffled(lacking.collect(), &[run.workload.seed, 4, slice])
}
