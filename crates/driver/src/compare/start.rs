//! Starting the designs of a comparison.

use std::sync::Arc;

use bakeoff_stats::{Journal, JournalError, Record, Step};

use crate::Design;
use crate::candidates::{Candidates, start};

/// Starts the engines that the designs need. A design that is not available fails alone.
///
/// # Errors
/// If a record cannot be written.
pub async fn start_designs(
    candidates: &mut dyn Candidates<Ready = Box<dyn Design>>,
    journal: &mut Journal,
) -> Result<Vec<Arc<dyn Design>>, JournalError> {
    let mut designs = Vec::new();
    for (index, design) in candidates.ids().into_iter().enumerate() {
        match start(candidates, index, journal).await? {
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
