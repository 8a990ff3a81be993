//! Checks a load before anything is made.

use anyhow::{Result, bail};
use bakeoff_engines::registry::engine;
use bakeoff_workload::{DesignId, Keys, Mix, RowValues};

/// Checks that the engines can drive these designs.
pub fn check_operations(designs: &[DesignId]) -> Result<()> {
    for id in designs {
        engine(id)?.check_operations(id)?;
    }
    Ok(())
}

/// Checks that there are rows left to insert: a data file can replace a generator that never ends.
pub fn check_new_rows(mix: &Mix, values: &dyn RowValues, loaded: u64) -> Result<()> {
    let inserts = mix.operations.iter().find(|o| o.keys == Keys::New);
    match (inserts, values.rows()) {
        (Some(operation), Some(rows)) if rows <= loaded => bail!(
            "operation {} inserts new rows, but the data has only {rows} rows, all of them \
             loaded: leave --data out, or choose other keys for it",
            operation.name
        ),
        _ => Ok(()),
    }
}
