//! By what designs of PostgreSQL and TimescaleDB find rows.

use bakeoff_workload::DesignId;

use crate::advice::{Finds, FoundBy};

/// Returns by what a design finds rows: by the index on the key and, where there are chunks, partitions or another index,
/// by a range of the order. Of compressed rows that is not known.
pub fn finds(id: &DesignId) -> Option<Finds> {
    let is_compressed = id.settings.contains_key("columnstore");
    (!is_compressed).then(|| Finds {
        surely: vec![FoundBy::Key],
        perhaps: vec![FoundBy::Order],
        has_statistics: true,
    })
}
