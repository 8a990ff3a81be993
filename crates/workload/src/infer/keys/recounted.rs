//! Counts a key that was found once more, where it depends on the count what becomes of its rows.

use super::{FoundKey, Search};
use crate::Result;

/// Hashes of keys in memory: as many as rows that a workload loads unless it says more.
const KEY_HASHES: usize = 1 << 20;

impl Search<'_> {
    /// Counts the keys of more rows than those that found the key, unless all were counted.
    pub fn recounted(&self, found: FoundKey) -> Result<FoundKey> {
        if found.share == 1 {
            return Ok(found);
        }
        let numbers = found.partition.iter().chain(&found.order);
        let set = numbers.filter_map(|number| {
            let mut columns = self.columns.iter();
            columns.position(|column| column.index == *number)
        });
        let counted = self.count_in(vec![set.collect()], KEY_HASHES)?;
        let keys = &counted[0].keys;
        Ok(FoundKey {
            repeated: keys.repeated(),
            share: keys.share(),
            ..found
        })
    }
}
