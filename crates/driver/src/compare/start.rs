//! Starting the designs of a comparison.

use std::sync::Arc;

use bakeoff_stats::{Journal, JournalError, Record, Step};

use super::shared::without_table;
use crate::Design;
use crate::candidates::{Candidates, start};

/// Starts the engines that the designs need. A design that is not available fails alone, but for those that read its
/// table.
///
/// # Errors
/// If a record cannot be written.
pub async fn start_designs(
    candidates: &mut dyn Candidates<Ready = Box<dyn Design>>,
    journal: &mut Journal,
) -> Result<Vec<Arc<dyn Design>>, JournalError> {
    let mut designs: Vec<Arc<dyn Design>> = Vec::new();
    for (index, design) in candidates.ids().into_iter().enumerate() {
        let started = start(candidates, index, journal).await?;
        let with_table = started.and_then(|started| {
            let lacking = without_table(&designs, started.as_ref());
            lacking.map_or(Ok(started), Err)
        });
        match with_table {
            Ok(started) => designs.push(started.into()),
            Err(error) => journal.append(&Record::Failed {
                design,
                step: Step::Start,
                query: None,
                reason: error.0,
            })?,
        }
    }
    Ok(designs)
}
