//! Checks a sweep before a server is started.

use anyhow::{Result, anyhow};
use bakeoff_driver::drive::Shard;
use bakeoff_driver::sweep::{Grid, Setting};
use bakeoff_engines::registry::engine;
use bakeoff_workload::{DesignId, RowSource, Workload};

use crate::cmd::measure::before::RowsToHold;
use crate::cmd::options::choice;
use crate::exit::Misuse;

const NO_INSERTS: &str = "it takes no inserts from several workers";
/// Setting of a design that stores some columns of the table only.
const COLUMNS: &str = "columns";

/// Returns the designs to sweep, and notes about those of the workload that are left out.
///
/// # Errors
/// Fails with a misuse for a design that was asked for and takes no inserts, or if none is left.
pub fn designs(workload: &Workload, patterns: &[String]) -> Result<(Vec<DesignId>, Vec<String>)> {
    let chosen = choice::designs(workload, patterns)?;
    let (mut swept, mut left_out) = (Vec::new(), Vec::new());
    for id in chosen {
        let takes_inserts = engine(&id)
            .map_err(|e| Misuse::new(e.into()))?
            .takes_inserts(&id);
        if takes_inserts {
            swept.push(id);
        } else if patterns.is_empty() {
            left_out.push(format!("{id} is not swept: {}", why_not(&id)));
        } else {
            let refused = anyhow!("design {id}: {}; leave it out of --designs", why_not(&id));
            return Err(Misuse::new(refused).into());
        }
    }
    if swept.is_empty() {
        let none = anyhow!(
            "{} has no design that takes inserts from several workers: name others with --designs, \
             for example cassandra/wide or local/columnar",
            workload.name
        );
        return Err(Misuse::new(none).into());
    }
    Ok((swept, left_out))
}

/// Returns the reason why a design takes no inserts of a sweep.
fn why_not(id: &DesignId) -> String {
    match id.settings.get(COLUMNS) {
        Some(number) => {
            format!("a sweep inserts whole rows, and {COLUMNS}={number} stores a part of them")
        }
        None => NO_INSERTS.to_owned(),
    }
}

/// Returns the rows that a table has to hold: those of the largest setting that can be measured.
///
/// # Errors
/// Fails with a misuse if no setting can be measured, or if the rows cannot be counted.
pub fn rows(grid: &Grid, source: &dyn RowSource, shard: Shard) -> Result<RowsToHold> {
    if let Some(smallest) = grid.settings().first() {
        check_smallest(*smallest, source, shard)?;
    }
    let known = source.known_rows();
    let settings = grid.settings().into_iter();
    let possible = settings.filter(|setting| setting.obstacle(known, shard).is_none());
    let needed = possible.map(|setting| setting.needed_rows_of_all(shard));
    Ok(RowsToHold {
        least: needed.max().unwrap_or(1),
        all_if: None,
    })
}

/// Checks the smallest setting: if it cannot be measured, none can.
fn check_smallest(smallest: Setting, source: &dyn RowSource, shard: Shard) -> Result<()> {
    let counted = source.count_rows(smallest.needed_rows_of_all(shard))?;
    let Some(obstacle) = smallest.obstacle(counted, shard) else {
        return Ok(());
    };
    let error = anyhow!(
        "no setting can be measured: even with the smallest numbers of --batches and --workers, \
         {} and {}, {obstacle}",
        smallest.batch_rows,
        smallest.workers
    );
    Err(Misuse::new(error).into())
}
